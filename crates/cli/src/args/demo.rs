//! `fathom demo`.

use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Demo {
    /// The test function.
    #[arg(default_value = "branin", value_name = "FUNCTION")]
    pub function: String,
    /// Evaluations.
    #[arg(long, default_value_t = 40, value_name = "COUNT")]
    pub trials: u64,
    /// The picture to draw, SVG or PNG.
    #[arg(long, short, default_value = "demo.png", value_name = "FILE")]
    pub output: PathBuf,
}
