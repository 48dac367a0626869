//! Certified global minimisation of Gaussian-process acquisition functions.
//!
//! Given a posterior, a criterion (any of `fathom_gp`) and a box, [`minimise`] finds the global minimum of the **true**
//! acquisition function with a lower bound that no rounding can break, by branch and bound over boxes; no external
//! solver. [`minimise_with_proof`] also writes down why; `fathom_check` checks that with code of its own.
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
//! [`PkMiqp`] is the paper's own method beside it: [`linearise`] the kernel, encode Eq. (5) as a [`Program`], hand it to a
//! solver, polish.
//!
//! The way of a problem: [`Problem`] (tables, and how far rounding can push them) → `search` (batches of nodes) →
//! `bounder` (one node: `relaxation`, `taylor`, `moving`, `quadratic`) → [`Certificate`], [`Proof`].
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audit;
mod bounder;
mod box_bounds;
mod certificate;
mod chords;
mod cubic;
mod duals;
mod encode;
mod error;
mod evaluator;
mod face;
mod goal;
mod improvement;
mod incumbent;
mod known_value;
pub mod local;
mod moving;
mod near_optimal;
mod part;
mod pk;
mod pool;
mod problem;
mod propagation;
mod quadratic;
mod region;
mod relaxation;
mod row;
mod search;
mod statement;
mod taylor;
#[cfg(test)]
mod testing;
mod trail;

pub use audit::{Audit, Violation};
pub use box_bounds::{BoxBound, BoxReport, bounds_of_box};
pub use certificate::{BoundBy, Certificate, Claim, Repairs, Settings, Status, Version};
pub use encode::Program;
pub use error::{Error, Failure, Result};
pub use evaluator::Evaluate;
pub use fathom_gp::NegativeVariance;
pub use fathom_proof::{CriterionName, FEASIBILITY, Instance, LARGEST, Proof, SMALLEST, Statement};
pub use incumbent::Incumbent;
pub use near_optimal::{NearOptimal, Nearness};
pub use pk::{Breakpoints, Engine, GroupsOutcome, PkMiqp, PkOutcome, PkSettings, Treatment, linearise};
pub use problem::{MOST_INPUTS, Problem};
pub use region::Region;
pub use row::Row;
pub use search::{Limits, MOST_MINIMA, MOST_THREADS, Progress, Stop, minimise, minimise_with_proof};
pub use statement::Posed;
