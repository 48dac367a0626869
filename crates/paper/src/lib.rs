//! PK-MIQP, the method of Xie, Zhang, Paulson and Tsay (AISTATS 2025), beside the certified search.
//!
//! * [`PkMiqp`]: Algorithm 1. [`linearise`] the kernel, encode Eq. (5) as a [`Program`], hand it to a solver or to the certified
//!   search, polish.
//! * [`theory`]: Section 4.3, what the approximation costs, estimated.
//! * [`baselines`]: the local methods that the paper compares with.
//! * [`Function`]: the benchmarks of Section 5.3.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod baselines;
mod encode;
mod error;
mod function;
mod pk;
pub mod theory;

pub use encode::Program;
pub use error::{Error, Failure, Result};
pub use function::Function;
pub use pk::{Breakpoints, Engine, GroupsOutcome, PkMiqp, PkOutcome, PkSettings, Treatment, linearise};
