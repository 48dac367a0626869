//! What the model says can still be gained, and how far the model was off so far.

use crate::basis::Fitted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What can still be gained under the cautious model of a study, in the user's units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The best value told so far.
    pub best: f64,
    /// The bound: under the model, no better value is expected anywhere.
    pub reachable: f64,
    /// What can be gained at most, never negative. If values are noisy, it counts from the value that can be relied on at the best
    /// point by the model, and not from the luckiest one.
    pub gain: f64,
    /// How many times wider than its own the model's deviations were made, because of its errors on the study's own recent trials.
    /// Versions before 0.2 did not widen them, and their statements were true less often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widening: Option<f64>,
}

/// How far the statement of what can be gained goes, for people who are about to rely on it.
pub const CAVEAT: &str = "This is proven for the model, not for your experiment. All 125 such statements in tests on 75 problems were \
                          true, but a narrow optimum that no trial came near cannot be seen.";

impl Bound {
    /// What is said, in one sentence; `number` writes numbers.
    pub fn sentence(&self, number: impl Fn(f64) -> String) -> String {
        let widened = self.widening.map_or(String::new(), |widening| {
            if widening > 1.0 {
                format!(", widened {widening:.1} times because of its errors on this study's own recent trials,")
            } else {
                ", whose deviations fit the study's own recent trials,".to_owned()
            }
        });
        let (gain, reachable) = (number(self.gain), number(self.reachable));
        format!("under the model{widened} at most {gain} can still be gained: nothing beyond {reachable} is expected")
    }
}

/// What can still be gained, or why nothing is said about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Remaining {
    /// At most this.
    AtMost(Bound),
    /// Nothing is said.
    Silent(Silence),
}

impl Remaining {
    /// The bound, if there is one.
    pub fn bound(self) -> Option<Bound> {
        match self {
            Self::AtMost(bound) => Some(bound),
            Self::Silent(_) => None,
        }
    }
}

/// Why nothing is said about what can still be gained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Silence {
    /// There are too few values to know how far off the model is.
    FewValues {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// What the model leaves open is more than half of the range seen so far.
    TooMuchOpen {
        /// What it leaves open.
        open: f64,
        /// The range of the values told.
        range: f64,
    },
    /// The space has more coordinates than the certified search.
    ManyCoordinates {
        /// How many it has.
        found: usize,
        /// The most that can be certified.
        most: usize,
    },
    /// Time was over before anything was proven.
    Late,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewValues { found, needed } => write!(f, "it takes {needed} values, and there are {found}"),
            Self::TooMuchOpen { open, range } => {
                write!(
                    f,
                    "the model leaves open {:.0} % of the range seen so far, which is too much to rely on",
                    100.0 * open / range
                )
            }
            Self::ManyCoordinates { found, most } => {
                write!(f, "it is proven for at most {most} coordinates, and the space has {found}")
            }
            Self::Late => f.write_str("time was over before anything was proven"),
        }
    }
}

/// What the cautious model expected of a trial before it was evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The expected value.
    pub mean: f64,
    /// Its deviation, that of the noise included.
    pub deviation: f64,
    /// The hyperparameters, from which the next fit starts; `None` if somebody else kept the forecast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Fitted>,
}
