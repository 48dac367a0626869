//! Theorem 4.3 beside the truth: real errors of μ̃ and σ̃, and their bounds, as the segments M of k̃ grow.
//!
//! Twenty observations of a prior sample in 2D, lengthscale 0.4, outputs in [0, 1]. The real error is the largest at 20,000
//! random points. `printed` is the theorem with σ_max² = 20; `norms` the appendix's chain of inequalities with the actual
//! matrix norms; `a posteriori` what the actual matrices give. Where K̃ is not at least σ_ε² I it is regularised by N ε_M, and
//! all of them include that.

mod plots;
mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::evidence;
use crate::jobs::{Job, work};
use fathom_gp::{
    Covariance, Dataset, Kernel, Model, OutputScaling, Points, Posterior, PwlCovariance, PwlPosterior, Repair, Scaling,
    Spectrum, sample_normal,
};
use fathom_paper::theory::{Constants, estimate_a_posteriori, estimate_by_norms};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};

/// The kernels, as raw files call them.
const KERNELS: [(&str, Kernel); 2] = [("matern32", Kernel::Matern32), ("rbf", Kernel::Rbf)];
/// σ_ε².
const NOISES: [f64; 2] = [1e-6, 1e-2];
/// The errors ε_M asked for; the paper's own breakpoints come first.
const ERRORS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// Measures what `folder/raw.csv` does not hold yet, then makes tables and plots; the files written.
pub fn run(quick: bool, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut jobs = Vec::new();
    for kernel in KERNELS {
        for noise in NOISES {
            let errors = ERRORS.into_iter().take(if quick { 2 } else { ERRORS.len() });
            jobs.push(Task { kernel, noise, error: None });
            jobs.extend(errors.map(|error| Task { kernel, noise, error: Some(error) }));
        }
    }
    evidence::settle(folder, "20 observations, 2 inputs, lengthscale 0.4")?;
    work(&jobs, 1, folder)?;
    report(folder)
}

/// Makes `tables.md` and the plots of the run in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows: Vec<Row> = evidence::read(folder)?;
    let mut written = vec![evidence::write_tables(folder, &tables(&rows))?];
    written.extend(plots::mean(&rows).save(folder, "mean")?);
    written.extend(plots::deviation(&rows).save(folder, "deviation")?);
    Ok(written)
}

/// One model under one piecewise-linear kernel.
struct Task {
    kernel: (&'static str, Kernel),
    noise: f64,
    /// `None`: the paper's breakpoints.
    error: Option<f64>,
}

impl Job for Task {
    type Row = Row;

    fn name(&self) -> String {
        name(self.kernel.0, self.noise, self.error)
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let posterior = sampled(self.kernel.1, self.noise)?;
        let (covariance, bounds) = (posterior.model().covariance.clone(), [(0.0, 1.0); 2]);
        let pwl = match self.error {
            None => PwlCovariance::paper(covariance, &bounds)?,
            Some(error) => PwlCovariance::with_error(covariance, &bounds, error)?,
        };
        let (n, epsilon, segments) = (posterior.y().len(), pwl.error(), pwl.kernels()[0].segments());
        let smallest = Spectrum::new(&pwl.gram(posterior.x(), self.noise)?)?.values()[0];
        // With N ε_M added the matrix is at least the true one; what the bounds then say includes that repair.
        let amount = if smallest < self.noise { n as f64 * epsilon } else { 0.0 };
        let approximate = PwlPosterior::new(&posterior, pwl, Repair::Regularise { amount })?;
        let (tight, norms) = (estimate_a_posteriori(&approximate)?, estimate_by_norms(&approximate)?);
        let printed = Constants::new(self.noise, 20.0).theorem_4_3(n, epsilon);
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
            kernel: self.kernel.0.into(),
            noise: self.noise,
            asked: self.error,
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

    fn of(row: &Row) -> (String, bool) {
        (name(&row.kernel, row.noise, row.asked), true)
    }
}

fn name(kernel: &str, noise: f64, error: Option<f64>) -> String {
    format!("{kernel} {noise:e} {error:?}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_and_the_tighter_one_is_tighter() {
        let folder = std::env::temp_dir().join(format!("fathom-theory-{}", std::process::id()));
        assert_eq!(run(true, &folder).expect("small models").len(), 5);
        for row in evidence::read::<Row>(&folder).expect("just written") {
            assert!(row.mean <= row.mean_a_posteriori && row.mean_a_posteriori <= row.mean_norms, "{row:?}");
            assert!(row.deviation <= row.deviation_a_posteriori, "{row:?}");
            assert!(row.deviation_a_posteriori <= row.deviation_norms, "{row:?}");
        }
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
