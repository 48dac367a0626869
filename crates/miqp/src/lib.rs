//! Mixed-integer quadratic programs: a model that can evaluate points, LP and MPS files, and existing solvers.
//!
//! This crate knows nothing of Gaussian processes. A model has what Eq. (5) and Eq. (6) of the paper need: linear and
//! quadratic rows, whole numbers, special ordered sets, and y = pwl(x).
//!
//! ```
//! use fathom_miqp::{Dialect, Encoding, Kind, Model};
//!
//! let mut model = Model::new();
//! let r = model.add_variable("r", Kind::Continuous, 0.0, 2.0)?;
//! let k = model.add_variable("k", Kind::Continuous, 0.0, 1.0)?;
//! model.add_pwl("1", r, k, &[(0.0, 1.0), (0.5, 0.7), (2.0, 0.1)])?;
//! model.minimise(r - 3.0 * k)?;
//!
//! let mut file = Vec::new();
//! model.write_lp(&mut file, Dialect::Common(Encoding::Binaries))?;
//! assert_eq!(model.violations(&[0.5, 0.6], 1e-9)?[0].to_string(),
//!     "the piecewise-linear function `1` is violated by 9.999999999999998e-2");
//! # Ok::<(), fathom_miqp::Error>(())
//! ```
//!
//! A [`Solver`] minimises a model in its own process. We evaluate the returned points again: the values and violations of an
//! [`Outcome`]'s points are ours, its `claimed_bound` is the solver's claim.
//!
//! ```no_run
//! # use fathom_miqp::Model;
//! # let model = Model::new();
//! use fathom_miqp::{Scip, Settings, Solver, Stop};
//!
//! let outcome = Scip::find()?.solve(&model, &Settings::default(), &Stop::new(false))?;
//! # Ok::<(), fathom_miqp::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod backend;
mod dialect;
mod error;
mod expansion;
mod expr;
mod lp;
mod model;
mod mps;
mod name;
mod outcome;
mod pwl;
mod settings;
mod solution;
mod violation;

pub use backend::{Gurobi, Host, Scip, Solver, Stop, scip_worker};
pub use dialect::Dialect;
pub use error::{Error, Result, TooLarge};
pub use expansion::{Encoding, Expansion};
pub use expr::{Expression, Relation, Sense, Variable};
pub use model::{Column, Kind, Model, Row, Sos2};
pub use outcome::{Outcome, Point, Status};
pub use pwl::Pwl;
pub use settings::Settings;
pub use violation::{Place, Violation};
