//! The search for programs and libraries, which keeps a list of what it tried.

use crate::error::Error;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The variable that names the Python to ask for packages before all others.
const PYTHON: &str = "FATHOM_PYTHON";

/// The variables that name the folder of a Python environment which a shell has activated.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Library,
    Python,
    Program,
    Folder,
    Nothing,
}

impl Thing {
    pub fn at(path: &Path) -> Self {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        match path {
            _ if path.is_dir() => Self::Folder,
            _ if !path.is_file() => Self::Nothing,
            _ if is_shared(name) => Self::Library,
            _ if name.starts_with("python") => Self::Python,
            _ => Self::Program,
        }
    }
}

/// A search, with what was tried in vain.
#[derive(Debug, Default)]
pub(super) struct Search {
    tried: Vec<String>,
}

impl Search {
    /// Adds to what was tried.
    pub fn note(&mut self, tried: String) {
        self.tried.push(tried);
    }

    /// The error that says what was tried.
    pub fn failed(&self, solver: &'static str, remedy: &'static str) -> Error {
        Error::Missing { solver, looked: self.tried.join("; "), remedy }
    }

    /// The program `name` on the search path.
    pub fn program(&mut self, name: &str) -> Option<PathBuf> {
        let found = program(name);
        if found.is_none() {
            self.note(format!("no program `{name}` on the search path"));
        }
        found
    }

    /// The program `name` in a folder.
    pub fn file(&mut self, folder: &Path, name: &str) -> Option<PathBuf> {
        let path = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
        if path.is_file() {
            return Some(path);
        }
        self.note(format!("no {}", path.display()));
        None
    }

    /// The first Python that has the package `name`, and the package's folder.
    pub fn package(&mut self, name: &str) -> Option<(PathBuf, PathBuf)> {
        let pythons = pythons();
        if pythons.is_empty() {
            self.note("no Python".to_string());
        }
        pythons.into_iter().find_map(|python| self.package_of(&python, name).map(|package| (python, package)))
    }

    /// The folder of the package `name` in one Python.
    pub fn package_of(&mut self, python: &Path, name: &str) -> Option<PathBuf> {
        let found = python_package(python, name);
        if found.is_none() {
            let reason = if python.is_file() { "which has no" } else { "which does not exist, and no" };
            self.note(format!("{}, {reason} {name}", python.display()));
        }
        found
    }

    /// The Python in the folder of a virtual environment.
    pub fn python_in(&mut self, folder: &Path) -> Option<PathBuf> {
        let found = python_in(folder);
        if found.is_none() {
            self.note(format!("no Python in {}", folder.display()));
        }
        found
    }

    /// The newest library called `stem` in a folder.
    pub fn library(&mut self, folder: &Path, stem: &str) -> Option<PathBuf> {
        let found = library(folder, stem);
        if found.is_none() {
            self.note(format!("no lib{stem} in {}", folder.display()));
        }
        found
    }
}

/// The program `name` on the search path.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&file)).find(|path| path.is_file())
}

/// The Python that this process is, if it is one and said so.
static CURRENT: OnceLock<PathBuf> = OnceLock::new();

/// Takes `program` for the Python that this process is, if its name says that it is a Python.
pub(super) fn note_current(program: &Path) {
    if program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python")) {
        let _ = CURRENT.set(program.to_path_buf());
    }
}

/// The Pythons to ask for packages: the one that is named, this process if it is one, those of activated environments, those on the search path.
fn pythons() -> Vec<PathBuf> {
    let named = env::var_os(PYTHON).map(PathBuf::from);
    let active = ENVIRONMENTS.into_iter().filter_map(env::var_os).filter_map(|folder| python_in(Path::new(&folder)));
    let current = CURRENT.get().cloned();
    let mut all: Vec<PathBuf> = named.into_iter().chain(current).chain(active).collect();
    all.extend(["python3", "python"].into_iter().filter_map(program));
    let mut seen = Vec::new();
    all.retain(|python| {
        !seen.contains(python) && {
            seen.push(python.clone());
            true
        }
    });
    all
}

/// The Python of a virtual environment.
fn python_in(folder: &Path) -> Option<PathBuf> {
    let names = ["bin/python3", "bin/python", "Scripts/python.exe", "python.exe"];
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The directory of a Python package, found without importing (and loading) the package.
fn python_package(python: &Path, name: &str) -> Option<PathBuf> {
    const FIND: &str = "import importlib.util as u, sys
found = u.find_spec(sys.argv[1])
print(list(found.submodule_search_locations)[0] if found else '')";
    let mut command = Command::new(python);
    let output = command.args(["-c", FIND, name]).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(path.trim())).filter(|path| path.is_dir())
}

/// The newest shared library in `directory` called `stem`, with any version in its file name:
/// `libscip.so`, `libscip.so.10.0`, `libscip-d031042e.so.10.0`, `libscip.10.0.dylib`.
pub(super) fn library(directory: &Path, stem: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| is_library(name, stem)));
    found.sort();
    found.pop()
}

fn is_library(name: &str, stem: &str) -> bool {
    let rest = name.strip_prefix("lib").unwrap_or(name).strip_prefix(stem);
    // The name must end after the stem: libscip is not libscipy.
    rest.is_some_and(|rest| rest.starts_with(['.', '-'])) && is_shared(name)
}

fn is_shared(name: &str) -> bool {
    name.ends_with(".so") || name.contains(".so.") || name.ends_with(".dylib") || name.ends_with(".dll")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_with_similar_names_are_told_apart() {
        for name in ["libscip.so", "libscip.so.10.0", "libscip-d031042e.so.10.0", "libscip.10.0.dylib", "scip.dll"] {
            assert!(is_library(name, "scip"), "{name}");
        }
        for name in ["libscipy_openblas64_-32a4b2a6.so", "libscip.a", "libsc.so", "scip.h"] {
            assert!(!is_library(name, "scip"), "{name}");
        }
    }

    #[test]
    fn a_shell_is_on_the_search_path() {
        assert!(program("sh").is_some());
        assert!(program("no-such-program-anywhere").is_none());
    }

    #[test]
    fn things_are_told_apart_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, thing) in [
            ("libscip.so.10.0", Thing::Library),
            ("python3.12", Thing::Python),
            ("scip", Thing::Program),
            ("nothing", Thing::Nothing),
        ] {
            let path = folder.path().join(name);
            if thing != Thing::Nothing {
                fs::write(&path, "").unwrap();
            }
            assert_eq!(Thing::at(&path), thing, "{name}");
        }
        assert_eq!(Thing::at(folder.path()), Thing::Folder);
    }

    #[test]
    fn a_failed_search_says_what_was_tried() {
        let mut search = Search::default();
        assert!(search.program("no-such-program-anywhere").is_none());
        assert!(search.package_of(Path::new("/nowhere/python"), "pyscipopt").is_none());
        let text = search.failed("SCIP", "Get it.").to_string();
        assert!(text.contains("no program `no-such-program-anywhere` on the search path"), "{text}");
        assert!(text.contains("/nowhere/python, which does not exist"), "{text}");
    }
}
