//! What the model says can still be gained.

use serde::{Deserialize, Serialize};

/// What can still be gained under the model, in the user's units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The best value told so far.
    pub best: f64,
    /// The bound: no better value is expected anywhere, at the confidence β of the step.
    pub reachable: f64,
    /// The difference, never negative.
    pub gain: f64,
}
