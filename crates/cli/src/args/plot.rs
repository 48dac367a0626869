//! `fathom plot`.

use super::study::StudyFile;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Plot {
    #[command(flatten)]
    pub study: StudyFile,
    /// What to draw.
    #[arg(value_enum, default_value = "convergence")]
    pub what: Picture,
    /// The file to write; its ending decides between SVG and PNG.
    #[arg(long, short, default_value = "plot.svg", value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// Values, the best so far, and what may still be reached.
    Convergence,
    /// What can still be gained and the gap of the certificate, step by step.
    Gap,
    /// What the model expects over one or two parameters.
    Posterior,
    /// The acquisition function over one or two parameters, with its minimum.
    Acquisition,
    /// A line per trial across all parameters.
    Parallel,
}
