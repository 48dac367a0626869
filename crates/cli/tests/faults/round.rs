//! One round: a study under faults, then in peace, and what has to be true of the study.

use super::crowd::{keyboard, seat, tell_again, watcher};
use super::evaluation::{self, now};
use super::model::{Fates, Stored, Verdict};
use super::network::Weather;
use super::plan::Plan;
use super::process::{Way, numbers};
use super::scene::{Counts, Far, Scene};
use super::trouble::happen;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time for kills that go on after the other faults.
const LONGEST: Duration = Duration::from_secs(300);

/// What a round came to.
#[derive(Debug)]
pub struct Outcome {
    pub seed: u64,
    pub counts: Counts,
    pub fates: Fates,
    pub trials: usize,
    pub evaluations: usize,
    pub seconds: f64,
}

pub fn play(plan: &Plan, seed: u64, number: usize, far: Option<&Far>, folder: &Path) -> Verdict<Outcome> {
    let started = now();
    let scene = Scene::new(plan, seed, number, far, folder)?;
    // This makes a store to lock and to fill.
    run_in_peace(&scene, 2)?;
    std::thread::scope(|scope| {
        let scene = &scene;
        let seats: Vec<_> =
            (0..plan.seats).map(|number| scope.spawn(move || scene.note(seat(scene, number)))).collect();
        scope.spawn(|| scene.note(watcher(scene)));
        if plan.by_hand {
            scope.spawn(|| scene.note(keyboard(scene)));
        }
        let faults = plan.faults.iter().enumerate();
        let faults: Vec<_> =
            faults.map(|(number, fault)| scope.spawn(move || scene.note(happen(scene, number, *fault)))).collect();
        // A thread that panics is noted when the scope ends.
        faults.into_iter().for_each(|fault| drop(fault.join()));
        let began = Instant::now();
        let are_at_it = || {
            let killing = scene.counts.kills.load(Ordering::Relaxed) < plan.kills;
            killing || plan.faults.is_empty() && plan.kills == 0
        };
        while are_at_it()
            && began.elapsed() < LONGEST
            && !scene.is_over()
            && !seats.iter().all(std::thread::ScopedJoinHandle::is_finished)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        scene.end();
    });
    // Everything heals.
    if let Some(far) = far {
        far.network.set(Weather::Calm);
        far.server.go_on();
    }
    if let Some(disk) = &scene.disk {
        disk.relieve();
    }
    let examined = scene.verdict().and_then(|()| examine(&scene));
    if examined.is_err() && scene.disk.is_some() {
        // The files on the small disk go with it.
        let _ = std::process::Command::new("cp").arg("-r").arg(folder.join("study")).arg(folder.join("copy")).status();
    }
    let (trials, fates) = examined?;
    let evaluations = evaluation::read(&scene.ledger).len();
    Ok(Outcome { seed, fates, trials, evaluations, seconds: now() - started, counts: scene.counts })
}

/// A run that nothing disturbs.
fn run_in_peace(scene: &Scene<'_>, most: usize) -> Verdict {
    let name = scene.name("peace");
    let lease = format!("{}ms", scene.plan.lease * 1e3);
    scene.model().started(&name, false);
    let mut process =
        scene.start(&name, &["run", "--workers", "2", "--lease", &lease, "--trials", &most.to_string()], None);
    let patience = Duration::from_secs_f64(90.0 + 3.0 * scene.plan.lease);
    if !process.wait(patience, || false) {
        return Err(format!("`run` does not end although nothing disturbs it ({name})"));
    }
    let ended = scene.finish(&name, process)?;
    scene.model().ended(&name, &ended, &scene.spool());
    match ended.way == Way::Ended(0) {
        true => Ok(()),
        false => Err(format!("`run` failed although nothing disturbed it: {:?}\n{}", ended.way, ended.stderr)),
    }
}

fn look(scene: &Scene<'_>) -> Verdict<Vec<Stored>> {
    scene.look()?.ok_or_else(|| "`trials` failed although nothing disturbed it".into())
}

/// All that has to be true of a study, before and after a run in peace.
fn examine(scene: &Scene<'_>) -> Verdict<(usize, Fates)> {
    let trials = look(scene)?;
    judge(scene, &trials)?;
    let spooled: HashSet<u64> = numbers(&scene.spool()).map(f64::to_bits).collect();
    tell_again(scene, &trials)?;
    let before = look(scene)?;
    if let Some(stuck) = before.iter().find(|trial| trial.state == "pending" && trial.is_kept) {
        return Err(format!("nobody was told of a trial that waits for ever: {stuck:?}"));
    }
    let ledger = evaluation::read(&scene.ledger);
    run_in_peace(scene, before.len())?;
    let after = look(scene)?;
    if after.len() != before.len() {
        return Err(format!("there were {} trials, and are {}", before.len(), after.len()));
    }
    for (before, after) in before.iter().zip(&after).filter(|(before, _)| before.state == "pending") {
        let waiting = ledger.iter().filter(|one| one.trial == before.id).filter_map(|one| Some(one.value?.0.to_bits()));
        let waiting: HashSet<u64> = waiting.filter(|bits| spooled.contains(bits)).collect();
        if !waiting.is_empty() && !after.value.is_some_and(|value| waiting.contains(&value.to_bits())) {
            return Err(format!("the spool had a value of this trial, which was not told: {after:?}"));
        }
    }
    // An ask by hand is not bound by `--trials`; no round has both.
    if after.len() as u64 > scene.plan.most {
        return Err(format!("there are {} trials, though `run` was to stop at {}", after.len(), scene.plan.most));
    }
    if let Some(open) = after.iter().find(|trial| trial.state != "complete") {
        return Err(format!("after a run in peace a trial is open: {open:?}"));
    }
    for line in scene.spool().lines() {
        // A measured value is never thrown away: it stays in the spool if another value of its trial was told before.
        let left: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let stored = left["trial"].as_u64().and_then(|id| after.get(id as usize - 1)?.value);
        if stored.is_none() || stored == left["value"].as_f64() {
            return Err(format!("after a run in peace the spool has {line}"));
        }
    }
    let rows = scene.rows()?;
    let shown: Vec<_> = after.iter().map(|trial| (trial.id, trial.state.clone(), trial.value)).collect();
    if rows != shown {
        return Err(format!("the database has other trials than `fathom trials` shows:\n{rows:?}\n{shown:?}"));
    }
    Ok((after.len(), judge(scene, &after)?))
}

fn judge(scene: &Scene<'_>, trials: &[Stored]) -> Verdict<Fates> {
    let ledger = evaluation::read(&scene.ledger);
    let model = scene.model();
    let repeated = model.fairness(&ledger, scene.plan.lease)?;
    Ok(Fates { repeated, ..model.settle(trials, &ledger, !scene.plan.fills_disks())? })
}
