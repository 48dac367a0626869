//! `fathom completions`.

use crate::args::{self, Completions};
use std::process::ExitCode;

pub fn run(args: &Completions) -> anyhow::Result<ExitCode> {
    clap_complete::generate(args.shell, &mut args::command(), "fathom", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
