//! The pieces of an acquisition function, which is the least of `m + aᵀk(x) − κ σ(x)` over its pieces (docs/method.md, Lemma 1.1).
//!
//! The weights are approximate. Lemma 2.3 bounds the effect of their residual r, and Lemma 1.2 the width of the
//! generalised confidence bound. An improvement criterion has one piece, which gives the posterior mean.

use super::tables::Tables;
use crate::error::{Error, Result};
use crate::rounding;
use fathom_gp::{Criterion, NegativeVariance, Posterior};

/// offset + aᵀk(x) − κ σ(x).
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// The constant prior mean; 0 if only the deviation is sought.
    pub offset: f64,
    /// κ.
    pub kappa: f64,
    /// ã ≈ K̂⁻¹(y − offset); zero if only the deviation is sought.
    pub weights: Vec<f64>,
    /// Bounds of the residual ρ = y − offset − K̂ã: each |ρ_i|, and ρᵀK̂⁻¹ρ ≤ ‖ρ‖²/σ_ε².
    pub residual: f64,
    pub residual_energy: f64,
    /// An upper bound of ãᵀKã.
    pub norm_square: f64,
    /// An upper bound of kᵀK̂⁻¹k / k(x, x) at points where the piece counts.
    pub reach: f64,
    /// The number that stands for k(x, x) if the piece counts at points with a negative variance, too.
    pub prior: Option<f64>,
}

/// K̂⁻¹v, with bounds of its residual's entries and energy.
struct Solution {
    values: Vec<f64>,
    residual: f64,
    energy: f64,
}

impl Piece {
    /// The pieces of `criterion`.
    pub fn all(
        tables: &Tables,
        posterior: &Posterior,
        criterion: Criterion,
        negative: Option<NegativeVariance>,
        unit: f64,
    ) -> Result<Vec<Self>> {
        let with = Sources { tables, posterior, is_piecewise_linear: negative.is_some(), unit };
        let mean = posterior.model().mean;
        let mut pieces = match criterion {
            Criterion::Lcb { kappa } => vec![Self::new(&with, mean, kappa)],
            Criterion::Mean | Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => {
                vec![Self::new(&with, mean, 0.0)]
            }
            Criterion::Deviation => vec![Self::deviation(tables)],
            Criterion::Glcb { kappa, rho, imprecision } => {
                let width = width(&with, mean, rho, imprecision)?;
                vec![Self::new(&with, mean - width, kappa), Self::new(&with, mean + width, kappa)]
            }
        };
        if let Some(negative) = negative {
            let (reach, prior) = (Self::reach_anywhere(tables), Some(tables.largest_cross()));
            let beyond = |piece: &Self| Self { kappa: 0.0, reach, prior, ..piece.clone() };
            let everywhere: Vec<Self> = pieces.iter().map(beyond).collect();
            match negative {
                _ if pieces[0].kappa == 0.0 => pieces = everywhere,
                NegativeVariance::Clamped => pieces.extend(everywhere),
                NegativeVariance::Excluded => {}
            }
        }
        Ok(pieces)
    }

    /// −σ.
    fn deviation(tables: &Tables) -> Self {
        let weights = vec![0.0; tables.size()];
        let (residual, residual_energy, norm_square) = (0.0, 0.0, 0.0);
        Self { offset: 0.0, kappa: 1.0, weights, residual, residual_energy, norm_square, reach: 1.0, prior: None }
    }

    /// kᵀK̃⁻¹k ≤ ‖k‖²/λ_min, and no entry of k exceeds kmax, which stands for k(x, x).
    fn reach_anywhere(tables: &Tables) -> f64 {
        let bound = tables.size() as f64 * tables.largest_cross() / tables.least_eigenvalue;
        bound.max(1.0) * rounding::REACH_UP
    }

    fn new(with: &Sources<'_>, offset: f64, kappa: f64) -> Self {
        let posterior = with.posterior;
        let centred: Vec<f64> = posterior.y().iter().map(|y| y - offset).collect();
        let size = offset.abs() + posterior.y().iter().map(|y| y.abs()).fold(0.0, f64::max);
        let Solution { values: weights, residual, energy } = with.solve(&centred, size);
        let total: f64 = weights.iter().map(|a| a.abs()).sum();
        let fitted: f64 = weights.iter().zip(&centred).map(|(a, y)| a * y).sum();
        let rounding = rounding::weighted_outputs(weights.len() as f64) * total * size + total * residual;
        let norm_square = fitted + rounding;
        Self { offset, kappa, weights, residual, residual_energy: energy, norm_square, reach: 1.0, prior: None }
    }
}

/// The parts from which pieces are made.
struct Sources<'s> {
    tables: &'s Tables,
    posterior: &'s Posterior,
    is_piecewise_linear: bool,
    unit: f64,
}

impl Sources<'_> {
    /// Solves by the posterior's factor and refines once; `size` is the size of the numbers behind `target`.
    fn solve(&self, target: &[f64], size: f64) -> Solution {
        let (tables, n) = (self.tables, target.len());
        let residuals = |values: &[f64]| -> Vec<f64> {
            target.iter().zip(tables.covariance.times(values)).map(|(target, product)| target - product).collect()
        };
        let solved = |v: &[f64]| -> Vec<f64> {
            if self.is_piecewise_linear {
                return tables.inverse.times(v);
            }
            let mut out = v.to_vec();
            self.posterior.factor().solve(&mut out);
            out
        };
        let mut values = solved(target);
        let correction = solved(&residuals(&values));
        for (value, correction) in values.iter_mut().zip(&correction) {
            *value += correction;
        }
        // The computed residual has rounding errors of its own: from the sums, and from the kernel values in K̂.
        let total: f64 = values.iter().map(|a| a.abs()).sum();
        let largest = tables.largest_covariance;
        let entries = rounding::residual_entry(n as f64, largest, tables.covariance_error);
        let diagonal = rounding::diagonal_units(n as f64, tables.noise, largest);
        let rounding = entries * total + tables.noise * diagonal * f64::EPSILON * total + rounding::CENTRED * size;
        let residual = residuals(&values).iter().map(|r| r.abs()).fold(0.0, f64::max) + rounding;
        Solution { values, residual, energy: n as f64 * residual * residual / tables.least_eigenvalue }
    }
}

/// An upper bound of w = ρ c/S max(2, 1 + |1ᵀa|/(c + S)), S = 1ᵀK̂⁻¹1: see `fathom_gp`'s acquisition functions for the
/// formula, whose two cases are the two arguments of the maximum. A larger w only lowers the function, so the pieces'
/// prior means are a little further apart than needed, for a checker's own rounding.
fn width(with: &Sources<'_>, mean: f64, rho: f64, imprecision: f64) -> Result<f64> {
    let n = with.tables.size();
    let ones = with.solve(&vec![1.0; n], 1.0);
    let sizes: f64 = ones.values.iter().map(|s| s.abs()).sum();
    // 1ᵀK̂⁻¹1 = 1ᵀs + sᵀr + rᵀK̂⁻¹r with r = 1 − K̂s.
    let sum: f64 = ones.values.iter().sum();
    let slack = 2.0 * (sizes * (ones.residual + rounding::plain_sum(n as f64)) + ones.energy);
    let least = sum - slack;
    let is_unknown = || {
        let (name, requirement) = ("the sum of the inverse covariance", "known closely; raise the noise");
        Error::Model(fathom_gp::Error::OutOfDomain { name, value: sum, requirement })
    };
    if !(slack < 1e-3 * sum) {
        return Err(is_unknown());
    }
    // 1ᵀa = 1ᵀã + 1ᵀK̂⁻¹ρ.
    let central = Piece::new(with, mean, 0.0);
    let drift = |piece: &Piece| {
        let total: f64 = piece.weights.iter().map(|a| a.abs()).sum();
        2.0 * (((sum + slack) * piece.residual_energy).sqrt() + total * rounding::plain_sum(n as f64))
    };
    let weighted = central.weights.iter().sum::<f64>().abs() + drift(&central);
    let width = |weighted: f64| rho * imprecision / least * (1.0 + weighted / (imprecision + least)).max(2.0);
    // A checker has the weights for another prior mean, this width away; these weights differ by the width times S.
    let away = width(weighted);
    let other = Piece::new(with, mean - away, 0.0);
    let width = width(weighted + drift(&other) + 2.0 * slack * away);
    if !(width < 1.5 * away + f64::MIN_POSITIVE) {
        return Err(is_unknown());
    }
    Ok(width * rounding::WIDTH_UP + rounding::WIDTH * (with.unit + mean.abs()))
}
