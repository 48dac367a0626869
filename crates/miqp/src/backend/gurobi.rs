//! Gurobi, through `gurobi_cl` or through Python's gurobipy.
//!
//! Both get the same command line, `Parameter=value … model.lp`, and write the same JSON: for Python a short script
//! (`gurobi_cl.py`) replaces the executable. Piecewise-linear functions are Gurobi's own constraints, which also keeps more
//! models within the size limit of gurobipy's keyless licence. Gurobi writes each better point to a file of its own, so that
//! a solver that must be killed leaves its points.

use super::locate::{self, Search};
use super::{Backend, Job, MODEL, Task};
use crate::dialect::{Dialect, number};
use crate::error::{Error, Result, TooLarge};
use crate::expansion::Encoding;
use crate::outcome::{Answer, Status};
use crate::solution;
use serde::Deserialize;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The script that replaces the executable.
const SCRIPT: &str = include_str!("gurobi_cl.py");

const START: &str = "start.mst";
const RESULT: &str = "result.json";

/// The beginning of the names of the files with points: `found_0.sol`, `found_1.sol` and so on, each better than the last.
const FOUND: &str = "found";

/// Gurobi reports a number of at least this size if it has no bound.
const NO_BOUND: f64 = 1e100;

/// How long `gurobi_cl` takes to start and to read a model, at most, if the machine is not too busy.
const START_TIME: f64 = 0.15;

/// What Gurobi says if its licence does not cover a model.
const TOO_LARGE: &str = "size-limited license";

const REMEDY: &str = "The easiest way to get it is Python's package: `pip install gurobipy`, which solves small models without a \
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

    /// The Gurobi of this machine; the executable is preferred. gurobipy may belong to any of the usual Pythons: see
    /// [`Scip::find`](crate::Scip::find).
    pub fn find() -> Result<Self> {
        let mut search = Search::default();
        let home = env::var_os("GUROBI_HOME").map(|home| PathBuf::from(home).join("bin"));
        let executable = home.and_then(|bin| search.file(&bin, "gurobi_cl")).or_else(|| search.program("gurobi_cl"));
        let python = |search: &mut Search| search.package("gurobipy").map(|(python, _)| Self::python(python));
        let found = executable.map(Self::executable).or_else(|| python(&mut search));
        found.ok_or_else(|| search.failed(Self::NAME, REMEDY))
    }

    /// The Gurobi at a path: a `gurobi_cl`, a Python with gurobipy, or the folder of an installation or of a virtual
    /// environment with one of them.
    pub fn at(path: impl AsRef<Path>) -> Result<Self> {
        let (path, mut search) = (path.as_ref(), Search::default());
        let package =
            |python: &Path, search: &mut Search| search.package_of(python, "gurobipy").map(|_| Self::python(python));
        let found = match locate::Thing::at(path) {
            locate::Thing::Python => package(path, &mut search),
            locate::Thing::Program => Some(Self::executable(path)),
            locate::Thing::Folder => match search.file(&path.join("bin"), "gurobi_cl") {
                Some(executable) => Some(Self::executable(executable)),
                None => search.python_in(path).and_then(|python| package(&python, &mut search)),
            },
            locate::Thing::Library => {
                search.note(format!("{} is a library, and Gurobi is run by `gurobi_cl` or Python", path.display()));
                None
            }
            locate::Thing::Nothing => {
                search.note(format!("there is no file {}", path.display()));
                None
            }
        };
        found.ok_or_else(|| search.failed(Self::NAME, REMEDY))
    }

    /// Where it was found.
    pub fn place(&self) -> &Path {
        match &self.access {
            Access::Executable(path) | Access::Python(path) => path,
        }
    }
}

impl Backend for Gurobi {
    const NAME: &'static str = "Gurobi";

    fn dialect(&self, encoding: Option<Encoding>) -> Dialect {
        encoding.map_or(Dialect::Gurobi, Dialect::Common)
    }

    fn prepare(&self, job: &Job<'_>) -> Result<Task> {
        job.work_directory.clear(RESULT)?;
        job.work_directory.clear_numbered(FOUND)?;
        if let Some(start) = &job.start {
            job.work_directory.write(START, &solution::gurobi_start(job.model, start))?;
        }
        let (program, arguments) = match &self.access {
            Access::Executable(path) => (path, arguments(job, &limit_from_start(job))),
            Access::Python(path) => {
                let arguments = arguments(job, &limit_of_script(job));
                (path, ["-c".into(), SCRIPT.into()].into_iter().chain(arguments).collect())
            }
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

    fn points_so_far(&self, job: &Job<'_>) -> Vec<Vec<f64>> {
        // A file that was being written when Gurobi was killed lacks variables, and does not count.
        let files = job.work_directory.read_numbered(FOUND);
        files.iter().rev().filter_map(|text| solution::read_complete(job.model, text)).collect()
    }

    fn explained(&self, job: &Job<'_>, log: &str) -> Option<Error> {
        let large = TooLarge {
            variables: job.model.columns.len(),
            rows: job.model.rows.len(),
            is_encoded: job.settings.encoding.is_some(),
        };
        log.contains(TOO_LARGE).then_some(Error::TooLarge(large))
    }
}

/// The time limit of an executable, which counts from the end of its start.
fn limit_from_start(job: &Job<'_>) -> Option<(&'static str, String)> {
    let left = |seconds: f64| number((seconds - START_TIME).max(0.0));
    job.deadline.map(|deadline| ("TimeLimit", left(deadline.left_to_search().as_secs_f64())))
}

/// The same for the script, which knows when it has started.
fn limit_of_script(job: &Job<'_>) -> Option<(&'static str, String)> {
    job.deadline.map(|deadline| ("EndOfSearch", number(deadline.end_of_search())))
}

fn arguments(job: &Job<'_>, limit: &Option<(&'static str, String)>) -> Vec<OsString> {
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
        ("SolFiles", FOUND.to_string()),
    ];
    pairs.extend(limit.clone());
    pairs.extend(settings.node_limit.map(|limit| ("NodeLimit", limit.to_string())));
    // Gurobi counts in units of 10⁹ bytes.
    pairs.extend(settings.memory_limit.map(|limit| ("SoftMemLimit", number(limit as f64 / 1e9))));
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
        8 => Status::NodeLimit,
        9 => Status::TimeLimit,
        11 => Status::Interrupted,
        12 => Status::Numerical,
        17 => Status::MemoryLimit,
        // These mean cutoff, iterations, solutions, suboptimal, target objective, work.
        6 | 7 | 10 | 13 | 15 | 16 => Status::OtherLimit,
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
        assert_eq!(
            [8, 12, 17, 16].map(status),
            [Some(Status::NodeLimit), Some(Status::Numerical), Some(Status::MemoryLimit), Some(Status::OtherLimit)]
        );
    }
}
