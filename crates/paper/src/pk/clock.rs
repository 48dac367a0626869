//! One budget of time for all steps of the algorithm.

use std::time::{Duration, Instant};

/// The part of the budget that the sub-problem may take at most: it is a heuristic for a start, and the bound comes from the full
/// problem. The paper's limits have the same ratio.
const SUB_SHARE: u32 = 4;

/// What is left at least, as solvers take no limit of zero for one.
const LEAST: Duration = Duration::from_millis(1);

/// Since when, and how long all steps together may take.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    started: Instant,
    whole: Option<Duration>,
}

impl Clock {
    pub fn new(whole: Option<Duration>) -> Self {
        Self { started: Instant::now(), whole }
    }

    /// What is left of the whole, and no more than the step's own limit.
    pub fn left(&self, own: Option<Duration>) -> Option<Duration> {
        let left = self.whole.map(|whole| whole.saturating_sub(self.started.elapsed()).max(LEAST));
        shorter(left, own)
    }

    /// The same for the sub-problem, which gets a part of the whole.
    pub fn share(&self, own: Option<Duration>) -> Option<Duration> {
        shorter(self.left(own), self.whole.map(|whole| (whole / SUB_SHARE).max(LEAST)))
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// The shorter of two limits, of which either may be missing.
fn shorter(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
