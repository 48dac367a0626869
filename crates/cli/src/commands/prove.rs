//! `fathom prove`: finishes proofs that were cut short.

use crate::args::Prove;
use crate::meter::Meter;
use crate::text::{json, plain};
use crate::{assurance, interrupt, studies};
use anyhow::Context as _;
use fathom_global::{Certificate, Status};
use fathom_study::{Error, Purpose, Report, Study, Trial, Watch};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub fn run(args: &Prove) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Tell)?;
    let stop = interrupt::stop()?;
    let limit = args.time_limit.unwrap_or(study.definition().strategy.time_limit);
    let ids = match args.ids.is_empty() {
        true => open(&mut study, limit, args)?,
        false => newest_first(&args.ids),
    };
    let mut is_proven = true;
    for id in ids {
        let meter = Meter::new();
        let mut hear = |report: Report| meter.hear(report);
        let mut watch = Watch::new(&stop).heard_by(&mut hear);
        let outcome = study.prove_watched(id, &mut watch.within(limit));
        meter.clear();
        is_proven &= told(id, outcome, args.json)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(1));
        }
    }
    Ok(if is_proven { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The trials whose proofs are open, the newest first, without those that had as much time before unless all are asked for.
fn open(study: &mut Study, limit: Duration, args: &Prove) -> anyhow::Result<Vec<u64>> {
    let open = study.open_proofs()?;
    let is_taken = |trial: &&Trial| args.all || !had_its_time(trial, limit);
    let taken: Vec<u64> = open.iter().filter(is_taken).map(|trial| trial.id).collect();
    let left = open.len() - taken.len();
    if left > 0 {
        eprintln!("{left} open proofs had as much time before: --all tries them again, a longer --time-limit too");
    }
    if open.is_empty() && !args.json {
        say!("no proof is open");
    }
    Ok(taken)
}

/// Whether a proof ran into a limit that is no less than this one.
fn had_its_time(trial: &Trial, limit: Duration) -> bool {
    let Some(later) = trial.suggestion.later.as_deref() else { return false };
    let Certificate { status, settings, .. } = &later.certificate;
    // A little time passes before a search begins.
    let is_as_long = settings.time_limit.is_some_and(|time| time >= 0.95 * limit.as_secs_f64());
    *status == Status::MemoryLimit || (*status == Status::TimeLimit && is_as_long)
}

fn newest_first(ids: &[u64]) -> Vec<u64> {
    let mut ids = ids.to_vec();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    ids
}

/// Says what came of a proof. Returns whether the suggestion is proven within the gap.
fn told(id: u64, outcome: fathom_study::Result<Trial>, is_json: bool) -> anyhow::Result<bool> {
    let trial = match outcome {
        Err(Error::NoProof { reason, .. }) => return without(id, "no_proof", &reason, is_json),
        Err(Error::Different { what, .. }) => return without(id, "difference", &what, is_json),
        trial => trial.with_context(|| format!("trial {id}"))?,
    };
    let assurance = trial.suggestion.assurance();
    if is_json {
        let later = &trial.suggestion.later;
        say!("{}", json(&serde_json::json!({ "trial": id, "assurance": assurance.name(), "later": later }))?);
    } else {
        say!("trial {id}: {}", assurance::words(&trial).unwrap_or_default());
    }
    Ok(assurance.is_proven())
}

fn without(id: u64, key: &str, why: &str, is_json: bool) -> anyhow::Result<bool> {
    match is_json {
        true => say!("{}", json(&serde_json::json!({ "trial": id, "assurance": null, key: why }))?),
        false if key == "difference" => say!("trial {id}: DIFFERENT: {}", plain(why)),
        false => say!("trial {id}: no proof: {}", plain(why)),
    }
    Ok(false)
}
