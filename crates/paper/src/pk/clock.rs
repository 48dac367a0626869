//! One budget of time for all steps of the algorithm.

use super::settings::{PkSettings, TrueBound};
use std::time::{Duration, Instant};

/// The sub-problem may take at most one part in this many of the budget: it only finds a start, and the bound comes
/// from the full problem. The paper's limits have the same ratio.
const SUB_SHARE: u32 = 4;

/// The least time that is left, since solvers do not accept a limit of zero.
const LEAST: Duration = Duration::from_millis(1);

/// Polishing and the bound of the true function keep one part in this many of the budget.
const REST_SHARE: u32 = 10;

/// The start of the run, and the time limit of all steps together.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    started: Instant,
    whole: Option<Duration>,
    /// What is kept for the steps after the program.
    rest: Duration,
}

impl Clock {
    pub fn new(settings: &PkSettings) -> Self {
        let rest = match settings.true_bound {
            TrueBound::Certified => settings.time.unwrap_or_default() / REST_SHARE,
            TrueBound::Theorem => Duration::ZERO,
        };
        Self { started: Instant::now(), whole: settings.time, rest }
    }

    /// The time for the full problem.
    pub fn for_program(&self, own: Option<Duration>) -> Option<Duration> {
        let left = self.left(None).map(|left| left.saturating_sub(self.rest).max(LEAST));
        shorter(left, own)
    }

    /// The time that is left, at most the step's own limit.
    pub fn left(&self, own: Option<Duration>) -> Option<Duration> {
        let left = self.whole.map(|whole| whole.saturating_sub(self.started.elapsed()).max(LEAST));
        shorter(left, own)
    }

    /// The time for the sub-problem, which gets a part of the whole.
    pub fn share(&self, own: Option<Duration>) -> Option<Duration> {
        shorter(self.left(own), self.whole.map(|whole| (whole / SUB_SHARE).max(LEAST)))
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// The shorter of two limits; either may be missing.
fn shorter(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
