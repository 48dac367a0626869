//! Theorem 4.3 beside the truth: real errors of μ̃ and σ̃, and their bounds, as the segments M of k̃ grow.
//!
//! Twenty observations of a prior sample in 2D, lengthscale 0.4, outputs in [0, 1]. The real error is the largest at 20,000
//! random points. `printed` is the theorem with σ_max² = 20; `norms` the appendix's chain of inequalities with the actual
//! matrix norms; `a posteriori` what the actual matrices give. If K̃ is not at least σ_ε² I it is regularised by N ε_M, and
//! all of them include that.

use crate::chart::{self, Axis, Curve, FRAME, Mark, Panel, Pen, Picture, Place};
use crate::experiment::Experiment;
use crate::table::{Table, captioned};
use fathom_gp::{
    Covariance, Dataset, Kernel, Model, OutputScaling, Points, Posterior, PwlCovariance, PwlPosterior, Repair, Scaling,
    Spectrum, sample_normal,
};
use fathom_paper::theory::{Constants, estimate_a_posteriori, estimate_by_norms};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The paper's two kernels, as raw data call them.
pub(crate) const KERNELS: [(&str, Kernel); 2] = [("matern32", Kernel::Matern32), ("rbf", Kernel::Rbf)];
/// σ_ε².
const NOISES: [f64; 2] = [1e-6, 1e-2];
/// The errors ε_M asked for; the paper's own breakpoints come first.
const ERRORS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// The experiment.
#[derive(clap::Args, Debug, Default)]
pub struct Theory {}

/// Real errors and their bounds of a model under a piecewise-linear kernel.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    kernel: String,
    noise: f64,         // σ_ε²
    asked: Option<f64>, // the error ε_M asked for; nothing for the paper's breakpoints
    segments: usize,
    epsilon: f64,  // ε_M, proven
    smallest: f64, // the least eigenvalue of K̃ before any repair
    mean: f64,     // the real error of the mean, then its bounds
    mean_a_posteriori: f64,
    mean_norms: f64,
    mean_printed: f64,
    deviation: f64, // the real error of the deviation, then its bounds
    deviation_a_posteriori: f64,
    deviation_norms: f64,
    deviation_printed: f64,
}

impl Row {
    /// Of the mean: real error, a posteriori, by norms, printed.
    fn of_mean(&self) -> [f64; 4] {
        [self.mean, self.mean_a_posteriori, self.mean_norms, self.mean_printed]
    }

    /// The same of the deviation.
    fn of_deviation(&self) -> [f64; 4] {
        [self.deviation, self.deviation_a_posteriori, self.deviation_norms, self.deviation_printed]
    }
}

/// One model under one piecewise-linear kernel, the paper's if no error is asked for.
type Part = ((&'static str, Kernel), f64, Option<f64>);

impl Theory {
    /// How many piecewise-linear kernels, the paper's among them.
    fn breakpoints(quick: bool) -> usize {
        if quick { 3 } else { 1 + ERRORS.len() }
    }

    /// How much a run has, for people.
    pub(crate) fn extent(quick: bool) -> String {
        format!("{} of {} piecewise-linear kernels", Self::breakpoints(quick), Self::breakpoints(false))
    }
}

impl Experiment for Theory {
    type Part = Part;
    type Row = Row;

    fn settings(&self) -> String {
        "20 observations, 2 inputs, lengthscale 0.4".into()
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Part>> {
        let errors = || [None].into_iter().chain(ERRORS.map(Some)).take(Self::breakpoints(quick));
        let models = KERNELS.into_iter().flat_map(|kernel| NOISES.map(|noise| (kernel, noise)));
        Ok(models.flat_map(|(kernel, noise)| errors().map(move |error| (kernel, noise, error))).collect())
    }

    fn name(((kernel, _), noise, error): &Part) -> String {
        format!("{kernel} {noise:e} {error:?}")
    }

    fn part_of(row: &Row) -> String {
        format!("{} {:e} {:?}", row.kernel, row.noise, row.asked)
    }

    fn measure(&self, &((name, kernel), noise, asked): &Part, _: &Path) -> anyhow::Result<Vec<Row>> {
        let posterior = sampled(kernel, noise)?;
        let (covariance, bounds) = (posterior.model().covariance.clone(), [(0.0, 1.0); 2]);
        let pwl = match asked {
            None => PwlCovariance::paper(covariance, &bounds)?,
            Some(error) => PwlCovariance::with_error(covariance, &bounds, error)?,
        };
        let (n, epsilon, segments) = (posterior.y().len(), pwl.error(), pwl.kernels()[0].segments());
        let smallest = Spectrum::new(&pwl.gram(posterior.x(), noise)?)?.values()[0];
        // With N ε_M added the matrix is at least the true one; what the bounds then say includes that repair.
        let amount = if smallest < noise { n as f64 * epsilon } else { 0.0 };
        let approximate = PwlPosterior::new(&posterior, pwl, Repair::Regularise { amount })?;
        let (tight, norms) = (estimate_a_posteriori(&approximate)?, estimate_by_norms(&approximate)?);
        let printed = Constants::new(noise, 20.0).theorem_4_3(n, epsilon);
        let (mut mean, mut deviation) = (0.0_f64, 0.0_f64);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..20_000 {
            let x = [rng.random::<f64>(), rng.random::<f64>()];
            let exact = posterior.predict(&x)?;
            let (approximate_mean, variance) = approximate.predict(&x)?;
            mean = mean.max((exact.mean - approximate_mean).abs());
            deviation = deviation.max((exact.deviation() - variance.max(0.0).sqrt()).abs());
        }
        Ok(vec![Row {
            kernel: name.into(),
            noise,
            asked,
            segments,
            epsilon,
            smallest,
            mean,
            mean_a_posteriori: tight.mean,
            mean_norms: norms.mean,
            mean_printed: printed.mean,
            deviation,
            deviation_a_posteriori: tight.deviation,
            deviation_norms: norms.deviation,
            deviation_printed: printed.deviation,
        }])
    }

    fn tables(rows: &[Row]) -> String {
        let of = |letter: &str| ["real", "a posteriori", "norms", "printed"].map(|name| format!("{name} {letter}"));
        let heads = ["breakpoints", "M", "ε_M", "λ_min(K̃)"].map(String::from).into_iter();
        let heads: Vec<(usize, String)> = heads.chain(of("μ")).chain(of("σ")).enumerate().collect();
        let mut table = Table::new("model", &heads, |(_, head)| head.clone());
        for row in rows {
            let breakpoints = row.asked.map_or_else(|| "paper".to_owned(), |error| format!("ε = {error:e}"));
            let numbers: Vec<f64> =
                [row.epsilon, row.smallest].into_iter().chain(row.of_mean()).chain(row.of_deviation()).collect();
            table.line(&format!("{} σ_ε² = {:e}", row.kernel, row.noise), |(at, _)| match *at {
                0 => Some(breakpoints.clone()),
                1 => Some(row.segments.to_string()),
                at => Some(format!("{:.1e}", numbers[at - 2])),
            });
        }
        let caption = "Theorem 4.3: the largest error of the piecewise-linear posterior at 20,000 points (real), and what bounds it: \
                       by the actual matrices (a posteriori), by the appendix's norms, and as the theorem is printed.";
        captioned(caption, &table.into_text())
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        vec![
            ("mean", draw(rows, "error of the mean", Row::of_mean)),
            ("deviation", draw(rows, "error of the deviation", Row::of_deviation)),
        ]
    }

    fn is_refuted(rows: &[Row]) -> bool {
        !rows.iter().all(|row| [row.of_mean(), row.of_deviation()].iter().all(|[real, tight, ..]| real <= tight))
    }
}

/// Errors and bounds against the number of segments, a panel for each model.
fn draw(rows: &[Row], y_label: &str, numbers: fn(&Row) -> [f64; 4]) -> Picture {
    let pen = |colour, width, dash, mark| Pen { colour, width, dash, mark };
    let legend = [
        ("real, at 20,000 points", Pen { mark: Mark::Circle, ..Pen::BLACK }),
        ("a posteriori", pen("#d55e00", 2.0, "10 3", Mark::Square)),
        ("by norms", pen("#0072b2", 1.8, "5 4", Mark::Triangle)),
        ("Theorem 4.3 as printed", pen("#666666", 1.8, "2 4", Mark::Cross)),
    ];
    let mut panels = Vec::new();
    for (kernel, _) in KERNELS {
        for noise in NOISES {
            let mut here: Vec<&Row> = rows.iter().filter(|row| row.kernel == kernel && row.noise == noise).collect();
            here.sort_by_key(|row| row.segments);
            let curve = |(i, (_, pen)): (usize, (&str, Pen))| {
                let points = here.iter().map(|row| Place::bare(row.segments as f64, numbers(row)[i])).collect();
                Curve { pen, points, marked: (1, 0) }
            };
            let curves: Vec<Curve> = legend.into_iter().enumerate().map(curve).collect();
            let x = Axis::decades(here.iter().map(|row| row.segments as f64), 1.0);
            let title = format!("{}, noise {noise:e}", if kernel == "rbf" { "RBF" } else { "Matérn 3/2" });
            panels.push(Panel::logarithmic(title, ("segments M", y_label), x, 1e-9, curves));
        }
    }
    chart::draw(&panels, 2, FRAME, &legend, None)
}

/// Twenty observations in two dimensions, a sample of the prior scaled to [0, 1] as Theorem 4.3 wants.
fn sampled(kernel: Kernel, noise: f64) -> anyhow::Result<Posterior> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let x: Vec<[f64; 2]> = (0..20).map(|_| [rng.random(), rng.random()]).collect();
    let covariance = Covariance::isotropic(kernel, 2, 1.0, 0.4)?;
    let gram = covariance.gram(&Points::from_rows(&x)?, noise);
    let y = sample_normal(&[0.0; 20], &gram, 1, &mut rng)?.remove(0);
    let data = Dataset::new(&x, &y)?;
    let scaling = Scaling::new(&data, &[(0.0, 1.0); 2], OutputScaling::UnitInterval)?;
    Ok(Model::new(covariance, noise)?.condition(&scaling.dataset(&data)?)?)
}
