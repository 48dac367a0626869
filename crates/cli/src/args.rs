//! What can be typed.

mod audit;
mod completions;
mod count;
mod demo;
mod doctor;
mod export_model;
mod model;
mod pk;
mod plot;
mod proof;
mod solve;
mod study;

use clap::{Parser, Subcommand};

pub use audit::{Audit, Point};
pub use completions::Completions;
pub use demo::Demo;
pub use doctor::Doctor;
pub use export_model::{ExportModel, Format, Written};
pub use model::Model;
pub use plot::{Picture, Plot};
pub use proof::{Proof, Prove, Verify};
pub use solve::{Method, Near, Solve};
pub use study::{Ask, Backup, Best, CheckStore, Export, Import, New, Run, StudyFile, Tell, Trials};

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
    /// Example: fathom verify my-study.toml 30
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
    /// Example: fathom proof my-study.toml 30 --output t30.proof
    Proof(Proof),
    /// Write the paper's mixed-integer program of a problem, for any solver that reads LP or MPS files.
    ///
    /// Example: fathom export-model instances/prior_d1_rbf_r00.json --format lp --output model.lp
    ExportModel(ExportModel),
    /// Write a commented study file; on a terminal it asks for the parameters.
    ///
    /// Example: fathom new my-study.toml -p "rate 1e-5 1e-1 log" -p "units 1 64 int" -p "kind red,green"
    New(New),
    /// Run a study: suggest, evaluate, repeat. Goes on where it was left.
    ///
    /// Example: fathom run my-study.toml --workers 4 --trials 60
    Run(Run),
    /// Hand out trials to evaluate elsewhere.
    ///
    /// Example: fathom ask my-study.toml --json
    Ask(Ask),
    /// Tell a trial its value, or that it failed.
    ///
    /// Example: fathom tell my-study.toml 7 0.231
    Tell(Tell),
    /// Show the best trial, and what can still be gained.
    ///
    /// Example: fathom best my-study.toml
    Best(Best),
    /// List all trials.
    ///
    /// Example: fathom trials my-study.toml --csv
    Trials(Trials),
    /// Add experiments of the past from a CSV file with a column per parameter and `value`.
    ///
    /// Example: fathom import my-study.toml past.csv
    Import(Import),
    /// Write all trials as CSV.
    ///
    /// Example: fathom export my-study.toml trials.csv
    Export(Export),
    /// Draw a study as SVG or PNG.
    ///
    /// Example: fathom plot my-study.toml convergence --output convergence.png
    Plot(Plot),
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
    /// Optimise a test function, report, and draw a picture.
    ///
    /// Example: fathom demo branin
    Demo(Demo),
    /// Say what this machine offers: cores, memory, solvers, and how to get those that are missing.
    ///
    /// Solvers are optional, so the exit code is 0 without them.
    ///
    /// Example: fathom doctor
    Doctor(Doctor),
    /// Print completions for a shell.
    ///
    /// Example: fathom completions bash > /etc/bash_completion.d/fathom
    Completions(Completions),
}
