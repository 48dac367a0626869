//! x
#![cfg_attr(test, allow(clippy::unwrap_used))]
mod covariance;
mod dataset;
mod error;
mod factor;
mod fit;
mod kernel;
pub mod lanes;
mod likelihood;
mod points;
mod posterior;
mod prior;
mod scaling;

pub use covariance::{Covariance, Hyperparameter, Term};
pub use dataset::{Dataset, Replicates};
pub use error::{Error, Result};
pub use factor::{Factor, JITTER_STEPS};
pub use fit::{Fit, FitSettings, Noise, Start, fit, log_likelihood_gradient};
pub use kernel::{Argument, Jet, Kernel};
pub use points::Points;
pub use posterior::{Model, Posterior, Prediction, Predictor, sample_normal};
pub use prior::{LogNormal, Priors};
pub use scaling::{Affine, OutputScaling, Scaling};
