//! `fathom`: the command line.

/// `println!` that hands a closed or full output on as an error.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), $($part)*)?
    }};
}

/// The same for a text that ends its own lines.
macro_rules! say_all {
    ($text:expr) => {{
        use std::io::Write as _;
        std::io::stdout().write_all($text.as_bytes())?
    }};
}

mod args;
mod commands;
mod evaluator;
mod picture;
mod studies;
mod table;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The library of SCIP runs in a process of its own, which is this program again.
    if let Some(code) = fathom_miqp::scip_worker() {
        return code;
    }
    let outcome = match args::Args::parse().command {
        args::Command::Solve(solve) => commands::solve::run(&solve),
        args::Command::Audit(audit) => commands::audit::run(&audit),
        args::Command::Verify(verify) => commands::verify::run(&verify),
        args::Command::Proof(proof) => commands::proof::run(&proof),
        args::Command::New(new) => commands::new::run(&new),
        args::Command::Run(run) => commands::run::run(&run),
        args::Command::Ask(ask) => commands::ask::run(&ask),
        args::Command::Tell(tell) => commands::tell::run(&tell),
        args::Command::Best(best) => commands::best::run(&best),
        args::Command::Trials(trials) => commands::trials::run(&trials),
        args::Command::Import(import) => commands::import::run(&import),
        args::Command::Export(export) => commands::export::run(&export),
        args::Command::Plot(plot) => commands::plot::run(&plot),
        args::Command::Demo(demo) => commands::demo::run(&demo),
        args::Command::Completions(completions) => commands::completions::run(&completions),
        args::Command::ExportModel(export) => commands::export_model::run(&export),
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
    let kind =
        |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}
