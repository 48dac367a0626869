//! SCIP's library runs in a process of its own, which is this Python once more.

use fathom_miqp::Host;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// What that process does: nothing but the job that its environment names.
const JOB: &str = "import sys; from fathom._fathom import _scip_worker; sys.exit(0 if _scip_worker() else 1)";

/// Makes this interpreter the host of SCIP's library.
pub fn register(py: Python<'_>) {
    let executable = py.import("sys").and_then(|sys| sys.getattr("executable")?.extract::<Option<PathBuf>>());
    if let Ok(Some(program)) = executable {
        Host { program, arguments: ["-c", JOB].map(OsString::from).to_vec() }.register();
    }
}
