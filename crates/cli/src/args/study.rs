//! Where a study is, and the commands that work on it.

use super::changed::Changed;
use super::count::{trials, value};
use clap::Args as ClapArgs;
use std::path::PathBuf;
use std::time::Duration;

/// Which study.
#[derive(Debug, ClapArgs)]
pub struct StudyFile {
    /// The study file (docs/guide/studies.md).
    #[arg(value_name = "STUDY.toml")]
    pub file: PathBuf,
    /// Where it is kept: sqlite:///path/to/file.db or postgres://user@host/database. Else what the file says, else a
    /// file beside it that ends in .db.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct New {
    /// The file to write.
    #[arg(default_value = "study.toml", value_name = "STUDY.toml")]
    pub file: PathBuf,
    /// A parameter as `name low high`, with `log`, `int` or `step 5` after it, as `name one, two, three` or as `name yes/no`; may
    /// be given several times.
    #[arg(long, short, value_name = "PARAMETER")]
    pub parameter: Vec<String>,
    /// What every point must obey, such as `x1 + 3*x2 <= 18`: at most quadratic; may be given several times.
    #[arg(long, value_name = "CONSTRAINT")]
    pub constraint: Vec<String>,
    /// The command that evaluates a point, words apart by spaces; `{name}` stands for a parameter.
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
    /// There is no program: you make the experiments yourself, with `fathom ask` and `fathom tell`.
    #[arg(long, conflicts_with = "command")]
    pub by_hand: bool,
    /// How many trials the study has [default: 50].
    #[arg(long, value_parser = trials, value_name = "COUNT")]
    pub trials: Option<u64>,
    /// Large values are good.
    #[arg(long)]
    pub maximise: bool,
    /// Write a file for this test function.
    #[arg(long, conflicts_with_all = ["parameter", "constraint", "command", "by_hand", "trials", "maximise"], value_name = "NAME")]
    pub function: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Run {
    #[command(flatten)]
    pub study: StudyFile,
    /// Evaluations at once.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub workers: usize,
    /// Stop at this many trials; else what the file says, else 50.
    #[arg(long, value_name = "COUNT")]
    pub trials: Option<u64>,
    /// How long a trial waits for a worker that died before another one takes it.
    #[arg(long, default_value = "20s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub lease: Duration,
    /// Leave suggestions as they were handed out, and keep the processor to the evaluations. `fathom prove` proves them later.
    #[arg(long)]
    pub no_proofs: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Ask {
    #[command(flatten)]
    pub study: StudyFile,
    /// How many.
    #[arg(long, short = 'n', default_value_t = 1, value_name = "COUNT")]
    pub count: usize,
    /// Hand a trial out again where it is not told within this time; else it waits for ever.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub lease: Option<Duration>,
    /// Wait for the proof, up to the strategy's time_limit, before the point is handed out.
    #[arg(long)]
    pub prove: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Tell {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    #[arg(required_unless_present = "from")]
    pub id: Option<u64>,
    /// Its value.
    // Hyphens, as -1e-3 is no negative number to the parser of arguments.
    #[arg(required_unless_present_any = ["failed", "from"], allow_hyphen_values = true, value_parser = value)]
    pub value: Option<f64>,
    /// That it failed, and why.
    #[arg(long, conflicts_with = "value", value_name = "REASON")]
    pub failed: Option<String>,
    /// A list of trials and their values, a line for each; `-` reads what is typed or pasted.
    #[arg(long, conflicts_with_all = ["id", "value", "failed", "at", "note"], value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub changed: Changed,
    /// How long to try while the store is busy or away. After that the value is kept in a file beside the study, and the next
    /// command tells it.
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub wait: Duration,
}

#[derive(Debug, ClapArgs)]
pub struct Best {
    #[command(flatten)]
    pub study: StudyFile,
    /// Wait this long for the bound [default: 30s; with more than 2000 complete trials it is left out].
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Trials {
    #[command(flatten)]
    pub study: StudyFile,
    /// One JSON object a line, certificates included.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// As CSV.
    #[arg(long)]
    pub csv: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Backup {
    #[command(flatten)]
    pub study: StudyFile,
    /// The file to write; it must not exist.
    #[arg(value_name = "FILE")]
    pub copy: PathBuf,
    /// Copy every study of the store, not this one alone.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, ClapArgs)]
pub struct CheckStore {
    #[command(flatten)]
    pub study: StudyFile,
}
