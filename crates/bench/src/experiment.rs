//! One shape for every experiment: a plan whose fields are options of the command, parts that are measured one by one into raw
//! data, and tables and pictures that are made from the raw data alone.
//!
//! A run can be cut short and taken up: parts that are there are not measured again.

use crate::chart::Picture;
use crate::raw::{self, Raw};
use anyhow::{Context as _, ensure};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is measured and shown.
pub(crate) trait Experiment: Sync {
    /// Whose rows belong together.
    type Part: Send + Sync;
    /// A line of the raw data.
    type Row: Serialize + DeserializeOwned + Send;

    /// What a run cannot be taken up with another value of.
    fn settings(&self) -> String;

    /// All parts, in the order in which a run cut short should have them; `quick` leaves out what takes long.
    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Self::Part>>;

    /// The name of a part among all of the run.
    fn name(part: &Self::Part) -> String;

    /// The name of the part that a row belongs to.
    fn part_of(row: &Self::Row) -> String;

    /// The rows of a part. Whatever else comes of it is kept in `folder`.
    fn measure(&self, part: &Self::Part, folder: &Path) -> anyhow::Result<Vec<Self::Row>>;

    /// Parts at the same time: one if something is timed.
    fn threads(&self) -> usize {
        1
    }

    /// `tables.md`.
    fn tables(rows: &[Self::Row]) -> String;

    /// The pictures, by name.
    fn pictures(_: &[Self::Row]) -> Vec<(&'static str, Picture)> {
        Vec::new()
    }

    /// Whether the rows show what must never be: a wrong bound, a false claim that was accepted.
    fn is_refuted(_: &[Self::Row]) -> bool {
        false
    }
}

/// How much of a run.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
#[group(multiple = false)]
pub struct Extent {
    /// Only what takes seconds.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Everything, which is the default.
    #[arg(long)]
    pub(crate) full: bool,
    /// Nothing: only tables and pictures again, from the folder's raw data alone.
    #[arg(long)]
    pub(crate) tables: bool,
}

/// An experiment and where its run is kept.
#[derive(clap::Args, Debug)]
pub struct Run<E: clap::Args> {
    /// The folder of this run; one that was cut short is taken up.
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) extent: Extent,
    #[command(flatten)]
    pub(crate) experiment: E,
}

impl<E: Experiment + clap::Args> Run<E> {
    /// Measures what is missing and prints the tables; whether nothing was found that must never be.
    pub fn go(&self) -> anyhow::Result<bool> {
        if !self.extent.tables {
            // A quick run may measure less of a part, so it is a run of its own.
            let quick = if self.extent.quick { "\nquick" } else { "" };
            settle(&self.folder, &(self.experiment.settings() + quick))?;
            measure(&self.experiment, self.extent.quick, &self.folder)?;
        }
        report::<E>(&self.folder)
    }
}

/// Writes down with what a run is made, or checks that it is taken up with the same.
fn settle(folder: &Path, settings: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    let path = folder.join("settings.txt");
    let text = format!("fathom-bench {}\n{settings}\n", env!("CARGO_PKG_VERSION"));
    match std::fs::read_to_string(&path) {
        Ok(known) => {
            ensure!(known == text, "{} holds a run with other settings: name another folder", path.display());
            Ok(())
        }
        Err(_) => std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display())),
    }
}

fn measure<E: Experiment>(experiment: &E, quick: bool, folder: &Path) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(experiment.threads()).build().context("starting threads")?;
    let parts = pool.install(|| experiment.parts(quick))?;
    let (raw, done) = Raw::<E::Row>::open(folder)?;
    let known: BTreeSet<String> = done.iter().map(E::part_of).collect();
    let left: Vec<&E::Part> = parts.iter().filter(|part| !known.contains(&E::name(part))).collect();
    eprintln!("{} of {} parts are there", parts.len() - left.len(), parts.len());
    let raw = Mutex::new(raw);
    let one = |part: &&E::Part| -> anyhow::Result<()> {
        let rows = experiment.measure(part, folder).with_context(|| E::name(part))?;
        raw.lock().expect("nobody panics while writing").push(&rows)?;
        eprintln!("{}", E::name(part));
        Ok(())
    };
    // One at a time from a shared queue, so that a run cut short has measured the first of them.
    pool.install(|| left.par_iter().with_max_len(1).try_for_each(one))?;
    raw::pack(folder)
}

/// Tables and pictures of the run in `folder`; whether nothing was found that must never be.
fn report<E: Experiment>(folder: &Path) -> anyhow::Result<bool> {
    let rows: Vec<E::Row> = raw::read(folder)?;
    let (path, text) = (folder.join("tables.md"), E::tables(&rows));
    std::fs::write(&path, &text).with_context(|| format!("could not write {}", path.display()))?;
    print!("{text}");
    for (name, picture) in E::pictures(&rows) {
        eprintln!("{}", picture.save(folder, name)?.display());
    }
    Ok(!E::is_refuted(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Step {
        part: u64,
        step: u64,
    }

    /// Counts what it measures.
    #[derive(clap::Args, Debug)]
    struct Count {
        #[arg(skip)]
        measured: AtomicU64,
        #[arg(skip)]
        parts: u64,
    }

    impl Experiment for Count {
        type Part = u64;
        type Row = Step;

        fn settings(&self) -> String {
            if self.parts == 0 { "none" } else { "some" }.into()
        }

        fn parts(&self, quick: bool) -> anyhow::Result<Vec<u64>> {
            Ok((0..if quick { 1 } else { self.parts }).collect())
        }

        fn name(part: &u64) -> String {
            part.to_string()
        }

        fn part_of(row: &Step) -> String {
            row.part.to_string()
        }

        fn measure(&self, part: &u64, _: &Path) -> anyhow::Result<Vec<Step>> {
            self.measured.fetch_add(1, Ordering::Relaxed);
            Ok((0..3).map(|step| Step { part: *part, step }).collect())
        }

        fn tables(rows: &[Step]) -> String {
            format!("{} rows\n", rows.len())
        }
    }

    #[test]
    fn a_run_is_taken_up_with_the_parts_that_it_lacks_and_with_its_own_settings_only() {
        let scratch = tempfile::tempdir().expect("a folder");
        let go = |parts: u64, extent: Extent| {
            let experiment = Count { measured: AtomicU64::new(0), parts };
            let run = Run { folder: scratch.path().into(), extent, experiment };
            run.go().map(|_| run.experiment.measured.into_inner())
        };
        let full = Extent::default();
        assert_eq!(go(1, full).expect("one part"), 1);
        assert_eq!(go(3, full).expect("three parts"), 2, "one is there");
        assert_eq!(go(3, Extent { tables: true, ..full }).expect("no part"), 0);
        assert_eq!(std::fs::read_to_string(scratch.path().join("tables.md")).expect("written"), "9 rows\n");
        let mut rows: Vec<Step> = raw::read(scratch.path()).expect("packed");
        rows.sort();
        assert_eq!(rows.len(), 9);
        for (parts, quick) in [(0, false), (3, true)] {
            let error = go(parts, Extent { quick, ..full }).expect_err("other settings").to_string();
            assert!(error.contains("settings.txt") && error.contains("another folder"), "{error}");
        }
    }
}
