//! The workers of one process.

use super::listener::Listener;
use crate::definition::Definition;
use crate::error::Error;
use crate::opening::StudyFile;
use crate::trial::Outcome;
use fathom_global::Stop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What all workers share.
pub struct Crew<'a> {
    /// The study that they work on; its definition says what is evaluated.
    pub file: &'a StudyFile,
    /// How many workers there are.
    pub workers: usize,
    /// The most trials of the study.
    pub most: u64,
    /// How long a trial waits for a worker that died.
    pub lease: Duration,
    /// Whether suggestions that were handed out in haste are proven while programs evaluate them.
    pub proves: bool,
    /// Whoever sets this flag ends the run.
    pub stop: &'a Stop,
    /// Who hears what happens.
    pub listener: &'a dyn Listener,
}

/// Why a worker ended before its time.
#[derive(Debug)]
pub enum Ending {
    /// Something failed.
    Failed(Error),
    /// A trial was not told what was measured; the error carries it.
    Untold {
        /// The trial.
        id: u64,
        /// What was measured.
        outcome: Box<Outcome>,
        /// Why it was not told.
        error: Box<Error>,
    },
    /// The worker broke down.
    BrokeDown,
}

impl Crew<'_> {
    pub(super) fn is_over(&self, shared: &Shared) -> bool {
        let late = self.file.definition().stopping.time.is_some_and(|time| shared.started.elapsed() > time);
        late || self.is_stopped() || shared.ended.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Where a crew stands.
pub(super) struct Shared {
    /// A stopping rule was met, or a worker failed.
    pub ended: AtomicBool,
    pub started: Instant,
    /// The best value that anybody here knows of.
    best: Mutex<Option<f64>>,
}

impl Shared {
    pub fn new(best: Option<f64>) -> Self {
        Self { ended: AtomicBool::new(false), started: Instant::now(), best: Mutex::new(best) }
    }

    /// The best value, with one more that is known.
    pub fn best(&self, definition: &Definition, known: Option<f64>) -> Option<f64> {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = |value: f64| definition.goal.cost(value);
        if let Some(known) = known
            && best.is_none_or(|best| cost(known) < cost(best))
        {
            *best = Some(known);
        }
        *best
    }
}
