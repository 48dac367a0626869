//! Processes that `kill -9` kills at any moment.

use super::studies::{said, trials, write};
use super::text;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Kills of all workers together.
const KILLS: usize = 200;
const WORKERS: usize = 4;

/// The lease of a worker that may be killed while it has a trial.
const LEASE: &str = "300ms";

/// The clock of a file system moves in steps, of 10 ms on some machines: a lease has surely ended this long after it should.
const TICKS: Duration = Duration::from_millis(50);

/// xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Starts `fathom` and kills it after `patience`. Returns what it said if it had ended well before, `None` if it was killed.
fn killed_after(patience: Duration, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(patience);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    match output.status.code() {
        None => None,
        Some(0) => Some(text(&output.stdout).to_owned()),
        Some(code) => panic!("{arguments:?} ended with {code}: {}", text(&output.stderr)),
    }
}

/// Asks, tells and runs until it has been killed often enough and some of its tells have got through. Returns these tells.
/// `span` is about the time of one command.
fn worker(path: &str, most: &str, seed: u64, span: Duration) -> Vec<(String, String)> {
    let mut random = Random(88_172_645_463_325_252 ^ (seed << 20));
    let (mut kills, mut asked, mut confirmed) = (0, Vec::new(), Vec::new());
    while kills < KILLS / WORKERS || confirmed.len() < 5 {
        let soon = Duration::from_micros(random.below(span.as_micros() as u64));
        let survived = match (random.below(3), asked.pop()) {
            (0, _) => killed_after(5 * soon, &["run", path, "--trials", most, "--lease", LEASE]).is_some(),
            (1, Some((id, value))) => {
                let pair: (String, String) = (id, value);
                let told = killed_after(soon, &["tell", path, &pair.0, &pair.1]).is_some();
                // A tell that was killed may have told or not: telling again is right in both cases.
                if told {
                    confirmed.push(pair);
                } else {
                    asked.push(pair);
                }
                told
            }
            (_, left) => {
                asked.extend(left);
                let said = killed_after(soon, &["ask", path, "--json", "--lease", LEASE]);
                if let Some(said) = &said {
                    let trial: serde_json::Value = serde_json::from_str(said).unwrap();
                    asked.push((trial["id"].to_string(), trial["point"]["x1"].to_string()));
                }
                said.is_some()
            }
        };
        kills += usize::from(!survived);
    }
    confirmed
}

/// A study of `most` trials that nobody kills, and its trials.
fn undisturbed(folder: &Path, rest: &str, most: &str) -> Vec<serde_json::Value> {
    let twin = folder.join("twin");
    std::fs::create_dir(&twin).unwrap();
    let file = write(&twin, rest);
    said(&["run", file.to_str().unwrap(), "--trials", most]);
    trials(file.to_str().unwrap())
}

/// What a study comes to, without who evaluated and when.
fn outcome(trials: &[serde_json::Value]) -> Vec<[&serde_json::Value; 4]> {
    trials.iter().map(|trial| ["id", "state", "point", "value"].map(|key| &trial[key])).collect()
}

#[test]
fn two_hundred_kills_of_run_ask_and_tell_lose_nothing_and_leave_no_trial_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "[evaluate]\ncommand = ['sh', '-c', 'sleep 0.01; echo \"$FATHOM_x1\"']\n[strategy]\ninitial = 5000\n";
    let file = write(folder.path(), rest);
    let path = file.to_str().unwrap();
    let started = Instant::now();
    said(&["ask", path, "--lease", LEASE]);
    // Four at a time take longer than one; if they do not, some are not killed, which is as good.
    let span = 4 * started.elapsed();
    let confirmed: Vec<(String, String)> = std::thread::scope(|scope| {
        let work = |seed| scope.spawn(move || worker(path, "500", seed, span));
        let workers: Vec<_> = (0..WORKERS as u64).map(work).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let now = trials(path);
    for (id, value) in &confirmed {
        let trial = &now[id.parse::<usize>().unwrap() - 1];
        assert_eq!((&trial["state"], trial["value"].to_string()), (&"complete".into(), value.clone()), "{trial}");
    }
    let most = now.len().max(500).to_string();
    let started = Instant::now();
    said(&["run", path, "--workers", "4", "--trials", &most, "--lease", LEASE]);
    assert!(started.elapsed() < Duration::from_secs(60), "a trial was stuck");
    let all = trials(path);
    for (before, after) in now.iter().zip(&all).filter(|(before, _)| before["state"] != "pending") {
        assert_eq!(before, after, "a finished trial changed");
    }
    // Points of the initial design depend on their number alone, so the kills must not show at all.
    assert_eq!(outcome(&all), outcome(&undisturbed(folder.path(), rest, &most)));
}

#[test]
fn a_worker_that_is_killed_and_started_again_gets_the_suggestions_of_one_that_lives() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "[evaluate]\nfunction = 'branin'\n[strategy]\ninitial = 6\n";
    let file = write(folder.path(), rest);
    let path = file.to_str().unwrap();
    let run = ["run", path, "--trials", "22", "--lease", "50ms"];
    let mut random = Random(42);
    for _ in 0..25 {
        killed_after(Duration::from_millis(10 + random.below(80)), &run);
        // A trial that still belongs to the dead worker would be taken for pending.
        std::thread::sleep(Duration::from_millis(50) + TICKS);
    }
    said(&run);
    assert_eq!(outcome(&trials(path)), outcome(&undisturbed(folder.path(), rest, "22")));
}

#[test]
fn an_ask_that_nobody_saw_is_handed_out_again_and_one_that_was_seen_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "");
    let path = file.to_str().unwrap();
    let id = |arguments: &[&str]| {
        let asked: serde_json::Value = serde_json::from_str(&said(arguments)).unwrap();
        asked["id"].to_string()
    };
    assert_eq!(id(&["ask", path, "--json", "--lease", "1ms"]), "1");
    std::thread::sleep(TICKS);
    assert_eq!(id(&["ask", path, "--json"]), "1");
    assert_eq!(trials(path)[0]["lease"], f64::MAX, "it waits for ever");
    assert_eq!(id(&["ask", path, "--json"]), "2");
}
