//! The faces of an acquisition function: it is the least of `offset + aᵀk(x) − κ σ(x)` over them.
//!
//! A lower confidence bound has one. The generalised one, μ − κσ − w|1 − kᵀK̂⁻¹1|, is the lesser of two confidence bounds
//! with other prior means, m − w and m + w: moving the prior mean by δ moves the posterior mean by δ(1 − kᵀK̂⁻¹1).
//! Under the piecewise-linear kernel, kᵀK̃⁻¹k can exceed k(x, x); where it does, σ̃ counts as 0, and the function is its mean.
//! That is a second face, with κ = 0, of which bounds must hold at such points too.
//!
//! An improvement criterion has one face too, which gives it the posterior mean; its κ depends on the box (`goal`).

use crate::error::{Error, Result};
use crate::problem::Problem;
use fathom_gp::lanes::{dot, widest};
use fathom_gp::{Criterion, NegativeVariance, Posterior};

/// offset + aᵀk(x) − κ σ(x).
#[derive(Debug, Clone)]
pub(crate) struct Face {
    /// The constant prior mean; 0 where only the deviation is sought.
    pub offset: f64,
    /// κ.
    pub kappa: f64,
    /// ã ≈ K̂⁻¹(y − offset); zero where only the deviation is sought.
    pub weights: Vec<f64>,
    /// Bounds of the residual ρ = y − offset − K̂ã: each |ρ_i|, and ρᵀK̂⁻¹ρ ≤ ‖ρ‖²/σ_ε².
    pub residual: f64,
    pub residual_energy: f64,
    /// An upper bound of ãᵀKã.
    pub norm_square: f64,
    /// An upper bound of kᵀK̂⁻¹k / k(x, x), where the face counts.
    pub reach: f64,
}

/// K̂⁻¹v and what is known of its residual, entry by entry and as an energy.
struct Solution {
    values: Vec<f64>,
    residual: f64,
    energy: f64,
}

impl Face {
    /// The faces of `criterion`.
    pub fn all(problem: &Problem<'_>, criterion: Criterion) -> Result<Vec<Self>> {
        let mean = problem.acquisition().posterior().model().mean;
        let mut faces = match criterion {
            Criterion::Lcb { kappa } => vec![Self::new(problem, mean, kappa)],
            Criterion::Mean | Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => {
                vec![Self::new(problem, mean, 0.0)]
            }
            Criterion::Deviation => vec![Self::deviation(problem)],
            Criterion::Glcb { kappa, rho, imprecision } => {
                let width = width(problem, mean, rho, imprecision)?;
                vec![Self::new(problem, mean - width, kappa), Self::new(problem, mean + width, kappa)]
            }
        };
        if let (Some(negative), [face]) = (problem.negative(), &faces[..]) {
            let beyond = Self { kappa: 0.0, reach: Self::reach_anywhere(problem), ..face.clone() };
            match negative {
                _ if face.kappa == 0.0 => faces = vec![beyond],
                NegativeVariance::Clamped => faces.push(beyond),
                NegativeVariance::Excluded => {}
            }
        }
        Ok(faces)
    }

    /// −σ.
    fn deviation(problem: &Problem<'_>) -> Self {
        let weights = vec![0.0; problem.size()];
        Self { offset: 0.0, kappa: 1.0, weights, residual: 0.0, residual_energy: 0.0, norm_square: 0.0, reach: 1.0 }
    }

    /// kᵀK̃⁻¹k ≤ ‖k‖²/λ_min, and no entry of k exceeds k(x, x).
    fn reach_anywhere(problem: &Problem<'_>) -> f64 {
        let bound = problem.size() as f64 * problem.variance / problem.least_eigenvalue;
        bound.max(1.0) * (1.0 + 1e-12)
    }

    fn new(problem: &Problem<'_>, offset: f64, kappa: f64) -> Self {
        let posterior = problem.acquisition().posterior();
        let centred: Vec<f64> = posterior.y().iter().map(|y| y - offset).collect();
        let size = offset.abs() + posterior.y().iter().map(|y| y.abs()).fold(0.0, f64::max);
        let Solution { values: weights, residual, energy } = solve(problem, posterior, &centred, size);
        let total: f64 = weights.iter().map(|a| a.abs()).sum();
        let fitted: f64 = weights.iter().zip(&centred).map(|(a, y)| a * y).sum();
        let rounding = (weights.len() as f64 + 8.0) * f64::EPSILON * total * size + total * residual;
        Self { offset, kappa, weights, residual, residual_energy: energy, norm_square: fitted + rounding, reach: 1.0 }
    }
}

/// By the posterior's factor, refined once; `size` is that of the numbers which `target` was made of.
fn solve(problem: &Problem<'_>, posterior: &Posterior, target: &[f64], size: f64) -> Solution {
    let n = target.len();
    let residuals = |values: &[f64]| -> Vec<f64> {
        (0..n).map(|i| target[i] - widest(|| dot(problem.covariance_row(i), values))).collect()
    };
    let solved = |v: &[f64]| -> Vec<f64> {
        let mut out = v.to_vec();
        match problem.negative() {
            None => posterior.factor().solve(&mut out),
            Some(_) => problem.solve(v, &mut out),
        }
        out
    };
    let mut values = solved(target);
    let correction = solved(&residuals(&values));
    for (value, correction) in values.iter_mut().zip(&correction) {
        *value += correction;
    }
    // The computed residual is itself rounded: by the sums, and by the kernel values in K̂.
    let total: f64 = values.iter().map(|a| a.abs()).sum();
    // Sums of eight lanes (four in the checker) are that much shorter.
    let entries = (n as f64 / 4.0 + 12.0) * f64::EPSILON * problem.largest_covariance + problem.covariance_error;
    let rounding = entries * total + problem.noise * 8.0 * f64::EPSILON * total + 2.0 * f64::EPSILON * size;
    let residual = residuals(&values).iter().map(|r| r.abs()).fold(0.0, f64::max) + rounding;
    Solution { values, residual, energy: n as f64 * residual * residual / problem.least_eigenvalue }
}

/// An upper bound of w = ρ c/S max(2, 1 + |1ᵀa|/(c + S)), S = 1ᵀK̂⁻¹1: see `fathom_gp`'s acquisition functions for the
/// formula, whose two cases are the two arguments of the maximum. A larger w only lowers the function, so the faces'
/// prior means are further apart than needed by what a checker's own rounding may ask for.
fn width(problem: &Problem<'_>, mean: f64, rho: f64, imprecision: f64) -> Result<f64> {
    let posterior = problem.acquisition().posterior();
    let ones = solve(problem, posterior, &vec![1.0; problem.size()], 1.0);
    let sizes: f64 = ones.values.iter().map(|s| s.abs()).sum();
    // 1ᵀK̂⁻¹1 = 1ᵀs + sᵀr + rᵀK̂⁻¹r with r = 1 − K̂s.
    let sum: f64 = ones.values.iter().sum();
    let slack = 2.0 * (sizes * (ones.residual + problem.size() as f64 * f64::EPSILON) + ones.energy);
    let least = sum - slack;
    let is_unknown = || {
        let (name, requirement) = ("the sum of the inverse covariance", "known closely; raise the noise");
        Error::Model(fathom_gp::Error::OutOfDomain { name, value: sum, requirement })
    };
    if !(slack < 1e-3 * sum) {
        return Err(is_unknown());
    }
    // 1ᵀa = 1ᵀã + 1ᵀK̂⁻¹ρ.
    let central = Face::new(problem, mean, 0.0);
    let drift = |face: &Face| {
        let total: f64 = face.weights.iter().map(|a| a.abs()).sum();
        2.0 * (((sum + slack) * face.residual_energy).sqrt() + total * problem.size() as f64 * f64::EPSILON)
    };
    let weighted = central.weights.iter().sum::<f64>().abs() + drift(&central);
    let width = |weighted: f64| rho * imprecision / least * (1.0 + weighted / (imprecision + least)).max(2.0);
    // A checker has the weights for another prior mean, as far away as this width, which are apart by that times S.
    let away = width(weighted);
    let other = Face::new(problem, mean - away, 0.0);
    let width = width(weighted + drift(&other) + 2.0 * slack * away);
    if !(width < 1.5 * away + f64::MIN_POSITIVE) {
        return Err(is_unknown());
    }
    Ok(width * (1.0 + 1e-9) + 1e-12 * (problem.unit + mean.abs()))
}
