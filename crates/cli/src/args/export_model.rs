//! `fathom export-model`.

use super::pk::Encoding;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct ExportModel {
    /// A problem file (JSON; docs/instances.md).
    #[arg(value_name = "INSTANCE.json")]
    pub instance: PathBuf,
    /// The file's format.
    #[arg(long, value_enum, default_value_t = Format::Lp)]
    pub format: Format,
    /// The sub-problem: the mean alone, without the quadratic constraint (5c).
    #[arg(long)]
    pub sub: bool,
    /// How the piecewise-linear kernel is written out.
    #[arg(long, value_enum, default_value_t = Encoding::Binaries)]
    pub encoding: Encoding,
    /// The published repair of an indefinite matrix, which can cut off most of the box, instead of one that keeps all.
    #[arg(long)]
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
