//! Acquisition functions under the piecewise-linear kernel: the functions of x that the paper's program minimises.

use crate::acquisition::{Imprecision, validated};
use crate::approximation::PwlPosterior;
use crate::cross_row::CrossRow;
use crate::error::{Error, Result};
use crate::kernel::Argument;
use crate::lanes::{dot, widest};
use crate::pwl::PwlKernel;
use fathom_proof::Criterion;

/// How points with a negative σ̃² are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NegativeVariance {
    /// σ̃² counts as 0.
    Clamped,
    /// The points do not count: the function is infinite there.
    Excluded,
}

/// μ̃ − κσ̃ − w|1 − k̃ᵀs̃| with its gradient, or with one of its gradients if k̃ has a kink; w is 0 but for the generalised LCB. It
/// has its own memory: clone one for each thread.
#[derive(Debug, Clone)]
pub struct PwlAcquisition<'p> {
    posterior: &'p PwlPosterior,
    kappa: f64,
    uses_mean: bool,
    imprecision: Option<Imprecision>,
    negative: NegativeVariance,
    /// The one term of the sum that counts; none if all terms count.
    group: Option<usize>,
    row: CrossRow,
    solved: Vec<f64>,
    variance_gradient: Vec<f64>,
}

impl<'p> PwlAcquisition<'p> {
    /// The function of `criterion`, which must be a confidence bound, generalised or not, the mean or the deviation.
    pub fn new(posterior: &'p PwlPosterior, criterion: Criterion, negative: NegativeVariance) -> Result<Self> {
        let (kappa, uses_mean) = match validated(criterion)? {
            Criterion::Lcb { kappa } => (kappa, true),
            Criterion::Mean => (0.0, true),
            Criterion::Deviation => (1.0, false),
            Criterion::Glcb { kappa, .. } => (kappa, true),
            Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => {
                return Err(Error::UnsupportedCriterion);
            }
        };
        let x = posterior.exact().x();
        let imprecision = match criterion {
            Criterion::Glcb { rho, imprecision, .. } => {
                let inverse = posterior.inverse();
                let solved_ones = (0..x.len()).map(|i| (0..x.len()).map(|j| inverse[(i, j)]).sum()).collect();
                Some(Imprecision::new(solved_ones, posterior.weights(), rho, imprecision)?)
            }
            Criterion::Lcb { .. }
            | Criterion::Mean
            | Criterion::Deviation
            | Criterion::Ei { .. }
            | Criterion::LogEi { .. }
            | Criterion::Pi { .. } => None,
        };
        Ok(Self {
            posterior,
            kappa,
            uses_mean,
            imprecision,
            negative,
            group: None,
            row: CrossRow::new(posterior.pwl().covariance(), x.len()),
            solved: vec![0.0; x.len()],
            variance_gradient: vec![0.0; x.dim()],
        })
    }

    /// The posterior.
    pub fn posterior(&self) -> &'p PwlPosterior {
        self.posterior
    }

    /// The function of one term of an additive model: μ̃_g − κσ̃_g with k̃_g in place of k̃, and without the prior mean and the
    /// imprecision, which belong to the sum. K̃ is still that of all terms.
    #[must_use]
    pub fn of_group(mut self, group: usize) -> Self {
        self.group = Some(group);
        self.imprecision = None;
        self
    }

    /// How points with a negative σ̃² are treated.
    pub fn negative(&self) -> NegativeVariance {
        self.negative
    }

    /// The function at `x`.
    ///
    /// # Panics
    /// Panics if `x` does not have the posterior's number of inputs.
    pub fn value(&mut self, x: &[f64]) -> f64 {
        let (pwl, group) = (self.posterior.pwl(), self.group);
        pwl.covariance().assert_point(x);
        let fill = |term: usize, u: &[f64], phi: &mut [f64]| {
            let share = if group.is_none_or(|group| group == term) { 1.0 } else { 0.0 };
            for (phi, u) in phi.iter_mut().zip(u) {
                *phi = share * at(&pwl.kernels()[term], *u).0;
            }
        };
        self.row.values_with(pwl.covariance(), self.posterior.exact().x(), x, fill);
        let (mean, variance) = self.prediction(x);
        self.score(mean, variance)
    }

    /// The function at `x`, and a gradient.
    ///
    /// # Panics
    /// Panics if `x` or `gradient` does not have the posterior's number of inputs.
    pub fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (pwl, points, group) = (self.posterior.pwl(), self.posterior.exact().x(), self.group);
        [x, gradient].iter().for_each(|v| pwl.covariance().assert_point(v));
        let fill = |term: usize, u: &[f64], phi: &mut [f64], slopes: &mut [f64]| {
            let share = if group.is_none_or(|group| group == term) { 1.0 } else { 0.0 };
            for ((phi, slope), u) in phi.iter_mut().zip(slopes).zip(u) {
                let (value, rate) = at(&pwl.kernels()[term], *u);
                (*phi, *slope) = (share * value, share * rate);
            }
        };
        self.row.values_and_slopes_with(pwl.covariance(), points, x, fill);
        let (mean, variance) = self.prediction(x);
        gradient.fill(0.0);
        if self.uses_mean {
            self.row.add_gradient(pwl.covariance(), points, x, self.posterior.weights(), gradient);
        }
        if self.kappa > 0.0 && variance > 0.0 {
            self.solved.iter_mut().for_each(|v| *v *= -2.0);
            self.variance_gradient.fill(0.0);
            self.row.add_gradient(pwl.covariance(), points, x, &self.solved, &mut self.variance_gradient);
            pwl.add_prior_gradient(x, self.group, &mut self.variance_gradient);
            let factor = -0.5 * self.kappa / variance.sqrt();
            for (g, variance) in gradient.iter_mut().zip(&self.variance_gradient) {
                *g += factor * variance;
            }
        }
        if let Some(imprecision) = &self.imprecision {
            // −w|b| with b = 1 − Σ s̃_i k̃_i.
            let sign = imprecision.balance(&self.row.covariances).signum();
            self.solved.iter_mut().zip(&imprecision.solved_ones).for_each(|(v, s)| *v = imprecision.weight * sign * s);
            self.row.add_gradient(pwl.covariance(), points, x, &self.solved, gradient);
        }
        self.score(mean, variance)
    }

    /// μ̃ and σ̃² at `x`, whose covariances must be filled in; leaves K̃⁻¹k̃ in `solved`.
    fn prediction(&mut self, x: &[f64]) -> (f64, f64) {
        let (inverse, covariances) = (self.posterior.inverse(), &self.row.covariances);
        for (j, solved) in self.solved.iter_mut().enumerate() {
            // The inverse is symmetric, so columns serve as rows.
            let column = inverse.col(j).try_as_col_major().expect("columns are contiguous").as_slice();
            *solved = widest(|| dot(column, covariances));
        }
        let (linear, explained) =
            widest(|| (dot(covariances, self.posterior.weights()), dot(covariances, &self.solved)));
        let prior = self.posterior.pwl().prior_variance_at(x, self.group);
        let mean = if self.group.is_none() { self.posterior.exact().model().mean } else { 0.0 };
        (mean + linear, prior - explained)
    }

    fn score(&self, mean: f64, variance: f64) -> f64 {
        if variance < 0.0 && self.negative == NegativeVariance::Excluded {
            return f64::INFINITY;
        }
        let mean = if self.uses_mean { mean } else { 0.0 };
        let reward = |imprecision: &Imprecision| imprecision.weight * imprecision.balance(&self.row.covariances).abs();
        mean - self.kappa * variance.max(0.0).sqrt() - self.imprecision.as_ref().map_or(0.0, reward)
    }
}

/// k̃ and its slope in the kernel's argument u, a squared distance or an inner product. At distance 0 the slope in u is
/// infinite and the distance has no direction, so the slope is set to 0.
fn at(kernel: &PwlKernel, u: f64) -> (f64, f64) {
    match kernel.kernel().argument() {
        Argument::InnerProduct => kernel.value_and_slope(u),
        Argument::SquaredDistance => {
            let r = u.sqrt();
            let (value, slope) = kernel.value_and_slope(r);
            (value, if r > 0.0 { 0.5 * slope / r } else { 0.0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Covariance, Dataset, Kernel, Model, PwlCovariance, Repair, Term};

    #[test]
    fn values_agree_with_the_posterior_and_gradients_with_finite_differences() {
        let covariance = Covariance::ard(Kernel::Matern32, 1.3, &[0.4, 0.7]).unwrap();
        let x = [[0.1, 0.2], [0.6, 0.9], [0.8, 0.3], [0.35, 0.5]];
        let data = Dataset::new(&x, &[0.3, -0.8, 1.0, 0.1]).unwrap();
        let exact = Model::new(covariance.clone(), 1e-4).unwrap().with_mean(0.4).unwrap().condition(&data).unwrap();
        let pwl = PwlCovariance::paper(covariance, &[(0.0, 1.0); 2]).unwrap();
        let posterior = PwlPosterior::new(&exact, pwl, Repair::None).unwrap();
        check(&posterior);
    }

    #[test]
    fn the_same_holds_for_inner_products_and_sums() {
        for kernel in [Kernel::Polynomial { degree: 3, offset: 0.2 }, Kernel::Linear { offset: 0.5 }] {
            let terms = vec![
                Term::new(kernel, vec![0], 0.8, &[0.7]).unwrap(),
                Term::new(Kernel::Rbf, vec![1], 1.1, &[0.4]).unwrap(),
            ];
            let covariance = Covariance::new(2, terms).unwrap();
            let x = [[-0.6, 0.2], [0.6, 0.9], [0.8, 0.3], [-0.35, 0.5]];
            let data = Dataset::new(&x, &[0.3, -0.8, 1.0, 0.1]).unwrap();
            let exact = Model::new(covariance.clone(), 1e-2).unwrap().with_mean(0.4).unwrap().condition(&data).unwrap();
            let pwl = PwlCovariance::paper(covariance, &[(-1.0, 1.0); 2]).unwrap();
            check(&PwlPosterior::new(&exact, pwl, Repair::None).unwrap());
        }
    }

    fn check(posterior: &PwlPosterior) {
        let criteria = [Criterion::Lcb { kappa: 1.7 }, Criterion::Mean, Criterion::Deviation];
        for (criterion, (weight, kappa)) in criteria.into_iter().zip([(1.0, 1.7), (1.0, 0.0), (0.0, 1.0)]) {
            let mut function = PwlAcquisition::new(posterior, criterion, NegativeVariance::Clamped).unwrap();
            for at in [[0.22, 0.71], [0.9, 0.05], [0.51, 0.49]] {
                let (mean, variance) = posterior.predict(&at).unwrap();
                let expected = weight * mean - kappa * variance.max(0.0).sqrt();
                let mut gradient = [0.0; 2];
                let value = function.value_and_gradient(&at, &mut gradient);
                assert!((value - expected).abs() < 1e-12 && (function.value(&at) - expected).abs() < 1e-12);
                for j in 0..2 {
                    let moved = |h: f64| {
                        let mut at = at;
                        at[j] += h;
                        at
                    };
                    let slope = (function.value(&moved(1e-7)) - function.value(&moved(-1e-7))) / 2e-7;
                    assert!((slope - gradient[j]).abs() < 1e-5, "{criterion:?}: {slope} against {}", gradient[j]);
                }
            }
        }
    }

    #[test]
    fn the_generalised_bound_is_the_least_mean_that_the_imprecision_allows() {
        let covariance = Covariance::isotropic(Kernel::Rbf, 1, 1.0, 0.3).unwrap();
        // Small outputs are the central case of the width, large ones the other.
        for level in [0.1, 7.0, -7.0] {
            let data = Dataset::new(&[[0.1], [0.4], [0.8]], &[level, 1.2 * level, 0.7 * level]).unwrap();
            let exact = Model::new(covariance.clone(), 0.1).unwrap().condition(&data).unwrap();
            let pwl = PwlCovariance::paper(covariance.clone(), &[(0.0, 1.0)]).unwrap();
            let posterior = PwlPosterior::new(&exact, pwl, Repair::None).unwrap();
            let (rho, c) = (0.8, 0.5);
            let glcb = Criterion::Glcb { kappa: 1.3, rho, imprecision: c };
            let mut function = PwlAcquisition::new(&posterior, glcb, NegativeVariance::Clamped).unwrap();
            let mut plain =
                PwlAcquisition::new(&posterior, Criterion::Lcb { kappa: 1.3 }, NegativeVariance::Clamped).unwrap();
            let inverse = posterior.inverse();
            let ones: Vec<f64> = (0..3).map(|i| (0..3).map(|j| inverse[(i, j)]).sum()).collect();
            let total: f64 = ones.iter().sum();
            let weighted = posterior.weights().iter().sum::<f64>().abs();
            let width = rho * c / total * (1.0 + weighted / (c + total)).max(2.0);
            for x in [0.03, 0.27, 0.55, 0.97] {
                let cross = posterior.pwl().cross(exact.x(), &[x]).unwrap();
                let balance = 1.0 - cross.iter().zip(&ones).map(|(k, s)| k * s).sum::<f64>();
                let expected = plain.value(&[x]) - width * balance.abs();
                let mut gradient = [0.0];
                assert!((function.value_and_gradient(&[x], &mut gradient) - expected).abs() < 1e-12);
                let slope = (function.value(&[x + 1e-7]) - function.value(&[x - 1e-7])) / 2e-7;
                assert!((slope - gradient[0]).abs() < 1e-5, "{level} at {x}: {slope} against {}", gradient[0]);
            }
        }
    }
}
