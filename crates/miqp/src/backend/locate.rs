//! The search for programs and libraries.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the Python to ask for packages, if it is not the first Python on the search path.
pub(crate) const PYTHON: &str = "FATHOM_PYTHON";

/// The program `name` on the search path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&file)).find(|path| path.is_file())
}

/// A Python interpreter.
pub(crate) fn python() -> Option<PathBuf> {
    env::var_os(PYTHON).map(PathBuf::from).or_else(|| program("python3")).or_else(|| program("python"))
}

/// The directory of a Python package, found without importing (and loading) the package.
pub(crate) fn python_package(python: &Path, name: &str) -> Option<PathBuf> {
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
pub(crate) fn library(directory: &Path, stem: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| is_library(name, stem)));
    found.sort();
    found.pop()
}

fn is_library(name: &str, stem: &str) -> bool {
    let rest = name.strip_prefix("lib").unwrap_or(name).strip_prefix(stem);
    // The name must end after the stem: libscip is not libscipy.
    let follows = rest.is_some_and(|rest| rest.starts_with(['.', '-']));
    follows && (name.contains(".so") || name.ends_with(".dylib") || name.ends_with(".dll"))
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
}
