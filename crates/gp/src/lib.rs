//! Gaussian processes for Bayesian optimisation: the model behind every suggestion of Fathom.
//!
//! * **Data**: [`Dataset`] checks observations once; [`Scaling`] maps them to the model's units and back.
//! * **Kernels**: [`Kernel`] is φ of one argument with two derivatives; [`Covariance`] sums kernels over groups of
//!   inputs (one group gives an ordinary GP, several groups give an additive GP).
//! * **Model**: [`fit`] finds hyperparameters, [`Model::condition`] gives a [`Posterior`], which predicts with
//!   gradients, samples, and takes one more observation in O(n²).
//! * **Acquisition**: [`Acquisition`] turns a posterior and a [`Criterion`] into one function to minimise.
//! * **Piecewise-linear kernels**: [`PwlKernel`] is the paper's k̃ with a proven error; [`PwlPosterior`] is the posterior
//!   under k̃; [`Spectrum`] and [`Repair`] repair a K̃ that is not positive definite.
//!
//! "The paper" is Xie, Zhang, Paulson and Tsay, *Global Optimization of Gaussian Process Acquisition Functions Using a
//! Piecewise-Linear Kernel Approximation*, AISTATS 2025; equation numbers are those of the paper.
//!
//! ```
//! use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, FitSettings, Kernel, fit};
//! let data = Dataset::new(&[[0.0], [0.3], [0.6], [1.0]], &[0.9, 0.1, 0.4, 1.0])?;
//! let structure = Covariance::isotropic(Kernel::Matern32, 1, 1.0, 0.5)?;
//! let posterior = fit(&structure, &data, &FitSettings::default())?.posterior;
//! let mut lcb = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 })?;
//! assert!(lcb.value(&[0.4]) < lcb.value(&[0.0]));
//! # Ok::<(), fathom_gp::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]
mod acquisition;
mod approximation;
mod beta;
mod bisection;
mod covariance;
mod cross_row;
mod dataset;
mod error;
mod error_range;
mod factor;
mod fit;
mod kernel;
pub mod lanes;
mod likelihood;
mod mean;
mod memory;
pub mod normal;
mod partition;
mod points;
mod posterior;
mod prior;
mod pwl;
mod pwl_acquisition;
mod scaling;
mod spectrum;
mod term;
mod warp;

pub use acquisition::Acquisition;
pub use approximation::{PwlCovariance, PwlPosterior};
pub use beta::{Beta, SmoothnessAssumption};
pub use covariance::{Covariance, Hyperparameter};
pub use dataset::{Dataset, MOST_OBSERVATIONS, Replicates};
pub use error::{BoxSide, Error, Result};
pub use error_range::ErrorRange;
pub use factor::{Factor, JITTER_STEPS};
pub use fit::{Fit, FitSettings, Noise, Start, fit, fit_until, log_likelihood_gradient};
pub use kernel::{Argument, Jet, Kernel};
pub use mean::Mean;
pub use partition::{Partition, Section, Stretch};
pub use points::Points;
pub use posterior::{Model, Posterior, Prediction, Predictor, sample_normal};
pub use prior::{Gamma, LogNormal, Prior, Priors};
pub use pwl::{Curvature, PwlKernel};
pub use pwl_acquisition::{NegativeVariance, PwlAcquisition};
pub use scaling::{Affine, OutputScaling, Scaling};
pub use spectrum::{Indefiniteness, Repair, Spectrum};
pub use term::Term;
pub use warp::Warp;

#[doc(no_inline)]
pub use fathom_proof::{Criterion, CriterionFields, CriterionName, KernelFields, KernelName};

/// The page about Rust, whose program is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct Guide;
