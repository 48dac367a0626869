//! The row (5c), as published and with max(σ̃², 0).
//!
//! As published: σ̃² + Σ (K̃⁻¹)_ij K_i K_j ≤ P, which has no solution σ̃ if the sum exceeds the prior variance P. P is σ_f², or, of a
//! covariance with dot-product terms, the σ_f² of its stationary terms and K_own of the others.
//!
//! Clamped: σ̃² + Σ (K̃⁻¹)_ij K_i K_j − s ≤ P with 0 ≤ s ≤ S (1 − z), σ̃ ≤ σ_max z, z ∈ {0, 1}. For z = 1 that is (5c); for z =
//! 0 it is σ̃ = 0 and holds for every x. S is an upper bound of −σ̃²: the smaller of Σ |K̃⁻¹_ij| max|K_i| max|K_j| − min P and the
//! a-posteriori bound of |σ² − σ̃²|, because σ² ≥ 0. So σ̃ ≤ max(σ̃²(x), 0)^½ and every x is kept. The a-posteriori bound of the
//! sum of all terms also serves one group: each part of it is the larger for the sum.

use super::kernels::Kernels;
use crate::error::Result;
use crate::theory;
use fathom_global::Region;
use fathom_gp::NegativeVariance;
use fathom_gp::PwlPosterior;
use fathom_miqp::{Expression, Kind, Model, Variable};

/// Room for rounding in the a-posteriori bound, which is evaluated without directed rounding.
const SLACK: f64 = 1e-6;

/// The smallest S, relative to the prior variance: a coefficient below a solver's tolerances would count as 0.
const LEAST_CLAMP: f64 = 1e-6;

/// σ̃ and, if clamped, s and z.
#[derive(Debug, Clone)]
pub(super) struct Variance {
    sigma: Variable,
    prior: Prior,
    clamped: bool,
}

impl Variance {
    pub fn add(
        model: &mut Model,
        approximate: &PwlPosterior,
        kernels: &Kernels,
        region: &Region,
        negative: NegativeVariance,
    ) -> Result<Self> {
        let prior = Prior::add(model, approximate, kernels, region)?;
        let most = largest(approximate, kernels, prior.range.1).sqrt();
        let sigma = model.add_variable("sigma", Kind::Continuous, 0.0, most)?;
        let mut left = sigma * sigma;
        let (totals, inverse) = (kernels.totals(), approximate.inverse());
        for i in 0..totals.len() {
            left += inverse[(i, i)] * (totals[i] * totals[i]);
            for j in 0..i {
                left += (inverse[(i, j)] + inverse[(j, i)]) * (totals[i] * totals[j]);
            }
        }
        for own in &prior.own {
            left += -1.0 * Expression::from(*own);
        }
        let clamped = match negative {
            NegativeVariance::Excluded => false,
            NegativeVariance::Clamped => {
                let furthest = deepest(approximate, kernels, prior.range.0)?;
                if furthest > 0.0 {
                    let furthest = furthest.max(LEAST_CLAMP * prior.range.1);
                    left += -1.0 * add_clamp(model, sigma, most, furthest)?;
                }
                furthest > 0.0
            }
        };
        model.add_row("variance", left.at_most(prior.fixed))?;
        Ok(Self { sigma, prior, clamped })
    }

    pub fn sigma(&self) -> Variable {
        self.sigma
    }

    pub fn keeps(&self, approximate: &PwlPosterior, x: &[f64], cross: &[f64]) -> bool {
        self.clamped || squared(approximate, self.prior.lift(approximate, x, &mut Vec::new()), cross) >= 0.0
    }

    /// Appends p_own and K_own if they exist, σ̃, and s and z if they exist.
    pub fn lift(&self, approximate: &PwlPosterior, x: &[f64], cross: &[f64], point: &mut Vec<f64>) {
        let prior = self.prior.lift(approximate, x, point);
        let squared = squared(approximate, prior, cross);
        point.push(squared.max(0.0).sqrt());
        if self.clamped {
            point.extend([(-squared).max(0.0), f64::from(u8::from(squared >= 0.0))]);
        }
    }
}

/// The prior variance k̃(x, x).
#[derive(Debug, Clone)]
struct Prior {
    /// The part that is the same for every x: σ_f² of the stationary terms.
    fixed: f64,
    /// K_own of each dot-product term.
    own: Vec<Variable>,
    /// The interval in which k̃(x, x) lies.
    range: (f64, f64),
    kernels: Kernels,
}

impl Prior {
    fn add(model: &mut Model, approximate: &PwlPosterior, kernels: &Kernels, region: &Region) -> Result<Self> {
        let (mut fixed, mut own, mut range) = (0.0, Vec::new(), (0.0, 0.0));
        for (prefix, term) in kernels.terms(approximate) {
            let ends = if term.is_dot_product() {
                let curve = term.add_own(model, &format!("{prefix}own"), kernels.x(), region)?;
                own.push(curve.covariance);
                curve.range
            } else {
                fixed += term.term.variance();
                (term.term.variance(), term.term.variance())
            };
            range = (range.0 + ends.0, range.1 + ends.1);
        }
        Ok(Self { fixed, own, range, kernels: kernels.clone() })
    }

    /// Appends p_own and K_own of each dot-product term; returns k̃(x, x).
    fn lift(&self, approximate: &PwlPosterior, x: &[f64], point: &mut Vec<f64>) -> f64 {
        let mut prior = self.fixed;
        for (_, term) in self.kernels.terms(approximate).into_iter().filter(|(_, term)| term.is_dot_product()) {
            let argument = term.argument(x, x);
            let covariance = term.covariance(argument);
            point.extend([argument, covariance]);
            prior += covariance;
        }
        prior
    }
}

/// σ̃²(x), negative or not.
fn squared(approximate: &PwlPosterior, prior: f64, cross: &[f64]) -> f64 {
    let (inverse, n) = (approximate.inverse(), cross.len());
    let row = |i: usize| (0..n).map(|j| inverse[(i, j)] * cross[j]).sum::<f64>();
    prior - (0..n).map(|i| cross[i] * row(i)).sum::<f64>()
}

/// Adds s and z; returns s.
fn add_clamp(model: &mut Model, sigma: Variable, most: f64, furthest: f64) -> Result<Expression> {
    let s = model.add_variable("s", Kind::Continuous, 0.0, furthest)?;
    let z = model.add_binary("z")?;
    model.add_row("clamp_s", (s + furthest * z).at_most(furthest))?;
    model.add_row("clamp_sigma", (sigma - most * z).at_most(0.0))?;
    Ok(s.into())
}

/// An upper bound of σ̃² over the region, from the largest prior variance.
fn largest(approximate: &PwlPosterior, kernels: &Kernels, prior: f64) -> f64 {
    let spectrum = approximate.spectrum();
    if spectrum.values()[0] <= 0.0 {
        // A negative eigenvalue −λ of K̃⁻¹ can add up to λ ‖K‖².
        let squares: f64 = kernels.ranges().iter().map(|range| magnitude(*range).powi(2)).sum();
        let negative = spectrum.values().iter().map(|value| (-value.recip()).max(0.0)).fold(0.0, f64::max);
        return prior + negative * squares;
    }
    let matrix = spectrum.map(|value| value);
    let explained = |(i, range): (usize, &(f64, f64))| least_magnitude(*range).powi(2) / matrix[(i, i)];
    let most = kernels.ranges().iter().enumerate().map(explained).fold(0.0, f64::max);
    (prior - most).max(0.0) * (1.0 + 1e-9) + 1e-12 * prior
}

/// S, an upper bound of −σ̃² over the region, from the least prior variance, as evaluated in floating point. Only a solver's
/// claim rests on it.
fn deepest(approximate: &PwlPosterior, kernels: &Kernels, prior: f64) -> Result<f64> {
    let (inverse, ranges) = (approximate.inverse(), kernels.ranges());
    let entry = |i: usize, j: usize| inverse[(i, j)].abs() * magnitude(ranges[i]) * magnitude(ranges[j]);
    let n = ranges.len();
    let by_entries = (0..n).map(|i| (0..n).map(|j| entry(i, j)).sum::<f64>()).sum::<f64>() - prior;
    let by_theory = theory::estimate_a_posteriori(approximate)?.deviation.powi(2);
    Ok(by_entries.min(by_theory * (1.0 + SLACK)))
}

/// The largest magnitude in an interval.
fn magnitude((low, high): (f64, f64)) -> f64 {
    low.abs().max(high.abs())
}

/// The least magnitude in an interval.
fn least_magnitude((low, high): (f64, f64)) -> f64 {
    low.max(-high).max(0.0)
}
