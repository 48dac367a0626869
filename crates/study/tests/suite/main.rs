//! Studies through the public interface alone.
#![allow(clippy::unwrap_used)]

mod bad_files;
mod conformance;
mod convergence;
mod expressions;
mod grammar;
mod loops;
mod migrations;
mod proofs;
mod spaces;
