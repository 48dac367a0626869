//! A campaign of faults against stores: crowds of workers under kills, locks, restarts, full disks, wrong clocks and bad
//! networks, held against a ledger of what was evaluated. It fails at the first value that is lost, changed or told
//! twice.
//!
//! The campaign takes some minutes; `FATHOM_FAULTS=full` is the committed run. `FATHOM_FAULTS_SEED` chooses the schedule,
//! `FATHOM_FAULTS_REPORT` names a folder for the evidence, and arguments choose rounds: `sqlite`, `storms`, ….
#![allow(clippy::unwrap_used)]

mod crowd;
mod disk;
mod evaluation;
mod model;
mod network;
mod plan;
mod process;
mod random;
mod report;
mod round;
mod scene;
mod server;
mod trouble;

use model::Verdict;
use network::Network;
use plan::{Kind, Plan};
use random::Random;
use report::Report;
use scene::{ENOUGH, Far, faketime};
use server::Server;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// The schedule if none is asked for.
const SEED: u64 = 16;

fn main() -> ExitCode {
    if evaluation::evaluate_if_asked() {
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--list") {
        // This is for `cargo nextest`, which lists tests and runs each in a process of its own.
        if !has("--ignored") {
            println!("sqlite: test\npostgres: test");
        }
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    match campaign(|plan| filters.is_empty() || filters.iter().any(|filter| plan.name.contains(filter.as_str()))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("\nthe fault campaign failed: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn campaign(is_wanted: impl Fn(&Plan) -> bool) -> Verdict {
    let plans = match std::env::var("FATHOM_FAULTS").as_deref() {
        Err(_) | Ok("" | "small") => plan::small,
        Ok("full") => plan::full,
        Ok(other) => return Err(format!("FATHOM_FAULTS is small or full, not {other}")),
    };
    let seed = match std::env::var("FATHOM_FAULTS_SEED") {
        Err(_) => SEED,
        Ok(seed) => seed.parse().map_err(|_| format!("FATHOM_FAULTS_SEED is a whole number, not {seed}"))?,
    };
    ctrlc::set_handler(|| ENOUGH.store(true, Ordering::Relaxed)).map_err(|error| error.to_string())?;
    let (report, started) = (Mutex::new(Report::default()), evaluation::now());
    let verdicts: Vec<Verdict> = std::thread::scope(|scope| {
        let stores = [Kind::Sqlite, Kind::Postgres].map(|kind| {
            // Rounds are numbered before they are chosen, so that a round is the same alone and among the others.
            let plans = plans(kind).into_iter().enumerate().filter(|(_, plan)| is_wanted(plan));
            let plans: Vec<(usize, Plan)> = plans.collect();
            let report = &report;
            scope.spawn(move || {
                // A round that breaks down is cleaned up like all others, and reported.
                let verdict = catch_unwind(AssertUnwindSafe(|| store(kind, plans, seed, report)));
                let verdict = verdict.unwrap_or_else(|_| Err("the campaign itself broke down".into()));
                if verdict.is_err() {
                    // The other store need not go on.
                    ENOUGH.store(true, Ordering::Relaxed);
                }
                verdict
            })
        });
        stores.map(|store| store.join().unwrap_or_else(|_| Err("the campaign itself broke down".into()))).into()
    });
    let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    let seconds = evaluation::now() - started;
    if report.len() > 0 {
        println!("{}\n{} rounds in {seconds:.0} s, seed {seed}", report.table(), report.len());
    }
    let troubles: Vec<String> = verdicts.into_iter().filter_map(Verdict::err).collect();
    if !troubles.is_empty() {
        return Err(troubles.join("\n"));
    }
    match std::env::var_os("FATHOM_FAULTS_REPORT") {
        Some(folder) if report.len() > 0 => {
            report.write(folder.as_ref(), seed, seconds).map_err(|error| format!("the report: {error}"))
        }
        _ => Ok(()),
    }
}

/// All rounds of one kind of store.
fn store(kind: Kind, plans: Vec<(usize, Plan)>, seed: u64, report: &Mutex<Report>) -> Verdict {
    if plans.is_empty() {
        return Ok(());
    }
    let far = match kind {
        Kind::Sqlite => None,
        Kind::Postgres if cfg!(not(feature = "postgres")) => {
            println!("skipped on PostgreSQL: built without the feature postgres");
            return Ok(());
        }
        Kind::Postgres => match Server::start() {
            Ok(server) => Some(Far { network: Network::new(server.port(), seed), server }),
            Err(reason) => {
                println!("skipped on PostgreSQL: {reason}");
                return Ok(());
            }
        },
    };
    let place = tempfile::Builder::new().prefix("fathom-faults-").tempdir().map_err(|error| error.to_string())?;
    let mut played_elsewhere = HashSet::new();
    for (number, plan) in plans {
        if let Some(reason) = cannot_be(&plan, far.as_ref(), place.path()) {
            let is_first = played_elsewhere.insert(plan.name.clone());
            if kind == Kind::Postgres || !plan.fills_disks() || is_first && !play_as_root_of_its_own(&plan.name, seed)?
            {
                println!("skipped {}: {reason}", plan.name);
            }
            continue;
        }
        let folder = place.path().join(number.to_string());
        let seed = Random::new(seed, &format!("{} {number}", plan.name)).next();
        println!("{} (seed {seed}) …", plan.name);
        match round::play(&plan, seed, number, far.as_ref(), &folder) {
            _ if ENOUGH.load(Ordering::Relaxed) => return Err("interrupted".into()),
            Ok(outcome) => report.lock().unwrap_or_else(PoisonError::into_inner).add(plan, outcome),
            Err(trouble) => {
                let kept = place.keep();
                return Err(format!(
                    "{} (seed {seed}): {trouble}\nledger and outputs: {}",
                    plan.name,
                    kept.join(number.to_string()).display()
                ));
            }
        }
        // A folder that is kept shows one round.
        let _ = std::fs::remove_dir_all(&folder);
    }
    Ok(())
}

/// Plays all rounds of a name in a process that may mount disks, as the root of a name space of its own; `false` if
/// that cannot be. These rounds are not part of the report.
fn play_as_root_of_its_own(name: &str, seed: u64) -> Verdict<bool> {
    if !Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success()) {
        return Ok(false);
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("unshare");
    command.arg("-rm").arg(program).arg(name).env("FATHOM_FAULTS_SEED", seed.to_string());
    let status = command.env_remove("FATHOM_FAULTS_REPORT").status().map_err(|error| error.to_string())?;
    if status.success() { Ok(true) } else { Err(format!("{name}: see above")) }
}

/// What this machine lacks for a round.
fn cannot_be(plan: &Plan, far: Option<&Far>, place: &std::path::Path) -> Option<String> {
    if plan.clocks && faketime().is_none() {
        return Some("no libfaketime here (apt-get install faketime)".into());
    }
    if !plan.fills_disks() {
        return None;
    }
    match far {
        Some(far) if far.server.disk().is_some() => None,
        _ => {
            let probe = place.join("probe");
            std::fs::create_dir_all(&probe).ok()?;
            disk::Disk::mount(&probe, 64).err().map(|reason| format!("no disk can be mounted: {reason}"))
        }
    }
}
