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
use crate::lanes::{at_least, dot, sum, widest};
use crate::normal::{self, LogH};
use crate::posterior::{Posterior, Predictor};
use fathom_proof::Criterion;

/// The criterion with its parameters checked.
pub(crate) fn validated(criterion: Criterion) -> Result<Criterion> {
    match criterion {
        Criterion::Mean | Criterion::Deviation => {}
        Criterion::Lcb { kappa } => {
            non_negative("kappa", kappa)?;
        }
        Criterion::Glcb { kappa, rho, imprecision } => {
            non_negative("kappa", kappa)?;
            non_negative("rho", rho)?;
            non_negative("the imprecision", imprecision)?;
        }
        Criterion::Ei { best } | Criterion::LogEi { best } | Criterion::Pi { best } => {
            all_finite("the best output", &[best])?;
        }
    }
    Ok(criterion)
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
            let sigma = at_least(deviation, LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            Score { value: -sigma * normal::h(z), in_mean: normal::cdf(z), in_deviation: -normal::pdf(z) }
        }
        Criterion::LogEi { best } => {
            let sigma = at_least(deviation, LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            let LogH { value, slope, density } = normal::log_h(z);
            Score { value: -sigma.ln() - value, in_mean: slope / sigma, in_deviation: -density / sigma }
        }
        Criterion::Pi { best } => {
            let sigma = at_least(deviation, LEAST_DEVIATION);
            let z = (best - mean) / sigma;
            let density = normal::pdf(z);
            Score { value: -normal::cdf(z), in_mean: density / sigma, in_deviation: z * density / sigma }
        }
    }
}

/// The width of the posterior mean's interval under an imprecise constant prior mean (Mangili 2016; Rodemann and
/// Augustin 2024): `scale · |1 − k(x)ᵀ s|` with s = K̂⁻¹1, S = 1ᵀs.
///
/// The constant has any prior of mean hM and variance (1 + M)/c, with h = ±1, M ≥ 0 and c the degree of imprecision.
/// Its posterior mean (chM + (1 + M)sᵀy)/(c + (1 + M)S) is monotone in M, so its extremes are among sᵀy/(c + S) at
/// M = 0 and (sᵀy ± c)/S in the limit:
///
/// * scale = 2c/S where |sᵀy| ≤ c + S, the first lying between the other two,
/// * scale = c/S · (1 + |sᵀy|/(c + S)) otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Imprecision {
    pub solved_ones: Vec<f64>,
    /// ρ · scale.
    pub weight: f64,
}

impl Imprecision {
    fn of(posterior: &Posterior, rho: f64, degree: f64) -> Result<Self> {
        let mut solved_ones = vec![1.0; posterior.y().len()];
        posterior.factor().solve(&mut solved_ones);
        Self::new(solved_ones, posterior.weights(), rho, degree)
    }

    /// The width for s = K̂⁻¹1 and the weights K̂⁻¹(y − m).
    pub fn new(solved_ones: Vec<f64>, weights: &[f64], rho: f64, degree: f64) -> Result<Self> {
        let total = widest(|| sum(&solved_ones));
        if !(total > 0.0 && total.is_finite()) {
            let requirement = "positive; raise the noise";
            return Err(Error::OutOfDomain { name: "the sum of the inverse covariance", value: total, requirement });
        }
        // sᵀ(y − m) = 1ᵀK̂⁻¹(y − m) = 1ᵀa
        let weighted = widest(|| sum(weights)).abs();
        let central = weighted <= degree + total;
        let scale = degree / total * if central { 2.0 } else { 1.0 + weighted / (degree + total) };
        Ok(Self { solved_ones, weight: rho * scale })
    }

    /// 1 − kᵀs.
    pub fn balance(&self, covariances: &[f64]) -> f64 {
        1.0 - widest(|| dot(covariances, &self.solved_ones))
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
        let criterion = validated(criterion)?;
        let imprecision = match criterion {
            Criterion::Glcb { rho, imprecision, .. } => Some(Imprecision::of(posterior, rho, imprecision)?),
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

    /// The function at `x`. NaN in is NaN out.
    ///
    /// # Panics
    /// Where `x` does not have the posterior's number of inputs.
    pub fn value(&mut self, x: &[f64]) -> f64 {
        let prediction = self.predictor.predict(x);
        let value = score(self.criterion, prediction.mean, prediction.deviation()).value;
        match &self.imprecision {
            None => value,
            Some(term) => value - term.weight * term.balance(self.predictor.covariances()).abs(),
        }
    }

    /// The function at `x`, and its gradient. Where σ = 0 its gradient counts as zero.
    ///
    /// # Panics
    /// Where `x` or `gradient` does not have the posterior's number of inputs.
    pub fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        assert!(gradient.len() == self.mean_gradient.len(), "the gradient must have one entry for each input");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::pdf;
    use crate::{Covariance, Dataset, Factor, Kernel, Model};

    /// The posterior mean at `x` where the prior has another constant mean, and a constant covariance on top.
    fn mean_under(posterior: &Posterior, x: &[f64], mean: f64, constant: f64) -> f64 {
        let Model { covariance, noise, .. } = posterior.model();
        let mut gram = covariance.gram(posterior.x(), *noise);
        let n = posterior.y().len();
        (0..n).for_each(|j| (j..n).for_each(|i| gram[(i, j)] += constant));
        let mut weights: Vec<f64> = posterior.y().iter().map(|y| y - mean).collect();
        Factor::new(&gram).unwrap().solve(&mut weights);
        let mut cross = vec![0.0; n];
        covariance.cross(posterior.x(), x, &mut cross);
        mean + cross.iter().zip(&weights).map(|(k, a)| (k + constant) * a).sum::<f64>()
    }

    #[test]
    fn log_improvement_keeps_its_slope_in_the_deviation_where_improvement_is_certain() {
        // z = 12: cdf is 1 and h is z to rounding, so z·cdf/h − 1 would be nothing but rounding.
        let score = score(Criterion::LogEi { best: 3.0 }, 0.0, 0.25);
        let expected = -pdf(12.0) / (12.0 * 0.25);
        assert!((score.in_deviation - expected).abs() <= 1e-12 * expected.abs(), "{}", score.in_deviation);
    }

    #[test]
    fn imprecision_is_the_width_over_all_priors_of_the_credal_set() {
        let covariance = Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.4).unwrap();
        let model = Model::new(covariance, 1e-2).unwrap();
        let (x, c) = ([0.8], 0.7);
        // Small outputs are the central case, large ones the other, with either sign.
        for (level, central) in [(0.3, true), (-0.3, true), (9.0, false), (-9.0, false)] {
            let y = [level, level * 1.1, level * 0.9];
            let posterior = model.clone().condition(&Dataset::new(&[[0.0], [0.2], [0.5]], &y).unwrap()).unwrap();
            let mut ones = vec![1.0; 3];
            posterior.factor().solve(&mut ones);
            let (total, weighted) = (ones.iter().sum::<f64>(), ones.iter().zip(y).map(|(s, y)| s * y).sum::<f64>());
            assert_eq!(weighted.abs() <= c + total, central, "the case that is meant");

            let mut interval = (f64::INFINITY, f64::NEG_INFINITY);
            for step in 0..=400 {
                let m = if step == 0 { 0.0 } else { 10_f64.powf(-3.0 + f64::from(step) * 0.025) };
                for h in [-1.0, 1.0] {
                    let mean = mean_under(&posterior, &x, h * m, (1.0 + m) / c);
                    interval = (interval.0.min(mean), interval.1.max(mean));
                }
            }
            let value = |rho| {
                let glcb = Criterion::Glcb { kappa: 0.0, rho, imprecision: c };
                Acquisition::new(&posterior, glcb).unwrap().value(&x)
            };
            let (width, scanned) = (value(0.0) - value(1.0), interval.1 - interval.0);
            assert!((width - scanned).abs() < 1e-5 * width, "{level}: {width} against {scanned}");
        }
    }
}
