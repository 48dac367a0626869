//! What the campaign did, for people and as evidence.

use super::plan::Plan;
use super::round::Outcome;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const COLUMNS: [&str; 15] = [
    "kills",
    "interrupts",
    "storms",
    "restarts",
    "full_disks",
    "cuts",
    "readings",
    "tells",
    "trials",
    "evaluations",
    "repeated",
    "beaten",
    "spooled",
    "printed",
    "gone_with_worker",
];

/// Rounds that held.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<(Plan, Outcome)>,
}

impl Report {
    pub fn add(&mut self, plan: Plan, outcome: Outcome) {
        self.rows.push((plan, outcome));
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A line for every kind of round on every store, and one for all.
    pub fn table(&self) -> String {
        let mut names: Vec<&str> = self.rows.iter().map(|(plan, _)| plan.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut text = format!("| round | rounds | {} | seconds |\n", COLUMNS.join(" | ").replace('_', " "));
        let _ = writeln!(text, "|---|---|{}---|", "---|".repeat(COLUMNS.len()));
        for name in names.into_iter().chain(["all"]) {
            let of_name = |row: &&(Plan, Outcome)| name == "all" || row.0.name == name;
            let rows: Vec<_> = self.rows.iter().filter(of_name).collect();
            let mut sums = [0; COLUMNS.len()];
            for (_, outcome) in &rows {
                sums.iter_mut().zip(numbers(outcome)).for_each(|(sum, number)| *sum += number);
            }
            let seconds: f64 = rows.iter().map(|(_, outcome)| outcome.seconds).sum();
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {seconds:.0} |",
                rows.len(),
                sums.map(|n| n.to_string()).join(" | ")
            );
        }
        text
    }

    /// `README.md` and `raw.csv` in `folder`.
    pub fn write(&self, folder: &Path, seed: u64, seconds: f64) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut raw = format!("store,round,seed,{},seconds\n", COLUMNS.join(","));
        for (plan, outcome) in &self.rows {
            let numbers = numbers(outcome).map(|number| number.to_string()).join(",");
            let name = plan.name.split("::").last().unwrap_or_default();
            let _ = writeln!(raw, "{},{name},{},{numbers},{:.2}", plan.kind.name(), outcome.seed, outcome.seconds);
        }
        std::fs::write(folder.join("raw.csv"), raw)?;
        std::fs::write(
            folder.join("README.md"),
            ABOUT
                .replace("SEED=SEED", &format!("SEED={seed}"))
                .replace("TABLE", &self.table())
                .replace("SECONDS", &format!("{seconds:.0}")),
        )
    }
}

fn numbers(outcome: &Outcome) -> [u64; COLUMNS.len()] {
    let (counts, fates) = (&outcome.counts, &outcome.fates);
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    #[rustfmt::skip]
    let numbers = [
        of(&counts.kills), of(&counts.interrupts), of(&counts.storms), of(&counts.restarts), of(&counts.full_disks),
        of(&counts.cuts), of(&counts.readings), of(&counts.tells), outcome.trials as u64, outcome.evaluations as u64,
        fates.repeated, fates.beaten, fates.spooled, fates.printed, fates.gone_with_worker,
    ];
    numbers
}

const ABOUT: &str = "# Faults

    FATHOM_FAULTS=full FATHOM_FAULTS_SEED=SEED FATHOM_FAULTS_REPORT=FOLDER \\
        cargo test -p fathom-bo --features postgres --test faults

Crowds of workers on SQLite and on PostgreSQL under faults, held against a ledger of every evaluation. The campaign ends at the first
value that is lost, changed or told twice, so every row here is a round in which none was. `raw.csv` has a row for each round; its seed
gives the same schedule again, as far as processes allow. Both stores were at work at once, SECONDS s in all.

* `kills`: `kill -9` of `run`, `ask` and `tell`; `interrupts`: Ctrl-C of `run`
* `storms`: times that somebody else locked the database; `restarts`: of the server, by SIGINT, SIGQUIT or SIGKILL
* `full_disks`: times that the disk of the study, or of the server, was filled and emptied; `cuts`: connections broken by the network
* `readings`: of all trials, each compared with what was seen before; `tells`: by hand
* `trials`: of the study in the end, all complete; `evaluations`: of the ledger, those by hand included
* `repeated`: trials evaluated more than once, after a kill or after their lease had ended without the store
* values that are not in the store: `beaten` by another evaluation of the trial, `spooled` when their worker ended, `printed` by it, or
  `gone_with_worker`, which was killed before it told them

TABLE";
