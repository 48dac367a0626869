//! `fathom-bench`: one sub-command per table and figure.

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use fathom_bench::{approximation, evidence, figures, fits, model};
use std::path::{Path, PathBuf};

/// Reproduces the evidence behind Fathom's claims: tables, figures and timings.
#[derive(Parser)]
#[command(name = "fathom-bench", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Table 1 of the paper and the true error of its piecewise-linear kernels.
    ///
    /// Example: fathom-bench table1
    Table1,
    /// Figures 1 (left) and 2 of the paper, as SVG and PNG.
    ///
    /// Example: fathom-bench figures docs/figures
    Figures {
        /// Where to write them.
        folder: PathBuf,
    },
    /// Theorem 4.3's bounds beside the real error of the piecewise-linear posterior.
    ///
    /// Example: fathom-bench theory
    Theory,
    /// The likelihoods of the twenty reference fits, beside scikit-learn's.
    ///
    /// Example: fathom-bench fits
    Fits,
    /// Time to fit, predict and update, beside scikit-learn on one thread.
    ///
    /// Writes raw.csv and tables.md into a new folder. Example: fathom-bench model runs/today --python python3
    Model {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// A Python interpreter with scikit-learn; without one only Fathom is timed.
        #[arg(long)]
        python: Option<PathBuf>,
        /// Only the sizes that take seconds.
        #[arg(long)]
        quick: bool,
    },
    /// Makes tables.md of a run again, from its raw.csv alone.
    ///
    /// Example: fathom-bench tables runs/today
    Tables {
        /// The folder of the run.
        folder: PathBuf,
    },
}

fn main() -> std::process::ExitCode {
    match run(Args::parse().command) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Table1 => {
            println!("{}\n{}", approximation::table_1()?, approximation::error_table()?);
        }
        Command::Figures { folder } => {
            for path in figures::save_paper_figures(&folder)? {
                println!("{}", path.display());
            }
        }
        Command::Theory => println!("{}", approximation::bound_table()?),
        Command::Fits => print!("{}", fits::table()?),
        Command::Model { folder, python, quick } => {
            let mut run = evidence::Run::create(&folder)?;
            model::run(python.as_deref(), quick, &mut run)?;
            println!("{}", write_tables(&folder)?);
        }
        Command::Tables { folder } => println!("{}", write_tables(&folder)?),
    }
    Ok(())
}

fn write_tables(folder: &Path) -> anyhow::Result<String> {
    let table = model::table(&evidence::read(folder)?);
    let path = folder.join("tables.md");
    std::fs::write(&path, &table).with_context(|| format!("could not write {}", path.display()))?;
    Ok(table)
}
