//! The reference fits: twenty small data sets, our best likelihood beside scikit-learn's.

use anyhow::Context as _;
use fathom_gp::{Covariance, Dataset, FitSettings, Kernel, KernelFields, Noise, Replicates, fit};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::Path;

#[derive(Deserialize)]
struct Case {
    name: String,
    kernel: String,
    ard: bool,
    alpha: Option<f64>,
    noise: CaseNoise,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    reference: Reference,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum CaseNoise {
    Fixed(f64),
    Learned(f64, f64),
}

#[derive(Deserialize)]
struct Reference {
    lml: f64,
}

/// The table, from the reference file that the tests of the model read.
pub fn table() -> anyhow::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gp/tests/reference/fits.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let cases: Vec<Case> = serde_json::from_str(&text)?;
    let mut table = String::from(
        "| data set | log likelihood, fathom | scikit-learn | difference | evaluations |\n|---|---|---|---|---|\n",
    );
    for case in &cases {
        let (ours, evaluations) = best(case).with_context(|| format!("in {}", case.name))?;
        let theirs = case.reference.lml;
        let _ = writeln!(table, "| {} | {ours:.6} | {theirs:.6} | {:+.1e} | {evaluations} |", case.name, ours - theirs);
    }
    Ok(table)
}

/// The log likelihood reached with the bounds and the number of starts of the reference, and what it took.
fn best(case: &Case) -> anyhow::Result<(f64, usize)> {
    let dim = case.x.first().context("no observations")?.len();
    let kernel = Kernel::named(case.kernel.parse()?, KernelFields { alpha: case.alpha, ..KernelFields::default() })?;
    let structure = if case.ard {
        Covariance::ard(kernel, 1.0, &vec![0.5; dim])?
    } else {
        Covariance::isotropic(kernel, dim, 1.0, 0.5)?
    };
    let (noise, replicates) = match case.noise {
        CaseNoise::Fixed(noise) => (Noise::Fixed(noise), Replicates::Reject),
        CaseNoise::Learned(lower, upper) => (Noise::Learned { lower, upper }, Replicates::Keep),
    };
    let data = Dataset::with_replicates(&case.x, &case.y, replicates)?;
    let fitted = fit(&structure, &data, &FitSettings { noise, shape: None, ..FitSettings::default() })?;
    let evaluations = fitted.starts.iter().chain([&fitted.polish]).map(|start| start.evaluations).sum();
    Ok((fitted.log_likelihood, evaluations))
}
