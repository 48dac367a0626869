//! One integration binary: golden files, real solvers, and solvers that misbehave.
#![allow(clippy::unwrap_used, missing_docs)]

mod available;
mod faults;
mod golden;
mod models;
mod solvers;
