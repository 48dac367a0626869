//! SCIP 9 or 10, through its shared library in a separate process, or through its executable.
//!
//! Both read the same `model.lp`, `settings.set` and `start.sol`. The library (`worker`) returns the whole pool with
//! every bit of every number; the executable (`shell`) prints fifteen digits and can write only its best point.

mod abi;
mod shell;
mod worker;

pub use worker::scip_worker;

use super::{Backend, Job, Task, locate};
use crate::dialect::{Dialect, number};
use crate::error::{Error, Result};
use crate::expansion::Encoding;
use crate::outcome::{Answer, Status};
use crate::settings::Settings;
use crate::solution;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that names the library to load, if it is not in a usual place.
const LIBRARY: &str = "FATHOM_SCIP_LIBRARY";

/// The program that loads the library if no other [`Host`] is given.
const HOST: &str = "fathom-scip";

const REMEDY: &str = "The easiest way to get it is Python's package: `pip install pyscipopt` (into the Python that \
                      FATHOM_PYTHON names, or the first python3 on the search path). Or install SCIP 9 or 10 from \
                      scipopt.org so that `scip` is on the search path, or set FATHOM_SCIP_LIBRARY to a libscip.";

const SETTINGS: &str = "settings.set";
const START: &str = "start.sol";

/// The value of SCIP's time limit that means no limit.
const NO_LIMIT: f64 = 1e20;

/// A program that becomes SCIP's process, because its first act is to call [`scip_worker`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The program, often the current one.
    pub program: PathBuf,
    /// The arguments that lead the program to that call.
    pub arguments: Vec<OsString>,
}

impl Host {
    /// `fathom-scip` beside the current program, in the directory above (cargo puts it there for tests), or on the search path.
    pub fn find() -> Option<Self> {
        let file = format!("{HOST}{}", env::consts::EXE_SUFFIX);
        let current = env::current_exe().ok();
        let near =
            current.iter().flat_map(|path| path.ancestors().skip(1).take(2)).map(|directory| directory.join(&file));
        let program = near.into_iter().find(|path| path.is_file()).or_else(|| locate::program(HOST))?;
        Some(Self { program, arguments: Vec::new() })
    }
}

/// The solver SCIP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scip {
    access: Access,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Access {
    Library { library: PathBuf, host: Host },
    Executable(PathBuf),
}

impl Scip {
    /// The library at this path, which `host` loads.
    pub fn library(library: impl Into<PathBuf>, host: Host) -> Self {
        Self { access: Access::Library { library: library.into(), host } }
    }

    /// The executable at this path.
    pub fn executable(path: impl Into<PathBuf>) -> Self {
        Self { access: Access::Executable(path.into()) }
    }

    /// The SCIP of this machine. A library is preferred: first the one that FATHOM_SCIP_LIBRARY names, then one in the usual
    /// directories, then that of Python's pyscipopt.
    pub fn find() -> Result<Self> {
        Self::find_hosted(Host::find())
    }

    /// The same with a given host for the library; without a host, only an executable can be used.
    pub fn find_hosted(host: Option<Host>) -> Result<Self> {
        let library = find_library()?;
        match (library, host, locate::program("scip")) {
            (Some(library), Some(host), _) => Ok(Self::library(library, host)),
            (_, _, Some(executable)) => Ok(Self::executable(executable)),
            (Some(library), None, None) => {
                let looked =
                    format!("its library is {}, but the program {HOST} that loads it is missing", library.display());
                Err(Error::Missing {
                    solver: Self::NAME,
                    looked,
                    remedy: "Install it beside the program that asks for it.",
                })
            }
            (None, _, None) => {
                let looked = "no libscip in the usual directories, no pyscipopt, no executable `scip`".to_string();
                Err(Error::Missing { solver: Self::NAME, looked, remedy: REMEDY })
            }
        }
    }
}

fn find_library() -> Result<Option<PathBuf>> {
    if let Some(path) = env::var_os(LIBRARY).map(PathBuf::from) {
        if path.is_file() {
            return Ok(Some(path));
        }
        let looked = format!("{LIBRARY} is {}, which is no file", path.display());
        return Err(Error::Missing { solver: Scip::NAME, looked, remedy: REMEDY });
    }
    let usual = usual_directories();
    Ok(usual.iter().find_map(|directory| locate::library(directory, "scip")).or_else(library_of_python))
}

/// The directories in which installers and package managers put libraries.
fn usual_directories() -> Vec<PathBuf> {
    let listed = |name| env::var_os(name).map_or(Vec::new(), |paths| env::split_paths(&paths).collect::<Vec<_>>());
    let under = |name| env::var_os(name).map(|path| PathBuf::from(path).join("lib"));
    let mut directories = listed("LD_LIBRARY_PATH");
    directories.extend(listed("DYLD_LIBRARY_PATH"));
    directories.extend(["SCIPOPTDIR", "CONDA_PREFIX"].into_iter().filter_map(under));
    let fixed = ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
    directories.extend(fixed.iter().chain(&["/opt/homebrew/lib", "/opt/scip/lib"]).map(PathBuf::from));
    directories
}

/// The library of pyscipopt. Wheels keep the library beside the package (Linux, Windows) or inside it (macOS).
fn library_of_python() -> Option<PathBuf> {
    let package = locate::python_package(&locate::python()?, "pyscipopt")?;
    let beside = package.with_file_name("pyscipopt.libs");
    [beside, package.join(".dylibs")].iter().find_map(|directory| locate::library(directory, "scip"))
}

impl Backend for Scip {
    const NAME: &'static str = "SCIP";

    fn dialect(&self, encoding: Option<Encoding>) -> Dialect {
        Dialect::Common(encoding.unwrap_or(Encoding::Binaries))
    }

    fn prepare(&self, job: &Job<'_>) -> Result<Task> {
        job.work_directory.write(SETTINGS, &parameters(job.settings))?;
        if let Some(start) = &job.start {
            job.work_directory.write(START, &solution::scip_start(job.model, start))?;
        }
        match &self.access {
            Access::Library { library, host } => worker::prepare(job, library, host),
            Access::Executable(path) => shell::prepare(job, path),
        }
    }

    fn answer(&self, job: &Job<'_>) -> Result<Answer> {
        match &self.access {
            Access::Library { .. } => worker::answer(job),
            Access::Executable(_) => shell::answer(job),
        }
    }
}

/// The text of a settings file.
fn parameters(settings: &Settings) -> String {
    let time = settings.time_limit.map_or(NO_LIMIT, |limit| limit.as_secs_f64().min(NO_LIMIT));
    let mut lines = vec![
        format!("limits/time = {}", number(time)),
        format!("limits/gap = {}", number(settings.relative_gap)),
        format!("limits/absgap = {}", number(settings.absolute_gap)),
        format!("limits/maxsol = {}", settings.pool),
        format!("numerics/feastol = {}", number(settings.feasibility)),
        // SCIP allows at most 64.
        format!("lp/threads = {}", settings.threads.min(64)),
    ];
    lines.extend(settings.parameters.iter().map(|(name, value)| format!("{name} = {value}")));
    lines.join("\n") + "\n"
}

/// The bound; none if SCIP reports that there is no bound.
fn bound(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.abs() < NO_LIMIT)
}

/// The search path for the library's own dependencies, which may be in its directory.
fn library_path(library: &Path) -> OsString {
    let beside = library.parent().map(Path::to_path_buf);
    let before = env::var_os("LD_LIBRARY_PATH");
    let rest = before.iter().flat_map(env::split_paths);
    // Only a path that contains the separator cannot be joined; then the library is found without it.
    env::join_paths(beside.into_iter().chain(rest)).unwrap_or_default()
}

/// The meaning of a status in words, which are the same in SCIP 9 and 10; none if the words are unknown.
fn status_of_words(words: &str) -> Option<Status> {
    Some(match words {
        // We asked for the gap limit.
        "optimal solution found" | "gap limit reached" => Status::Optimal,
        "infeasible" => Status::Infeasible,
        "unbounded" => Status::Unbounded,
        "infeasible or unbounded" => Status::InfeasibleOrUnbounded,
        "time limit reached" => Status::TimeLimit,
        "user interrupt" | "termination signal received" => Status::Interrupted,
        _ if words.ends_with("limit reached") => Status::OtherLimit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_named_but_missing_is_an_error_that_says_so() {
        let error = Error::Missing { solver: Scip::NAME, looked: "nowhere".to_string(), remedy: REMEDY };
        let text = error.to_string();
        assert!(text.contains("SCIP was not found (nowhere)") && text.contains("pip install pyscipopt"), "{text}");
    }

    #[test]
    fn unknown_words_have_no_status() {
        assert_eq!(status_of_words("gap limit reached"), Some(Status::Optimal));
        assert_eq!(status_of_words("node limit reached"), Some(Status::OtherLimit));
        assert_eq!(status_of_words("unknown"), None);
        assert_eq!(status_of_words(""), None);
    }
}
