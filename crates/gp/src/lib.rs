//! x
#![cfg_attr(test, allow(clippy::unwrap_used))]
mod acquisition;
mod approximation;
mod beta;
mod covariance;
mod dataset;
mod error;
mod factor;
mod fit;
mod kernel;
pub mod lanes;
mod likelihood;
mod normal;
mod points;
mod posterior;
mod prior;
mod pwl;
mod scaling;
mod spectrum;
pub mod theory;

pub use acquisition::{Acquisition, Criterion};
pub use approximation::{PwlCovariance, PwlPosterior};
pub use beta::{Beta, SmoothnessAssumption};
pub use covariance::{Covariance, Hyperparameter, Term};
pub use dataset::{Dataset, Replicates};
pub use error::{Error, Result};
pub use factor::{Factor, JITTER_STEPS};
pub use fit::{Fit, FitSettings, Noise, Start, fit, log_likelihood_gradient};
pub use kernel::{Argument, Jet, Kernel};
pub use points::Points;
pub use posterior::{Model, Posterior, Prediction, Predictor, sample_normal};
pub use prior::{LogNormal, Priors};
pub use pwl::{ErrorRange, Partition, PwlKernel, Stretch};
pub use scaling::{Affine, OutputScaling, Scaling};
pub use spectrum::{Indefiniteness, Repair, Spectrum};
