//! `fathom report`.

use super::study::StudyFile;
use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Report {
    #[command(flatten)]
    pub study: StudyFile,
    /// The file to write, which ends in .html.
    #[arg(long, short, default_value = "report.html", value_name = "FILE")]
    pub output: PathBuf,
}
