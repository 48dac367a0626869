//! What a suggestion saw of trials, and whether they are still as it saw them.

use crate::basis::Seen;
use crate::trial::{State, Trial};
use std::collections::BTreeMap;

impl Seen {
    /// What a suggestion sees of a trial, with this value.
    pub(crate) fn new(trial: &Trial, value: Option<f64>) -> Self {
        Self { id: trial.id, value, point: checksum(trial), times: 1 }
    }

    /// Finished trials that no suggestion among `trials` lists as they are now.
    pub(crate) fn new_in(trials: &[Trial]) -> Vec<Self> {
        let listed = Self::listed(trials);
        let is_finished = |trial: &&Trial| matches!(trial.state, State::Complete | State::Failed);
        let seen = trials.iter().filter(is_finished).map(|trial| Self::new(trial, trial.objective()));
        seen.filter(|seen| listed.get(&seen.id).is_none_or(|listed| *listed != seen)).collect()
    }

    /// How the last suggestion among `trials` that lists it saw each finished trial.
    pub(crate) fn listed(trials: &[Trial]) -> BTreeMap<u64, &Self> {
        let bases = trials.iter().filter_map(|trial| trial.suggestion.basis.as_deref());
        bases.flat_map(|basis| &basis.told).map(|seen| (seen.id, seen)).collect()
    }

    /// The first thing that is no longer as it was seen, if there is one.
    pub(crate) fn difference(&self, trial: &Trial, is_told: bool) -> Option<String> {
        let said = |value: Option<f64>| value.map_or("failed".to_owned(), |value| format!("had the value {value}"));
        let Self { id, value, point, .. } = self;
        if is_told && trial.state == State::Pending {
            return Some(format!("trial {id} {} then, and is pending now", said(*value)));
        }
        if is_told && *value != trial.objective() {
            let now = trial.objective().map_or("has failed".to_owned(), |value| format!("has the value {value}"));
            return Some(format!("trial {id} {} then, and {now} now", said(*value)));
        }
        (*point != checksum(trial)).then(|| format!("trial {id} has another point now than it had then"))
    }
}

/// FNV-1a of a trial's point as stores write it.
fn checksum(trial: &Trial) -> u32 {
    let text = serde_json::to_string(&trial.point).expect("a point has text for keys");
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
