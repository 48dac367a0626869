//! Whether bounds are bounds: random problems, random boxes, and in each box the lowest value that can be found.
//!
//! Every kernel of a distance, alone or one for each input, 1 to 20 inputs, LCB, mean, −σ and EI, noise from 1e-10 to
//! 1e-1, lengthscales from much shorter than the data's spacing to much longer than their spread, clusters and exact
//! duplicates; boxes from a
//! width of 1e-12 to three times the data's, half of them drawn from 1e-2 up, some flat in an input, around observations
//! and far from them. A box is searched with a gap of nothing and fewer than 60 nodes, every other one with its root
//! alone, and the certified bound is held against samples, corners, the observations within, and descents by code that
//! the search does not have.
//!
//! A problem depends on the seed and its number alone. `raw.csv` grows by a row a problem and a run can be taken up
//! again; the tables are made from it alone.

mod case;
mod check;
mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::evidence::{self, Run};
use anyhow::{Context as _, ensure};
use check::BOXES;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Problems between two looks at the clock; enough to keep a few cores busy.
const BATCH: usize = 64;

/// Between two lines of progress.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Boxes to check, rounded up to whole problems.
    pub boxes: u64,
    /// Of all that is drawn.
    pub seed: u64,
    /// Threads, ≥ 1; the rows do not depend on them, but for the seconds.
    pub threads: usize,
}

impl Default for Plan {
    /// As many boxes as the claim of soundness is made for.
    fn default() -> Self {
        Self { boxes: 1_000_000, seed: 0, threads: 1 }
    }
}

/// Checks the problems that `folder/raw.csv` does not hold yet, adding each row as it comes, then makes the tables.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<String> {
    ensure!(plan.boxes > 0 && plan.threads > 0, "at least one box and one thread are needed");
    let (mut raw, done) = Run::<Row>::resume(folder)?;
    if let Some(other) = done.iter().find(|row| row.seed != plan.seed) {
        anyhow::bail!("this run was begun with seed {}: take it up with that one, or name another folder", other.seed);
    }
    write_readme(plan, folder)?;
    let known: BTreeSet<u64> = done.iter().map(|row| row.problem).collect();
    let left: Vec<u64> = (0..plan.boxes.div_ceil(BOXES)).filter(|problem| !known.contains(problem)).collect();
    eprintln!("{} problems of {BOXES} boxes are there, {} to do", done.len(), left.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let mut progress = Progress::new(left.len());
    for batch in left.chunks(BATCH) {
        let check = |problem: &u64| check::check(plan.seed, *problem);
        let rows: Vec<Row> = pool.install(|| batch.par_iter().map(check).collect());
        for row in &rows {
            raw.push(row)?;
        }
        progress.tell(&rows);
    }
    report(folder)
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// What was run and what the rows mean; what someone wrote there is left alone.
fn write_readme(plan: &Plan, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("README.md");
    if path.exists() {
        return Ok(());
    }
    let Plan { boxes, seed, .. } = plan;
    let text = format!(
        "# Certified bounds against the lowest values found\n\n    \
         fathom-bench soundness FOLDER --boxes {boxes} --seed {seed}\n\n{}",
        row::LEGEND
    );
    std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
}

/// Where a run stands, on stderr.
struct Progress {
    started: Instant,
    told: Instant,
    total: usize,
    checked: usize,
    violations: u64,
}

impl Progress {
    fn new(total: usize) -> Self {
        Self { started: Instant::now(), told: Instant::now(), total, checked: 0, violations: 0 }
    }

    fn tell(&mut self, rows: &[Row]) {
        self.checked += rows.len();
        self.violations += rows.iter().map(|row| row.violations).sum::<u64>();
        for row in rows.iter().filter(|row| row.violations > 0) {
            eprintln!("problem {}: a bound {:e} too high", row.problem, row.excess.unwrap_or(f64::NAN));
        }
        if self.told.elapsed() < PATIENCE && self.checked < self.total {
            return;
        }
        self.told = Instant::now();
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = elapsed * (self.total as f64 / self.checked as f64 - 1.0);
        eprintln!(
            "{} of {} problems, {} violations, {elapsed:.0} s, about {left:.0} s left",
            self.checked, self.total, self.violations
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Record as _;

    #[test]
    fn a_run_is_taken_up_with_the_same_rows_and_no_bound_is_too_high() {
        let folder = |name: &str| std::env::temp_dir().join(format!("fathom-soundness-{name}-{}", std::process::id()));
        let (whole, parts) = (folder("whole"), folder("parts"));
        let plan = |boxes, threads| Plan { boxes, seed: 3, threads };
        run(&plan(6 * BOXES, 2), &whole).expect("a new folder");
        run(&plan(2 * BOXES - 1, 1), &parts).expect("a new folder");
        assert!(run(&Plan { seed: 4, ..plan(1, 1) }, &parts).is_err(), "another seed is another run");
        let text = run(&plan(6 * BOXES, 1), &parts).expect("taken up");
        let rows = |folder: &Path| -> Vec<String> {
            let rows = evidence::read::<Row>(folder).expect("just written");
            rows.into_iter().map(|row| Row { seconds: 0.0, ..row }.to_line()).collect()
        };
        assert_eq!(rows(&whole), rows(&parts));
        assert_eq!(rows(&parts).len(), 6);
        assert!(text.contains("rounding explains (must be none): none."), "{text}");
        assert!(parts.join("README.md").exists());
        for folder in [whole, parts] {
            std::fs::remove_dir_all(folder).expect("the folder is ours");
        }
    }
}
