//! PK-MIQP, the method of Xie, Zhang, Paulson and Tsay (AISTATS 2025), beside the certified search.
//!
//! * [`PkMiqp`]: Algorithm 1. It [linearises](linearise) the kernel, encodes Eq. (5) as a [`Program`], hands the program to a
//!   solver or the function to the certified search, and polishes the point.
//! * [`theory`]: Section 4.3, estimates of the approximation error.
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
pub use error::{Error, Failure, NoPoint, Result};
pub use function::Function;
pub use pk::{
    Breakpoints, Engine, GroupsOutcome, PkMiqp, PkOutcome, PkSettings, PolishFrom, Treatment, TrueBound, WarmStart,
    linearise,
};
