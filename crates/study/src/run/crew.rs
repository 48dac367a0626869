//! The workers of one process.

use super::listener::Listener;
use super::worker::Worker;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::opening::StudyFile;
use crate::study::Study;
use crate::trial::Outcome;
use fathom_global::Stop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// What all workers share.
pub struct Crew<'a> {
    /// The study that they work on; its definition says what is evaluated.
    pub file: &'a StudyFile,
    /// How many.
    pub workers: usize,
    /// The most trials of the study.
    pub most: u64,
    /// How long a trial waits for a worker that died.
    pub lease: Duration,
    /// Whoever has it ends the run.
    pub stop: &'a Stop,
    /// Who hears what happens.
    pub listener: &'a dyn Listener,
}

/// Why a worker ended before its time.
#[derive(Debug)]
pub enum Ending {
    /// Something failed.
    Failed(Error),
    /// A trial was not told what was measured, which is in the error.
    Untold {
        /// The trial.
        id: u64,
        /// What was measured.
        outcome: Outcome,
        /// Why it was not told.
        error: Error,
    },
    /// It broke down.
    BrokeDown,
}

impl Crew<'_> {
    /// Works until the study ends or somebody stops it; what ended workers before their time, if anything did.
    pub fn work(&self, study: &mut Study) -> Result<Vec<Ending>> {
        let shared = Shared::new(study.best()?.and_then(|best| best.value));
        let endings = std::thread::scope(|scope| {
            let work = |number| {
                let (crew, shared) = (self, &shared);
                scope.spawn(move || Worker::new(crew, shared, number).work())
            };
            let workers: Vec<_> = (0..self.workers).map(work).collect();
            let end = |worker: ScopedJoinHandle<'_, Option<Ending>>| match worker.join() {
                Ok(ending) => ending,
                Err(_) => Some(Ending::BrokeDown),
            };
            workers.into_iter().filter_map(end).collect()
        });
        Ok(endings)
    }

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
    fn new(best: Option<f64>) -> Self {
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
