//! `fathom solve`.

use super::count::{bytes, minima, threads};
use super::pk::Pk;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub struct Solve {
    /// Problem files (JSON; docs/reference/problem.md), solved one after the other.
    #[arg(required = true, value_name = "INSTANCE.json")]
    pub instances: Vec<PathBuf>,
    /// The certified search, the paper's method (PK-MIQP), or a local method.
    #[arg(long, value_enum, default_value_t = Method::Certified)]
    pub method: Method,
    /// Absolute gap between value and bound at which to stop [default: 1e-4 of the prior deviation; 1e-3 for pk].
    #[arg(long, allow_negative_numbers = true, value_name = "GAP")]
    pub gap: Option<f64>,
    /// The same relative to the value's size; the larger allowance counts, and what is not given is 0 [default without both: 1e-6, for ei and pi 1e-2].
    #[arg(long, alias = "rel-gap", allow_negative_numbers = true, value_name = "GAP")]
    pub relative_gap: Option<f64>,
    /// Stop after this long and report what is proven so far, e.g. 60s, 500ms, 5min.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Stop after bounding this many boxes, or after this many nodes of a solver.
    #[arg(long, value_name = "COUNT")]
    pub node_limit: Option<u64>,
    /// Stop before a search takes more memory than this, e.g. 800MB, 4GB [default: half of what the machine has free].
    #[arg(long, value_parser = bytes, value_name = "BYTES")]
    pub memory_limit: Option<u64>,
    /// Threads to use, at most 1024; the answer does not depend on it.
    #[arg(long, default_value_t = 1, value_parser = threads, value_name = "COUNT")]
    pub threads: usize,
    /// Seed of the first samples.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// One JSON object a line on stdout.
    #[arg(long)]
    pub json: bool,
    /// Also report this many of the best distinct local minima that the search met, best first; at most 10000. With --method pk the size of P_full, 10 by default.
    #[arg(long, default_value_t = 0, value_parser = minima, value_name = "COUNT")]
    pub pool: usize,
    /// Write the proof to this file; with several problems, to this folder, each called as its problem file.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub near: Near,
    #[command(flatten)]
    pub pk: Pk,
}

/// Everything that is nearly as good.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Near-optimal points")]
pub struct Near {
    /// Also list boxes that hold every point within EPS of the minimum, by the search's own word: --proof does not cover it.
    #[arg(long, allow_negative_numbers = true, value_name = "EPS")]
    pub near_optimal: Option<f64>,
    /// How wide such a box may be, as a part of the region's sides.
    #[arg(long, requires = "near_optimal", default_value_t = 0.05, allow_negative_numbers = true, value_name = "PART")]
    pub resolution: f64,
    /// Choose this many points within EPS of the minimum, far from each other.
    #[arg(long, requires = "near_optimal", default_value_t = 0, value_name = "COUNT")]
    pub diverse: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Branch and bound on the true function; its bound is proven, and --proof writes the proof down.
    Certified,
    /// The paper's Algorithm 1, PK-MIQP: the certified search or a solver minimises the piecewise-linear function.
    Pk,
    /// L-BFGS-B from the best of many samples, as BoTorch does it; proves nothing, as all below.
    Multistart,
    /// One descent of L-BFGS-B from the origin.
    LBfgsB,
    /// One run of Nelder–Mead from the origin.
    NelderMead,
    /// One run of COBYLA from the origin.
    Cobyla,
    /// One run of SLSQP from the origin.
    Slsqp,
    /// One run of an interior point method in a trust region from the origin.
    TrustConstr,
}

impl Method {
    /// As it is written on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The method of that name.
    pub fn method(self) -> fathom_method::Method {
        self.name().parse().expect("every option is the name of a method")
    }
}
