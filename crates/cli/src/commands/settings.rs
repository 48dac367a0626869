//! What the options of `solve` ask of a method.

use crate::args::Solve;
use fathom_method::{Method, Settings};
use std::time::Duration;

/// What the options ask of a method, in the time that is left.
pub fn settings<'s>(args: &Solve, method: Method, time: Option<Duration>) -> Settings<'s> {
    Settings {
        method,
        gap: args.gap,
        relative_gap: args.relative_gap,
        time,
        nodes: args.node_limit,
        memory: args.memory_limit,
        threads: args.threads,
        seed: args.seed,
        pool: args.pool,
        proof: args.proof.is_some(),
        ..Settings::default()
    }
}
