//! Whether bounds are bounds: random problems, random boxes, and each bound of each box by itself, before it is compared with a
//! value or with another bound, against the function as the checker knows it.
//!
//! Every kernel, alone or one for each input, and the piecewise-linear one; every acquisition function; rows; 1 to 20 inputs,
//! noise from 1e-10 to 1e-1, lengthscales from much shorter than the data's spacing to much longer than their spread, clusters
//! and exact duplicates; boxes from a width of 1e-12 to three times the data's, some flat in an input, around observations and
//! far from them. A box is bounded once, towards a cutoff that some of its points reach; every bound that is found on the way is
//! held against interval enclosures of the function at random points, at corners, and where descents end; so are the minorants at
//! each point, and what was cut away. A bound above the upper end of an enclosure is wrong, whatever rounding does.
//!
//! A problem depends on the seed and its number alone. `raw.csv` grows by the rows of a block of problems and a run can be taken
//! up again; the tables are made from it alone.

mod case;
mod check;
mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::evidence::{self, Run};
use anyhow::{Context as _, ensure};
use check::{BOXES, check};
use rayon::prelude::*;
use row::Tally;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// Problems whose rows are added up and written together.
const BLOCK: u64 = 2500;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Boxes to check, rounded up to whole blocks of problems.
    pub boxes: u64,
    /// Of all that is drawn.
    pub seed: u64,
    /// Threads, ≥ 1; the rows do not depend on them.
    pub threads: usize,
}

impl Default for Plan {
    /// As many boxes as the claim of soundness is made for.
    fn default() -> Self {
        Self { boxes: 1_000_000, seed: 0, threads: 1 }
    }
}

/// Checks the blocks of problems that `folder/raw.csv` does not hold yet, then makes the tables.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<String> {
    run_in_blocks(plan, folder, BLOCK)
}

fn run_in_blocks(plan: &Plan, folder: &Path, size: u64) -> anyhow::Result<String> {
    ensure!(plan.boxes > 0 && plan.threads > 0, "at least one box and one thread are needed");
    let (mut raw, done) = Run::<Row>::resume(folder)?;
    if let Some(other) = done.iter().find(|row| row.seed != plan.seed) {
        anyhow::bail!("this run was begun with seed {}: take it up with that one, or name another folder", other.seed);
    }
    write_readme(plan, folder)?;
    let known: BTreeSet<u64> = done.iter().map(|row| row.block).collect();
    let left: Vec<u64> = (0..plan.boxes.div_ceil(BOXES * size)).filter(|block| !known.contains(block)).collect();
    eprintln!("{} blocks of {size} problems are there, {} to do", known.len(), left.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let started = Instant::now();
    for (done, block) in left.iter().enumerate() {
        let problems = block * size..(block + 1) * size;
        let one = |problem: u64| check(plan.seed, problem);
        let tally = pool.install(|| problems.into_par_iter().map(one).reduce(Tally::default, Tally::merged));
        let rows = tally.rows(*block, plan.seed);
        let violations: u64 = rows.iter().map(|row| row.violations).sum();
        raw.push_all(&rows)?;
        let (elapsed, share) = (started.elapsed().as_secs_f64(), (done + 1) as f64 / left.len() as f64);
        let remaining = elapsed * (1.0 / share - 1.0);
        eprintln!("block {block}: {violations} violations, {elapsed:.0} s, about {remaining:.0} s left");
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
        "# Bounds of boxes, each by itself, against interval values of the function\n\n    \
         fathom-bench soundness FOLDER --boxes {boxes} --seed {seed}\n\n{}",
        row::LEGEND
    );
    std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Record as _;

    #[test]
    fn a_run_is_taken_up_with_the_same_rows_and_no_bound_is_too_high() {
        let folder = |name: &str| std::env::temp_dir().join(format!("fathom-soundness-{name}-{}", std::process::id()));
        let (whole, parts) = (folder("whole"), folder("parts"));
        let run = |boxes, threads, seed, folder: &Path| run_in_blocks(&Plan { boxes, seed, threads }, folder, 20);
        run(60 * BOXES, 2, 3, &whole).expect("a new folder");
        run(19 * BOXES, 1, 3, &parts).expect("a new folder");
        assert!(run(1, 1, 4, &parts).is_err(), "another seed is another run");
        let text = run(60 * BOXES, 1, 3, &parts).expect("taken up");
        let rows = |folder: &Path| -> Vec<String> {
            evidence::read::<Row>(folder).expect("just written").iter().map(Row::to_line).collect()
        };
        assert_eq!(rows(&whole), rows(&parts));
        assert!(text.starts_with("Bounds above the function: none.\n"), "{text}");
        for kind in ["multiplier", "moving", "expansion", "tilted", "minorant", "cut away"] {
            assert!(text.contains(&format!("| {kind} |")), "{kind}: {text}");
        }
        for folder in [whole, parts] {
            std::fs::remove_dir_all(folder).expect("the folder is ours");
        }
    }
}
