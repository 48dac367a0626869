//! What goes wrong around a study.

use super::evaluation::now;
use super::model::Verdict;
use super::network::Weather;
use super::plan::Fault;
use super::random::Random;
use super::scene::{Scene, add};
use super::server::Stop;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The advisory lock under which a database is brought up to date.
const MIGRATING: i64 = 0x0066_6174_686f_6d00;

/// How often a fault is tried again that does not come about, as the lock cannot be had or the server is down.
const TRIES: u64 = 5;

/// Lets a fault happen as often as it says.
pub fn happen(scene: &Scene<'_>, number: usize, fault: Fault) -> Verdict {
    let mut random = Random::new(scene.seed, &format!("fault {number}"));
    let (count, pause) = match fault {
        Fault::Storms { count, .. } => (count, (0.05, 0.8)),
        Fault::LongStorm { .. } => (1, (0.1, 0.2)),
        Fault::Restarts { count } => (count, (0.2, 3.0)),
        Fault::FullDisks { count } => (count, (0.3, 2.0)),
        Fault::RoughNetwork { spells } => (spells, (0.2, 1.0)),
    };
    let (mut happened, mut tries) = (0, 0);
    while happened < count && tries < TRIES * count {
        tries += 1;
        scene.rest(random.duration(pause.0, pause.1));
        if scene.is_over() {
            break;
        }
        let outage = scene.model().out_of_reach(now());
        let done = match fault {
            Fault::Storms { longest, .. } => lock(scene, &mut random, longest),
            Fault::LongStorm { seconds } => lock_for(scene, &mut random, Duration::from_secs_f64(seconds)),
            Fault::Restarts { .. } => restart(scene, &mut random),
            Fault::FullDisks { .. } => fill(scene, &mut random),
            Fault::RoughNetwork { .. } => disturb(scene, &mut random),
        };
        scene.model().reachable(outage, now());
        happened += u64::from(done?);
    }
    Ok(())
}

// Each of these faults says whether it came about.

fn lock(scene: &Scene<'_>, random: &mut Random, longest: f64) -> Verdict<bool> {
    let time = random.duration(0.1, longest);
    lock_for(scene, random, time)
}

fn lock_for(scene: &Scene<'_>, random: &mut Random, time: Duration) -> Verdict<bool> {
    let is_done = match scene.far {
        None => lock_file(scene, random, time).map_err(|error| format!("the lock: {error}"))?,
        Some(_) => lock_tables(scene, random, time),
    };
    if is_done {
        add(&scene.counts.storms);
    }
    Ok(is_done)
}

fn lock_file(scene: &Scene<'_>, random: &mut Random, time: Duration) -> rusqlite::Result<bool> {
    let database =
        rusqlite::Connection::open_with_flags(scene.database(), rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    database.busy_timeout(Duration::from_secs(20))?;
    let begin = if random.chance(0.5) { "BEGIN EXCLUSIVE" } else { "BEGIN IMMEDIATE" };
    if database.execute_batch(begin).is_err() {
        // Others were quicker, or the disk is full.
        return Ok(false);
    }
    scene.rest(time);
    database.execute_batch("ROLLBACK")?;
    Ok(true)
}

fn lock_tables(scene: &Scene<'_>, random: &mut Random, time: Duration) -> bool {
    let Some(mut session) = scene.far.and_then(|far| far.server.session().ok()) else { return false };
    let lock = match random.below(4) {
        0 => format!("SELECT pg_advisory_xact_lock({MIGRATING})"),
        1 => "LOCK TABLE fathom_study, fathom_trial IN ACCESS EXCLUSIVE MODE".into(),
        _ => "LOCK TABLE fathom_trial IN ACCESS EXCLUSIVE MODE".into(),
    };
    if session.batch_execute(&format!("SET lock_timeout = '20s'; BEGIN; {lock}")).is_err() {
        return false;
    }
    scene.rest(time);
    // The server may have been restarted meanwhile; that ends a lock too.
    let _ = session.batch_execute("ROLLBACK");
    true
}

fn restart(scene: &Scene<'_>, random: &mut Random) -> Verdict<bool> {
    let far = scene.far.ok_or("there is no server to restart")?;
    far.server.stop(match random.below(5) {
        0 | 1 => Stop::Fast,
        2 | 3 => Stop::Immediate,
        _ => Stop::Kill,
    });
    if random.chance(0.7) {
        scene.rest(random.duration(0.05, 4.0));
    }
    far.server.go_on();
    add(&scene.counts.restarts);
    Ok(true)
}

fn fill(scene: &Scene<'_>, random: &mut Random) -> Verdict<bool> {
    let disk = scene.disk.as_ref().or_else(|| scene.far.and_then(|far| far.server.disk()));
    let disk = disk.ok_or("there is no disk to fill")?;
    disk.fill(4096 * [0, 0, 1, 2, 5][random.below(5) as usize]);
    scene.rest(random.duration(0.3, 5.0));
    disk.relieve();
    if let Some(far) = scene.far {
        far.server.go_on();
    }
    add(&scene.counts.full_disks);
    Ok(true)
}

fn disturb(scene: &Scene<'_>, random: &mut Random) -> Verdict<bool> {
    let network = &scene.far.ok_or("there is no network to disturb")?.network;
    let before = network.cuts();
    network.set(Weather::Rough { late: random.below(20), chance: 0.02 + 0.2 * random.unit() });
    scene.rest(random.duration(2.0, 8.0));
    network.set(Weather::Calm);
    scene.counts.cuts.fetch_add(network.cuts() - before, Ordering::Relaxed);
    Ok(true)
}
