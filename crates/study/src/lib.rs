//! The loop: Bayesian optimisation that can be left running on an expensive experiment.
//!
//! * **What is varied**: [`Space`] of [`Parameter`]s under [`Constraint`]s, in the user's units and in the search's.
//! * **How**: [`Definition`], the study file: space, [`Strategy`], what to evaluate, when to stop.
//! * **The loop**: [`Study`] hands out [`Trial`]s and takes their values; [`history`](Study::history) says how far the
//!   study is, with a certified bound of what can still be gained under the model.
//! * **Who runs it**: [`run`], workers that ask, evaluate and tell; [`Watch`] stops long calls and hears their progress.
//! * **How sure it is**: [`Study::proof`] makes the proof behind a suggestion again; [`Study::verify`] checks the proof and
//!   that it is about this study.
//! * **Where it is kept**: [`Store`], in memory, in an SQLite file, or on a PostgreSQL server (feature `postgres`).
//! * **To try it on**: [`Function`], the benchmarks of the paper's Section 5.3.
//!
//! ```
//! use fathom_study::{Definition, Study};
//! let definition = Definition::parse(
//!     "name = 'bowl'\n[parameters]\nx = { type = 'float', low = -1.0, high = 2.0 }\n[strategy]\ninitial = 4",
//! )?;
//! let mut study = Study::create("memory:", definition)?;
//! for _ in 0..8 {
//!     let trial = study.ask(1)?.remove(0);
//!     let x = trial.number("x").expect("x is a number");
//!     study.tell(trial.id, (x - 0.5) * (x - 0.5))?;
//! }
//! assert!(study.best()?.expect("something was told").objective().expect("it is finished") < 0.01);
//! # Ok::<(), fathom_study::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod address;
mod assurance;
mod backup;
mod basis;
mod bound;
mod change;
mod constraint;
mod corrected;
mod definition;
mod design;
mod error;
mod examination;
mod grid;
mod history;
mod kind;
mod later;
mod learned;
mod listed;
mod opening;
mod outcome;
mod owner;
mod parameter;
mod parameter_table;
mod patience;
mod polynomial;
mod recommended;
mod record;
mod remark;
pub mod run;
mod seen;
mod sequence;
mod settings;
mod space;
mod spool;
mod store;
mod strategy;
mod study;
mod suggest;
mod trial;
mod value;
mod values;
mod verification;
mod watch;

pub use address::Address;
pub use assurance::Assurance;
pub use backup::backup;
pub use basis::{Basis, Fitted, FittedTerm, Minimised, ScaledBy, SearchedBy, Seen, WarpedBy};
pub use bound::{Bound, CAVEAT, Forecast, Remaining, Silence};
pub use change::{Change, Edit, Original};
pub use constraint::{Constraint, Relation};
pub use definition::{Definition, Evaluation, Goal, Stopping};
pub use error::{Error, Result};
pub use examination::examine;
pub use fathom_method::Method;
pub use fathom_paper::Function;
pub use grid::Grid;
pub use history::Step;
pub use kind::Kind;
pub use later::Later;
pub use learned::{Learned, Lengthscale, Warped};
pub use listed::Listed;
pub use opening::{Opened, Purpose, StudyFile};
pub use owner::{author, owner};
pub use parameter::Parameter;
pub use patience::{Impatient, Waiter, Within, patiently};
pub use recommended::Recommended;
pub use record::{Record, propose};
pub use remark::Remark;
pub use sequence::SequenceName;
pub use settings::{Setting, Settings};
pub use space::Space;
pub use spool::{Spool, Untold};
pub use store::{Entry, Finish, Snapshot, Standing, Store, StoredStudy, connect, consult};
pub use strategy::{BetaName, DesignSize, FitName, MeanName, NoiseName, OutputScale, Strategy, Turns, WarpName};
pub use study::{Entered, Experiment, Imported, Study, TakenUp};
pub use suggest::{LeftOut, Surrogate};
pub use trial::{Lease, Origin, Outcome, State, Suggestion, Trial};
pub use value::{Point, Value};
pub use values::{BadValues, OBJECTIVE, Values};
pub use verification::{Scope, TrialProof, Verification};
pub use watch::{Report, Stage, Watch};
