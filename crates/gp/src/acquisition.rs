//! Acquisition functions: a posterior and a criterion make one scalar function of x, always to be minimised.
//!
//! With z = (best − μ)/σ, `best` the smallest observation so far, and h(z) = pdf(z) + z cdf(z):
//!
//! | criterion | minimised |
//! |---|---|
//! | lower confidence bound | μ − κσ, κ = √β |
//! | mean | μ |
//! | deviation | −σ |
//! | generalised LCB | μ − κσ − ρ·(upper mean − lower mean) |
//! | expected improvement | −σ h(z) |
//! | log expected improvement | −log σ − log h(z) |
//! | probability of improvement | −cdf(z) |

use crate::error::{Error, Result, all_finite, non_negative};
use crate::normal;
use crate::posterior::{Posterior, Predictor};

/// What makes a point worth trying. `best` is the smallest output observed so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Lower confidence bound μ − κσ.
    Lcb {
        /// κ = β^½ ≥ 0; see [`Beta`](crate::Beta).
        kappa: f64,
    },
    /// The posterior mean alone: pure exploitation.
    Mean,
    /// The negative posterior deviation: pure exploration.
    Deviation,
    /// Generalised LCB (Rodemann and Augustin, 2024), which also rewards points where the choice of the prior mean
    /// still matters.
    Glcb {
        /// κ ≥ 0, the weight of σ.
        kappa: f64,
        /// ρ ≥ 0, the weight of the imprecision.
        rho: f64,
        /// c ≥ 0, the degree of imprecision of the prior mean.
        imprecision: f64,
    },
    /// Expected improvement.
    Ei {
        /// Smallest output so far.
        best: f64,
    },
    /// Logarithm of the expected improvement: the same optima, without vanishing gradients (Ament et al., 2023).
    LogEi {
        /// Smallest output so far.
        best: f64,
    },
    /// Probability of improvement.
    Pi {
        /// Smallest output so far.
        best: f64,
    },
}

impl Criterion {
    fn validated(self) -> Result<Self> {
        match self {
            Self::Mean | Self::Deviation => {}
            Self::Lcb { kappa } => {
                non_negative("kappa", kappa)?;
            }
            Self::Glcb { kappa, rho, imprecision } => {
                non_negative("kappa", kappa)?;
                non_negative("rho", rho)?;
                non_negative("the imprecision", imprecision)?;
            }
            Self::Ei { best } | Self::LogEi { best } | Self::Pi { best } => all_finite("the best output", &[best])?,
        }
        Ok(self)
    }
}

/// Stands for σ where it vanishes, so that the improvement criteria stay finite; far below any real deviation.
const LEAST_DEVIATION: f64 = 1e-75;

/// Value of a criterion and its derivatives in μ and σ.
#[derive(Debug, Clone, Copy)]
struct Score {
    value: f64,
    in_mean: f64,
    in_deviation: f64,
}

fn score(criterion: Criterion, mean: f64, deviation: f64) -> Score {
    match criterion {
        Criterion::Mean => Score { value: mean, in_mean: 1.0, in_deviation: 0.0 },
        Criterion::Deviation => Score { value: -deviation, in_mean: 0.0, in_deviation: -1.0 },
        Criterion::Lcb { kappa } | Criterion::Glcb { kappa, .. } => {
            Score { value: mean - kappa * deviation, in_mean: 1.0, in_deviation: -kappa }
        }
        Criterion::Ei { best } => {
            let sigma = deviation.max(LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            Score { value: -sigma * normal::h(z), in_mean: normal::cdf(z), in_deviation: -normal::pdf(z) }
        }
        Criterion::LogEi { best } => {
            let sigma = deviation.max(LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            let (log_h, slope) = normal::log_h(z);
            Score { value: -sigma.ln() - log_h, in_mean: slope / sigma, in_deviation: (z * slope - 1.0) / sigma }
        }
        Criterion::Pi { best } => {
            let sigma = deviation.max(LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            let density = normal::pdf(z);
            Score { value: -normal::cdf(z), in_mean: density / sigma, in_deviation: z * density / sigma }
        }
    }
}

/// The width of the posterior mean's interval under an imprecise constant prior mean (Mangili 2016; Rodemann and
/// Augustin 2024): `scale · |1 − k(x)ᵀ s|` with s = K̂⁻¹1, S = 1ᵀs. With c the degree of imprecision and q = sᵀy/S,
///
/// * scale = 2c/S where |q| ≤ 1 + c/S,
/// * scale = c/S · |1 + sᵀy/(c + S)| otherwise.
#[derive(Debug, Clone)]
struct Imprecision {
    solved_ones: Vec<f64>,
    /// ρ · scale.
    weight: f64,
}

impl Imprecision {
    fn new(posterior: &Posterior, rho: f64, degree: f64) -> Result<Self> {
        let mut solved_ones = vec![1.0; posterior.y().len()];
        posterior.factor().solve(&mut solved_ones);
        let total: f64 = solved_ones.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            let requirement = "positive; raise the noise";
            return Err(Error::OutOfDomain { name: "the sum of the inverse covariance", value: total, requirement });
        }
        let mean = posterior.model().mean;
        let weighted: f64 = solved_ones.iter().zip(posterior.y()).map(|(s, y)| s * (y - mean)).sum();
        let scale = if (weighted / total).abs() <= 1.0 + degree / total {
            2.0 * degree / total
        } else {
            degree / total * (1.0 + weighted / (degree + total)).abs()
        };
        Ok(Self { solved_ones, weight: rho * scale })
    }

    fn balance(&self, covariances: &[f64]) -> f64 {
        1.0 - covariances.iter().zip(&self.solved_ones).map(|(k, s)| k * s).sum::<f64>()
    }
}

/// A scalar function to minimise, with memory of its own; clone one per thread.
#[derive(Debug, Clone)]
pub struct Acquisition<'p> {
    predictor: Predictor<'p>,
    criterion: Criterion,
    imprecision: Option<Imprecision>,
    mean_gradient: Vec<f64>,
    variance_gradient: Vec<f64>,
}

impl<'p> Acquisition<'p> {
    /// The acquisition function of `criterion` under `posterior`.
    pub fn new(posterior: &'p Posterior, criterion: Criterion) -> Result<Self> {
        let criterion = criterion.validated()?;
        let imprecision = match criterion {
            Criterion::Glcb { rho, imprecision, .. } => Some(Imprecision::new(posterior, rho, imprecision)?),
            Criterion::Lcb { .. }
            | Criterion::Mean
            | Criterion::Deviation
            | Criterion::Ei { .. }
            | Criterion::LogEi { .. }
            | Criterion::Pi { .. } => None,
        };
        let zeros = vec![0.0; posterior.x().dim()];
        let (mean_gradient, variance_gradient) = (zeros.clone(), zeros);
        Ok(Self { predictor: posterior.predictor(), criterion, imprecision, mean_gradient, variance_gradient })
    }

    /// The posterior.
    pub fn posterior(&self) -> &'p Posterior {
        self.predictor.posterior()
    }

    /// The criterion.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The function at `x`, which must have the posterior's number of inputs.
    pub fn value(&mut self, x: &[f64]) -> f64 {
        let prediction = self.predictor.predict(x);
        let value = score(self.criterion, prediction.mean, prediction.deviation()).value;
        match &self.imprecision {
            None => value,
            Some(term) => value - term.weight * term.balance(self.predictor.covariances()).abs(),
        }
    }

    /// The function at `x`, and its gradient. Where σ = 0 its gradient counts as zero.
    pub fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let prediction = self.predictor.predict_with_gradient(x, &mut self.mean_gradient, &mut self.variance_gradient);
        let deviation = prediction.deviation();
        let score = score(self.criterion, prediction.mean, deviation);
        let in_variance = if deviation > 0.0 { 0.5 * score.in_deviation / deviation } else { 0.0 };
        for ((g, mean), variance) in gradient.iter_mut().zip(&self.mean_gradient).zip(&self.variance_gradient) {
            *g = score.in_mean * mean + in_variance * variance;
        }
        let Some(imprecision) = &self.imprecision else { return score.value };
        // −weight·|balance|, and ∇balance = −Σ s_i ∇k_i
        let balance = imprecision.balance(self.predictor.covariances());
        self.mean_gradient.fill(0.0);
        self.predictor.add_gradient(x, &imprecision.solved_ones, &mut self.mean_gradient);
        for (g, k) in gradient.iter_mut().zip(&self.mean_gradient) {
            *g += imprecision.weight * balance.signum() * k;
        }
        score.value - imprecision.weight * balance.abs()
    }
}
