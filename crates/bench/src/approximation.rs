//! Table 1 of the paper, the true errors behind its e_approx, and Theorem 4.3's bounds beside the real error.

use fathom_gp::theory::{Constants, bound_a_posteriori, bound_by_norms};
use fathom_gp::{
    Covariance, Dataset, Kernel, Model, Partition, Points, Posterior, PwlCovariance, PwlKernel, PwlPosterior, Repair,
    Result, sample_normal,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;

/// Table 1: ε_k and the cuts r_1, r_2, r_3 of each kernel that has them, for σ_f² = 1.
pub fn table_1() -> Result<String> {
    let mut text = String::from("| kernel | ε_k | r_1 | r_2 | r_3 |\n|---|---|---|---|---|\n");
    for kernel in [Kernel::Matern32, Kernel::Rbf, Kernel::Matern52, Kernel::RationalQuadratic { alpha: 1.0 }] {
        let partition = Partition::new(kernel, (0.0, 100.0))?;
        let cuts: Vec<String> = partition.sections.iter().take(3).map(|section| format!("{:.4}", section.to)).collect();
        let shape = kernel.shape().map(|alpha| format!(", α = {alpha}")).unwrap_or_default();
        let _ = writeln!(text, "| {}{shape} | {:.6} | {} |", kernel.name(), partition.threshold, cuts.join(" | "));
    }
    Ok(text)
}

/// The proven maximum of |k − k̃| for D = 1..5 and several r_max, with σ_f² = 1.
pub fn error_table() -> Result<String> {
    let ranges = [0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
    let heads: Vec<String> = ranges.iter().map(|r| format!("r_max = {r}")).collect();
    let mut text = format!("| kernel, D | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(ranges.len()));
    for kernel in [Kernel::Matern32, Kernel::Rbf] {
        for dim in 1..=5 {
            let cell = |r_max: &f64| Ok(format!("{:.4}", PwlKernel::paper(kernel, dim, (0.0, *r_max))?.error()));
            let cells: Vec<String> = ranges.iter().map(cell).collect::<Result<_>>()?;
            let _ = writeln!(text, "| {}, {dim} | {} |", kernel.name(), cells.join(" | "));
        }
    }
    Ok(text)
}

/// Real errors of μ̃ and σ̃ beside their bounds, for the paper's breakpoints and for finer ones.
pub fn bound_table() -> Result<String> {
    let mut text = String::from(
        "| model | breakpoints | M | ε_M | λ_min(K̃) | real μ | a posteriori μ | norms μ | printed μ \
         | real σ | a posteriori σ | norms σ | printed σ |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (kernel, noise) in
        [(Kernel::Matern32, 1e-6), (Kernel::Matern32, 1e-2), (Kernel::Rbf, 1e-6), (Kernel::Rbf, 1e-2)]
    {
        let posterior = sampled(kernel, noise)?;
        let covariance = posterior.model().covariance.clone();
        let bounds = [(0.0, 1.0); 2];
        let mut settings = vec![("paper".to_owned(), PwlCovariance::paper(covariance.clone(), &bounds)?)];
        for error in [1e-3, 1e-5, 1e-7] {
            settings.push((format!("ε = {error:e}"), PwlCovariance::with_error(covariance.clone(), &bounds, error)?));
        }
        for (name, pwl) in settings {
            let _ = writeln!(text, "| {} σ_ε² = {noise:e} | {name} {}", kernel.name(), bound_line(&posterior, pwl)?);
        }
    }
    Ok(text)
}

fn bound_line(posterior: &Posterior, pwl: PwlCovariance) -> Result<String> {
    let (n, error, segments) = (posterior.y().len(), pwl.error(), pwl.kernels()[0].segments());
    let smallest = fathom_gp::Spectrum::new(&pwl.gram(posterior.x(), posterior.model().noise)?)?.values()[0];
    // With N ε_M added the matrix is at least the true one; what the bounds then say includes that repair.
    let amount = if smallest < posterior.model().noise { n as f64 * error } else { 0.0 };
    let approximate = PwlPosterior::new(posterior, pwl, Repair::Regularise { amount })?;
    let tight = bound_a_posteriori(&approximate)?;
    let norms = bound_by_norms(&approximate)?;
    let printed = Constants::new(posterior.model().noise, 20.0).theorem_4_3(n, error);
    let (mut mean_error, mut deviation_error) = (0.0_f64, 0.0_f64);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20_000 {
        let x = [rng.random::<f64>(), rng.random::<f64>()];
        let exact = posterior.predict(&x)?;
        let (mean, variance) = approximate.predict(&x)?;
        mean_error = mean_error.max((exact.mean - mean).abs());
        deviation_error = deviation_error.max((exact.deviation() - variance.max(0.0).sqrt()).abs());
    }
    let numbers = [
        mean_error,
        tight.mean,
        norms.mean,
        printed.mean,
        deviation_error,
        tight.deviation,
        norms.deviation,
        printed.deviation,
    ];
    let cells: Vec<String> = numbers.iter().map(|v| format!("{v:.1e}")).collect();
    Ok(format!("| {segments} | {error:.1e} | {smallest:.1e} | {} |", cells.join(" | ")))
}

/// Twenty observations in two dimensions, a sample of the prior scaled to [0, 1] as Theorem 4.3 wants.
fn sampled(kernel: Kernel, noise: f64) -> Result<Posterior> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let x: Vec<[f64; 2]> = (0..20).map(|_| [rng.random(), rng.random()]).collect();
    let covariance = Covariance::isotropic(kernel, 2, 1.0, 0.4)?;
    let gram = covariance.gram(&Points::from_rows(&x)?, noise);
    let y = sample_normal(&[0.0; 20], &gram, 1, &mut rng)?.remove(0);
    let data = Dataset::new(&x, &y)?;
    let scaling = fathom_gp::Scaling::new(&data, &[(0.0, 1.0); 2], fathom_gp::OutputScaling::UnitInterval)?;
    Model::new(covariance, noise)?.condition(&scaling.dataset(&data)?)
}
