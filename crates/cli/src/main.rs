//! `fathom`: the command line.

/// `println!` that returns a closed or full output as an error, and lets no character through that terminals obey. Foreign
/// text that may have ends of lines in it goes through `text::plain` first.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        writeln!(std::io::stdout(), "{}", crate::text::printable(&format!($($part)*)))?
    }};
}

/// The same for a text that ends its own lines, and is printed as it is: CSV, and tables that were made plain.
macro_rules! say_all {
    ($text:expr) => {{
        use std::io::Write as _;
        std::io::stdout().write_all($text.as_bytes())?
    }};
}

mod args;
mod assurance;
mod commands;
mod decimal;
mod interrupt;
mod meter;
mod studies;
mod table;
mod text;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The library of SCIP runs in a process of its own, which is this program again.
    if let Some(code) = fathom_miqp::scip_worker() {
        return code;
    }
    if let Ok(program) = std::env::current_exe() {
        fathom_miqp::Host { program, arguments: Vec::new() }.register();
    }
    let outcome = match args::Args::typed().command {
        args::Command::Solve(solve) => commands::solve::run(&solve),
        args::Command::Audit(audit) => commands::audit::run(&audit),
        args::Command::Verify(verify) => commands::verify::run(&verify),
        args::Command::Proof(proof) => commands::proof::run(&proof),
        args::Command::Prove(prove) => commands::prove::run(&prove),
        args::Command::New(new) => commands::new::run(&new),
        args::Command::Run(run) => commands::run::run(&run),
        args::Command::Ask(ask) => commands::ask::run(&ask),
        args::Command::Tell(tell) => commands::tell::run(&tell),
        args::Command::Edit(edit) => commands::edit::run(&edit),
        args::Command::Cancel(cancel) => commands::edit::cancel(&cancel),
        args::Command::Withdraw(withdraw) => commands::edit::withdraw(&withdraw),
        args::Command::Undo(undo) => commands::edit::undo(&undo),
        args::Command::History(history) => commands::history::run(&history),
        args::Command::Best(best) => commands::best::run(&best),
        args::Command::Trials(trials) => commands::trials::run(&trials),
        args::Command::Import(import) => commands::import::run(&import),
        args::Command::Export(export) => commands::export::run(&export),
        args::Command::Plot(plot) => commands::plot::run(&plot),
        args::Command::Report(report) => commands::report::run(&report),
        args::Command::Model(model) => commands::model::run(&model),
        args::Command::Backup(backup) => commands::backup::run(&backup),
        args::Command::CheckStore(check) => commands::check_store::run(&check),
        args::Command::Demo(demo) => commands::demo::run(&demo),
        args::Command::Doctor(doctor) => commands::doctor::run(&doctor),
        args::Command::Completions(completions) => commands::completions::run(&completions),
        args::Command::Man(man) => commands::man::run(&man),
        args::Command::ExportModel(export) => commands::export_model::run(&export),
    };
    match outcome {
        Ok(code) => code,
        // The reader of our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Lines after the first are indented, so that none of them looks like another message.
            eprintln!("error: {}", text::printable(&format!("{error:#}")).replace('\n', "\n  "));
            ExitCode::from(2)
        }
    }
}

/// Whether writing to our own output failed because nobody reads it. A broken pipe to a server or a program is the cause of
/// another error, and ends no command in silence.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn only_a_pipe_of_our_own_may_break_in_silence() {
        let broken = || Error::from(ErrorKind::BrokenPipe);
        assert!(is_broken_pipe(&broken().into()));
        assert!(is_broken_pipe(&anyhow::Error::from(broken()).context("writing the table")));
        let of_a_store = fathom_files::Error::Io { path: "mine.db".into(), source: broken() };
        assert!(!is_broken_pipe(&of_a_store.into()));
        assert!(!is_broken_pipe(&Error::from(ErrorKind::StorageFull).into()));
    }
}
