//! Figures 3 and 4 of the paper: Bayesian optimisation with each way to minimise the acquisition function.
//!
//! Everything but that is the same, and the paper's: Matérn 3/2 (Figure 4: RBF) with one lengthscale, for Hartmann and
//! Michalewicz a kernel for each input; σ_ε² = 1e-6; hyperparameters by ten starts within its bounds; inputs and outputs in
//! [0, 1]; the LCB with β_t = 0.2 D log 2t; min(10 D, 30) points at first, 10 for the support vector machine. They are
//! Sobol' points where the paper's are a Latin hypercube, and a seed has the same ones for all methods. The paper does not
//! say how many iterations follow; ours are in [`Setting`], with the most boxes that a certified minimisation may take.
//!
//! Each loop is a [`Study`](fathom_study::Study) in memory. Nothing is limited by time, so a rerun gives the same values.
//! A local method that ends at a point tried before is sent away from it, as every study does; where it cannot get away, or
//! ends where a constraint does not hold, it is stuck: the step is spent without an evaluation, and the next one has a larger
//! β.

mod play;
mod plots;
mod regrets;
mod row;
mod setting;
mod svm;
mod tables;

pub use row::Row;
pub use setting::Setting;
pub use svm::Svm;
pub use tables::tables;

use crate::contender::Contender;
use crate::evidence;
use crate::jobs::work;
use play::Loop;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Loops of each setting and contender; their seeds are 0, 1, ….
    pub replications: u64,
    /// Iterations, if fewer than a setting has.
    pub most_iterations: usize,
    /// Only settings with at most this many inputs.
    pub most_inputs: usize,
    /// Absolute gap of the certified search and of PK-MIQP, in outputs scaled to [0, 1].
    pub gap: f64,
    /// Loops at the same time.
    pub threads: usize,
    /// The support vector machine as a command that answers a line for each line; without one it is left out.
    pub svm: Option<String>,
}

impl Plan {
    /// Everything.
    pub fn full() -> Self {
        Self {
            replications: 20,
            most_iterations: usize::MAX,
            most_inputs: usize::MAX,
            gap: 1e-3,
            threads: 1,
            svm: None,
        }
    }

    /// For a look, in a minute.
    pub fn quick() -> Self {
        Self { replications: 2, most_iterations: 4, most_inputs: 2, ..Self::full() }
    }
}

/// Plays what `folder/raw.csv` does not hold yet, then makes tables and plots; the files written.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let svm = plan.svm.as_deref().map(Svm::start).transpose()?;
    let mut jobs = Vec::new();
    // Replications outermost, so that a run cut short has some of all.
    for seed in 0..plan.replications {
        for setting in Setting::ALL {
            let setting = Setting { iterations: setting.iterations.min(plan.most_iterations), ..setting };
            if setting.inputs() > plan.most_inputs || (setting.function.is_none() && svm.is_none()) {
                continue;
            }
            let contenders = Contender::ALL.into_iter().filter(|contender| setting.has(*contender));
            jobs.extend(contenders.map(|contender| Loop { plan, setting, contender, seed, svm: svm.as_ref() }));
        }
    }
    let Plan { gap, most_iterations, .. } = plan;
    let most = if *most_iterations == usize::MAX { "all".into() } else { most_iterations.to_string() };
    evidence::settle(folder, &format!("iterations {most}\nabsolute gap {gap:e}"))?;
    work(&jobs, plan.threads, folder)?;
    report(folder)
}

/// Makes `tables.md` and the plots of the run in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows: Vec<Row> = evidence::read(folder)?;
    let mut written = vec![evidence::write_tables(folder, &tables(&rows))?];
    for (name, kernel) in [("figure_3", "matern32"), ("figure_4", "rbf")] {
        if let Some(picture) = plots::draw(&rows, kernel) {
            written.extend(picture.save(folder, name)?);
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Record as _;

    #[test]
    fn loops_share_their_design_are_taken_up_and_repeat_themselves() {
        let folder = std::env::temp_dir().join(format!("fathom-loops-{}", std::process::id()));
        let plan = Plan { replications: 1, most_iterations: 2, most_inputs: 1, ..Plan::full() };
        let written = run(&plan, &folder).expect("small loops");
        assert_eq!(written.len(), 5, "tables and two figures");
        let rows: Vec<Row> = evidence::read(&folder).expect("just written");
        let designs: Vec<f64> =
            rows.iter().filter(|row| row.problem == "bumpy" && row.t == 0).filter_map(|row| row.value).collect();
        assert!(designs.len() == 2 * 8 && designs.iter().all(|value| *value == designs[0]), "{designs:?}");
        // Half of them gone, they come back as they were.
        evidence::rewrite(&folder, &rows[..rows.len() / 2]).expect("our folder");
        run(&Plan { threads: 2, ..plan }, &folder).expect("small loops");
        let again: Vec<Row> = evidence::read(&folder).expect("just written");
        let bare = |rows: &[Row]| -> Vec<String> {
            let mut lines: Vec<String> = rows.iter().map(|row| Row { seconds: 0.0, ..row.clone() }.to_line()).collect();
            lines.sort();
            lines
        };
        assert_eq!(bare(&again), bare(&rows), "whatever the threads");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
