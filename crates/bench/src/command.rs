//! What can be asked of `fathom-bench`.

use crate::arena::Arena;
use crate::experiment::{Extent, Run};
use crate::figures;
use crate::forgery::Forge;
use crate::index;
use crate::latency::Latency;
use crate::loops::Loops;
use crate::model::Model;
use crate::one_step::OneStep;
use crate::pays::Pays;
use crate::regret::Regret;
use crate::scaling::Scaling;
use crate::search::Search;
use crate::soundness::Soundness;
use crate::theory::Theory;
use std::path::PathBuf;

/// Reproduces the evidence behind Fathom's claims: tables, figures and timings.
///
/// Every experiment writes raw.csv.gz, tables.md and pictures into a folder, takes up a run that was cut short, and ends with 1
/// if it finds what must never be. Example: fathom-bench theory runs/today-theory --quick
#[derive(clap::Parser)]
#[command(name = "fathom-bench", version)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Everything that reproduces the paper, one after the other, each into a folder of its own: fathom-bench paper runs/today --quick
    Paper(Paper),
    /// Table 1 of the paper and the true error of its piecewise-linear kernels.
    Table1,
    /// Figures 1 and 2 of the paper.
    Figures {
        /// Where to write them.
        folder: PathBuf,
    },
    /// Tables 2, 3 and 5 of the paper: single acquisition functions, 1D to 5D, by every method.
    OneStep(Run<OneStep>),
    /// Figures 3 and 4 of the paper: Bayesian optimisation with every method to minimise the acquisition function.
    Loops(Run<Loops>),
    /// Theorem 4.3's bounds beside the real error of the piecewise-linear posterior, as its segments grow.
    Theory(Run<Theory>),
    /// Lemma 4.5's bound beside the regret on samples of a Gaussian process.
    Regret(Run<Regret>),
    /// Does it pay to minimise the acquisition function globally? Regret, and how many steps ended above a point that the certified search found.
    Pays(Run<Pays>),
    /// The certified search on every problem of a folder, with proofs verified.
    Search(Run<Search>),
    /// Time and nodes against inputs, observations, lengthscale, gap, noise and kernel.
    Scaling(Run<Scaling>),
    /// How long asking and telling takes on stores, and where the time goes.
    ///
    /// Stores must exist or be files; PostgreSQL needs the feature `postgres`.
    /// Example: fathom-bench latency runs/today-latency --store sqlite:///tmp/latency.db
    Latency(Run<Latency>),
    /// Time to fit, predict and update, beside scikit-learn on one thread.
    Model(Run<Model>),
    /// Whole studies of Fathom against rivals as they are shipped: regret, ranks, and whether what Fathom said was left to gain was true.
    ///
    /// Rivals are Python (crates/bench/arena). Example: fathom-bench arena runs/today-arena --set test --rival fathom --rival botorch --python VENV/bin/python
    Arena(Run<Arena>),
    /// Bounds of random boxes, each by itself, against interval values of the function at points of the boxes.
    Soundness(Run<Soundness>),
    /// Forges honest proofs in every way that a reader of the checker could think of; none may be accepted with a false claim.
    ///
    /// Files that fool the checker are in the folder. Example: fathom-bench forge runs/today-forgeries --seed 1
    Forge(Run<Forge>),
}

#[derive(clap::Args)]
struct Paper {
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
    /// Problems of each kernel in 1D and in 2D that SCIP solves too, for Tables 2, 3 and 5; up to 2 minutes of the processor a problem.
    #[arg(long, default_value_t = 0)]
    scip: u64,
}

impl Args {
    /// Does what was asked; whether nothing was found that must never be.
    pub fn run(self) -> anyhow::Result<bool> {
        match self.command {
            Command::Paper(paper) => paper.run(),
            Command::Table1 => {
                print!("{}", figures::tables()?);
                Ok(true)
            }
            Command::Figures { folder } => {
                figures::save_paper_figures(&folder)?.iter().for_each(|path| println!("{}", path.display()));
                Ok(true)
            }
            Command::OneStep(run) => run.go(),
            Command::Loops(run) => run.go(),
            Command::Theory(run) => run.go(),
            Command::Regret(run) => run.go(),
            Command::Pays(run) => run.go(),
            Command::Search(run) => run.go(),
            Command::Scaling(run) => run.go(),
            Command::Latency(run) => run.go(),
            Command::Model(run) => run.go(),
            Command::Arena(run) => run.go(),
            Command::Soundness(run) => run.go(),
            Command::Forge(run) => run.go(),
        }
    }
}

impl Paper {
    fn run(self) -> anyhow::Result<bool> {
        let Self { folder, extent, threads, svm, scip } = self;
        let loops = Loops { replications: 20, iterations: None, threads, svm };
        let one_step = OneStep { scip };
        index::write(&folder, extent, &one_step, &loops)?;
        print!("{}", figures::tables()?);
        figures::save_table_1(&folder.join("figures"))?;
        figures::save_paper_figures(&folder.join("figures"))?;
        let one_step = Run { folder: folder.join("one-step"), extent, experiment: one_step }.go()?;
        let loops = Run { folder: folder.join("loops"), extent, experiment: loops }.go()?;
        let pays = Run { folder: folder.join("pays"), extent, experiment: Pays { threads } }.go()?;
        let theory = Run { folder: folder.join("theory"), extent, experiment: Theory {} }.go()?;
        let regret = Run { folder: folder.join("regret"), extent, experiment: Regret {} }.go()?;
        Ok(one_step && loops && pays && theory && regret)
    }
}
