//! Those who use a study: workers, somebody at the keyboard, somebody who watches.

use super::evaluation::{Entry, now};
use super::model::{Stored, Told, Verdict};
use super::process::Way;
use super::random::Random;
use super::scene::{STUCK, Scene, add};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Clocks of the processes, in turn.
const CLOCKS: [Option<&str>; 3] = [Some("+1h"), None, Some("-1h")];

/// How a worker's life is going to end.
enum Fate {
    Killed(Duration),
    Interrupted(Duration),
    Spared,
}

/// A seat that always has a worker: if one ends or is killed, the next one takes the seat.
pub fn seat(scene: &Scene<'_>, number: usize) -> Verdict {
    let mut random = Random::new(scene.seed, &format!("seat {number}"));
    let clock = CLOCKS[number % CLOCKS.len()].filter(|_| scene.plan.clocks);
    // Every other process has two workers.
    let workers = if number % 2 == 1 { "2" } else { "1" };
    let (lease, most) = (format!("{}ms", scene.plan.lease * 1e3), scene.plan.most.to_string());
    let (soon, late) = scene.plan.life;
    while !scene.is_over() {
        let fate = match random.below(10) {
            0..=6 if scene.plan.kills > 0 => Fate::Killed(random.duration(soon, late)),
            7 if scene.plan.kills > 0 => Fate::Interrupted(random.duration(soon.max(0.1), late)),
            _ => Fate::Spared,
        };
        let name = scene.name("worker");
        scene.model().started(&name, workers == "1");
        let mut process =
            scene.start(&name, &["run", "--workers", workers, "--lease", &lease, "--trials", &most], clock);
        let is_over = || scene.is_over();
        let has_ended = match fate {
            Fate::Killed(life) => {
                let has_ended = process.wait(life, is_over);
                process.kill();
                has_ended
            }
            Fate::Interrupted(life) => process.wait(life, is_over),
            // Even among kills every worker ends some time, so that some end well.
            Fate::Spared if scene.plan.kills > 0 => process.wait(Duration::from_secs_f64(4.0 * late), is_over),
            Fate::Spared => process.wait(Duration::MAX, is_over),
        };
        if !has_ended && !matches!(fate, Fate::Killed(_)) {
            process.interrupt();
            add(&scene.counts.interrupts);
            if !process.wait(STUCK, || false) {
                return Err(format!("{name} did not end after Ctrl-C"));
            }
        }
        let ended = scene.finish(&name, process)?;
        scene.model().ended(&name, &ended, &scene.spool());
        match ended.way {
            Way::Killed => add(&scene.counts.kills),
            // All trials are there. While the round has kills left, the seat starts another worker.
            Way::Ended(0) if scene.counts.kills.load(Ordering::Relaxed) >= scene.plan.kills => break,
            Way::Ended(2) => scene.rest(Duration::from_millis(100 + random.below(200))),
            Way::Ended(_) | Way::Interrupted(_) => {}
        }
    }
    Ok(())
}

/// Somebody who asks and tells by hand, now and then killed, and now and then of two minds.
pub fn keyboard(scene: &Scene<'_>) -> Verdict {
    let mut random = Random::new(scene.seed, "keyboard");
    let lease = format!("{}ms", scene.plan.lease * 1e3);
    while !scene.is_over() {
        scene.rest(Duration::from_millis(20 + random.below(200)));
        let clock = CLOCKS[random.below(3) as usize].filter(|_| scene.plan.clocks);
        let life = (scene.plan.kills > 0 && random.chance(0.3)).then(|| random.duration(0.001, 0.1));
        // Without a lease a trial waits for ever. One that was killed before anybody saw its number would do so for 20 s.
        let words = ["ask", "--json", "--lease", &lease];
        let words = if life.is_none() && random.chance(0.5) { &words[..2] } else { &words[..] };
        let asked = scene.call(words, life, clock)?;
        // An ask that was killed may have printed its line or not.
        let Ok(asked) = serde_json::from_str::<serde_json::Value>(asked.stdout.trim()) else { continue };
        let id = asked["id"].as_u64().ok_or("ask printed no number")?;
        let x = |name: &str| asked["point"][name].as_f64().ok_or("ask printed no point");
        let minds = if random.chance(0.2) { 2 } else { 1 };
        let mut values = Vec::new();
        for _ in 0..minds {
            let entry = Entry::new(&scene.ledger, id, "hand");
            let value = entry.value_near(x("x1")?, x("x2")?);
            entry.finish(value);
            values.push(value);
        }
        let repeats = 1 + random.below(2);
        let told: Verdict<Vec<()>> = std::thread::scope(|scope| {
            // Different values of one trial are told at once, each of them once or twice.
            let tells: Vec<_> = (0..repeats)
                .flat_map(|_| values.iter().copied())
                .map(|value| {
                    let life = (scene.plan.kills > 0 && random.chance(0.3)).then(|| random.duration(0.001, 0.1));
                    scope.spawn(move || tell(scene, id, value, life, clock))
                })
                .collect();
            tells
                .into_iter()
                .map(|tell| tell.join().unwrap_or_else(|_| Err("the campaign broke down".into())))
                .collect()
        });
        told?;
    }
    Ok(())
}

/// Tells a value that is in the ledger, and remembers the answer.
fn tell(scene: &Scene<'_>, trial: u64, value: f64, life: Option<Duration>, clock: Option<&str>) -> Verdict {
    let ended = scene.call(&["tell", &trial.to_string(), &value.to_string()], life, clock)?;
    add(&scene.counts.tells);
    let confirmed = (ended.way == Way::Ended(0)).then(now);
    scene.model().told.push(Told { trial, value, confirmed });
    Ok(())
}

/// Tells again all that was told by hand, as one may after a crash, now that nothing is in the way: a stored value is
/// confirmed, any other value is refused.
pub fn tell_again(scene: &Scene<'_>, trials: &[Stored]) -> Verdict {
    let told: Vec<Told> = scene.model().told.clone();
    let mut first: Vec<&Told> = Vec::new();
    for one in &told {
        if !first.iter().any(|other| (other.trial, other.value) == (one.trial, one.value)) {
            first.push(one);
        }
    }
    for one in first {
        let ended = scene.call(&["tell", &one.trial.to_string(), &one.value.to_string()], None, None)?;
        let is_confirmed = ended.way == Way::Ended(0);
        let is_stored = trials.get(one.trial as usize - 1).is_some_and(|trial| trial.value == Some(one.value));
        if (is_stored || one.confirmed.is_some()) && !is_confirmed {
            return Err(format!("{one:?} is stored or was confirmed, and is refused now: {}", ended.stderr));
        }
        let confirmed = is_confirmed.then(now);
        scene.model().told.push(Told { confirmed, ..one.clone() });
    }
    Ok(())
}

/// Somebody who looks at the trials all the time.
pub fn watcher(scene: &Scene<'_>) -> Verdict {
    let mut random = Random::new(scene.seed, "watcher");
    while !scene.is_over() {
        scene.rest(Duration::from_millis(50 + random.below(700)));
        scene.look()?;
    }
    Ok(())
}
