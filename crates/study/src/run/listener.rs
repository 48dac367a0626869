//! What a run says.

use crate::error::Error;
use crate::trial::{Outcome, Trial};
use crate::watch::Report;
use std::path::Path;

/// Something that happened to a worker.
#[derive(Debug)]
pub enum News<'n> {
    /// A worker thinks about the next point.
    Asks {
        /// The worker, from 0.
        worker: usize,
        /// How far the worker is.
        report: Report,
    },
    /// A worker has a trial, and evaluates it now.
    Evaluates {
        /// The worker, from 0.
        worker: usize,
        /// The trial.
        trial: &'n Trial,
        /// The best value that is known by now.
        best: Option<f64>,
    },
    /// A worker proves the suggestion that it evaluates.
    Proves {
        /// The worker, from 0.
        worker: usize,
        /// How far the proof is.
        report: Report,
    },
    /// A proof has come to its end, or its evaluation has.
    Proven {
        /// The trial with what is known of it now.
        trial: &'n Trial,
    },
    /// A suggestion was not proven, or what was proven was not stored. It can be proven again.
    NotProven {
        /// The trial.
        id: u64,
        /// What went wrong.
        why: &'n Error,
    },
    /// Somebody stopped the run while a worker asked. The trial, the best one known by then, is left to the next who asks.
    Leaves {
        /// The trial.
        trial: &'n Trial,
    },
    /// All points of a finite space have been handed out.
    Exhausted {
        /// How many there are.
        points: usize,
    },
    /// All trials are handed out, and those of other workers are waited for: one whose worker died is evaluated again once its lease
    /// has ended.
    WaitsForOthers {
        /// The worker, from 0.
        worker: usize,
    },
    /// The store does not answer, for the `times`th time in a row, and is asked again.
    Waits {
        /// What it said.
        why: &'n Error,
        /// How often in a row.
        times: usize,
    },
    /// A value is not told yet. It is kept in a file until it is told, or could not be written down.
    Keeps {
        /// The trial.
        id: u64,
        /// What the trial is to be told.
        outcome: &'n Outcome,
        /// The file, or why it could not be written.
        kept: Result<&'n Path, &'n Error>,
    },
    /// Somebody else evaluated the trial too, after our lease had ended, and told the value that counts.
    NotTold {
        /// The trial.
        id: u64,
        /// What the trial was to be told.
        outcome: &'n Outcome,
        /// What the store said.
        why: &'n Error,
    },
}

/// Who hears what happens; several workers may speak at once.
pub trait Listener: Sync {
    /// Something happened.
    fn hears(&self, news: News<'_>);
}
