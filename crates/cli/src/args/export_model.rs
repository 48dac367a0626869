//! `fathom export-model`.

use super::pk::Kernel;
use clap::{Args as ClapArgs, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct ExportModel {
    /// A problem file (JSON; docs/reference/problem.md).
    #[arg(value_name = "INSTANCE.json")]
    pub instance: PathBuf,
    /// The file's format.
    #[arg(long, value_enum, default_value_t = Format::Lp)]
    pub format: Format,
    /// The sub-problem: the mean alone, without the quadratic constraint (5c).
    #[arg(long)]
    pub sub: bool,
    /// Of an additive model, the program of this group alone, counted from 1 (docs/piecewise-linear.md).
    #[arg(long, value_name = "G")]
    pub group: Option<NonZeroUsize>,
    /// How the piecewise-linear kernel is written out.
    #[arg(long, value_enum, default_value_t = Written::Binaries)]
    pub encoding: Written,
    #[command(flatten)]
    pub kernel: Kernel,
    /// The same as --treatment published, which can cut off most of the box.
    #[arg(long, conflicts_with = "treatment")]
    pub published: bool,
    /// Write to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// CPLEX's LP.
    Lp,
    /// MPS with QCMATRIX.
    Mps,
}

/// The piecewise-linear kernel in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Written {
    /// The paper's Eq. (6): one binary a segment.
    Binaries,
    /// Special ordered sets.
    Sos2,
    /// One binary a bit of the segment's number.
    Logarithmic,
    /// Gurobi's own piecewise-linear constraints, which other solvers do not read; the smallest file.
    Gurobi,
}
