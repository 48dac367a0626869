//! What must be true of a study, whatever happened to its workers and its store.
//!
//! The ledger says what was evaluated, the campaign knows whom it killed and when the store was out of reach, and the
//! people at the keyboard remember what they told and what they were answered.

use super::evaluation::Evaluation;
use super::process::{Ended, Way, numbers};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A fault that was found, for people to read.
pub type Verdict<T = ()> = Result<T, String>;

/// How many seconds at most a worker needs to hear a value that is known. The time is generous, as machines are busy.
const HEARING: f64 = 2.0;

/// The share of a lease that passes at least between two evaluations of a trial: the lease began before the first of them.
const MOST_OF: f64 = 0.4;

/// A store that comes back is found by its workers within so many seconds.
const FINDING: f64 = 8.0;

/// A value that cannot be told is written down after so many seconds, and survives its worker from then on.
const WRITING_DOWN: f64 = 10.0;

/// A trial as the store shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub id: u64,
    pub state: String,
    pub value: Option<f64>,
    pub is_kept: bool,
    /// All that may never change once it is finished.
    pub whole: String,
}

impl Stored {
    /// From a line of `fathom trials --json`.
    pub fn parse(line: &str) -> Verdict<Self> {
        let trial: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let whole = ["id", "state", "point", "value", "message", "asked_at", "finished_at"].map(|key| &trial[key]);
        Ok(Self {
            id: trial["id"].as_u64().ok_or_else(|| format!("no number: {line}"))?,
            state: trial["state"].as_str().ok_or_else(|| format!("no state: {line}"))?.to_owned(),
            value: trial["value"].as_f64(),
            is_kept: trial["lease"].is_null() || trial["lease"] == f64::MAX,
            whole: format!("{whole:?}"),
        })
    }
}

/// A value that somebody told by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub trial: u64,
    pub value: f64,
    /// When the answer came that the value is stored.
    pub confirmed: Option<f64>,
}

#[derive(Debug)]
struct Worker {
    /// Whether it evaluates one trial at a time; a worker of several may have gone on with another trial.
    is_alone: bool,
    end: Option<End>,
}

#[derive(Debug)]
struct End {
    way: Way,
    at: f64,
    said: HashSet<u64>,
    spool: HashSet<u64>,
}

/// What became of the values that are not in the store, and other things worth counting.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Fates {
    /// Values of trials for which somebody else's value was first.
    pub beaten: u64,
    /// Values that were in the spool when their worker ended.
    pub spooled: u64,
    /// Values that their worker printed when it gave up.
    pub printed: u64,
    /// Values whose worker was killed before it could tell them.
    pub gone_with_worker: u64,
    /// Trials that were evaluated more than once.
    pub repeated: u64,
}

/// What one study has seen.
#[derive(Debug, Default)]
pub struct Model {
    workers: HashMap<String, Worker>,
    finished: BTreeMap<u64, Stored>,
    pub told: Vec<Told>,
    outages: Vec<(f64, f64)>,
    ever_spooled: HashSet<u64>,
}

impl Model {
    pub fn started(&mut self, worker: &str, is_alone: bool) {
        self.workers.insert(worker.to_owned(), Worker { is_alone, end: None });
    }

    pub fn ended(&mut self, worker: &str, ended: &Ended, spool: &str) {
        let said = numbers(&ended.stderr).chain(numbers(&ended.stdout)).map(f64::to_bits).collect();
        let spool: HashSet<u64> = numbers(spool).map(f64::to_bits).collect();
        self.ever_spooled.extend(&spool);
        let worker = self.workers.get_mut(worker).expect("it was started");
        worker.end = Some(End { way: ended.way, at: ended.at, said, spool });
    }

    /// The store may be out of reach from now on; the number is for [`Model::reachable`].
    pub fn out_of_reach(&mut self, at: f64) -> usize {
        self.outages.push((at, f64::INFINITY));
        self.outages.len() - 1
    }

    pub fn reachable(&mut self, outage: usize, at: f64) {
        self.outages[outage].1 = at + FINDING;
    }

    /// A reading of the store that began at `began`: numbers without holes, values that were evaluated, and nothing that
    /// was seen or confirmed before is gone or changed.
    pub fn observe(&mut self, trials: &[Stored], began: f64, ledger: &[Evaluation]) -> Verdict {
        for (place, trial) in trials.iter().enumerate() {
            if trial.id != place as u64 + 1 {
                return Err(format!("trial {} is in place {}: numbers have holes or repeat", trial.id, place + 1));
            }
        }
        for before in self.finished.values() {
            match trials.get(before.id as usize - 1) {
                Some(now) if now == before => {}
                now => return Err(format!("a finished trial changed\n  from {before:?}\n  to   {now:?}")),
            }
        }
        let mut printed: HashSet<(u64, u64)> = HashSet::new();
        printed.extend(ledger.iter().filter_map(|one| Some((one.trial, one.value?.0.to_bits()))));
        for trial in trials.iter().filter(|trial| trial.state != "pending") {
            match trial.value {
                Some(value) if printed.contains(&(trial.id, value.to_bits())) => {}
                _ => return Err(format!("nobody evaluated trial {} to that: {trial:?}", trial.id)),
            }
            // The trial stays as it is from now on; its lease is of no interest any more.
            self.finished.entry(trial.id).or_insert_with(|| trial.clone());
        }
        for told in self.told.iter().filter(|told| told.confirmed.is_some_and(|at| at < began)) {
            let stored = trials.get(told.trial as usize - 1);
            if stored.and_then(|trial| trial.value) != Some(told.value) {
                return Err(format!("{told:?} was confirmed, and is {stored:?}"));
            }
        }
        Ok(())
    }

    /// Whether every value is accounted for: it is in the store, or written down, or not needed, or its worker was killed.
    /// If `has_room` is false, nothing could be written down.
    pub fn settle(&self, trials: &[Stored], ledger: &[Evaluation], has_room: bool) -> Verdict<Fates> {
        let mut fates = Fates::default();
        let stored = |trial: u64| trials.get(trial as usize - 1).and_then(|trial| trial.value);
        for one in ledger {
            let Some((value, known)) = one.value.filter(|(value, _)| stored(one.trial) != Some(*value)) else {
                continue;
            };
            let Some(worker) = self.workers.get(&one.worker) else {
                // This value was told by hand: `observe` looks after what was confirmed.
                fates.beaten += u64::from(stored(one.trial).is_some());
                continue;
            };
            let Some(end) = &worker.end else { return Err(format!("the campaign lost sight of {}", one.worker)) };
            let went_on = ledger.iter().any(|other| other.worker == one.worker && other.started > known);
            let may_be_gone = match end.way {
                Way::Killed => !(worker.is_alone && went_on || has_room && known + WRITING_DOWN < end.at),
                Way::Interrupted(at) => known + HEARING > at,
                Way::Ended(_) => false,
            };
            let was_first = |other: &Evaluation| {
                other.trial == one.trial
                    && other.value.is_some_and(|(first, at)| stored(one.trial) == Some(first) && at <= end.at)
            };
            let bits = value.to_bits();
            if ledger.iter().any(was_first) {
                fates.beaten += 1;
            } else if end.spool.contains(&bits) || self.ever_spooled.contains(&bits) {
                fates.spooled += 1;
            } else if end.said.contains(&bits) {
                fates.printed += 1;
            } else if may_be_gone {
                fates.gone_with_worker += 1;
            } else {
                return Err(format!(
                    "a value is lost: {value} of trial {} was known at {known:.2} to {}, which ended at {:.2} ({:?}); the \
                     store has {:?}, and neither the spool nor what it printed has it",
                    one.trial,
                    one.worker,
                    end.at,
                    end.way,
                    stored(one.trial),
                ));
            }
        }
        Ok(fates)
    }

    /// Whether nobody evaluated what somebody else was at: `lease` (seconds) had ended, and for a reason. Returns how many
    /// trials were evaluated more than once.
    pub fn fairness(&self, ledger: &[Evaluation], lease: f64) -> Verdict<u64> {
        let mut latest: HashMap<u64, &Evaluation> = HashMap::new();
        let mut repeated = HashSet::new();
        for one in ledger {
            if let Some(before) = latest.insert(one.trial, one) {
                repeated.insert(one.trial);
                if before.worker != one.worker && !self.was_given_up(before, one.started, lease) {
                    return Err(format!(
                        "trial {} was evaluated twice, by {} at {:.2} and by {} at {:.2}, though the first lived and the \
                         store was within reach, or before its lease of {lease} s had ended",
                        one.trial, before.worker, before.started, one.worker, one.started,
                    ));
                }
            }
        }
        Ok(repeated.len() as u64)
    }

    /// Whether somebody else may have started with `before`'s trial at `then`.
    fn was_given_up(&self, before: &Evaluation, then: f64, lease: f64) -> bool {
        let Some(worker) = self.workers.get(&before.worker) else {
            // This trial was asked for by hand: nobody renews that lease.
            return then - before.started > MOST_OF * lease;
        };
        // After Ctrl-C a worker gives its trials up at once, before it ends.
        if let Some(End { way: Way::Interrupted(at), .. }) = worker.end
            && at <= then
        {
            return true;
        }
        let end = worker.end.as_ref().filter(|end| end.at <= then);
        // A lease is renewed every quarter of it, so it ends after three quarters without the store at the soonest.
        let without: f64 =
            self.outages.iter().map(|(from, to)| (to.min(then) - from.max(before.started)).max(0.0)).sum();
        then - before.started > MOST_OF * lease && (end.is_some() || without > MOST_OF * lease)
    }
}
