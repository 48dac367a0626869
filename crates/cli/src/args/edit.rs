//! The commands that correct what is known of trials.

use super::changed::Changed;
use super::count::value;
use super::study::StudyFile;
use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub struct Edit {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Its value.
    #[arg(long, allow_hyphen_values = true, value_parser = value, value_name = "VALUE")]
    pub value: Option<f64>,
    /// That it failed, and why.
    #[arg(long, conflicts_with = "value", value_name = "REASON")]
    pub failed: Option<String>,
    #[command(flatten)]
    pub changed: Changed,
}

/// A trial that shall have no part any more: of `cancel` and of `withdraw`.
#[derive(Debug, ClapArgs)]
pub struct SetAside {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Why.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub reason: String,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Undo {
    #[command(flatten)]
    pub study: StudyFile,
    /// The number of the entry; else the last one that was not undone.
    #[arg(value_name = "ENTRY")]
    pub entry: Option<u64>,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct History {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number; else all trials.
    pub id: Option<u64>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}
