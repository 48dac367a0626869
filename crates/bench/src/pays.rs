//! Does it pay to minimise the acquisition function globally? (The question of Georgiou et al., 2025.)
//!
//! Bayesian optimisation with the certified search, with multi-start and with one start, on the same designs and models, at
//! an exploitative and an explorative β, the same at every iteration. Every step of the two that prove nothing is beside the
//! certified minimum of its own acquisition function: a twin study with the same trials is asked for its suggestion, and by
//! how much that one's value is lower, the step is suboptimal at least, as evaluated in floating point. Values are in outputs
//! scaled to [0, 1].
//!
//! Matérn 3/2 with one lengthscale, all else as in [`loops`](crate::loops). Nothing is limited by time.

mod play;
mod plots;
mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::contender::Contender;
use crate::evidence;
use crate::jobs::work;
use fathom_study::Function;
use play::Loop;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Loops of each kind; their seeds are 0, 1, ….
    pub replications: u64,
    /// After the initial design.
    pub iterations: usize,
    /// How many of [`FUNCTIONS`], the first ones.
    pub functions: usize,
    /// Absolute gap of the certified minima.
    pub gap: f64,
    /// The most boxes of each.
    pub node_limit: u64,
    /// Loops at the same time.
    pub threads: usize,
}

impl Plan {
    /// Everything.
    pub const FULL: Self =
        Self { replications: 20, iterations: 25, functions: FUNCTIONS.len(), gap: 1e-3, node_limit: 5_000, threads: 1 };
    /// For a look, in seconds.
    pub const QUICK: Self = Self { replications: 1, iterations: 3, functions: 1, ..Self::FULL };
}

/// From one to three inputs.
pub const FUNCTIONS: [Function; 4] = [Function::Bumpy, Function::Branin, Function::Ackley, Function::Hartmann3];

/// β: κ = 0.3 stays close to the best point, κ = 2 looks where little is known.
pub const BETAS: [f64; 2] = [0.09, 4.0];

/// Who is compared.
pub const CONTENDERS: [Contender; 3] = [Contender::LbfgsB, Contender::MultiStart, Contender::Certified];

/// Plays what `folder/raw.csv` does not hold yet, then makes tables and plots; the files written.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut jobs = Vec::new();
    // Replications outermost, so that a run cut short has some of all.
    for seed in 0..plan.replications {
        for function in FUNCTIONS.into_iter().take(plan.functions) {
            for beta in BETAS {
                jobs.extend(CONTENDERS.map(|contender| Loop { plan, function, beta, contender, seed }));
            }
        }
    }
    let Plan { iterations, gap, node_limit, .. } = plan;
    evidence::settle(folder, &format!("iterations {iterations}\nabsolute gap {gap:e}\nnode limit {node_limit}"))?;
    work(&jobs, plan.threads, folder)?;
    report(folder)
}

/// Makes `tables.md` and the plot of the run in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows: Vec<Row> = evidence::read(folder)?;
    let mut written = vec![evidence::write_tables(folder, &tables(&rows))?];
    written.extend(plots::draw(&rows).save(folder, "regret")?);
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_is_better_than_the_certified_minimum_allows() {
        let folder = std::env::temp_dir().join(format!("fathom-pays-{}", std::process::id()));
        assert_eq!(run(&Plan::QUICK, &folder).expect("small loops").len(), 3);
        let rows: Vec<Row> = evidence::read(&folder).expect("just written");
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(rows.len(), BETAS.len() * CONTENDERS.len() * (1 + Plan::QUICK.iterations));
        let steps: Vec<&Row> = rows.iter().filter(|row| row.t > 0 && row.value.is_some()).collect();
        assert!(steps.iter().all(|row| row.at_most.is_some_and(|most| most >= -1e-9)), "{steps:?}");
        let gap = Plan::QUICK.gap * (1.0 + 1e-9);
        assert!(
            steps.iter().filter(|row| row.method == "certified").all(|row| row.at_most.is_some_and(|most| most <= gap))
        );
        assert!(steps.iter().any(|row| row.method == "l-bfgs-b" && row.at_least.is_some_and(|least| least > gap)));
    }
}
