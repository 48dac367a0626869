//! What the studies evaluate: this program again. It writes down what it does in a ledger, which is the truth that the
//! stores are held against, and then prints its value.
//!
//! A line of the ledger is `start TRIAL NONCE WORKER TIME` or `value TRIAL NONCE WORKER TIME VALUE`. Values of different
//! evaluations differ, so that a stored value tells which evaluation it is of.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// Variables by which the campaign reaches the evaluations of a worker.
pub const LEDGER: &str = "FAULTS_LEDGER";
pub const WORKER: &str = "FAULTS_WORKER";
/// Milliseconds: at least and at most.
pub const PAUSE: &str = "FAULTS_PAUSE";

/// Seconds since the machine started: the same for every process, whatever its clock was set to.
pub fn now() -> f64 {
    let text = std::fs::read_to_string("/proc/uptime").expect("Linux tells its uptime");
    text.split(' ').next().and_then(|seconds| seconds.parse().ok()).expect("seconds come first")
}

/// Evaluates, if this process was started as the program of a study.
pub fn evaluate_if_asked() -> bool {
    let Ok(ledger) = std::env::var(LEDGER) else { return false };
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let number = |name: &str| variable(name).parse::<f64>().unwrap_or_else(|_| panic!("{name} is no number"));
    let trial = number("FATHOM_TRIAL") as u64;
    let worker = variable(WORKER);
    let entry = Entry::new(Path::new(&ledger), trial, &worker);
    let (least, most) = variable(PAUSE).split_once('-').map(|(a, b)| (a.parse(), b.parse())).expect("PAUSE is a range");
    let (least, most): (u64, u64) = (least.expect("a number"), most.expect("a number"));
    std::thread::sleep(Duration::from_millis(least + entry.nonce % (most - least + 1)));
    let value = entry.value_near(number("FATHOM_x1"), number("FATHOM_x2"));
    entry.finish(value);
    // If the worker was killed, nobody reads the value.
    let _ = writeln!(std::io::stdout(), "{value}");
    true
}

/// One evaluation on its way into the ledger.
pub struct Entry<'a> {
    ledger: &'a Path,
    trial: u64,
    worker: &'a str,
    pub nonce: u64,
}

impl<'a> Entry<'a> {
    /// Writes down that the evaluation starts.
    pub fn new(ledger: &'a Path, trial: u64, worker: &'a str) -> Self {
        // Every `RandomState` has other keys.
        let nonce = RandomState::new().hash_one((trial, std::process::id()));
        let entry = Self { ledger, trial, worker, nonce };
        entry.write("start", "");
        entry
    }

    /// A smooth function, so that a model can learn it, and a little that nobody else has.
    pub fn value_near(&self, x1: f64, x2: f64) -> f64 {
        (x1 - 3.0).powi(2) / 20.0 + (x2 - 7.0).powi(2) / 20.0 + 1.0 + (self.nonce >> 11) as f64 * 1e-22
    }

    /// Writes down the value, before anybody else is told.
    pub fn finish(&self, value: f64) {
        self.write("value", &format!(" {value}"));
    }

    fn write(&self, what: &str, rest: &str) {
        let line = format!("{what} {} {} {} {}{rest}\n", self.trial, self.nonce, self.worker, now());
        let mut file = OpenOptions::new().append(true).create(true).open(self.ledger).expect("the ledger opens");
        file.write_all(line.as_bytes()).expect("the ledger takes a line");
        if !rest.is_empty() {
            file.sync_data().expect("the ledger is synced");
        }
    }
}

/// An evaluation as the ledger has it.
#[derive(Debug, Clone)]
pub struct Evaluation {
    pub trial: u64,
    pub worker: String,
    pub started: f64,
    /// The value and when it was known.
    pub value: Option<(f64, f64)>,
}

/// All evaluations, by their start.
pub fn read(ledger: &Path) -> Vec<Evaluation> {
    let text = std::fs::read_to_string(ledger).unwrap_or_default();
    let mut found: Vec<Evaluation> = Vec::new();
    let mut places = HashMap::new();
    // The last line may be on its way.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for line in whole.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let broken = || panic!("the ledger has a broken line: {line}");
        let number = |place: usize| words.get(place).and_then(|word| word.parse::<f64>().ok()).unwrap_or_else(broken);
        match words[0] {
            "start" => {
                places.insert(words[2].to_owned(), found.len());
                let (trial, worker) = (number(1) as u64, words[3].to_owned());
                found.push(Evaluation { trial, worker, started: number(4), value: None });
            }
            "value" => found[places[words[2]]].value = Some((number(5), number(4))),
            _ => panic!("the ledger has a broken line: {line}"),
        }
    }
    found
}
