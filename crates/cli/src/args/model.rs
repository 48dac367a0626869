//! `fathom model`.

use super::study::StudyFile;
use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Model {
    #[command(flatten)]
    pub study: StudyFile,
    /// Also draw what the model expects over one or two parameters; the ending decides between SVG and PNG.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}
