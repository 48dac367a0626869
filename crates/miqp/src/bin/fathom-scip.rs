//! Loads SCIP's library and solves the job that the environment names, in its own process.

use std::process::ExitCode;

fn main() -> ExitCode {
    fathom_miqp::scip_worker().unwrap_or_else(|| {
        eprintln!("fathom-scip is started by fathom, with a job; it has nothing to do by itself");
        ExitCode::from(2)
    })
}
