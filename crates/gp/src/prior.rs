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

/// A gamma density: proportional to v^(shape − 1) exp(−rate v).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    shape: f64,
    rate: f64,
}

impl Gamma {
    /// The density with this shape and rate.
    pub fn new(shape: f64, rate: f64) -> Result<Self> {
        Ok(Self { shape: positive("a prior's shape", shape)?, rate: positive("a prior's rate", rate)? })
    }

    /// The lengthscale prior Γ(3, 9.766/√D) for inputs in the unit cube, whose mode grows with √D from 0.2048 in one dimension.
    pub fn dimension_scaled(dim: usize) -> Self {
        Self { shape: 3.0, rate: 9.766 / (dim.max(1) as f64).sqrt() }
    }

    /// Where the density is largest; 0 if it falls from there on.
    pub fn mode(self) -> f64 {
        ((self.shape - 1.0) / self.rate).max(0.0)
    }

    /// The log density at exp(`log`), and its derivative in `log`; the density is that of the hyperparameter, not of its logarithm.
    pub fn log_density(self, log: f64) -> (f64, f64) {
        let Self { shape, rate } = self;
        let value = log.exp();
        let normaliser = shape * rate.ln() - libm::lgamma(shape);
        ((shape - 1.0) * log - rate * value + normaliser, (shape - 1.0) - rate * value)
    }
}

/// A prior density of one kind of hyperparameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prior {
    /// Log-normal.
    LogNormal(LogNormal),
    /// Gamma.
    Gamma(Gamma),
}

impl Prior {
    /// The log density at exp(`log`), and its derivative in `log`.
    pub fn log_density(self, log: f64) -> (f64, f64) {
        match self {
            Self::LogNormal(prior) => prior.log_density(log),
            Self::Gamma(prior) => prior.log_density(log),
        }
    }
}

impl From<LogNormal> for Prior {
    fn from(prior: LogNormal) -> Self {
        Self::LogNormal(prior)
    }
}

impl From<Gamma> for Prior {
    fn from(prior: Gamma) -> Self {
        Self::Gamma(prior)
    }
}

/// A prior for each kind of hyperparameter. A hyperparameter without a prior is estimated by likelihood alone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Priors {
    /// The prior of every term's σ_f².
    pub variance: Option<Prior>,
    /// The prior of every lengthscale.
    pub lengthscale: Option<Prior>,
    /// The prior of every kernel's own parameter.
    pub shape: Option<Prior>,
    /// The prior of σ_ε², if σ_ε² is learned.
    pub noise: Option<Prior>,
}

impl Priors {
    /// The prior of one kind of hyperparameter.
    pub fn of(&self, kind: Hyperparameter) -> Option<Prior> {
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
    fn densities_integrate_to_one_and_their_slopes_are_right() {
        let priors: [Prior; 3] = [
            LogNormal::new(0.4, 0.7).unwrap().into(),
            Gamma::new(1.1, 30.0).unwrap().into(),
            Gamma::dimension_scaled(4).into(),
        ];
        for prior in priors {
            let step = 1e-3;
            let mass: f64 = (-25_000..10_000)
                .map(|i| {
                    let log = f64::from(i) * step;
                    (prior.log_density(log).0 + log).exp() * step
                })
                .sum();
            assert!((mass - 1.0).abs() < 1e-9, "{prior:?}: {mass}");
            let (h, at) = (1e-5, -0.9);
            let numeric = (prior.log_density(at + h).0 - prior.log_density(at - h).0) / (2.0 * h);
            assert!((numeric - prior.log_density(at).1).abs() < 1e-7, "{prior:?}");
        }
    }

    #[test]
    fn a_gamma_density_is_largest_at_its_mode() {
        let prior = Gamma::dimension_scaled(4);
        let mode = prior.mode();
        assert!((mode - 2.0 * 0.2048).abs() < 1e-4, "{mode}");
        let density = |at: f64| prior.log_density(at.ln()).0;
        assert!(density(mode) > density(1.01 * mode) && density(mode) > density(0.99 * mode));
        assert_eq!(Gamma::new(0.5, 2.0).unwrap().mode(), 0.0);
        assert!(Gamma::new(0.0, 2.0).is_err() && Gamma::new(1.0, f64::NAN).is_err());
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
