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
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
