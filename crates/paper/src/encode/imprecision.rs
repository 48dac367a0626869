//! GLCB's reward for imprecision: −ρ·scale·|b| with b = 1 − Σ s̃_i K_i, s̃ = K̃⁻¹1 (see `fathom_gp::Criterion::Glcb`).
//!
//! The reward is a concave function that is minimised, so |b| needs a binary: d ≤ b + 2B⁻ q and d ≤ −b + 2B⁺ (1 − q) with −B⁻ ≤ b ≤
//! B⁺. Either q turns one of the two into d ≤ ±b and makes the other redundant, and the better q gives d = |b|.

use super::kernels::Kernels;
use crate::error::Result;
use fathom_gp::PwlPosterior;
use fathom_miqp::{Expression, Kind, Model, Variable};

/// b, d and q, and the weight of d.
#[derive(Debug, Clone)]
pub(super) struct Imprecision {
    width: Variable,
    weight: f64,
    solved_ones: Vec<f64>,
}

impl Imprecision {
    pub fn add(
        model: &mut Model,
        approximate: &PwlPosterior,
        kernels: &Kernels,
        rho: f64,
        degree: f64,
    ) -> Result<Self> {
        let (inverse, n) = (approximate.inverse(), kernels.totals().len());
        let solved_ones: Vec<f64> = (0..n).map(|i| (0..n).map(|j| inverse[(i, j)]).sum()).collect();
        let total: f64 = solved_ones.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            let (name, requirement) = ("the sum of the inverse of the approximated covariance", "positive");
            return Err(fathom_global::Error::BadLimit { name, value: total, requirement }.into());
        }
        // The scale is that of `fathom_gp`, with K̃ for K̂.
        let weighted = approximate.weights().iter().sum::<f64>().abs();
        let central = weighted <= degree + total;
        let scale = degree / total * if central { 2.0 } else { 1.0 + weighted / (degree + total) };

        let (low, high) = kernels.range_of(&solved_ones);
        let (low, high) = (1.0 - high, 1.0 - low);
        let b = model.add_variable("b", Kind::Continuous, low, high)?;
        let d = model.add_variable("d", Kind::Continuous, 0.0, low.abs().max(high.abs()))?;
        let q = model.add_binary("q")?;
        let sum = Expression::linear(kernels.totals().iter().copied().zip(solved_ones.iter().copied()));
        model.add_row("balance", (sum + b).equal_to(1.0))?;
        let (below, above) = (2.0 * (-low).max(0.0), 2.0 * high.max(0.0));
        model.add_row("width_above", (d - b - below * q).at_most(0.0))?;
        model.add_row("width_below", (d + b + above * q).at_most(above))?;
        Ok(Self { width: d, weight: rho * scale, solved_ones })
    }

    /// The reward's part of the objective.
    pub fn reward(&self) -> Expression {
        -self.weight * self.width
    }

    /// Appends b, d and q.
    pub fn lift(&self, cross: &[f64], point: &mut Vec<f64>) {
        let b = 1.0 - self.solved_ones.iter().zip(cross).map(|(s, k)| s * k).sum::<f64>();
        point.extend([b, b.abs(), f64::from(u8::from(b < 0.0))]);
    }
}
