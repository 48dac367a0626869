//! `fathom`: the command line.

mod args;
mod commands;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match args::Args::parse().command {
        args::Command::Solve(solve) => commands::solve::run(&solve),
        args::Command::Verify(verify) => commands::verify::run(&verify),
    };
    match outcome {
        Ok(code) => code,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<std::io::Error>().map(|e| e.kind());
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}
