//! What can be typed.

use clap::{Args as ClapArgs, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Bayesian optimisation whose every suggestion carries a proof.
///
/// Exit codes: 0 done, 1 not proven within the limits (solve) or not accepted (verify), 2 an error.
#[derive(Debug, Parser)]
#[command(name = "fathom", version)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the certified global minimum of an acquisition function.
    ///
    /// Example: fathom solve instances/prior_d2_rbf_r00.json --proof my.proof
    Solve(Solve),
    /// Check a proof with separate code in interval arithmetic.
    ///
    /// Example: fathom verify my.proof
    Verify(Verify),
}

#[derive(Debug, ClapArgs)]
pub struct Solve {
    /// Problem files (JSON; docs/instances.md), solved one after the other.
    #[arg(required = true, value_name = "INSTANCE.json")]
    pub instances: Vec<PathBuf>,
    /// Absolute gap between value and proven bound at which to stop.
    #[arg(long, default_value_t = 1e-4, value_name = "GAP")]
    pub gap: f64,
    /// The same relative to the value's size; the larger allowance counts.
    #[arg(long, default_value_t = 0.0, value_name = "GAP")]
    pub rel_gap: f64,
    /// Stop after this long and report what is proven so far, e.g. 60s, 500ms, 5min.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Stop after bounding this many boxes.
    #[arg(long, value_name = "COUNT")]
    pub node_limit: Option<u64>,
    /// Threads to use; the answer does not depend on it.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub threads: usize,
    /// Seed of the first samples.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// One JSON object a line on stdout.
    #[arg(long)]
    pub json: bool,
    /// Write the proof to this file; with several problems, to this folder as NAME.proof.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Verify {
    /// Proof files.
    #[arg(required = true, value_name = "FILE")]
    pub proofs: Vec<PathBuf>,
}
