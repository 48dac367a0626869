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
    /// The gap relative to |value|; the larger of the two allowances counts. 0 by default.
    pub relative_gap: f64,
    /// Wall-clock limit.
    pub time: Option<Duration>,
    /// Most boxes to bound.
    pub nodes: u64,
    /// Threads, ≥ 1.
    pub threads: usize,
    /// Seed of the first samples.
    pub seed: u64,
    /// How many of the best distinct local minima to report, 0 by default. The search looks for them in boxes that it
    /// would otherwise only bound, which takes time.
    pub pool: usize,
    /// Most bytes for open boxes and, if it is recorded, the proof, while they grow, too; by default half of the memory
    /// that is free when the search begins.
    pub memory: Option<u64>,
}

/// More threads than this are never of use, since a batch has fewer boxes.
pub const MOST_THREADS: usize = 1024;

/// The most local minima that a search reports.
pub const MOST_MINIMA: usize = 10_000;

impl Default for Limits {
    fn default() -> Self {
        Self { gap: 1e-4, relative_gap: 0.0, time: None, nodes: u64::MAX, threads: 1, seed: 0, pool: 0, memory: None }
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
        if self.threads > MOST_THREADS {
            let (name, value) = ("the thread count", self.threads as f64);
            return Err(Error::BadLimit { name, value, requirement: "at most 1024" });
        }
        if self.pool > MOST_MINIMA {
            let (name, value) = ("the size of the pool", self.pool as f64);
            return Err(Error::BadLimit { name, value, requirement: "at most 10000" });
        }
        Ok(())
    }

    /// How far below `value` the lower bound may be.
    pub(crate) fn allowance(&self, value: f64) -> f64 {
        self.gap.max(self.relative_gap * value.abs())
    }
}

/// Half of the memory that is free now, or 4 GB if the system does not say: other programs need memory too.
pub fn spare_memory() -> u64 {
    free_memory().unwrap_or(8 << 30) / 2
}

/// The bytes of memory that are free now; none if the system does not say.
pub fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
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
    /// Time since the start.
    pub elapsed: Duration,
}

/// Asks a running search to stop; share it with anyone who may stop the search.
pub type Stop = AtomicBool;
