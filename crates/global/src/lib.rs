//! Certified global minimisation of Gaussian-process acquisition functions.
//!
//! Given a posterior, a criterion (any of `fathom_gp`) and a box, [`minimise`] finds the global minimum of the **true**
//! acquisition function by branch and bound over boxes, with a lower bound that no rounding can break; it needs no
//! external solver. [`minimise_with_proof`] also writes a proof, which `fathom_check` checks with code of its own.
//!
//! ```
//! use fathom_check::verify;
//! use fathom_global::{Limits, Problem, Region, Stop, minimise_with_proof};
//! use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model};
//!
//! let data = Dataset::new(&[[0.1], [0.4], [0.8]], &[0.3, -0.2, 0.5])?;
//! let model = Model::new(Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.3)?, 1e-6)?;
//! let posterior = model.condition(&data)?;
//! let region = Region::new(&[(0.0, 1.0)])?;
//! let problem = Problem::new(&posterior, Criterion::Lcb { kappa: 2.0 }, region)?;
//!
//! let (certificate, proof) = minimise_with_proof(&problem, &Limits::default(), &Stop::new(false), |_| {})?;
//! assert!(certificate.gap.is_some_and(|gap| gap <= 1e-4 + 1e-9));
//! assert!(verify(&proof.expect("something was proven")).is_ok());
//! # Ok::<(), fathom_global::Error>(())
//! ```
//!
//! The crate has these storeys, and each uses only those before it: [`Region`] (a box, whole numbers, rows), `level`
//! (functions of mean and deviation), [`Problem`] (tables of each Gaussian process, and how far rounding can push
//! them), [`Certificate`], `bound` (every kind of lower bound on one box), [`local`] (good points), `node` (one box:
//! bounds in order, narrowing, branching), `search` (batches of nodes). docs/method.md has the mathematics.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bound;
mod certificate;
mod error;
mod level;
mod limits;
pub mod local;
mod node;
mod problem;
mod region;
mod rounding;
mod search;
#[cfg(test)]
mod testing;

pub use certificate::{BoundBy, Certificate, Claim, Repairs, Settings, Status, Version};
pub use error::{Error, Result};
pub use fathom_gp::NegativeVariance;
pub use fathom_proof::{CriterionName, FEASIBILITY, Instance, LARGEST, Proof, SMALLEST, Statement};
pub use limits::{Limits, MOST_MINIMA, MOST_THREADS, Progress, Stop, free_memory, spare_memory};
pub use node::{BoxBound, BoxReport, bounds_of_box};
pub use problem::{Evaluate, Incumbent, Posed, Problem};
pub use region::{MOST_INPUTS, Region, Row};
pub use search::{Audit, NearOptimal, Nearness, Violation, minimise, minimise_with_proof};
