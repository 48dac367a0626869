//! What was proven, and how.

use serde::{Deserialize, Serialize};

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The value is within the requested gap of the lower bound.
    Optimal,
    /// The time ran out first.
    TimeLimit,
    /// The node limit was reached first.
    NodeLimit,
    /// The caller asked to stop.
    Interrupted,
    /// What is left cannot be split: the gap asked for is finer than floating point resolves.
    Exhausted,
}

/// The best point found, a proven lower bound of the acquisition function over the region, and how they came about.
///
/// As JSON, one field of the same name each; `lower_bound` and `gap` are `null` where nothing was proven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The point.
    pub x: Vec<f64>,
    /// The acquisition function there, as evaluated by us.
    pub value: f64,
    /// No point of the region has a smaller value than this.
    pub lower_bound: Option<f64>,
    /// `value − lower_bound`.
    pub gap: Option<f64>,
    /// Why the search ended.
    pub status: Status,
    /// Boxes bounded.
    pub nodes: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The seed of the first samples.
    pub seed: u64,
    /// What had to be added to the diagonal of the covariance matrix, 0 in general; part of the certified function.
    pub jitter: f64,
}
