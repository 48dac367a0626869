//! `fathom-bench`: one sub-command per table and figure.

use clap::{Parser, Subcommand};
use fathom_bench::{
    acquisitions, approximation, constraints, evidence, figures, fits, kernels, latency, loops, misses, model,
    one_step, pays, regret, scaling, search, soundness, theory,
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
    /// Everything that reproduces the paper, one after the other, each into a folder of its own.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench paper runs/today --quick
    Paper {
        /// The folder of these runs.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
        /// Loops at the same time; what is timed runs alone.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// The support vector machine, a command that answers a line for each line; without it that panel is left out.
        #[arg(long)]
        svm: Option<String>,
    },
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
    /// Theorem 4.3's bounds beside the real error of the piecewise-linear posterior, as its segments grow.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench theory runs/today-theory --full
    Theory {
        /// The folder of this run.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
    },
    /// Lemma 4.5's bound beside the regret on samples of a Gaussian process.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench regret runs/today-regret --full
    Regret {
        /// The folder of this run.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
    },
    /// Does it pay to minimise the acquisition function globally? Regret, and how many steps were provably suboptimal.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench pays runs/today-pays --full
    Pays {
        /// The folder of this run.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
        /// Loops at the same time.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
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
    /// Tables 2, 3 and 5 of the paper: single acquisition functions, 1D to 5D, by every method.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench one-step runs/today-one-step --full
    OneStep {
        /// The folder of this run.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
    },
    /// Figures 3 and 4 of the paper: Bayesian optimisation with every method to minimise the acquisition function.
    ///
    /// Takes up a run that was cut short.
    /// Example: fathom-bench loops runs/today-loops --full --svm "python3 examples/svm/svm.py --serve --samples 500"
    Loops {
        /// The folder of this run.
        folder: PathBuf,
        #[command(flatten)]
        extent: Extent,
        /// Loops at the same time.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// The support vector machine, a command that answers a line for each line; without it that panel is left out.
        #[arg(long)]
        svm: Option<String>,
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

/// How much of a run.
#[derive(clap::Args, Clone, Copy)]
#[group(required = true, multiple = false)]
struct Extent {
    /// What takes seconds.
    #[arg(long)]
    quick: bool,
    /// Everything.
    #[arg(long)]
    full: bool,
    /// Nothing: only tables and plots again, from the folder's raw.csv alone.
    #[arg(long)]
    tables: bool,
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
        Command::Paper { folder, extent, threads, svm } => {
            list(&figures::save_paper_figures(&folder.join("figures"))?);
            for command in [
                Command::Table1,
                Command::OneStep { folder: folder.join("one-step"), extent },
                Command::Loops { folder: folder.join("loops"), extent, threads, svm },
                Command::Pays { folder: folder.join("pays"), extent, threads },
                Command::Theory { folder: folder.join("theory"), extent },
                Command::Regret { folder: folder.join("regret"), extent },
            ] {
                run(command)?;
            }
        }
        Command::Table1 => {
            println!("{}\n{}", approximation::table_1()?, approximation::error_table()?);
        }
        Command::Figures { folder } => {
            list(&figures::save_paper_figures(&folder)?);
        }
        Command::Theory { folder, extent } => {
            list(&if extent.tables { theory::report(&folder)? } else { theory::run(extent.quick, &folder)? });
        }
        Command::Regret { folder, extent } => {
            let plan = if extent.full { regret::Plan::FULL } else { regret::Plan::QUICK };
            list(&if extent.tables { regret::report(&folder)? } else { regret::run(&plan, &folder)? });
        }
        Command::Pays { folder, extent, threads } => {
            let plan = if extent.full { pays::Plan::FULL } else { pays::Plan::QUICK };
            let plan = pays::Plan { threads, ..plan };
            list(&if extent.tables { pays::report(&folder)? } else { pays::run(&plan, &folder)? });
        }
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
            list(&written);
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
        Command::OneStep { folder, extent } => {
            let plan = if extent.full { one_step::Plan::FULL } else { one_step::Plan::QUICK };
            println!("{}", if extent.tables { one_step::report(&folder)? } else { one_step::run(&plan, &folder)? });
        }
        Command::Loops { folder, extent, threads, svm } => {
            let plan = if extent.full { loops::Plan::full() } else { loops::Plan::quick() };
            let plan = loops::Plan { threads, svm, ..plan };
            list(&if extent.tables { loops::report(&folder)? } else { loops::run(&plan, &folder)? });
        }
        Command::Soundness { folder, boxes, seed, threads, tables } => {
            let plan = soundness::Plan { boxes, seed, threads };
            println!("{}", if tables { soundness::report(&folder)? } else { soundness::run(&plan, &folder)? });
        }
    }
    Ok(())
}

fn list(written: &[PathBuf]) {
    for path in written {
        println!("{}", path.display());
    }
}
