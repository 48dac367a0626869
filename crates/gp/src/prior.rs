//! Prior densities of hyperparameters, for maximum a-posteriori fits.

use crate::covariance::Hyperparameter;
use crate::error::{Result, all_finite, positive};

/// A log-normal density: the logarithm is normal with this location and scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormal {
    location: f64,
    scale: f64,
}

impl LogNormal {
    /// The density whose logarithm has this mean and standard deviation.
    pub fn new(location: f64, scale: f64) -> Result<Self> {
        all_finite("a prior's location", &[location])?;
        Ok(Self { location, scale: positive("a prior's scale", scale)? })
    }

    /// The lengthscale prior that grows with √D, so that a model of many inputs is not too rough, for inputs in the unit cube:
    /// location √2 + ½ log D, scale √3 (Hvarfner, Hellsten and Nardi, 2024).
    pub fn dimension_scaled(dim: usize) -> Self {
        Self { location: std::f64::consts::SQRT_2 + 0.5 * (dim as f64).ln(), scale: 3.0_f64.sqrt() }
    }

    /// The log density at exp(`log`), and its derivative in `log`. As usual for MAP estimates, this is the density of the
    /// hyperparameter, not of its logarithm.
    pub fn log_density(self, log: f64) -> (f64, f64) {
        let deviation = (log - self.location) / self.scale;
        let normaliser = self.scale.ln() + 0.5 * (2.0 * std::f64::consts::PI).ln();
        (-log - normaliser - 0.5 * deviation * deviation, -1.0 - deviation / self.scale)
    }
}

/// A prior for each kind of hyperparameter. A hyperparameter without a prior is estimated by likelihood alone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Priors {
    /// The prior of every term's σ_f².
    pub variance: Option<LogNormal>,
    /// The prior of every lengthscale.
    pub lengthscale: Option<LogNormal>,
    /// The prior of every kernel's own parameter.
    pub shape: Option<LogNormal>,
    /// The prior of σ_ε², if σ_ε² is learned.
    pub noise: Option<LogNormal>,
}

impl Priors {
    /// The prior of one kind of hyperparameter.
    pub fn of(&self, kind: Hyperparameter) -> Option<LogNormal> {
        match kind {
            Hyperparameter::Variance => self.variance,
            Hyperparameter::Lengthscale => self.lengthscale,
            Hyperparameter::Shape => self.shape,
            Hyperparameter::Noise => self.noise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_density_integrates_to_one_and_its_slope_is_right() {
        let prior = LogNormal::new(0.4, 0.7).unwrap();
        let step = 1e-3;
        let mass: f64 = (-10_000..10_000)
            .map(|i| {
                let log = f64::from(i) * step;
                (prior.log_density(log).0 + log).exp() * step
            })
            .sum();
        assert!((mass - 1.0).abs() < 1e-9);
        let (h, at) = (1e-5, 0.9);
        let numeric = (prior.log_density(at + h).0 - prior.log_density(at - h).0) / (2.0 * h);
        assert!((numeric - prior.log_density(at).1).abs() < 1e-8);
    }

    #[test]
    fn the_dimension_scaled_mode_grows_with_the_square_root_of_the_dimension() {
        let mode = |dim| {
            let prior = LogNormal::dimension_scaled(dim);
            (prior.location - prior.scale * prior.scale).exp()
        };
        assert!((mode(16) / mode(1) - 4.0).abs() < 1e-12);
    }
}
