//! Studies through the public interface alone.
#![allow(clippy::unwrap_used)]

mod bad_files;
mod changes;
mod conformance;
mod convergence;
mod expressions;
mod files;
mod grammar;
mod kinds;
mod loops;
mod meanwhile;
mod migrations;
mod noise;
mod proofs;
#[cfg(feature = "postgres")]
mod servers;
mod spaces;
mod spools;
mod strategies;
mod used;
mod watches;
