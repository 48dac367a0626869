//! `fathom man`.

use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Man {
    /// The folder to write to, which is made if it does not exist; pages of an earlier version are replaced.
    #[arg(long, short, value_name = "FOLDER")]
    pub output: PathBuf,
}
