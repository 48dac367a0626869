//! What can be asked of `fathom-bench`.

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Reproduces the evidence behind Fathom's claims: tables, figures and timings.
#[derive(Parser)]
#[command(name = "fathom-bench", version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
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
    /// Figures 1 and 2 of the paper, as SVG and PNG.
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
    /// Does it pay to minimise the acquisition function globally? Regret, and how many steps ended above a point that the certified search found.
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
    /// Bounds of random boxes, each by itself, against interval values of the function at points of the boxes.
    ///
    /// Takes up a run that was cut short. Example: fathom-bench soundness runs/today-soundness --boxes 50000
    Soundness {
        /// The folder of this run.
        folder: PathBuf,
        /// Boxes to check, 20 for each problem drawn; whole blocks of 2,500 problems.
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
    /// Forges honest proofs in every way that a reader of the checker could think of; none may be accepted with a false claim.
    ///
    /// Writes raw.csv and tables.md into a new folder, and ends with 1 if a false claim is accepted, its file beside them.
    /// Example: fathom-bench forge runs/today-forgeries --count 100000 --seed 1
    Forge {
        /// The folder of this run; must not hold one yet.
        folder: PathBuf,
        /// Forgeries in all.
        #[arg(long, default_value_t = 100_000)]
        count: u64,
        /// Of all that is drawn.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Forgeries checked at the same time.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Keep all honest files and 5000 forged ones here, with an index.
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        /// Only make tables.md again, from the folder's raw.csv alone.
        #[arg(long)]
        tables: bool,
    },
}

/// How much of a run.
#[derive(clap::Args, Clone, Copy)]
#[group(required = true, multiple = false)]
pub struct Extent {
    /// What takes seconds.
    #[arg(long)]
    pub quick: bool,
    /// Everything.
    #[arg(long)]
    pub full: bool,
    /// Nothing: only tables and plots again, from the folder's raw.csv alone.
    #[arg(long)]
    pub tables: bool,
}
