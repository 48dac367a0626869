//! The solvers of this machine. A test whose solver is missing says so and passes, unless FATHOM_REQUIRE_SOLVERS names it
//! (`scip`, `gurobi`, or `scip,gurobi`); `tests/install-solvers` installs both.

use fathom_miqp::{Error, Gurobi, Host, Scip, Solver};
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub fn host() -> Host {
    Host { program: env!("CARGO_BIN_EXE_fathom-scip").into(), arguments: Vec::new() }
}

/// `found`, or a printed reason why the test is skipped.
pub fn or_skip<T>(name: &str, found: Result<T, Error>) -> Option<T> {
    let required = env::var("FATHOM_REQUIRE_SOLVERS").unwrap_or_default();
    match found {
        Ok(found) => Some(found),
        Err(error) if required.split(',').any(|word| word == name) => panic!("{name} is required: {error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

pub fn scip() -> Option<Scip> {
    or_skip("scip", Scip::find_hosted(Some(host())))
}

pub fn gurobi() -> Option<Gurobi> {
    or_skip("gurobi", Gurobi::find())
}

/// A Python that has `package`.
pub fn python_with(package: &str) -> Option<PathBuf> {
    let python = PathBuf::from(env::var_os("FATHOM_PYTHON").unwrap_or("python3".into()));
    let mut command = std::process::Command::new(&python);
    let found = command.args(["-c", &format!("import {package}")]).output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: {} has no {package}", python.display());
    }
    found.then_some(python)
}

/// An executable script in `directory`.
pub fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// SCIP's own command line through its library and Python, which does what the executable `scip` does.
const SCIP_SHELL: &str = r#"
import ctypes, glob, os, sys, pyscipopt
directory = os.path.dirname(pyscipopt.__file__)
library = ctypes.CDLL(glob.glob(directory + ".libs/libscip-*")[0])
words = [word.encode() for word in ["scip"] + sys.argv[1:]]
sys.exit(0 if library.SCIPrunShell(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None), None) == 1 else 1)
"#;

/// A solver, with the name of the way to it.
pub type Named = (&'static str, Box<dyn Solver>);

/// Every solver of this machine, in every way that it can be run; the directory holds the programs of some of them.
pub fn all() -> (TempDir, Vec<Named>) {
    let directory = tempfile::tempdir().unwrap();
    let mut solvers: Vec<Named> = Vec::new();
    if let Some(scip) = scip() {
        solvers.push(("SCIP's library", Box::new(scip)));
    }
    if let Some(python) = python_with("pyscipopt") {
        let shell = script(directory.path(), "scip", &format!("#!{}\n{SCIP_SHELL}", python.display()));
        solvers.push(("SCIP's shell", Box::new(Scip::executable(shell))));
    }
    if let Some(gurobi) = gurobi() {
        solvers.push(("Gurobi", Box::new(gurobi)));
    }
    if let Some(python) = python_with("gurobipy") {
        let stand_in = format!("#!{}\n{}", python.display(), include_str!("../../src/backend/gurobi_cl.py"));
        let path = script(directory.path(), "gurobi_cl", &stand_in);
        solvers.push(("a stand-in for gurobi_cl", Box::new(Gurobi::executable(path))));
    }
    (directory, solvers)
}
