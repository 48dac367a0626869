//! What can be typed.

mod audit;
mod changed;
mod completions;
mod count;
mod demo;
mod doctor;
mod edit;
mod export_model;
mod groups;
mod man;
mod model;
mod pk;
mod plot;
mod proof;
mod report;
mod solve;
mod study;
mod table;

use clap::{FromArgMatches as _, Parser, Subcommand};

pub use audit::{Audit, Point};
pub use changed::Setting;
pub use completions::Completions;
pub use count::value;
pub use demo::Demo;
pub use doctor::Doctor;
pub use edit::{Edit, History, SetAside, Undo};
pub use export_model::{ExportModel, Format, Written};
pub use groups::command;
pub use man::Man;
pub use model::Model;
pub use plot::Plot;
pub use proof::{Proof, Prove, Verify};
pub use report::Report;
pub use solve::{Method, Near, Solve};
pub use study::{Ask, Backup, Best, CheckStore, New, Run, StudyFile, Tell, Trials};
pub use table::{Export, Import};

/// Bayesian optimisation with a proof behind every certified suggestion.
///
/// Exit codes: 0 done, 1 the gap was not closed within the limits (solve, audit, prove, ask --prove) or not accepted (verify), 2 an
/// error.
#[derive(Debug, Parser)]
#[command(name = "fathom", version)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

impl Args {
    /// What was typed; the process ends with an explanation if nobody can make sense of it.
    pub fn typed() -> Self {
        Self::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the certified global minimum of an acquisition function.
    ///
    /// Example: fathom solve instances/prior_d2_rbf_r00.json --proof my.proof
    Solve(Box<Solve>),
    /// How far from the minimum are points that something else found? By the search's own word: no proof file covers it.
    ///
    /// Example: fathom audit instances/prior_d2_rbf_r00.json --x 0.1,0.2
    Audit(Audit),
    /// Check proofs with separate code in interval arithmetic: proof files, or those behind a study's suggestions.
    ///
    /// Says what was proven of which problem. The proof behind a suggestion is made again from the study's trials, and must be
    /// about them, the study's space and its strategy. Exit code 0 if everything holds, 1 if a proof is refused or about
    /// another problem (or there is none), 2 if something cannot be read.
    ///
    /// Example: fathom verify my-study.toml 12
    ///
    /// Example: fathom verify my.proof --of instances/prior_d2_rbf_r00.json
    Verify(Verify),
    /// Finish the proofs of suggestions that were handed out before they were proven, the newest first.
    ///
    /// Says of each whether no point is better by more than the gap, or by how much one may be better at most, or which better point
    /// was found. What is proven is stored with the trial; Ctrl-C keeps what is proven by then. Exit code 0 if all are proven within
    /// the gap, 1 if not, 2 for an error.
    ///
    /// Example: fathom prove my-study.toml --time-limit 5min
    Prove(Prove),
    /// Write the proof behind a study's suggestion to a file.
    ///
    /// Example: fathom proof my-study.toml 12 --output t12.proof
    Proof(Proof),
    /// Write the paper's mixed-integer program of a problem, for any solver that reads LP or MPS files.
    ///
    /// Example: fathom export-model instances/prior_d1_rbf_r00.json --format lp --output model.lp
    ExportModel(ExportModel),
    /// Write a commented study file; on a terminal it asks for everything.
    ///
    /// Example: fathom new my-study.toml -p "rate 1e-5 1e-1 log" -p "units 1 64 int" -p "kind red,green"
    ///
    /// Example: fathom new bench.toml -p "temperature 20 120" -p "hours 1 24" -p "solvent DMF, THF" --constraint "temperature*hours <= 1200"
    /// --trials 15 --by-hand
    New(New),
    /// Run a study: suggest, evaluate, repeat. Goes on where it was left.
    ///
    /// Example: fathom run my-study.toml --workers 2 --trials 20
    Run(Run),
    /// Hand out trials to evaluate elsewhere.
    ///
    /// Example: fathom ask my-study.toml --json
    Ask(Ask),
    /// Tell a trial its value, or that it failed.
    ///
    /// Says what was understood and how the study stands. A list of trials and values is told from a file, or from what is pasted
    /// after `--from -`: a line for each, the trial's number and then its value, or `failed` and the reason.
    ///
    /// Example: fathom tell my-study.toml 7 0.231
    ///
    /// Example: fathom tell my-study.toml 9 0.198 --at units=12 --note "the first with the new glass"
    Tell(Tell),
    /// Correct a trial: what it was told, the settings that were really used, a note.
    ///
    /// Nothing is overwritten: every change is an entry of the study's history, which `fathom history` lists and `fathom undo` takes
    /// back. Proofs of earlier suggestions are checked against what was known then.
    ///
    /// Example: fathom edit my-study.toml 3 --value 0.24 --note "misread the scale"
    Edit(Edit),
    /// Say that nobody will make an experiment that was handed out; nothing is learned from it.
    ///
    /// Example: fathom cancel my-study.toml 8 --reason "out of solvent"
    Cancel(SetAside),
    /// Say that a result shall not count; the trial stays in the list.
    ///
    /// Example: fathom withdraw my-study.toml 5 --reason "the thermometer was broken"
    Withdraw(SetAside),
    /// Take back the last change of a study's history, or the one with a number.
    ///
    /// Example: fathom undo my-study.toml
    Undo(Undo),
    /// List what was changed about trials, when and by whom.
    ///
    /// Example: fathom history my-study.toml
    History(History),
    /// Show the best trial, and what can still be gained.
    ///
    /// If values are noisy, the least of them is partly luck: the best trial by the model is shown beside it.
    ///
    /// Example: fathom best my-study.toml
    Best(Best),
    /// List all trials.
    ///
    /// Example: fathom trials my-study.toml --csv
    Trials(Trials),
    /// Add experiments of the past from a table (CSV, XLSX, ODS) with a column per parameter and `value`.
    ///
    /// Finds out what separates columns, the decimal sign and the row of headers. Headers may have units: `Temperature (°C)` is
    /// the parameter temperature.
    ///
    /// Example: fathom import my-study.toml past.csv
    ///
    /// Example: fathom import my-study.toml bench.csv --value "Yield (%)" --column rate="Rate no. 2" --dry-run
    Import(Import),
    /// Write all trials as a table (CSV, XLSX) that `import` reads.
    ///
    /// Example: fathom export my-study.toml trials.csv
    ///
    /// Example: fathom export my-study.toml for-excel.csv --locale de
    ///
    /// Example: fathom export my-study.toml trials.xlsx
    Export(Export),
    /// Draw a study as SVG, PNG or PDF.
    ///
    /// Example: fathom plot my-study.toml --output overview.png
    ///
    /// Example: fathom plot my-study.toml posterior --parameters rate,units --output model.pdf
    Plot(Plot),
    /// Write a study on one page of HTML: its state, pictures, proofs and trials. The page opens without a network.
    ///
    /// Example: fathom report my-study.toml --output report.html
    Report(Report),
    /// Show what the model of a study has learned: mean, noise, warp and lengthscales.
    ///
    /// Example: fathom model my-study.toml --output model.svg
    Model(Model),
    /// Copy a study to a new SQLite file, from wherever it is kept and whoever writes meanwhile.
    ///
    /// Example: fathom backup my-study.toml copy.db
    Backup(Backup),
    /// Examine where a study is kept, without changing anything.
    ///
    /// Exit code 0 if nothing is wrong, 1 with findings, 2 if it cannot be opened.
    ///
    /// Example: fathom check-store my-study.toml
    CheckStore(CheckStore),
    /// Optimise a test function in a few seconds: a study, a report and a picture in a new folder.
    ///
    /// Ends with the best point beside the true one, with what is proven, and with the command that checks it.
    ///
    /// Example: fathom demo branin
    Demo(Demo),
    /// Say what is installed: version, stores, cores, memory, solvers, and how to get what is missing.
    ///
    /// What is missing is optional, so the exit code is 0 without it.
    ///
    /// Example: fathom doctor
    Doctor(Doctor),
    /// Print completions for a shell.
    ///
    /// Example: fathom completions bash > fathom.bash && source fathom.bash
    Completions(Completions),
    /// Write the manual pages: one for each command, and one for all.
    ///
    /// Example: fathom man --output man1
    Man(Man),
}
