//! Certified global minimisation of Gaussian-process acquisition functions.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bounder;
mod certificate;
mod error;
mod incumbent;
mod instance;
mod interval;
mod problem;
mod proof;
mod quadratic;
mod region;
mod relaxation;
mod search;
mod taylor;
mod verify;

pub use certificate::{Certificate, Status};
pub use error::{Error, Result};
pub use incumbent::Incumbent;
pub use instance::{Instance, KernelName};
pub use problem::{MOST_INPUTS, Problem};
pub use proof::{FileError, Proof, Statement};
pub use region::Region;
pub use search::{Limits, Progress, Stop, minimise, minimise_with_proof};
pub use verify::{Rejection, Verdict, verify};
