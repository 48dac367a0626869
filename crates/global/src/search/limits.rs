//! When a search stops, and what it says on the way.

use crate::error::{Error, Result};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// When to stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Absolute gap at which the value counts as optimal, ≥ 0. Tight gaps cost little: from 1e-1 to 1e-6 the nodes
    /// grow by half.
    pub gap: f64,
    /// The same relative to |value|; the larger of the two allowances counts. 0 by default.
    pub relative_gap: f64,
    /// Wall-clock limit.
    pub time: Option<Duration>,
    /// Most boxes to bound.
    pub nodes: u64,
    /// Threads, ≥ 1.
    pub threads: usize,
    /// Seed of the first samples.
    pub seed: u64,
    /// How many of the best distinct local minima to report, 0 by default. They are looked for in boxes that the search
    /// would otherwise only bound, which takes time.
    pub pool: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { gap: 1e-4, relative_gap: 0.0, time: None, nodes: u64::MAX, threads: 1, seed: 0, pool: 0 }
    }
}

impl Limits {
    pub(crate) fn validated(&self) -> Result<()> {
        for (name, value) in [("the gap", self.gap), ("the relative gap", self.relative_gap)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadLimit { name, value, requirement: "finite and not negative" });
            }
        }
        if self.threads == 0 {
            return Err(Error::BadLimit { name: "the thread count", value: 0.0, requirement: "at least 1" });
        }
        Ok(())
    }

    /// How far below `value` the lower bound may be.
    pub(super) fn allowance(&self, value: f64) -> f64 {
        self.gap.max(self.relative_gap * value.abs())
    }
}

/// Where a search stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Best value so far.
    pub value: f64,
    /// Proven lower bound so far.
    pub lower_bound: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Boxes still open.
    pub open: usize,
    /// Since the start.
    pub elapsed: Duration,
}

/// Asks a running search to stop; share it with whoever may want to.
pub type Stop = AtomicBool;
