//! `fathom-bench`: one sub-command per table and figure.

use clap::{Parser, Subcommand};
use fathom_bench::{
    acquisitions, approximation, constraints, evidence, figures, fits, kernels, latency, misses, model, scaling,
    search, soundness,
};
use std::path::PathBuf;
use std::time::Duration;

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
    /// The certified search beside the yardstick on every problem of a folder, with proofs verified.
    ///
    /// Writes raw.csv and tables.md into a new folder.
    /// Example: fathom-bench search runs/today --instances instances
    Search {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// A folder of problems, one JSON file each.
        #[arg(long, required_unless_present = "tables")]
        instances: Option<PathBuf>,
        /// The yardstick's executable; without one only Fathom is timed.
        #[arg(long)]
        yardstick: Option<PathBuf>,
        /// A table `instance,best_known_lcb`.
        #[arg(long)]
        best_known: Option<PathBuf>,
        /// Absolute gap.
        #[arg(long, default_value_t = 1e-3)]
        gap: f64,
        /// Seconds for each solve.
        #[arg(long, default_value_t = 60)]
        time_limit: u64,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// Every acquisition function on every problem of a folder, certified, with proofs verified; beside the LCB.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench acquisitions runs/today --instances instances
    Acquisitions {
        /// The folder of this run.
        folder: PathBuf,
        /// A folder of problems, one JSON file each.
        #[arg(long, required_unless_present = "tables")]
        instances: Option<PathBuf>,
        /// Absolute gap; of log EI, a gap relative to EI.
        #[arg(long, default_value_t = 1e-3)]
        gap: f64,
        /// Seconds for each solve.
        #[arg(long, default_value_t = 20)]
        time_limit: u64,
        /// Solves of each.
        #[arg(long, default_value_t = 3)]
        repetitions: usize,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// Time and nodes against inputs, observations, lengthscale, gap, noise and kernel, as tables and plots.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench scaling runs/today-scaling
    Scaling {
        /// The folder of this run.
        folder: PathBuf,
        /// Seconds for each solve.
        #[arg(long, default_value_t = 60)]
        time_limit: u64,
        /// Problems drawn for each setting.
        #[arg(long, default_value_t = 5)]
        repetitions: usize,
        /// Only the settings that take milliseconds.
        #[arg(long)]
        quick: bool,
        /// Only make tables and plots again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// How long asking and telling takes on stores, and where the time goes.
    ///
    /// Writes raw.csv and tables.md into a new folder. Stores must exist or be files; PostgreSQL needs the feature
    /// `postgres`. Example: fathom-bench latency runs/today-latency --store sqlite:///tmp/latency.db
    Latency {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// Where to measure; may be given several times.
        #[arg(long, value_name = "URL", required_unless_present = "tables")]
        store: Vec<String>,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// What constraints cost, as a factor to the same problem without one.
    ///
    /// Writes raw.csv and tables.md into a new folder.
    /// Example: fathom-bench constraints runs/today-constraints --instances instances
    Constraints {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// A folder of problems, one JSON file each; the family `prior` is solved.
        #[arg(long, required_unless_present = "tables")]
        instances: Option<PathBuf>,
        /// Absolute gap.
        #[arg(long, default_value_t = 1e-3)]
        gap: f64,
        /// Seconds for each solve.
        #[arg(long, default_value_t = 60)]
        time_limit: u64,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// The same problems under a sum of kernels and under the piecewise-linear kernel, by the search and by solvers.
    ///
    /// Takes up a run that was cut short. SCIP's library is hosted by `fathom-scip`, beside this program.
    /// Example: fathom-bench kernels runs/today-kernels --instances instances
    Kernels {
        /// The folder of this run.
        folder: PathBuf,
        /// A folder of problems, one JSON file each; the family `prior` is solved.
        #[arg(long, required_unless_present = "tables")]
        instances: Option<PathBuf>,
        /// Absolute gap.
        #[arg(long, default_value_t = 1e-3)]
        gap: f64,
        /// Seconds for each solve.
        #[arg(long, default_value_t = 60)]
        time_limit: u64,
        /// Solves of each by the certified search.
        #[arg(long, default_value_t = 3)]
        repetitions: usize,
        /// Problems of a kind that solvers are asked about.
        #[arg(long, default_value_t = 10)]
        solved: usize,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// How often methods without a proof miss the certified minimum.
    ///
    /// Writes raw.csv and tables.md into a new folder.
    /// Example: fathom-bench misses runs/today-misses --instances instances
    Misses {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// A folder of problems, one JSON file each.
        #[arg(long, required_unless_present = "tables")]
        instances: Option<PathBuf>,
        /// Seconds for each certified minimum.
        #[arg(long, default_value_t = 60)]
        time_limit: u64,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
    /// Certified bounds of random boxes against the lowest values that can be found in them.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench soundness runs/today-soundness --boxes 2000
    Soundness {
        /// The folder of this run.
        folder: PathBuf,
        /// Boxes to check, 20 for each problem drawn.
        #[arg(long, default_value_t = 1_000_000)]
        boxes: u64,
        /// Of all that is drawn.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Problems checked at the same time.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
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
            println!("{}", model::report(&folder)?);
        }
        Command::Tables { folder } => println!("{}", model::report(&folder)?),
        Command::Search { folder, instances, yardstick, best_known, gap, time_limit, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                search::compare(&instances, yardstick.as_deref(), best_known.as_deref(), gap, time_limit, &folder)?;
            }
            println!("{}", search::report(&folder)?);
        }
        Command::Acquisitions { folder, instances, gap, time_limit, repetitions, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                acquisitions::run(&acquisitions::Plan { instances, gap, time_limit, repetitions }, &folder)?;
            }
            println!("{}", acquisitions::report(&folder)?);
        }
        Command::Kernels { folder, instances, gap, time_limit, repetitions, solved, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                kernels::run(&kernels::Plan { instances, gap, time_limit, repetitions, solved }, &folder)?;
            }
            println!("{}", kernels::report(&folder)?);
        }
        Command::Scaling { folder, time_limit, repetitions, quick, tables } => {
            let plan = scaling::Plan { time_limit: Duration::from_secs(time_limit), repetitions, quick };
            let written = if tables { scaling::report(&folder)? } else { scaling::run(&plan, &folder)? };
            for path in written {
                println!("{}", path.display());
            }
        }
        Command::Latency { folder, store, tables } => {
            println!("{}", if tables { latency::report(&folder)? } else { latency::run(&store, &folder)? });
        }
        Command::Constraints { folder, instances, gap, time_limit, tables } => {
            let text = match instances.filter(|_| !tables) {
                Some(instances) => constraints::run(&instances, gap, Duration::from_secs(time_limit), &folder)?,
                None => constraints::report(&folder)?,
            };
            println!("{text}");
        }
        Command::Misses { folder, instances, time_limit, tables } => {
            let text = match instances.filter(|_| !tables) {
                Some(instances) => misses::run(&instances, Duration::from_secs(time_limit), &folder)?,
                None => misses::report(&folder)?,
            };
            println!("{text}");
        }
        Command::Soundness { folder, boxes, seed, threads, tables } => {
            let plan = soundness::Plan { boxes, seed, threads };
            println!("{}", if tables { soundness::report(&folder)? } else { soundness::run(&plan, &folder)? });
        }
    }
    Ok(())
}
