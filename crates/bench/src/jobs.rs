//! Jobs of a run that can be cut short: each adds its rows at once, and what is there is not done again.

use crate::evidence::{self, Record, Run};
use crate::progress::Progress;
use anyhow::Context as _;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

/// One part of a run.
pub(crate) trait Job: Sync {
    /// What it measures.
    type Row: Record + Send;

    /// Its name among all jobs of the run.
    fn name(&self) -> String;

    /// Its rows, the last one of which says that it is complete.
    fn rows(&self) -> anyhow::Result<Vec<Self::Row>>;

    /// The job that a row belongs to, and whether it is its last.
    fn of(row: &Self::Row) -> (String, bool);
}

/// Does those of `jobs` that `folder/raw.csv` does not hold, `threads` at a time, in their order.
pub(crate) fn work<J: Job>(jobs: &[J], threads: usize, folder: &Path) -> anyhow::Result<()> {
    forget_torn::<J>(folder)?;
    let (raw, done) = Run::<J::Row>::resume(folder)?;
    let known: BTreeSet<String> = done.iter().map(|row| J::of(row).0).collect();
    let left: Vec<&J> = jobs.iter().filter(|job| !known.contains(&job.name())).collect();
    let progress = Progress::new(jobs.len(), jobs.len() - left.len());
    let raw = Mutex::new(raw);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("starting threads")?;
    let one = |job: &&J| -> anyhow::Result<()> {
        let rows = job.rows().with_context(|| job.name())?;
        raw.lock().expect("nobody panics while writing").push_all(&rows)?;
        progress.step(&job.name());
        Ok(())
    };
    // One at a time from a shared queue, so that a run cut short has done the first of them.
    pool.install(|| left.par_iter().with_max_len(1).try_for_each(one))
}

/// Takes out rows of jobs whose last row is missing.
fn forget_torn<J: Job>(folder: &Path) -> anyhow::Result<()> {
    if !folder.join("raw.csv").exists() {
        return Ok(());
    }
    let rows = evidence::read::<J::Row>(folder)?;
    let whole: BTreeSet<String> = rows.iter().map(J::of).filter(|(_, last)| *last).map(|(name, _)| name).collect();
    let before = rows.len();
    let kept: Vec<J::Row> = rows.into_iter().filter(|row| whole.contains(&J::of(row).0)).collect();
    if kept.len() < before { evidence::rewrite(folder, &kept) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::record;

    record! {
        /// A step of a job.
        pub struct Step {
            /// The job.
            pub job: u64,
            /// Its number, from 0.
            pub step: u64,
        }
    }

    struct Count(u64);

    impl Job for Count {
        type Row = Step;

        fn name(&self) -> String {
            self.0.to_string()
        }

        fn rows(&self) -> anyhow::Result<Vec<Step>> {
            Ok((0..3).map(|step| Step { job: self.0, step }).collect())
        }

        fn of(row: &Step) -> (String, bool) {
            (row.job.to_string(), row.step == 2)
        }
    }

    #[test]
    fn a_torn_job_is_done_again_and_a_whole_one_is_not() {
        let folder = std::env::temp_dir().join(format!("fathom-jobs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        std::fs::write(folder.join("raw.csv"), "job,step\n7,0\n7,1\n8,0\n8,1\n8,2\n9,").expect("our folder");
        work(&[Count(7), Count(8), Count(9)], 2, &folder).expect("small jobs");
        let mut rows = evidence::read::<Step>(&folder).expect("just written");
        assert_eq!(rows[..3], [0, 1, 2].map(|step| Step { job: 8, step }), "what is whole stays where it is");
        rows.sort_by_key(|row| (row.job, row.step));
        let all: Vec<Step> = [7, 8, 9].into_iter().flat_map(|job| (0..3).map(move |step| Step { job, step })).collect();
        assert_eq!(rows, all);
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
