//! The paper's program, Eq. (5), as a model that solvers read.
//!
//! ```text
//! min  μ̃ − κ σ̃                                                   (5a)
//! s.t. μ̃ = m + Σ_i ã_i K_i                                       (5b)   row `mean`
//!      σ̃² ≤ σ_f² − Σ_ij (K̃⁻¹)_ij K_i K_j                         (5c)   row `variance`
//!      r_i² = Σ_j (x_j − x_ij)²/l_j²                              (5d)   rows `distance_i`
//!      K_i = σ_f² k̃(r_i)                                          (5e)   functions `pwl_i`, written out as Eq. (6)
//! ```
//!
//! A dot-product kernel has inner products in place of distances, and its prior variance depends on x:
//!
//! ```text
//!      p_i = Σ_j x_j x_ij/l_j²,   K_i = σ_f² k̃(p_i)                      rows `product_i`, which are linear
//!      p_own = Σ_j x_j²/l_j²,   K_own = σ_f² k̃(p_own)                    row `product_own`; K_own replaces σ_f² in (5c)
//! ```
//!
//! Variables have the paper's names: `x_j`, `r_i`, `K_i`, `mu`, `sigma`, and in Eq. (6) `w_i_j`, `lambda_i_j`, all
//! counted from 1 except w_i^0. A covariance of several terms has `r_g_i` (or `p_g_i`) and `K_g_i` for its term g, and
//! K_i = Σ_g K_g_i. The sub-problem minimises μ̃ without (5c). The program of one group has that term's kernels alone,
//! and no prior mean, which belongs to the sum; K̃ is still that of all terms.
//!
//! **Bounds.** r_i lies between the distances from x_i to the nearest and to the furthest point of the box, p_i between
//! the least and the largest inner product; segments out of reach are left out. K_i lies between the extremes of k̃
//! there, μ̃ lies in the sum of those intervals, and σ̃² ≤ σ_f² − K_i²/K̃_ii for every i (with the largest K_own for
//! σ_f²): one observation explains no more than all.
//!
//! **If σ̃² is negative**, the paper's (5c) has no solution and x is lost. [`NegativeVariance::Clamped`] replaces σ̃²
//! by max(σ̃², 0) instead, see `variance`.

mod constraints;
mod curve;
mod description;
pub(crate) mod group_region;
mod imprecision;
mod kernels;
mod variance;

use crate::error::{Error, Result};
use fathom_global::Region;
use fathom_gp::{Criterion, NegativeVariance, PwlPosterior};
use fathom_miqp::{Expression, Kind, Model, Variable};
use imprecision::Imprecision;
use kernels::Kernels;
use variance::Variance;

/// The paper's program for one posterior and region.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    approximate: &'a PwlPosterior,
    model: Model,
    dim: usize,
    kernels: Kernels,
    /// The prior mean; 0 in the program of one group.
    prior_mean: f64,
    mu: Variable,
    variance: Option<Variance>,
    imprecision: Option<Imprecision>,
    /// The criterion and the treatment of negative variances; none in the sub-problem.
    objective: Option<(Criterion, NegativeVariance)>,
}

impl<'a> Program<'a> {
    /// Eq. (5) for LCB, the mean, −σ or GLCB.
    pub fn full(
        approximate: &'a PwlPosterior,
        criterion: Criterion,
        region: &Region,
        negative: NegativeVariance,
    ) -> Result<Self> {
        Self::with_mean(approximate, region, None)?.minimising(criterion, region, negative)
    }

    /// The sub-problem: min μ̃ subject to (5b), (5d) and (5e).
    pub fn sub(approximate: &'a PwlPosterior, region: &Region) -> Result<Self> {
        Self::with_mean(approximate, region, None)
    }

    /// Eq. (5) of one term of an additive model alone, counted from 0: μ̃_g − κσ̃_g, the mean μ̃_g or −σ̃_g. Inputs of other
    /// terms do not matter and stay at the region's lower ends.
    pub fn group(
        approximate: &'a PwlPosterior,
        criterion: Criterion,
        region: &Region,
        negative: NegativeVariance,
        group: usize,
    ) -> Result<Self> {
        let Some(term) = approximate.pwl().covariance().terms().get(group) else {
            return Err(fathom_global::Error::Unsupported { what: "a group that the model does not have" }.into());
        };
        if matches!(criterion, Criterion::Glcb { .. }) {
            // The imprecision is that of the prior mean, which belongs to the sum.
            return Err(fathom_global::Error::Unsupported { what: "glcb of one group alone" }.into());
        }
        let own = group_region::of(region, term.inputs())?;
        Self::with_mean(approximate, &own, Some(group))?.minimising(criterion, &own, negative)
    }

    /// (5b), (5d) and (5e) of all terms or of one, with μ̃ as the objective.
    fn with_mean(approximate: &'a PwlPosterior, region: &Region, group: Option<usize>) -> Result<Self> {
        let expected = approximate.exact().x().dim();
        if region.dim() != expected {
            return Err(fathom_global::Error::WrongDimension { expected, found: region.dim() }.into());
        }
        for (side, (lower, upper)) in approximate.pwl().bounds().iter().enumerate() {
            let (low, high) = (region.lower()[side], region.upper()[side]);
            if low < *lower || high > *upper {
                return Err(Error::OutsideApproximation { side, lower: *lower, upper: *upper });
            }
        }
        let mut model = Model::new();
        let x = (0..region.dim())
            .map(|j| {
                let kind = if region.integer()[j] { Kind::Integer } else { Kind::Continuous };
                model.add_variable(&format!("x_{}", j + 1), kind, region.lower()[j], region.upper()[j])
            })
            .collect::<std::result::Result<Vec<_>, _>>()?;
        constraints::add(&mut model, region, &x)?;
        let kernels = Kernels::add(&mut model, approximate, group, region, x)?;
        let prior_mean = if group.is_none() { approximate.exact().model().mean } else { 0.0 };
        let mu = add_mean(&mut model, approximate, &kernels, prior_mean)?;
        model.minimise(mu)?;
        let (dim, variance, imprecision, objective) = (region.dim(), None, None, None);
        Ok(Self { approximate, model, dim, kernels, prior_mean, mu, variance, imprecision, objective })
    }

    /// The same program with the objective of `criterion`, and with (5c) if that needs σ̃.
    fn minimising(mut self, criterion: Criterion, region: &Region, negative: NegativeVariance) -> Result<Self> {
        let (kappa, has_mean, imprecise) = match criterion {
            Criterion::Lcb { kappa } => (kappa, true, None),
            Criterion::Mean => (0.0, true, None),
            Criterion::Deviation => (1.0, false, None),
            Criterion::Glcb { kappa, rho, imprecision } => (kappa, true, Some((rho, imprecision))),
            Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => {
                return Err(Error::NotQuadratic { criterion: criterion.name() });
            }
        };
        let (model, kernels, approximate) = (&mut self.model, &self.kernels, self.approximate);
        let mut objective = if has_mean { Expression::from(self.mu) } else { Expression::default() };
        if kappa > 0.0 {
            let variance = Variance::add(model, approximate, kernels, region, negative)?;
            objective += -kappa * variance.sigma();
            self.variance = Some(variance);
        }
        if let Some((rho, degree)) = imprecise {
            let imprecision = Imprecision::add(model, approximate, kernels, rho, degree)?;
            objective += imprecision.reward();
            self.imprecision = Some(imprecision);
        }
        model.minimise(objective)?;
        self.objective = Some((criterion, negative));
        Ok(self)
    }

    /// The model; its piecewise-linear functions are not yet written out.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The point of the model that belongs to `x`; every other variable follows from `x`. The point is feasible if `x`
    /// is in the region and, unless clamped, σ̃²(x) ≥ 0.
    ///
    /// # Panics
    /// If `x` does not have one coordinate per side of the region.
    pub fn lift(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.dim, "one coordinate per side");
        let mut point = x.to_vec();
        let cross = self.kernels.lift(self.approximate, x, &mut point);
        let weighted = self.approximate.weights().iter().zip(&cross).map(|(a, k)| a * k);
        point.push(self.prior_mean + weighted.sum::<f64>());
        if let Some(variance) = &self.variance {
            variance.lift(self.approximate, x, &cross, &mut point);
        }
        if let Some(imprecision) = &self.imprecision {
            imprecision.lift(&cross, &mut point);
        }
        point
    }

    /// The x of a point of the model.
    pub fn x<'p>(&self, point: &'p [f64]) -> &'p [f64] {
        &point[..self.dim]
    }

    /// The piecewise-linear acquisition function at `x`, computed from `x` alone: no tolerance of a solver enters.
    ///
    /// # Panics
    /// If `x` does not have one coordinate per side of the region.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.model.objective_at(&self.lift(x)).expect("lifted points have the model's length")
    }

    /// Whether (5c) can hold at `x`.
    pub fn keeps(&self, x: &[f64]) -> bool {
        let mut point = Vec::new();
        let cross = self.kernels.lift(self.approximate, x, &mut point);
        self.variance.as_ref().is_none_or(|variance| variance.keeps(self.approximate, x, &cross))
    }
}

/// (5b).
fn add_mean(model: &mut Model, approximate: &PwlPosterior, kernels: &Kernels, prior: f64) -> Result<Variable> {
    let weights = approximate.weights();
    let (low, high) = kernels.range_of(weights);
    let mu = model.add_variable("mu", Kind::Continuous, prior + low, prior + high)?;
    let sum = Expression::linear(kernels.totals().iter().copied().zip(weights.iter().copied()));
    model.add_row("mean", (sum - mu).equal_to(-prior))?;
    Ok(mu)
}
