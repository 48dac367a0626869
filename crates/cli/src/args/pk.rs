//! The options of the paper's method.

use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

/// What only `--method pk` knows.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --method pk")]
pub struct Pk {
    /// Who solves; auto is the certified search, and for what it does not know Gurobi where there is one, else SCIP.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Settings of the paper's Appendix B (gap 50 %, 90 minutes, its repair) instead of stricter ones.
    #[arg(long)]
    pub paper: bool,
    /// Of an additive model, minimise each group of inputs alone, as the paper does; nothing is proven of the whole then.
    #[arg(long)]
    pub groups_alone: bool,
    /// How the piecewise-linear kernel is written out; by default Gurobi gets its own constraints, SCIP binaries.
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// File for the solver's log.
    #[arg(long, value_name = "FILE")]
    pub solver_log: Option<PathBuf>,
}

impl Pk {
    /// An option that was given, as it is written on the command line.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--backend", self.backend != Backend::Auto),
            ("--paper", self.paper),
            ("--groups-alone", self.groups_alone),
            ("--encoding", self.encoding.is_some()),
            ("--solver-log", self.solver_log.is_some()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    Auto,
    /// The certified search: no other software; its bound is proven.
    Embedded,
    /// SCIP, from a library or a program.
    Scip,
    /// Gurobi, with a licence.
    Gurobi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// The paper's Eq. (6): one binary a segment.
    Binaries,
    /// Special ordered sets.
    Sos2,
    /// One binary a bit of the segment's number.
    Logarithmic,
}
