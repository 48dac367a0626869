//! `fathom-bench`: one sub-command per experiment.

use clap::Parser as _;
use fathom_bench::Args;
use std::process::ExitCode;

/// Ends with 1 if something was found that must never be.
fn main() -> ExitCode {
    match Args::parse().run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
