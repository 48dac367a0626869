//! The history of a trial: what people changed after it was handed out.
//!
//! Nothing is overwritten. A trial stays in its store as it was asked for and told, and its changes stand beside it, each under a
//! number of the study's own. Whoever reads the trial sees it with its changes; with the changes up to a number, the trial is as
//! it was then, so that proofs of earlier suggestions stay checkable.

use crate::outcome::{Outcome, State};
use crate::value::Point;
use crate::values::{Fields, Values};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// One entry of a study's history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The entry's number in the study, from 1.
    pub number: u64,
    /// When it was made, in seconds since 1970 by the store's clock.
    pub made_at: f64,
    /// Who made it, if they said so.
    pub by: Option<String>,
    /// What was changed.
    pub edit: Edit,
}

/// What can be changed about a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edit {
    /// Other values than those that were told.
    Values(Values),
    /// The trial failed, whatever was told; the reason.
    Failed(String),
    /// The settings that were really used.
    Point(Point),
    /// A pending trial will not be evaluated; the reason.
    Cancelled(String),
    /// What was told shall not count; the reason.
    Withdrawn(String),
    /// Something to remember.
    Note(String),
    /// An earlier entry does not count any more.
    Undone(u64),
}

impl Edit {
    /// Another outcome than the one that was told.
    pub fn outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Values(values) => Self::Values(values),
            Outcome::Failed(reason) => Self::Failed(reason),
        }
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let because = |word: &str, reason: &str| match reason {
            "" => word.to_owned(),
            reason => format!("{word} ({reason})"),
        };
        match self {
            Self::Values(values) => write!(f, "{values}"),
            Self::Failed(reason) => f.write_str(&because("failed", reason)),
            Self::Point(point) => {
                let pairs: Vec<String> = point.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "at {}", pairs.join(", "))
            }
            Self::Cancelled(reason) => f.write_str(&because("cancelled", reason)),
            Self::Withdrawn(reason) => f.write_str(&because("withdrawn", reason)),
            Self::Note(text) => write!(f, "note: {text}"),
            Self::Undone(number) => write!(f, "entry {number} undone"),
        }
    }
}

/// A trial as it was asked for and told, before anything was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// What became of it.
    pub state: State,
    /// The point that was handed out.
    pub point: Point,
    /// The values that were told.
    #[serde(flatten, with = "Fields")]
    pub values: Values,
    /// Why it failed, if it did.
    pub message: Option<String>,
}

/// The entries up to number `last` that nobody has undone by then.
pub(crate) fn in_force(changes: &[Change], last: u64) -> Vec<&Change> {
    let mut undone = BTreeSet::new();
    let mut left = Vec::new();
    for change in changes.iter().rev().filter(|change| change.number <= last) {
        // Who undoes an undoing does the first thing again.
        if undone.contains(&change.number) {
            continue;
        }
        if let Edit::Undone(number) = change.edit {
            undone.insert(number);
        }
        left.push(change);
    }
    left.reverse();
    left
}
