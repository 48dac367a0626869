//! Tables 2, 3 and 5 of the paper: single acquisition functions of models conditioned on samples of their prior.
//!
//! Problems are drawn by the rule of `instances/prior_*`, with N = min(10 D, 30) and the LCB at κ = √(0.2 D log 2(N + 1)). The paper's five
//! methods start once at the origin with its settings; multi-start and the certified search are rows that it lacks. PK-MIQP
//! is Algorithm 1 with the certified search in Gurobi's place: with our repair of K̃, which loses no point, once to
//! the gap of the plan and once to the paper's 50 %. The additive one is fitted to the same data with a kernel for each input
//! and minimised group by group; the fit is not timed, and the value is the problem's own function at that point.
//!
//! Seconds are those of building the problem from a posterior and minimising it, on one thread.

mod paper;
mod row;
mod solve;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::contender::Contender;
use crate::evidence;
use crate::jobs::{Job, work};
use crate::prior_sample::PriorSample;
use fathom_gp::Kernel;
use std::path::Path;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The most inputs, from 1.
    pub inputs: usize,
    /// Problems of each number of inputs and kernel.
    pub replications: u64,
    /// Absolute gap of the certified search and of PK-MIQP.
    pub gap: f64,
}

impl Plan {
    /// As in the paper.
    pub const FULL: Self = Self { inputs: 5, replications: 20, gap: 1e-3 };
    /// For a look, in seconds.
    pub const QUICK: Self = Self { inputs: 2, replications: 2, gap: 1e-3 };
}

/// The paper's two kernels, as raw files call them.
const KERNELS: [(&str, Kernel); 2] = [("matern32", Kernel::Matern32), ("rbf", Kernel::Rbf)];

/// Measures what `folder/raw.csv` does not hold yet, one solve at a time; the tables.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<String> {
    let mut jobs = Vec::new();
    // Replications outermost, so that a run cut short has some of all.
    for replication in 0..plan.replications {
        for d in 1..=plan.inputs {
            for (kernel, _) in KERNELS {
                jobs.push(Task { kernel, d, replication, gap: plan.gap });
            }
        }
    }
    evidence::settle(folder, &format!("absolute gap {:e}", plan.gap))?;
    work(&jobs, 1, folder)?;
    report(folder)
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// One problem, by every contender.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Task {
    kernel: &'static str,
    d: usize,
    replication: u64,
    gap: f64,
}

impl Task {
    fn sample(&self) -> PriorSample {
        let kernel = KERNELS.iter().find(|(name, _)| *name == self.kernel).expect("one of the two").1;
        let (d, n) = (self.d, (10 * self.d).min(30));
        PriorSample { kernel, d, n, lengthscale: None, noise: 1e-6, seed: 1000 * d as u64 + self.replication }
    }
}

impl Job for Task {
    type Row = Row;

    fn name(&self) -> String {
        format!("{}D {} {}", self.d, self.kernel, self.replication)
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let (posterior, lengthscale) = self.sample().draw()?;
        Contender::ALL.into_iter().map(|contender| self.row(contender, &posterior, lengthscale)).collect()
    }

    fn of(row: &Row) -> (String, bool) {
        let last = Contender::ALL[Contender::ALL.len() - 1].name();
        (format!("{}D {} {}", row.d, row.kernel, row.replication), row.method == last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_ends_below_the_certified_bound_and_reruns_agree() {
        let plan = Plan { inputs: 2, replications: 1, gap: 1e-3 };
        let [first, second] = ["once", "again"].map(|name| {
            let folder = std::env::temp_dir().join(format!("fathom-one-step-{name}-{}", std::process::id()));
            run(&plan, &folder).expect("small problems");
            let rows = evidence::read::<Row>(&folder).expect("just written");
            std::fs::remove_dir_all(folder).expect("the folder is ours");
            rows
        });
        assert_eq!(first.len(), 4 * Contender::ALL.len());
        for (row, same) in first.iter().zip(&second) {
            assert_eq!((row.value, row.lower_bound, row.nodes), (same.value, same.lower_bound, same.nodes));
            let of_same_problem = |other: &&Row| Task::of(other).0 == Task::of(row).0 && other.method == "certified";
            let certified = first.iter().find(of_same_problem).expect("all contenders are there");
            assert!(certified.status == "optimal" && certified.lower_bound.is_some_and(|bound| row.value >= bound));
        }
    }
}
