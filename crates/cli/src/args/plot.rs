//! `fathom plot`.

use super::study::StudyFile;
use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fathom_picture::Picture;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Plot {
    #[command(flatten)]
    pub study: StudyFile,
    /// What to draw.
    #[arg(value_parser = pictures(), default_value = "overview")]
    pub what: Picture,
    /// The parameters to draw along, apart by commas; else those that matter most (see importance).
    #[arg(long, short, value_delimiter = ',', value_name = "NAMES")]
    pub parameters: Vec<String>,
    /// The file to write; its ending decides between SVG, PNG and PDF.
    #[arg(long, short, default_value = "plot.svg", value_name = "FILE")]
    pub output: PathBuf,
}

/// The pictures by name, each with what it shows.
fn pictures() -> impl TypedValueParser<Value = Picture> {
    let named = |picture: Picture| PossibleValue::new(picture.name()).help(picture.about());
    PossibleValuesParser::new(Picture::ALL.map(named)).try_map(|name| name.parse::<Picture>())
}
