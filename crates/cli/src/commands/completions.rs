//! `fathom completions`.

use crate::args::{Args, Completions};
use clap::CommandFactory as _;
use std::process::ExitCode;

pub fn run(args: &Completions) -> anyhow::Result<ExitCode> {
    clap_complete::generate(args.shell, &mut Args::command(), "fathom", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
