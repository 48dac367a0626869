//! SCIP's library in its own process, so that a crash or a hang of the library is only an error here.
//!
//! We write a job file and start the [`Host`] with the path of the job in the environment. The host calls [`scip_worker`],
//! which loads the library, solves, and writes a report.

use super::abi::{Failure, Library};
use super::{Host, NO_LIMIT, SETTINGS, START, bound, library_path};
use crate::backend::deadline::{Deadline, seconds_until};
use crate::backend::{Backend, Job, MODEL, Task};
use crate::error::{Error, Result};
use crate::outcome::{Answer, Status};
use serde::{Deserialize, Serialize};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The variable that names the job file.
const JOB: &str = "FATHOM_SCIP_JOB";
const JOB_FILE: &str = "job.json";
const REPORT: &str = "report.json";

const SUPPORTED: &str = "9 and 10";

/// What SCIPsolve returns if there is no more memory, and if a linear program cannot be solved. A report has these codes in
/// place of a status; no status is negative.
const NO_MEMORY: i32 = -1;
const LP_ERROR: i32 = -6;

#[derive(Debug, Serialize, Deserialize)]
struct Work {
    library: PathBuf,
    has_start: bool,
    /// The time of day at which the search must end, in seconds since 1970.
    end_of_search: Option<f64>,
    pool: usize,
    /// The variables whose values are a point.
    variables: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Report {
    version: [i32; 3],
    status: i32,
    value: f64,
    bound: f64,
    nodes: i64,
    points: Vec<Vec<f64>>,
}

pub(super) fn prepare(job: &Job<'_>, library: &Path, host: &Host) -> Result<Task> {
    let work = Work {
        library: library.to_path_buf(),
        has_start: job.start.is_some(),
        end_of_search: job.deadline.map(Deadline::end_of_search),
        pool: job.settings.pool,
        variables: job.model.columns.iter().map(|column| column.name.clone()).collect(),
    };
    job.work_directory.clear(REPORT)?;
    job.work_directory.write(JOB_FILE, &serde_json::to_string(&work).expect("strings and numbers have a JSON form"))?;
    Ok(Task {
        program: host.program.clone(),
        arguments: host.arguments.clone(),
        environment: vec![
            (JOB, job.work_directory.directory().join(JOB_FILE).into_os_string()),
            ("LD_LIBRARY_PATH", library_path(library)),
        ],
    })
}

pub(super) fn answer(job: &Job<'_>) -> Result<Answer> {
    let garbled = |reason: String| job.garbled(super::Scip::NAME, reason);
    let text = job.work_directory.read(REPORT)?.ok_or_else(|| garbled("it wrote no report".to_string()))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| garbled(format!("its report: {error}")))?;
    let columns = job.model.columns.len();
    if report.points.iter().any(|point| point.len() != columns) {
        return Err(garbled(format!("its points do not have {columns} coordinates")));
    }
    let [major, minor, patch] = report.version;
    Ok(Answer {
        solver: format!("SCIP {major}.{minor}.{patch}"),
        status: status(major, report.status)?.ok_or_else(|| garbled(format!("its status is {}", report.status)))?,
        claimed_value: bound(report.value),
        claimed_bound: bound(report.bound),
        points: report.points,
        nodes: u64::try_from(report.nodes).ok(),
    })
}

/// The meaning of SCIP's status code, which changed in version 10; none if the code is unknown.
fn status(major: i32, code: i32) -> Result<Option<Status>> {
    match code {
        NO_MEMORY => return Ok(Some(Status::MemoryLimit)),
        LP_ERROR => return Ok(Some(Status::Numerical)),
        _ => {}
    }
    let status = match major {
        9 => match code {
            7 | 11 => Status::Optimal,
            12 => Status::Infeasible,
            13 => Status::Unbounded,
            14 => Status::InfeasibleOrUnbounded,
            5 => Status::TimeLimit,
            1 | 15 => Status::Interrupted,
            2..=4 => Status::NodeLimit,
            6 => Status::MemoryLimit,
            8..=10 => Status::OtherLimit,
            _ => return Ok(None),
        },
        10 => match code {
            1 | 25 => Status::Optimal,
            2 => Status::Infeasible,
            3 => Status::Unbounded,
            4 => Status::InfeasibleOrUnbounded,
            23 => Status::TimeLimit,
            10 | 11 => Status::Interrupted,
            20..=22 => Status::NodeLimit,
            24 => Status::MemoryLimit,
            26..=30 => Status::OtherLimit,
            _ => return Ok(None),
        },
        _ => {
            let version = major.to_string();
            return Err(Error::UnsupportedVersion { solver: super::Scip::NAME, version, supported: SUPPORTED });
        }
    };
    Ok(Some(status))
}

/// Solves the job that the environment names, if any, and returns the exit code of this process. A program that can be a
/// [`Host`] calls this function first. Errors are printed, and so logged.
pub fn scip_worker() -> Option<ExitCode> {
    let job = PathBuf::from(env::var_os(JOB)?);
    Some(match work(&job) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    })
}

fn work(job: &Path) -> std::result::Result<(), Failure> {
    let in_job = |name| job.with_file_name(name);
    let work: Work = serde_json::from_slice(&fs::read(job)?)?;
    let mut scip = Library::load(&work.library)?;
    scip.read_parameters(&in_job(SETTINGS))?;
    scip.read(&in_job(MODEL))?;
    if work.has_start {
        scip.read(&in_job(START))?;
    }
    if let Some(end) = work.end_of_search {
        scip.limit_time(seconds_until(end))?;
    }
    let report = match scip.solve() {
        Ok(()) => Report {
            version: scip.version()?,
            status: scip.status()?,
            value: scip.primal_bound()?,
            bound: scip.dual_bound()?,
            nodes: scip.nodes()?,
            points: scip.points(&work.variables, work.pool)?,
        },
        // After an error SCIP's own state is unknown: nothing else of it is reported.
        Err(Failure::Call { code: code @ (NO_MEMORY | LP_ERROR), .. }) => Report {
            version: scip.version()?,
            status: code,
            value: NO_LIMIT,
            bound: -NO_LIMIT,
            nodes: -1,
            points: Vec::new(),
        },
        Err(failure) => return Err(failure),
    };
    Ok(fs::write(in_job(REPORT), serde_json::to_vec(&report)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_means_what_its_version_says() {
        assert_eq!(status(9, 11).unwrap(), Some(Status::Optimal));
        assert_eq!(status(10, 11).unwrap(), Some(Status::Interrupted));
        assert_eq!(status(10, 1).unwrap(), Some(Status::Optimal));
        assert_eq!(status(9, 1).unwrap(), Some(Status::Interrupted));
        assert_eq!(status(10, 0).unwrap(), None);
        let limits =
            [Status::NodeLimit, Status::MemoryLimit, Status::OtherLimit, Status::MemoryLimit, Status::Numerical];
        assert_eq!([20, 24, 30, -1, -6].map(|code| status(10, code).unwrap().unwrap()), limits);
        assert_eq!([2, 6, 10, -1, -6].map(|code| status(9, code).unwrap().unwrap()), limits);
        assert!(matches!(status(11, 1), Err(Error::UnsupportedVersion { .. })));
    }
}
