//! The row (5c), as published and with max(σ̃², 0).
//!
//! As published: σ̃² + Σ (K̃⁻¹)_ij K_i K_j ≤ σ_f², which has no solution σ̃ if the sum exceeds σ_f².
//!
//! Clamped: σ̃² + Σ (K̃⁻¹)_ij K_i K_j − s ≤ σ_f² with 0 ≤ s ≤ S (1 − z), σ̃ ≤ σ_max z, z ∈ {0, 1}. For z = 1 that is (5c); for z =
//! 0 it is σ̃ = 0 and holds for every x. S is an upper bound of −σ̃²: the smaller of Σ |K̃⁻¹_ij| max|K_i| max|K_j| − σ_f² and the
//! a-posteriori bound of |σ² − σ̃²|, because σ² ≥ 0. So σ̃ ≤ max(σ̃²(x), 0)^½ and every x is kept.

use super::kernels::Kernels;
use crate::error::Result;
use crate::theory;
use fathom_gp::NegativeVariance;
use fathom_gp::PwlPosterior;
use fathom_miqp::{Expression, Kind, Model, Variable};

/// Room for rounding in the a-posteriori bound, which is evaluated without directed rounding.
const SLACK: f64 = 1e-6;

/// σ̃ and, if clamped, s and z.
#[derive(Debug, Clone)]
pub(super) struct Variance {
    sigma: Variable,
    prior: f64,
    clamped: bool,
}

impl Variance {
    pub fn add(
        model: &mut Model,
        approximate: &PwlPosterior,
        kernels: &Kernels,
        negative: NegativeVariance,
    ) -> Result<Self> {
        let prior: f64 = approximate.pwl().covariance().terms().iter().map(fathom_gp::Term::variance).sum();
        let most = largest(approximate, kernels, prior).sqrt();
        let sigma = model.add_variable("sigma", Kind::Continuous, 0.0, most)?;
        let mut left = sigma * sigma;
        let (totals, inverse) = (kernels.totals(), approximate.inverse());
        for i in 0..totals.len() {
            left += inverse[(i, i)] * (totals[i] * totals[i]);
            for j in 0..i {
                left += (inverse[(i, j)] + inverse[(j, i)]) * (totals[i] * totals[j]);
            }
        }
        let clamped = match negative {
            NegativeVariance::Excluded => false,
            NegativeVariance::Clamped => {
                let furthest = deepest(approximate, kernels, prior)?;
                if furthest > 0.0 {
                    left += -1.0 * add_clamp(model, sigma, most, furthest)?;
                }
                furthest > 0.0
            }
        };
        model.add_row("variance", left.at_most(prior))?;
        Ok(Self { sigma, prior, clamped })
    }

    pub fn sigma(&self) -> Variable {
        self.sigma
    }

    pub fn keeps(&self, approximate: &PwlPosterior, cross: &[f64]) -> bool {
        self.clamped || self.squared(approximate, cross) >= 0.0
    }

    /// Appends σ̃, and s and z if they exist.
    pub fn lift(&self, approximate: &PwlPosterior, cross: &[f64], point: &mut Vec<f64>) {
        let squared = self.squared(approximate, cross);
        point.push(squared.max(0.0).sqrt());
        if self.clamped {
            point.extend([(-squared).max(0.0), f64::from(u8::from(squared >= 0.0))]);
        }
    }

    /// σ̃²(x), negative or not.
    fn squared(&self, approximate: &PwlPosterior, cross: &[f64]) -> f64 {
        let (inverse, n) = (approximate.inverse(), cross.len());
        let row = |i: usize| (0..n).map(|j| inverse[(i, j)] * cross[j]).sum::<f64>();
        self.prior - (0..n).map(|i| cross[i] * row(i)).sum::<f64>()
    }
}

/// Adds s and z; returns s.
fn add_clamp(model: &mut Model, sigma: Variable, most: f64, furthest: f64) -> Result<Expression> {
    let s = model.add_variable("s", Kind::Continuous, 0.0, furthest)?;
    let z = model.add_binary("z")?;
    model.add_row("clamp_s", (s + furthest * z).at_most(furthest))?;
    model.add_row("clamp_sigma", (sigma - most * z).at_most(0.0))?;
    Ok(s.into())
}

/// An upper bound of σ̃² over the region. If K̃ is not positive definite, the bound is the prior variance.
fn largest(approximate: &PwlPosterior, kernels: &Kernels, prior: f64) -> f64 {
    let spectrum = approximate.spectrum();
    if spectrum.values()[0] <= 0.0 {
        // A negative eigenvalue −λ of K̃⁻¹ can add up to λ ‖K‖².
        let squares: f64 = kernels.ranges().iter().map(|range| magnitude(*range).powi(2)).sum();
        let negative = spectrum.values().iter().map(|value| (-value.recip()).max(0.0)).fold(0.0, f64::max);
        return prior + negative * squares;
    }
    let matrix = spectrum.map(|value| value);
    let explained = |(i, range): (usize, &(f64, f64))| range.0.max(0.0).powi(2) / matrix[(i, i)];
    let most = kernels.ranges().iter().enumerate().map(explained).fold(0.0, f64::max);
    (prior - most).max(0.0) * (1.0 + 1e-9) + 1e-12 * prior
}

/// S, an upper bound of −σ̃² over the region, as evaluated in floating point. Only a solver's claim rests on it.
fn deepest(approximate: &PwlPosterior, kernels: &Kernels, prior: f64) -> Result<f64> {
    let (inverse, ranges) = (approximate.inverse(), kernels.ranges());
    let entry = |i: usize, j: usize| inverse[(i, j)].abs() * magnitude(ranges[i]) * magnitude(ranges[j]);
    let n = ranges.len();
    let by_entries = (0..n).map(|i| (0..n).map(|j| entry(i, j)).sum::<f64>()).sum::<f64>() - prior;
    let by_theory = theory::estimate_a_posteriori(approximate)?.deviation.powi(2);
    Ok(by_entries.min(by_theory * (1.0 + SLACK)))
}

fn magnitude((low, high): (f64, f64)) -> f64 {
    low.abs().max(high.abs())
}
