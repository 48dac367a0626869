//! Whether the checker can be fooled: honest proofs, forged.
//!
//! `honest` makes proofs that cover the format between them, `truth` knows what is true of their problems, and of problems that a
//! forger makes up, by means that the checker does not share, and `forger` changes the proofs. A forgery depends on the seed, its
//! proof, its kind and its number alone.

mod forger;
mod honest;
mod row;
mod tables;
mod truth;

pub use row::Row;
pub use tables::tables;

use crate::evidence::{self, Run};
use anyhow::{Context as _, ensure};
use fathom_check::verify;
use fathom_proof::Proof;
use forger::{Forger, KINDS};
use honest::Honest;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;
use truth::{Judgement, judge};

/// Forged files that are kept at most, for another checker.
const KEPT: u64 = 5_000;

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Forgeries in all.
    pub count: u64,
    /// Of all that is drawn.
    pub seed: u64,
    /// Threads, ≥ 1; the rows do not depend on them, but for the seconds.
    pub threads: usize,
    /// Where to keep honest files and a sample of forged ones.
    pub keep: Option<PathBuf>,
    /// Every so many honest proofs; 1 is all of them.
    pub stride: usize,
}

/// What became of one forgery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unreadable,
    Refused,
    Accepted,
    Panicked,
}

/// A forged file, what is true of it, and what became of it.
struct Forged {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
    judgement: Judgement,
    fate: Fate,
}

impl Forged {
    fn is_hole(&self) -> bool {
        self.fate == Fate::Panicked || self.fate == Fate::Accepted && self.judgement == Judgement::False
    }

    /// Its line in the index of kept files.
    fn line(&self) -> String {
        let is_false = match self.judgement {
            Judgement::False => "true",
            Judgement::NotFalse => "false",
            Judgement::Unknown => "unknown",
        };
        let verdict = match self.fate {
            Fate::Unreadable => "unreadable",
            Fate::Refused => "refused",
            Fate::Accepted => "accepted",
            Fate::Panicked => "panicked",
        };
        format!("forged/{},{},{is_false},{verdict}\n", self.name, self.kind)
    }
}

/// Forges, checks, and writes `raw.csv`, `README.md` and `tables.md`; how many false claims were accepted. Their files are in the
/// folder.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<u64> {
    ensure!(plan.count > 0 && plan.threads > 0 && plan.stride > 0, "at least one forgery and one thread are needed");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let proofs = pool.install(|| honest::all(plan.stride))?;
    if plan.stride == 1 {
        honest::ensure_coverage(&proofs)?;
    }
    eprintln!("{} honest proofs", proofs.len());
    let mut raw = Run::<Row>::create(folder)?;
    let readme = format!(
        "# Forged proofs\n\n    fathom-bench forge FOLDER --count {} --seed {}\n\n{}",
        plan.count,
        plan.seed,
        row::LEGEND
    );
    std::fs::write(folder.join("README.md"), readme).context("could not write README.md")?;
    let mut keeper = plan.keep.as_deref().map(|keep| Keeper::new(keep, &proofs)).transpose()?;
    let cells = proofs.len() * KINDS.len();
    let mut holes = 0;
    for (at, honest) in proofs.iter().enumerate() {
        let one = |kind: usize| {
            let (cell, cells) = ((kind * proofs.len() + at) as u64, cells as u64);
            let count = plan.count / cells + u64::from(cell < plan.count % cells);
            forge(honest, kind, plan.seed, (at * KINDS.len() + kind) as u64, count)
        };
        let found: Vec<(Row, Vec<Forged>)> = pool.install(|| (0..KINDS.len()).into_par_iter().map(one).collect());
        for (row, forged) in &found {
            raw.push(row)?;
            for file in forged.iter().filter(|file| file.is_hole()) {
                holes += 1;
                let path = folder.join(&file.name);
                std::fs::write(&path, &file.bytes).with_context(|| format!("could not write {}", path.display()))?;
                eprintln!("a false claim is accepted, or the checker panicked: {}", path.display());
            }
            if let Some(keeper) = &mut keeper {
                forged.iter().try_for_each(|file| keeper.offer(file, plan.count))?;
            }
        }
        if at % 20 == 19 {
            eprintln!("{} of {} honest proofs are forged, {holes} holes", at + 1, proofs.len());
        }
    }
    if let Some(keeper) = keeper {
        keeper.finish()?;
    }
    report(folder)?;
    Ok(holes)
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// Forgeries of one kind of one proof.
fn forge(honest: &Honest, kind: usize, seed: u64, stream: u64, count: u64) -> (Row, Vec<Forged>) {
    let start = Instant::now();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let mut row = Row {
        proof: honest.name.clone(),
        kernel: honest.kernel.into(),
        acquisition: honest.acquisition.into(),
        kind: KINDS[kind].0.into(),
        made: 0,
        lies: 0,
        unreadable: 0,
        refused: 0,
        held: 0,
        unknown: 0,
        fooled: 0,
        panicked: 0,
        seconds: 0.0,
    };
    let mut files = Vec::new();
    let mut forger = Forger { rng, truth: honest.truth };
    for number in 0..count {
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
        let name = format!("{}-{}-{number}.proof", honest.name, KINDS[kind].0.replace(' ', "-"));
        files.push(Forged { name, kind: KINDS[kind].0, bytes, judgement, fate });
    }
    row.seconds = (start.elapsed().as_secs_f64() * 1e4).round() / 1e4;
    (row, files)
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

/// Keeps files for another checker, with an index.
struct Keeper {
    folder: PathBuf,
    index: String,
    seen: u64,
}

impl Keeper {
    fn new(folder: &Path, proofs: &[Honest]) -> anyhow::Result<Self> {
        for part in ["honest", "forged"] {
            std::fs::create_dir_all(folder.join(part)).with_context(|| format!("could not make {part}"))?;
        }
        let mut index = String::from("file,kind,is_false,verdict\n");
        for Honest { name, proof, .. } in proofs {
            std::fs::write(folder.join("honest").join(format!("{name}.proof")), proof.to_bytes()?)?;
            index += &format!("honest/{name}.proof,honest,false,accepted\n");
        }
        Ok(Self { folder: folder.into(), index, seen: 0 })
    }

    /// Keeps every so many, and whatever was accepted wrongly.
    fn offer(&mut self, file: &Forged, count: u64) -> anyhow::Result<()> {
        self.seen += 1;
        if self.seen.is_multiple_of(count.div_ceil(KEPT)) || file.is_hole() {
            std::fs::write(self.folder.join("forged").join(&file.name), &file.bytes)?;
            self.index += &file.line();
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        std::fs::write(self.folder.join("index.csv"), self.index).context("could not write the index")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_thousand_forgeries_fool_nobody() {
        let folder = std::env::temp_dir().join(format!("fathom-forgeries-{}", std::process::id()));
        let plan = Plan { count: 3_000, seed: 5, threads: 2, keep: None, stride: 9 };
        let holes = run(&plan, &folder).expect("a small run");
        let rows: Vec<Row> = evidence::read(&folder).expect("just written");
        assert_eq!(holes, 0, "{}", tables(&rows));
        let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
        let (made, lies) = (sum(|row| row.made), sum(|row| row.lies));
        assert!(made > 2_000 && lies > made / 2, "{made} {lies}");
        assert!(sum(|row| row.held) > 0, "no forgery is accepted: nothing but the reader is tested");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
