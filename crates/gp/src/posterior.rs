//! A Gaussian process conditioned on data: mean, variance, their gradients, joint covariance and samples.
//!
//! With K̂ = K_XX + σ_ε² I = L Lᵀ and a = K̂⁻¹(y − m), Eq. (2) of the paper with a constant prior mean m is
//!
//! ```text
//! μ(x)  = m + k(x)ᵀ a
//! σ²(x) = k(x, x) − ‖L⁻¹ k(x)‖²        (latent variance, no noise added)
//! ```

use crate::covariance::Covariance;
use crate::cross_row::CrossRow;
use crate::dataset::Dataset;
use crate::error::{Result, all_finite, non_negative, same_length};
use crate::factor::Factor;
use crate::lanes::{at_least, dot, widest};
use crate::memory::room_to_condition;
use crate::points::Points;
use crate::spectrum::square;
use faer::Mat;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// A Gaussian process prior with observation noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The covariance function.
    pub covariance: Covariance,
    /// σ_ε², the variance of the observation noise; ≥ 0.
    pub noise: f64,
    /// The constant prior mean m.
    pub mean: f64,
}

impl Model {
    /// A model with prior mean zero.
    pub fn new(covariance: Covariance, noise: f64) -> Result<Self> {
        non_negative("the noise variance", noise)?;
        Ok(Self { covariance, noise, mean: 0.0 })
    }

    /// The same model with another constant prior mean.
    pub fn with_mean(mut self, mean: f64) -> Result<Self> {
        all_finite("the prior mean", &[mean])?;
        self.mean = mean;
        Ok(self)
    }

    /// `Ok` if the model can be conditioned on `data`. The model's fields are public, so they are checked again.
    pub(crate) fn check(&self, data: &Dataset) -> Result<()> {
        non_negative("the noise variance", self.noise)?;
        all_finite("the prior mean", &[self.mean])?;
        self.covariance.check(data.x())
    }

    /// The posterior given `data`, in O(n³).
    pub fn condition(self, data: &Dataset) -> Result<Posterior> {
        self.check(data)?;
        room_to_condition(data.y().len())?;
        let factor = Factor::new(&self.covariance.gram(data.x(), self.noise))?;
        let mut posterior =
            Posterior { model: self, x: data.x().clone(), y: data.y().to_vec(), factor, weights: Vec::new() };
        posterior.solve_weights();
        Ok(posterior)
    }
}

/// A Gaussian process conditioned on data, with the factor of K̂.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    model: Model,
    x: Points,
    y: Vec<f64>,
    factor: Factor,
    weights: Vec<f64>,
}

/// The posterior mean and the latent variance at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// μ(x).
    pub mean: f64,
    /// σ²(x) ≥ 0.
    pub variance: f64,
}

impl Prediction {
    /// σ(x).
    pub fn deviation(self) -> f64 {
        self.variance.sqrt()
    }
}

impl Posterior {
    /// The model that was conditioned.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The observed inputs.
    pub fn x(&self) -> &Points {
        &self.x
    }

    /// The observed outputs.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The factor of K̂, with its jitter.
    pub fn factor(&self) -> &Factor {
        &self.factor
    }

    /// a = K̂⁻¹(y − m).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Adds one observation in O(n²), without a new fit. If the new point makes the matrix singular up to rounding, the matrix
    /// is factored again with jitter, in O(n³). On error nothing has changed.
    pub fn observe(&mut self, x: &[f64], y: f64) -> Result<()> {
        all_finite("output", &[y])?;
        let mut points = self.x.clone();
        points.push(x)?;
        let Model { covariance, noise, .. } = &self.model;
        let mut cross = vec![0.0; self.x.len()];
        covariance.cross(&self.x, x, &mut cross);
        if self.factor.append(&cross, covariance.prior_variance(x) + noise).is_err() {
            self.factor = Factor::new(&covariance.gram(&points, *noise))?;
        }
        self.x = points;
        self.y.push(y);
        self.solve_weights();
        Ok(())
    }

    fn solve_weights(&mut self) {
        self.weights = self.y.iter().map(|y| y - self.model.mean).collect();
        self.factor.solve(&mut self.weights);
    }

    /// log p(y | X, θ).
    pub fn log_marginal_likelihood(&self) -> f64 {
        let fit: f64 = self.y.iter().zip(&self.weights).map(|(y, a)| (y - self.model.mean) * a).sum();
        let n = self.y.len() as f64;
        -0.5 * (fit + self.factor.log_determinant() + n * (2.0 * std::f64::consts::PI).ln())
    }

    /// The mean and the variance at one point. For many points, keep a [`predictor`](Self::predictor).
    pub fn predict(&self, x: &[f64]) -> Result<Prediction> {
        self.x.check(x)?;
        Ok(self.predictor().predict(x))
    }

    /// The mean at one point, in O(n).
    pub fn mean(&self, x: &[f64]) -> Result<f64> {
        self.x.check(x)?;
        let mut cross = vec![0.0; self.x.len()];
        self.model.covariance.cross(&self.x, x, &mut cross);
        Ok(self.model.mean + inner(&cross, &self.weights))
    }

    /// What the model would expect of each observation if it had all others but not this one, noise included, under the same
    /// hyperparameters. With a = K̂⁻¹(y − m) the mean is y_i − a_i/[K̂⁻¹]_ii and the variance is 1/[K̂⁻¹]_ii (Rasmussen and Williams,
    /// Eqs. 5.12), so nothing is conditioned again.
    pub fn leave_one_out(&self) -> Vec<Prediction> {
        let (n, inverse) = (self.y.len(), self.factor.inverse());
        let left_out = |i: usize| {
            let precision = inverse[i * n + i];
            Prediction { mean: self.y[i] - self.weights[i] / precision, variance: 1.0 / precision }
        };
        (0..n).map(left_out).collect()
    }

    /// A predictor with its own memory: a prediction allocates nothing, and each thread can have a predictor.
    pub fn predictor(&self) -> Predictor<'_> {
        let zeros = vec![0.0; self.x.len()];
        Predictor { posterior: self, row: CrossRow::new(&self.model.covariance, zeros.len()), solved: zeros }
    }

    /// The joint posterior of several points: their means, and the lower triangle of their covariance matrix.
    pub fn joint(&self, points: &Points) -> Result<(Vec<f64>, Mat<f64>)> {
        let (n, q) = (self.x.len(), points.len());
        let covariance = &self.model.covariance;
        let mut row = CrossRow::new(covariance, n);
        let mut means = Vec::with_capacity(q);
        let mut halves: Vec<Vec<f64>> = Vec::with_capacity(q);
        for point in points.rows() {
            self.x.check(&point)?;
            row.values(covariance, &self.x, &point);
            means.push(self.model.mean + inner(&row.covariances, &self.weights));
            let mut half = row.covariances.clone();
            self.factor.solve_lower(&mut half);
            halves.push(half);
        }
        let mut joint = covariance.gram(points, 0.0);
        for j in 0..q {
            for i in j..q {
                joint[(i, j)] -= inner(&halves[i], &halves[j]);
            }
            joint[(j, j)] = at_least(joint[(j, j)], 0.0);
        }
        Ok((means, joint))
    }

    /// `count` joint samples of the latent function at `points`, one in each row. A joint covariance that is singular up to
    /// rounding, as at observed points without noise, gets jitter relative to the prior variance, because the posterior
    /// variance there is only rounding.
    pub fn sample(&self, points: &Points, count: usize, rng: &mut impl Rng) -> Result<Vec<Vec<f64>>> {
        let (means, covariance) = self.joint(points)?;
        let prior = points.rows().map(|x| self.model.covariance.prior_variance(&x)).sum::<f64>() / points.len() as f64;
        Ok(draw(&means, &Factor::with_jitter_scale(&covariance, prior)?, count, rng))
    }
}

/// `count` samples of a multivariate normal with the given covariance (lower triangle), one in each row. A covariance that is
/// singular up to rounding gets jitter as any other matrix; a covariance of zeros gives the mean.
pub fn sample_normal(means: &[f64], covariance: &Mat<f64>, count: usize, rng: &mut impl Rng) -> Result<Vec<Vec<f64>>> {
    same_length("the covariance matrix", means.len(), square(covariance)?)?;
    if (0..means.len()).all(|i| covariance[(i, i)] == 0.0) {
        return Ok(vec![means.to_vec(); count]);
    }
    Ok(draw(means, &Factor::new(covariance)?, count, rng))
}

fn draw(means: &[f64], factor: &Factor, count: usize, rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let draw = |_| {
        let normals: Vec<f64> = means.iter().map(|_| StandardNormal.sample(rng)).collect();
        factor.multiply_lower(&normals).iter().zip(means).map(|(deviation, mean)| mean + deviation).collect()
    };
    (0..count).map(draw).collect()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    widest(|| dot(a, b))
}

/// Evaluates a posterior point by point, with its own memory.
#[derive(Debug, Clone)]
pub struct Predictor<'p> {
    posterior: &'p Posterior,
    row: CrossRow,
    solved: Vec<f64>,
}

impl<'p> Predictor<'p> {
    /// The posterior that is evaluated.
    pub fn posterior(&self) -> &'p Posterior {
        self.posterior
    }

    /// The mean and the variance at `x`; NaN if `x` has a NaN.
    ///
    /// # Panics
    /// Panics if `x` does not have the posterior's number of inputs.
    pub fn predict(&mut self, x: &[f64]) -> Prediction {
        let Posterior { model, x: points, .. } = self.posterior;
        model.covariance.assert_point(x);
        self.row.values(&model.covariance, points, x);
        self.prediction(x)
    }

    /// The mean and the variance at `x`, whose covariances must be filled in; leaves L⁻¹k in `solved`.
    fn prediction(&mut self, x: &[f64]) -> Prediction {
        let Posterior { model, factor, weights, .. } = self.posterior;
        self.solved.copy_from_slice(&self.row.covariances);
        factor.solve_lower(&mut self.solved);
        let (linear, explained) = (inner(&self.row.covariances, weights), inner(&self.solved, &self.solved));
        // Rounding can make a variance of zero negative.
        let variance = at_least(model.covariance.prior_variance(x) - explained, 0.0);
        Prediction { mean: model.mean + linear, variance }
    }

    /// The mean and the variance at `x`, and their gradients.
    ///
    /// # Panics
    /// Panics if `x` or a gradient does not have the posterior's number of inputs.
    pub fn predict_with_gradient(
        &mut self,
        x: &[f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) -> Prediction {
        let Posterior { model, x: points, factor, weights, .. } = self.posterior;
        [x, mean_gradient, variance_gradient].iter().for_each(|v| model.covariance.assert_point(v));
        self.row.values_and_slopes(&model.covariance, points, x);
        let prediction = self.prediction(x);
        factor.solve_upper(&mut self.solved);
        mean_gradient.fill(0.0);
        self.row.add_gradient(&model.covariance, points, x, weights, mean_gradient);
        // ∇σ² = ∇k(x, x) − 2 Σ (K̂⁻¹k)_i ∇k_i
        variance_gradient.fill(0.0);
        self.solved.iter_mut().for_each(|v| *v *= -2.0);
        self.row.add_gradient(&model.covariance, points, x, &self.solved, variance_gradient);
        model.covariance.add_prior_variance_gradient(x, variance_gradient);
        prediction
    }

    /// Adds `Σ_i weights_i ∂k(x, x_i)/∂x` to `gradient`, after [`predict_with_gradient`](Self::predict_with_gradient)
    /// at the same `x`.
    pub(crate) fn add_gradient(&mut self, x: &[f64], weights: &[f64], gradient: &mut [f64]) {
        let Posterior { model, x: points, .. } = self.posterior;
        self.row.add_gradient(&model.covariance, points, x, weights, gradient);
    }

    /// k(x, X) at the `x` of the last prediction.
    pub fn covariances(&self) -> &[f64] {
        &self.row.covariances
    }
}
