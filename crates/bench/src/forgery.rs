//! Whether the checker can be fooled: honest proofs, changed as someone would who has read the checker.
//!
//! `fathom_forger` makes the proofs and the forgeries, and knows which claims are false. Every forgery depends on the seed, its
//! proof, its kind and its number alone.

use crate::experiment::Experiment;
use crate::table::{self, Measure, Trait, sum};
use anyhow::{Context as _, ensure};
use fathom_check::verify;
use fathom_forger::{Forger, Honest, Judgement, KINDS, ensure_coverage, judge};
use fathom_proof::Proof;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Forged files that are kept at most, for another checker.
const KEPT: u64 = 5_000;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Forge {
    /// Forgeries in all.
    #[arg(long, default_value_t = 100_000)]
    count: u64,
    /// Of all that is drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Proofs forged at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Keep all honest files and 5000 forged ones here, with an index.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// An honest proof and a kind of forgery.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Row {
    proof: String,
    kernel: String,
    acquisition: String,
    kind: String,    // what was changed beside the claim
    made: u64,       // forgeries that could be written down
    lies: u64,       // those whose claim is known to be false
    unreadable: u64, // refused by the reader
    refused: u64,    // refused by the checker
    held: u64,       // accepted, and the claim is true or cannot be told from the truth
    unknown: u64,    // accepted, and the truth is not known, as the forger changed the problem
    fooled: u64,     // accepted although the claim is false; must be 0
    panicked: u64,   // the checker stopped without an answer; must be 0
    seconds: f64,    // to forge, read, check and judge all of them
}

/// An honest proof, its place, how many there are, and forgeries of all of them together.
#[derive(Debug)]
pub struct Part {
    honest: Honest,
    at: u64,
    of: u64,
    count: u64,
}

impl Experiment for Forge {
    type Part = Part;
    type Row = Row;

    fn settings(&self) -> String {
        format!("count {}\nseed {}", self.count, self.seed)
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Part>> {
        let proofs = Honest::all(if quick { 9 } else { 1 })?;
        if !quick {
            ensure_coverage(&proofs)?;
        }
        if let Some(keep) = &self.keep {
            keep_honest(keep, &proofs)?;
        }
        let (of, count) = (proofs.len() as u64, if quick { self.count.min(3_000) } else { self.count });
        Ok(proofs.into_iter().zip(0..).map(|(honest, at)| Part { honest, at, of, count }).collect())
    }

    fn name(part: &Part) -> String {
        part.honest.name.clone()
    }

    fn part_of(row: &Row) -> String {
        row.proof.clone()
    }

    fn measure(&self, part: &Part, folder: &Path) -> anyhow::Result<Vec<Row>> {
        (0..KINDS.len()).map(|kind| self.forge(part, kind, folder)).collect()
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn tables(rows: &[Row]) -> String {
        let fooled: u64 = rows.iter().map(|row| row.fooled + row.panicked).sum();
        let count = if fooled == 0 { "none.".into() } else { fooled.to_string() };
        format!("False claims that were accepted, and panics: {count}\n") + &table::by_traits(rows, &TRAITS, &MEASURES)
    }

    fn is_refuted(rows: &[Row]) -> bool {
        rows.iter().any(|row| row.fooled + row.panicked > 0)
    }
}

/// What forgeries are told apart by.
const TRAITS: [Trait<Row>; 3] =
    [("kind", |row| &row.kind), ("kernel", |row| &row.kernel), ("function", |row| &row.acquisition)];

const MEASURES: [Measure<Row>; 8] = [
    ("forgeries", |rows| sum(rows, |row| row.made)),
    ("false claims", |rows| sum(rows, |row| row.lies)),
    ("refused by the reader", |rows| sum(rows, |row| row.unreadable)),
    ("refused by the checker", |rows| sum(rows, |row| row.refused)),
    ("accepted, not false", |rows| sum(rows, |row| row.held)),
    ("accepted, truth unknown", |rows| sum(rows, |row| row.unknown)),
    ("accepted and false", |rows| sum(rows, |row| row.fooled)),
    ("panics", |rows| sum(rows, |row| row.panicked)),
];

/// What became of one forgery, as the index of kept files calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unreadable,
    Refused,
    Accepted,
    Panicked,
}

impl Forge {
    /// Forgeries of one kind of one proof. Files that fool the checker are in `folder`.
    fn forge(&self, Part { honest, at, of, count }: &Part, kind: usize, folder: &Path) -> anyhow::Result<Row> {
        let start = Instant::now();
        let (kinds, what) = (KINDS.len() as u64, KINDS[kind].0);
        let (cell, cells, stream) = (kind as u64 * of + at, of * kinds, at * kinds + kind as u64);
        let own = count / cells + u64::from(cell < count % cells);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(stream);
        let (proof, kernel, acquisition) = (honest.name.clone(), honest.kernel.into(), honest.acquisition.into());
        let mut row = Row { proof, kernel, acquisition, kind: what.into(), ..Row::default() };
        let mut forger = Forger { rng, truth: honest.truth };
        for number in 0..own {
            let Some(bytes) = forger.forge(&honest.proof, kind) else { continue };
            let (judgement, fate) = check(honest, &bytes, &mut forger.rng);
            row.made += 1;
            row.lies += u64::from(judgement == Judgement::False);
            *match (fate, judgement) {
                (Fate::Unreadable, _) => &mut row.unreadable,
                (Fate::Refused, _) => &mut row.refused,
                (Fate::Panicked, _) => &mut row.panicked,
                (Fate::Accepted, Judgement::False) => &mut row.fooled,
                (Fate::Accepted, Judgement::NotFalse) => &mut row.held,
                (Fate::Accepted, Judgement::Unknown) => &mut row.unknown,
            } += 1;
            let is_hole = fate == Fate::Panicked || fate == Fate::Accepted && judgement == Judgement::False;
            let name = format!("{}-{}-{number}.proof", honest.name, what.replace(' ', "-"));
            if is_hole {
                let path = folder.join(&name);
                std::fs::write(&path, &bytes).with_context(|| format!("could not write {}", path.display()))?;
                eprintln!("a false claim is accepted, or the checker panicked: {}", path.display());
            }
            let is_sampled = (number * cells + stream).is_multiple_of(count.div_ceil(KEPT));
            if let Some(keep) = self.keep.as_deref().filter(|_| is_sampled || is_hole) {
                std::fs::write(keep.join("forged").join(&name), &bytes)?;
                let is_false = match judgement {
                    Judgement::False => "true",
                    Judgement::NotFalse => "false",
                    Judgement::Unknown => "unknown",
                };
                let verdict = format!("{fate:?}").to_lowercase();
                let mut index = File::options().append(true).open(keep.join("index.csv"))?;
                index.write_all(format!("forged/{name},{what},{is_false},{verdict}\n").as_bytes())?;
            }
        }
        row.seconds = (start.elapsed().as_secs_f64() * 1e4).round() / 1e4;
        Ok(row)
    }
}

fn check(honest: &Honest, bytes: &[u8], rng: &mut ChaCha8Rng) -> (Judgement, Fate) {
    let Ok(read) = catch_unwind(|| Proof::from_bytes(bytes)) else { return (Judgement::Unknown, Fate::Panicked) };
    let Ok(proof) = read else { return (Judgement::Unknown, Fate::Unreadable) };
    let known = (proof.statement == honest.proof.statement).then_some(honest.truth);
    let judgement = judge(&proof, known, rng);
    let fate = match catch_unwind(AssertUnwindSafe(|| verify(&proof).is_ok())) {
        Ok(true) => Fate::Accepted,
        Ok(false) => Fate::Refused,
        Err(_) => Fate::Panicked,
    };
    (judgement, fate)
}

/// Begins a folder of files for another checker, with an index.
fn keep_honest(folder: &Path, proofs: &[Honest]) -> anyhow::Result<()> {
    ensure!(!folder.join("index.csv").exists(), "{} is there already: name another folder", folder.display());
    for part in ["honest", "forged"] {
        std::fs::create_dir_all(folder.join(part)).with_context(|| format!("could not make {part}"))?;
    }
    let mut index = String::from("file,kind,is_false,verdict\n");
    for Honest { name, proof, .. } in proofs {
        std::fs::write(folder.join("honest").join(format!("{name}.proof")), proof.to_bytes()?)?;
        index += &format!("honest/{name}.proof,honest,false,accepted\n");
    }
    std::fs::write(folder.join("index.csv"), index).context("could not write the index")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_thousand_forgeries_fool_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = folder.path().join("kept");
        let plan = Forge { count: 3_000, seed: 5, threads: 1, keep: Some(keep.clone()) };
        let parts = plan.parts(true).expect("honest proofs");
        let rows = parts.iter().flat_map(|part| plan.measure(part, folder.path()).expect("forgeries"));
        let rows: Vec<Row> = rows.collect();
        assert!(!Forge::is_refuted(&rows), "{}", Forge::tables(&rows));
        let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
        let (made, lies) = (sum(|row| row.made), sum(|row| row.lies));
        assert!(made > 2_000 && lies > made / 2, "{made} {lies}");
        assert!(sum(|row| row.held) > 0, "no forgery is accepted: nothing but the reader is tested");
        let index = std::fs::read_to_string(keep.join("index.csv")).expect("kept");
        assert_eq!(index.lines().count() as u64, 1 + parts.len() as u64 + made);
        let fooled = [Row { fooled: 1, ..Row::default() }];
        assert!(
            Forge::is_refuted(&fooled)
                && Forge::tables(&fooled).starts_with("False claims that were accepted, and panics: 1\n")
        );
    }
}
