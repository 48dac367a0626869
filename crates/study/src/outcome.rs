//! What a trial is told, and what becomes of it.

use crate::values::{BadValues, Values};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Handed out, not told yet.
    Pending,
    /// Told a value.
    Complete,
    /// Told that there is no value.
    Failed,
    /// Nobody will evaluate it.
    Cancelled,
    /// Told something that shall not count.
    Withdrawn,
}

impl State {
    /// The state's name in stores and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether a trial in this state has a part in the study; one that was cancelled or withdrawn only keeps its place.
    pub fn counts(self) -> bool {
        matches!(self, Self::Pending | Self::Complete | Self::Failed)
    }

    /// Whether a trial in this state was evaluated, whether its outcome counts or not.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Withdrawn)
    }

    /// The state of that name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Pending, Self::Complete, Self::Failed, Self::Cancelled, Self::Withdrawn];
        all.into_iter().find(|state| state.name() == name)
    }
}

/// What a trial is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Its values, the objective among them.
    Values(Values),
    /// That the trial failed, and why.
    Failed(String),
}

impl Outcome {
    /// The objective alone, which must be finite.
    pub fn of(objective: f64) -> Result<Self, BadValues> {
        Values::one(objective).map(Self::Values)
    }

    /// The state that the outcome leads to.
    pub fn state(&self) -> State {
        match self {
            Self::Values(_) => State::Complete,
            Self::Failed(_) => State::Failed,
        }
    }

    /// The values, if there are any.
    pub fn values(&self) -> Option<&Values> {
        match self {
            Self::Values(values) => Some(values),
            Self::Failed(_) => None,
        }
    }

    /// The objective, if there is one.
    pub fn objective(&self) -> Option<f64> {
        self.values()?.objective()
    }

    /// The reason of a failure.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Values(_) => None,
            Self::Failed(message) => Some(message),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values) => write!(f, "the {values}"),
            Self::Failed(message) if message.is_empty() => f.write_str("that it failed"),
            Self::Failed(message) => write!(f, "that it failed ({message})"),
        }
    }
}
