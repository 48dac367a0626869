//! `fathom verify`, `fathom proof` and `fathom prove`.

use super::study::StudyFile;
use clap::Args as ClapArgs;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub struct Verify {
    /// Proof files; or a study file, and the numbers of trials (all of them if there are none). A proof is told by how it
    /// begins.
    #[arg(required_unless_present = "of", value_name = "FILE [TRIAL]")]
    pub files: Vec<PathBuf>,
    /// The proof must be about this problem: a problem file, or a study file and a trial (any of its trials if there is no
    /// number). The first difference is named.
    #[arg(long, num_args = 1..=2, value_names = ["PROBLEM.json|STUDY.toml", "TRIAL"])]
    pub of: Vec<String>,
    /// One JSON object for each proof, a line each.
    #[arg(long)]
    pub json: bool,
    /// Where the study is kept, if its file does not say so and it is not beside it.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Proof {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    #[arg(value_name = "TRIAL")]
    pub id: u64,
    /// The file to write [default: NAME-TRIAL.proof].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Prove {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trials' numbers; all whose proofs are open if there are none.
    #[arg(value_name = "TRIAL")]
    pub ids: Vec<u64>,
    /// How long each proof may take [default: the strategy's time_limit].
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Try those again, too, that had as much time before.
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}
