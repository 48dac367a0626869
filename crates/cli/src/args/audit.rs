//! `fathom audit`.

use super::count::threads;
use clap::Args as ClapArgs;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub struct Audit {
    /// A problem file (JSON; docs/reference/problem.md).
    #[arg(value_name = "INSTANCE.json")]
    pub instance: PathBuf,
    /// A point, its coordinates separated by commas; may be given several times.
    #[arg(long, allow_hyphen_values = true, value_name = "X1,X2,...")]
    pub x: Vec<Point>,
    /// A JSON file of points: lists of numbers, or objects with an `x` such as `fathom solve --json` prints.
    #[arg(long, value_name = "FILE")]
    pub points: Option<PathBuf>,
    /// Absolute gap between value and bound of the minimum, which is how exact the answer is [default: as `fathom solve`].
    #[arg(long, allow_negative_numbers = true, value_name = "GAP")]
    pub gap: Option<f64>,
    /// A point that breaks a bound or a constraint by at most this much gets a verdict too: other programs keep constraints roughly.
    #[arg(long, default_value_t = 0.0, value_parser = tolerance, value_name = "SIZE")]
    pub tolerance: f64,
    /// Stop the search after this long and go by its bound at that time, e.g. 60s, 500ms, 5min.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Threads to use, at most 1024; the answer does not depend on it.
    #[arg(long, default_value_t = 1, value_parser = threads, value_name = "COUNT")]
    pub threads: usize,
    /// One JSON object for each point, a line each.
    #[arg(long)]
    pub json: bool,
}

/// A point as it is typed.
#[derive(Debug, Clone)]
pub struct Point(pub Vec<f64>);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{}` is not a number", part.trim()));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(size) if size >= 0.0 && size.is_finite() => Ok(size),
        _ => Err(format!("`{text}` is no size: use a number that is not negative, such as 1e-6")),
    }
}
