//! SCIP's executable, which gets commands as arguments and writes its answer as text.

use super::{SETTINGS, START, bound, status_of_words};
use crate::backend::{Backend, Job, MODEL, Task};
use crate::error::{Error, Result};
use crate::outcome::Answer;
use crate::solution;
use std::path::Path;

const SOLUTION: &str = "best.sol";
const STATISTICS: &str = "statistics.txt";

/// The oldest version whose output can be read. The output of a newer version is refused if its words have changed.
const OLDEST: u32 = 9;

pub(super) fn prepare(job: &Job<'_>, executable: &Path) -> Result<Task> {
    job.work_directory.clear(SOLUTION)?;
    job.work_directory.clear(STATISTICS)?;
    let mut commands = vec![format!("read {MODEL}")];
    commands.extend(job.start.is_some().then(|| format!("read {START}")));
    commands.push("optimize".to_string());
    commands.push(format!("write solution {SOLUTION}"));
    commands.push(format!("write statistics {STATISTICS}"));
    commands.push("quit".to_string());
    let mut arguments = vec!["-s".into(), SETTINGS.into()];
    arguments.extend(commands.into_iter().flat_map(|command| ["-c".into(), command.into()]));
    Ok(Task { program: executable.to_path_buf(), arguments, environment: Vec::new() })
}

pub(super) fn answer(job: &Job<'_>) -> Result<Answer> {
    let garbled = |reason: String| job.garbled(super::Scip::NAME, reason);
    let version =
        version(&job.work_directory.log_head()).ok_or_else(|| garbled("it did not say its version".to_string()))?;
    let file = |name: &str| job.work_directory.read(name)?.ok_or_else(|| garbled(format!("it wrote no {name}")));
    let statistics = Statistics(&file(STATISTICS)?).parsed().map_err(garbled)?;
    let point = solution::read(job.model, &file(SOLUTION)?).map_err(garbled)?;
    Ok(Answer { solver: format!("SCIP {}", supported(version)?), points: point.into_iter().collect(), ..statistics })
}

/// `10.0.2` in `SCIP version 10.0.2 [precision: 8 byte] …`.
fn version(log: &str) -> Option<String> {
    let rest = log.lines().find_map(|line| line.strip_prefix("SCIP version "))?;
    rest.split_whitespace().next().map(str::to_string)
}

fn supported(version: String) -> Result<String> {
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= OLDEST) {
        return Ok(version);
    }
    Err(Error::UnsupportedVersion { solver: super::Scip::NAME, version, supported: "9 and later" })
}

/// The text of `display statistics`.
struct Statistics<'a>(&'a str);

impl Statistics<'_> {
    fn parsed(&self) -> std::result::Result<Answer, String> {
        let words = self.status().ok_or("its statistics have no status")?;
        let status = status_of_words(words).ok_or_else(|| format!("its status is `{words}`"))?;
        Ok(Answer {
            solver: String::new(),
            status,
            claimed_value: self.number("Primal Bound")?.and_then(bound),
            claimed_bound: self.number("Dual Bound")?.and_then(bound),
            points: Vec::new(),
            nodes: self.field("nodes (total)").and_then(|text| text.split_whitespace().next()?.parse().ok()),
        })
    }

    /// The words in brackets: `SCIP Status : problem is solved [optimal solution found]`.
    fn status(&self) -> Option<&str> {
        self.field("SCIP Status")?.split_once('[')?.1.split_once(']').map(|parts| parts.0)
    }

    fn field(&self, name: &str) -> Option<&str> {
        let fields = self.0.lines().filter_map(|line| line.split_once(':'));
        fields.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim()).next_back()
    }

    /// A number; none if SCIP prints a dash or a word (`infeasible`) in its place.
    fn number(&self, name: &str) -> std::result::Result<Option<f64>, String> {
        let field = self.field(name).ok_or_else(|| format!("its statistics have no `{name}`"))?;
        let word = field.split_whitespace().next().unwrap_or_default();
        match word {
            "-" | "infeasible" | "unbounded" => Ok(None),
            _ => word.parse().map(Some).map_err(|_| format!("its `{name}` is `{field}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Status;

    const SAMPLE: &str = "SCIP Status        : solving was interrupted [time limit reached]
B&B Tree           :
  nodes (total)    :         10 (6 internal, 4 leaves)
Solution           :
  Primal Bound     : -2.75000000000839e+00   (in run 1, after 7 nodes)
  Dual Bound       : -4.00000000000000e+00
";

    #[test]
    fn statistics_are_read() {
        let answer = Statistics(SAMPLE).parsed().unwrap();
        assert_eq!(answer.status, Status::TimeLimit);
        assert_eq!((answer.claimed_value, answer.claimed_bound), (Some(-2.75000000000839), Some(-4.0)));
        assert_eq!(answer.nodes, Some(10));
    }

    #[test]
    fn statistics_that_lack_something_are_refused() {
        for part in ["[time limit reached]", "-2.75000000000839e+00", "Dual Bound"] {
            assert!(Statistics(&SAMPLE.replace(part, "rubbish")).parsed().is_err(), "{part}");
        }
        assert!(Statistics("").parsed().is_err());
    }

    #[test]
    fn versions_are_read_and_old_versions_are_refused() {
        assert_eq!(version("hello\nSCIP version 10.0.2 [precision: 8 byte]\n").as_deref(), Some("10.0.2"));
        assert_eq!(version("hello"), None);
        assert!(supported("9.2.0".to_string()).is_ok());
        assert!(supported("8.1.0".to_string()).is_err());
        assert!(supported("?".to_string()).is_err());
    }
}
