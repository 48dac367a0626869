//! A first model: twelve experiments, a fitted Gaussian process, what it expects elsewhere, and the next experiment with
//! its proof.
//!
//! `cargo run --release --example first_model [FOLDER]` prints it and draws the paper's Figures 1 and 2 into
//! FOLDER (default `figures`).

use anyhow::Context as _;
use fathom_bench::save_paper_figures;
use fathom_check::verify;
use fathom_global::{Limits, Problem, Region, Stop, minimise_with_proof};
use fathom_gp::{
    Beta, Covariance, Criterion, Dataset, FitSettings, Kernel, OutputScaling, PwlCovariance, PwlPosterior, Repair,
    Scaling, fit,
};
use fathom_paper::theory::estimate_a_posteriori;
use std::f64::consts::PI;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The box of the Branin function.
const BOUNDS: [(f64, f64); 2] = [(-5.0, 10.0), (0.0, 15.0)];

fn branin(x: &[f64]) -> f64 {
    let (a, b) = (5.1 / (4.0 * PI * PI), 5.0 / PI);
    (x[1] - a * x[0] * x[0] + b * x[0] - 6.0).powi(2) + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
}

fn main() -> anyhow::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "figures".into()));
    tell(&mut std::io::stdout(), &folder)
}

/// Says everything on `out`, and draws into `folder`.
pub fn tell(out: &mut impl Write, folder: &Path) -> anyhow::Result<()> {
    // Twelve experiments, spread as a lattice with one point in each row and column.
    let x: Vec<Vec<f64>> = (0..12)
        .map(|i| {
            let share = |k: i32| (f64::from(k) + 0.5) / 12.0;
            vec![BOUNDS[0].0 + 15.0 * share(i), BOUNDS[1].0 + 15.0 * share((5 * i + 2) % 12)]
        })
        .collect();
    let y: Vec<f64> = x.iter().map(|x| branin(x)).collect();
    let data = Dataset::new(&x, &y)?;
    let scaling = Scaling::new(&data, &BOUNDS, OutputScaling::UnitInterval)?;

    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5, 0.5])?;
    let fitted = fit(&structure, &scaling.dataset(&data)?, &FitSettings::default())?;
    let posterior = &fitted.posterior;
    let term = &posterior.model().covariance.terms()[0];
    writeln!(
        out,
        "Twelve evaluations of the Branin function, a Matérn 3/2 Gaussian process with one lengthscale per input.\n"
    )?;
    writeln!(out, "log likelihood  {:.3} (best of {} starts)", fitted.log_likelihood, fitted.starts.len())?;
    writeln!(out, "deviation       {:.1}", scaling.deviation_back(term.variance().sqrt()))?;
    writeln!(out, "lengthscales    {:.2?}\n", scaling.lengthscales_back(term)?)?;

    writeln!(out, "What the model expects where nobody has measured:")?;
    for at in [[2.5, 7.5], [-3.0, 12.0], [9.4, 2.5]] {
        let expected = posterior.predict(&scaling.point(&at)?)?;
        let (mean, two_sigma) = (scaling.mean_back(expected.mean), 2.0 * scaling.deviation_back(expected.deviation()));
        writeln!(out, "  x = {at:>5.1?}   {mean:7.1} ± {two_sigma:5.1}   (truth {:6.1})", branin(&at))?;
    }

    let kappa = Beta::Paper.at(data.len() + 1, 2)?.sqrt();
    let region = Region::new(&[(0.0, 1.0); 2])?;
    let problem = Problem::new(posterior, Criterion::Lcb { kappa }, region)?;
    let (certificate, proof) = minimise_with_proof(&problem, &Limits::default(), &Stop::new(false), |_| {})?;
    let proof = proof.context("the search proved nothing")?;
    let lowest = scaling.mean_back(certificate.lower_bound.context("the search proved nothing")?);
    let next = scaling.point_back(&certificate.x)?;
    writeln!(out, "\nNext experiment, the proven minimum of the lower confidence bound:")?;
    writeln!(out, "  x = {next:.3?}, which may reach {:.2}", scaling.mean_back(certificate.value))?;
    writeln!(
        out,
        "  nowhere in the box is the bound below {lowest:.2} ({} boxes, {:.1} ms)",
        certificate.nodes,
        certificate.seconds * 1e3
    )?;
    let verdict = verify(&proof)?;
    writeln!(out, "  checked by separate code in interval arithmetic: {} boxes, the proof holds", verdict.boxes)?;

    let unit = [(0.0, 1.0); 2];
    let pwl = PwlCovariance::with_error(posterior.model().covariance.clone(), &unit, 1e-6)?;
    let (segments, error) = (pwl.kernels()[0].segments(), pwl.error());
    let approximate = PwlPosterior::new(posterior, pwl, Repair::None)?;
    let estimate = estimate_a_posteriori(&approximate)?;
    writeln!(
        out,
        "\nThe same model with a piecewise-linear kernel of {segments} segments (kernel error at most {error:.1e}):"
    )?;
    writeln!(out, "Theorem 4.3 a posteriori, an estimate in floating point, lets anywhere in the box")?;
    writeln!(out, "  its mean be off by      {:.2e}", scaling.deviation_back(estimate.mean))?;
    writeln!(out, "  its deviation be off by {:.2e}", scaling.deviation_back(estimate.deviation))?;

    writeln!(out, "\nDrawn:")?;
    for path in save_paper_figures(folder)? {
        writeln!(out, "  {}", path.display())?;
    }
    Ok(())
}
