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
    /// The folder for the study and the picture, which is made if it does not exist; no file is replaced. Else fathom-demo, or
    /// fathom-demo-2 if that exists, and so on.
    #[arg(long, short, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}
