//! SCIP 9 or 10, through its shared library in a separate process, or through its executable.
//!
//! Both read the same `model.lp`, `settings.set` and `start.sol`. The library (`worker`) returns the whole pool with
//! every bit of every number; the executable (`shell`) prints fifteen digits and can write only its best point.

mod abi;
mod shell;
mod worker;

pub use worker::scip_worker;

use super::deadline::Deadline;
use super::locate::{self, Search, Thing};
use super::{Backend, Job, Task};
use crate::dialect::{Dialect, number};
use crate::error::Result;
use crate::expansion::Encoding;
use crate::outcome::{Answer, Status};
use crate::settings::Settings;
use crate::solution;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The variable that names the library to load, if it is not in a usual place.
const LIBRARY: &str = "FATHOM_SCIP_LIBRARY";

/// The program that loads the library if no other [`Host`] is given.
const HOST: &str = "fathom-scip";

const REMEDY: &str = "The easiest way to get it is Python's package: `pip install pyscipopt`. Or install SCIP 9 or 10 from \
                      scipopt.org so that `scip` is on the search path, or set FATHOM_SCIP_LIBRARY to a libscip, or \
                      FATHOM_PYTHON to a Python that has pyscipopt.";

const SETTINGS: &str = "settings.set";
const START: &str = "start.sol";

/// How long SCIP takes to start and to read a model, at most, if the machine is not too busy.
const START_TIME: f64 = 0.05;

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

/// The host that this process named.
static REGISTERED: OnceLock<Host> = OnceLock::new();

impl Host {
    /// Makes this the host of the process, once; a later call changes nothing.
    pub fn register(self) {
        locate::note_current(&self.program);
        let _ = REGISTERED.set(self);
    }

    /// The registered host; else `fathom-scip` beside the current program, in the directory above (cargo puts it there for tests), or on the search path.
    pub fn find() -> Option<Self> {
        if let Some(host) = REGISTERED.get() {
            return Some(host.clone());
        }
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
    /// directories, then that of the Python package pyscipopt. The package may belong to the Python that FATHOM_PYTHON names, to
    /// an environment that is activated (VIRTUAL_ENV, CONDA_PREFIX), or to `python3` or `python` on the search path.
    pub fn find() -> Result<Self> {
        Self::find_hosted(Host::find())
    }

    /// The same with a given host for the library; without a host, only an executable can be used.
    pub fn find_hosted(host: Option<Host>) -> Result<Self> {
        let mut search = Search::default();
        if let Some(path) = env::var_os(LIBRARY).map(PathBuf::from) {
            if !path.is_file() {
                search.note(format!("{LIBRARY} is {}, which is no file", path.display()));
                return Err(search.failed(Self::NAME, REMEDY));
            }
            return hosted(Some(path), host, search);
        }
        let usual = usual_directories();
        let library = usual.iter().find_map(|directory| locate::library(directory, "scip"));
        if library.is_none() {
            search.note("no libscip in the usual directories".to_string());
        }
        let library = library.or_else(|| {
            let (_, package) = search.package("pyscipopt")?;
            library_of(&package, &mut search)
        });
        hosted(library, host, search)
    }

    /// The SCIP at a path: a libscip, an executable `scip`, a Python with pyscipopt, or the folder of an installation or of a
    /// virtual environment with one of them.
    pub fn at(path: impl AsRef<Path>) -> Result<Self> {
        Self::at_hosted(path, Host::find())
    }

    /// The same with a given host for a library.
    pub fn at_hosted(path: impl AsRef<Path>, host: Option<Host>) -> Result<Self> {
        let (path, mut search) = (path.as_ref(), Search::default());
        let library = match Thing::at(path) {
            Thing::Program => return Ok(Self::executable(path)),
            Thing::Library => Some(path.to_path_buf()),
            Thing::Python => library_of_python(path, &mut search),
            Thing::Folder => {
                if let Some(executable) = search.file(&path.join("bin"), "scip") {
                    return Ok(Self::executable(executable));
                }
                let own = search.library(&path.join("lib"), "scip");
                own.or_else(|| search.python_in(path).and_then(|python| library_of_python(&python, &mut search)))
            }
            Thing::Nothing => {
                search.note(format!("there is no file {}", path.display()));
                None
            }
        };
        match library {
            Some(library) => hosted(Some(library), host, search),
            None => Err(search.failed(Self::NAME, REMEDY)),
        }
    }

    /// Where it was found.
    pub fn place(&self) -> &Path {
        match &self.access {
            Access::Library { library, .. } => library,
            Access::Executable(path) => path,
        }
    }
}

/// SCIP by its library if there is a host for it, else by an executable.
fn hosted(library: Option<PathBuf>, host: Option<Host>, mut search: Search) -> Result<Scip> {
    match (library, host) {
        (Some(library), Some(host)) => Ok(Scip::library(library, host)),
        (library, _) => search.program("scip").map(Scip::executable).ok_or_else(|| match library {
            Some(library) => {
                let tried =
                    format!("its library is {}, but the program {HOST} that loads it is missing", library.display());
                search.note(tried);
                search.failed(Scip::NAME, "Install it beside the program that asks for it.")
            }
            None => search.failed(Scip::NAME, REMEDY),
        }),
    }
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

fn library_of_python(python: &Path, search: &mut Search) -> Option<PathBuf> {
    let package = search.package_of(python, "pyscipopt")?;
    library_of(&package, search)
}

/// The library of pyscipopt. Wheels keep the library beside the package (Linux, Windows) or inside it (macOS).
fn library_of(package: &Path, search: &mut Search) -> Option<PathBuf> {
    let beside = package.with_file_name("pyscipopt.libs");
    [beside, package.join(".dylibs")].iter().find_map(|directory| search.library(directory, "scip"))
}

impl Backend for Scip {
    const NAME: &'static str = "SCIP";

    fn dialect(&self, encoding: Option<Encoding>) -> Dialect {
        Dialect::Common(encoding.unwrap_or(Encoding::Binaries))
    }

    fn prepare(&self, job: &Job<'_>) -> Result<Task> {
        job.work_directory.write(SETTINGS, &parameters(job.settings, job.deadline))?;
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
fn parameters(settings: &Settings, deadline: Option<Deadline>) -> String {
    let left = |deadline: Deadline| (deadline.left_to_search().as_secs_f64() - START_TIME).clamp(0.0, NO_LIMIT);
    let time = deadline.map_or(NO_LIMIT, left);
    let mut lines = vec![
        format!("limits/time = {}", number(time)),
        format!("limits/gap = {}", number(settings.relative_gap)),
        format!("limits/absgap = {}", number(settings.absolute_gap)),
        format!("limits/maxsol = {}", settings.pool),
        format!("numerics/feastol = {}", number(settings.feasibility)),
        // SCIP allows at most 64.
        format!("lp/threads = {}", settings.threads.min(64)),
    ];
    lines.extend(settings.node_limit.map(|limit| format!("limits/totalnodes = {}", limit.min(i64::MAX as u64))));
    // SCIP counts in megabytes.
    lines.extend(settings.memory_limit.map(|limit| format!("limits/memory = {}", number(limit as f64 / 1e6))));
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
        "node limit reached" | "total node limit reached" | "stall node limit reached" => Status::NodeLimit,
        "memory limit reached" => Status::MemoryLimit,
        _ if words.ends_with("limit reached") => Status::OtherLimit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_a_scip_is_an_error_that_says_what_was_tried() {
        let text = |path: &Path| Scip::at_hosted(path, None).unwrap_err().to_string();
        let nowhere = text(Path::new("/nowhere/scip"));
        assert!(nowhere.contains("SCIP was not found (there is no file /nowhere/scip)"), "{nowhere}");
        assert!(nowhere.contains("pip install pyscipopt"), "{nowhere}");
        let folder = tempfile::tempdir().unwrap();
        let empty = text(folder.path());
        assert!(["bin/scip", "no libscip in", "no Python in"].iter().all(|words| empty.contains(words)), "{empty}");
    }

    #[test]
    fn a_path_is_taken_for_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let host = Host { program: "/bin/true".into(), arguments: Vec::new() };
        let (program, library) = (file("scip"), file("libscip.so.10.0"));
        assert_eq!(Scip::at_hosted(&program, None).unwrap(), Scip::executable(&program));
        assert_eq!(Scip::at_hosted(&library, Some(host.clone())).unwrap(), Scip::library(&library, host.clone()));
        let own = file("lib/libscip.so");
        assert_eq!(Scip::at_hosted(folder.path(), Some(host.clone())).unwrap(), Scip::library(own, host));
        let installed = file("bin/scip");
        assert_eq!(Scip::at_hosted(folder.path(), None).unwrap(), Scip::executable(installed));
    }

    #[test]
    fn limits_are_in_the_settings_file() {
        let settings = Settings { node_limit: Some(12), memory_limit: Some(5_000_000_000), ..Settings::default() };
        let text = parameters(&settings, Some(Deadline::after(std::time::Duration::from_secs(20))));
        assert!(text.contains("limits/totalnodes = 12\n") && text.contains("limits/memory = 5000\n"), "{text}");
        assert!(text.contains("limits/time = 19."), "{text}");
        let text = parameters(&Settings::default(), None);
        assert!(
            text.contains("limits/time = 1e20") && !text.contains("totalnodes") && !text.contains("memory"),
            "{text}"
        );
    }

    #[test]
    fn unknown_words_have_no_status() {
        assert_eq!(status_of_words("gap limit reached"), Some(Status::Optimal));
        assert_eq!(status_of_words("node limit reached"), Some(Status::NodeLimit));
        assert_eq!(status_of_words("memory limit reached"), Some(Status::MemoryLimit));
        assert_eq!(status_of_words("solution limit reached"), Some(Status::OtherLimit));
        assert_eq!(status_of_words("unknown"), None);
        assert_eq!(status_of_words(""), None);
    }
}
