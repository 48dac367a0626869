//! Gurobi, through `gurobi_cl` or through Python's gurobipy.
//!
//! Both get the same command line, `Parameter=value … model.lp`, and write the same JSON: for Python a short script
//! (`gurobi_cl.py`) replaces the executable. Piecewise-linear functions are Gurobi's own constraints, which also keeps more
//! models within the size limit of gurobipy's keyless licence.

use super::{Backend, Job, MODEL, Task, locate};
use crate::dialect::{Dialect, number};
use crate::error::{Error, Result};
use crate::expansion::Encoding;
use crate::outcome::{Answer, Status};
use crate::solution;
use serde::Deserialize;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The script that replaces the executable.
const SCRIPT: &str = include_str!("gurobi_cl.py");

const START: &str = "start.mst";
const RESULT: &str = "result.json";

/// Gurobi reports a number of at least this size if it has no bound.
const NO_BOUND: f64 = 1e100;

const REMEDY: &str = "The easiest way to get it is Python's package: `pip install gurobipy` (into the Python that \
                      FATHOM_PYTHON names, or the first python3 on the search path), which solves small models without a \
                      licence. Or install Gurobi from gurobi.com so that `gurobi_cl` is on the search path or in \
                      $GUROBI_HOME/bin.";

/// The solver Gurobi.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gurobi {
    access: Access,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Access {
    Executable(PathBuf),
    Python(PathBuf),
}

impl Gurobi {
    /// The `gurobi_cl` at this path.
    pub fn executable(path: impl Into<PathBuf>) -> Self {
        Self { access: Access::Executable(path.into()) }
    }

    /// The Python at this path, which has gurobipy.
    pub fn python(path: impl Into<PathBuf>) -> Self {
        Self { access: Access::Python(path.into()) }
    }

    /// The Gurobi of this machine; the executable is preferred.
    pub fn find() -> Result<Self> {
        let home = env::var_os("GUROBI_HOME").map(|home| PathBuf::from(home).join("bin").join("gurobi_cl"));
        let executable = home.filter(|path| path.is_file()).or_else(|| locate::program("gurobi_cl"));
        let python = || locate::python().filter(|python| locate::python_package(python, "gurobipy").is_some());
        executable.map(Self::executable).or_else(|| python().map(Self::python)).ok_or_else(|| Error::Missing {
            solver: Self::NAME,
            looked: "no executable `gurobi_cl`, no gurobipy".to_string(),
            remedy: REMEDY,
        })
    }
}

impl Backend for Gurobi {
    const NAME: &'static str = "Gurobi";

    fn dialect(&self, encoding: Option<Encoding>) -> Dialect {
        encoding.map_or(Dialect::Gurobi, Dialect::Common)
    }

    fn prepare(&self, job: &Job<'_>) -> Result<Task> {
        job.work_directory.clear(RESULT)?;
        if let Some(start) = &job.start {
            job.work_directory.write(START, &solution::gurobi_start(job.model, start))?;
        }
        let arguments = arguments(job);
        let (program, arguments) = match &self.access {
            Access::Executable(path) => (path, arguments),
            Access::Python(path) => (path, ["-c".into(), SCRIPT.into()].into_iter().chain(arguments).collect()),
        };
        Ok(Task { program: program.clone(), arguments, environment: Vec::new() })
    }

    fn answer(&self, job: &Job<'_>) -> Result<Answer> {
        let garbled = |reason: String| job.garbled(Self::NAME, reason);
        let text = job.work_directory.read(RESULT)?.ok_or_else(|| garbled("it wrote no result".to_string()))?;
        let solution: Solution =
            serde_json::from_str(&text).map_err(|error| garbled(format!("its result: {error}")))?;
        let info = &solution.info;
        let version = version(&job.work_directory.log_head()).unwrap_or_else(|| "of unknown version".to_string());
        Ok(Answer {
            solver: format!("{} {version}", Self::NAME),
            status: status(info.status).ok_or_else(|| garbled(format!("its status is {}", info.status)))?,
            claimed_value: info.value.and_then(bound),
            claimed_bound: info.bound.and_then(bound),
            points: solution.points(job).map_err(garbled)?,
            // Gurobi counts nodes in a double.
            nodes: info.nodes.filter(|nodes| *nodes >= 0.0).map(|nodes| nodes as u64),
        })
    }
}

fn arguments(job: &Job<'_>) -> Vec<OsString> {
    let settings = job.settings;
    let mut pairs = vec![
        ("MIPGap", number(settings.relative_gap)),
        ("MIPGapAbs", number(settings.absolute_gap)),
        ("Threads", settings.threads.to_string()),
        ("FeasibilityTol", number(settings.feasibility)),
        ("IntFeasTol", number(settings.feasibility)),
        ("PoolSolutions", settings.pool.to_string()),
        // Before version 11 Gurobi refuses a nonconvex model by default.
        ("NonConvex", "2".to_string()),
        // The result must have the whole pool, and zeros.
        ("JSONSolDetail", "1".to_string()),
        ("ResultFile", RESULT.to_string()),
    ];
    pairs.extend(settings.time_limit.map(|limit| ("TimeLimit", number(limit.as_secs_f64()))));
    pairs.extend(job.start.is_some().then(|| ("InputFile", START.to_string())));
    pairs.extend(settings.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let written = pairs.into_iter().map(|(name, value)| format!("{name}={value}"));
    written.chain([MODEL.to_string()]).map(OsString::from).collect()
}

/// The fields of a JSON solution that are used.
#[derive(Debug, Deserialize)]
struct Solution {
    #[serde(rename = "SolutionInfo")]
    info: Info,
    #[serde(rename = "Vars", default)]
    variables: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Info {
    #[serde(rename = "Status")]
    status: i32,
    #[serde(rename = "ObjVal")]
    value: Option<f64>,
    #[serde(rename = "ObjBound")]
    bound: Option<f64>,
    #[serde(rename = "NodeCount")]
    nodes: Option<f64>,
    #[serde(rename = "SolCount", default)]
    count: usize,
}

#[derive(Debug, Deserialize)]
struct Value {
    #[serde(rename = "VarName")]
    name: String,
    #[serde(rename = "X")]
    best: f64,
    /// The values in the pool's points; absent if there is only one point.
    #[serde(rename = "PoolNX")]
    pool: Option<Vec<f64>>,
}

impl Solution {
    /// The points, best first. With these parameters Gurobi lists every variable, so a missing variable is an error.
    fn points(&self, job: &Job<'_>) -> std::result::Result<Vec<Vec<f64>>, String> {
        if self.info.count == 0 {
            return Ok(Vec::new());
        }
        let count = self.variables.iter().filter_map(|value| value.pool.as_ref().map(Vec::len)).min().unwrap_or(1);
        let mut points = vec![vec![f64::NAN; job.model.columns.len()]; count.max(1)];
        for value in &self.variables {
            // The objective's constant and Gurobi's own variables are skipped.
            let Some(variable) = job.model.variable(&value.name) else { continue };
            for (at, point) in points.iter_mut().enumerate() {
                point[variable.index()] = value.pool.as_ref().map_or(value.best, |pool| pool[at]);
            }
        }
        let missing = job.model.columns.iter().zip(&points[0]).find(|(_, value)| value.is_nan());
        missing
            .map_or(Ok(points.clone()), |(column, _)| Err(format!("its result lacks the variable `{}`", column.name)))
    }
}

fn bound(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.abs() < NO_BOUND)
}

/// `13.0.3` in `Gurobi Optimizer version 13.0.3 build …`.
fn version(log: &str) -> Option<String> {
    let rest = log.lines().find_map(|line| line.strip_prefix("Gurobi Optimizer version "))?;
    rest.split_whitespace().next().map(str::to_string)
}

/// The meaning of Gurobi's status codes; none for codes that a finished solve does not have.
fn status(code: i32) -> Option<Status> {
    Some(match code {
        2 => Status::Optimal,
        3 => Status::Infeasible,
        4 => Status::InfeasibleOrUnbounded,
        5 => Status::Unbounded,
        9 => Status::TimeLimit,
        11 => Status::Interrupted,
        // These mean cutoff, iterations, nodes, solutions, numerical trouble, suboptimal, target objective, work, memory.
        6..=8 | 10 | 12 | 13 | 15..=17 => Status::OtherLimit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_among_other_lines() {
        let log = "Set parameter Threads to value 1\nGurobi Optimizer version 13.0.3 build v13.0.3rc0 (linux64)\n";
        assert_eq!(version(log).as_deref(), Some("13.0.3"));
        assert_eq!(version(""), None);
    }

    #[test]
    fn a_solve_in_progress_has_no_status() {
        assert_eq!(status(14), None);
        assert_eq!(status(1), None);
        assert_eq!(status(9), Some(Status::TimeLimit));
    }
}
