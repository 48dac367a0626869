//! Proofs that go on while programs run: one thread a worker, which proves the suggestion that the worker evaluates.
//!
//! The thread has a connection of its own, and nobody waits for it before the outcome is told. What it has proven when the evaluation
//! ends is stored.

use super::crew::Crew;
use super::listener::News;
use crate::definition::Evaluation;
use crate::error::Result;
use crate::study::Study;
use crate::trial::Trial;
use crate::watch::{Report, Watch};
use fathom_global::{Stop, spare_memory};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an evaluation takes at least to be worth a proof: programs that end at once keep the machine to themselves.
const MOMENT: Duration = Duration::from_millis(100);

/// How often the end of the evaluation is looked for before that.
const GLANCE: Duration = Duration::from_millis(10);

/// How long the store may take: what could not be stored can be proven again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Who proves what one worker evaluates.
pub(super) struct Prover<'a> {
    crew: &'a Crew<'a>,
    worker: usize,
    /// The study over a connection of its own, once there was something to prove.
    study: Option<Study>,
}

/// Ends a proof when it goes, whatever happens to the evaluation.
pub(super) struct End<'s>(pub &'s Stop);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'a> Prover<'a> {
    pub fn new(crew: &'a Crew<'a>, worker: usize) -> Self {
        Self { crew, worker, study: None }
    }

    /// Whether a trial's suggestion is to be proven during its evaluation. A built-in function returns at once; with a
    /// `node_limit` the study file says how much work there is to be.
    pub fn wants(&self, trial: &Trial, evaluation: &Evaluation) -> bool {
        let strategy = &self.crew.file.definition().strategy;
        let is_program = matches!(evaluation, Evaluation::Command { .. });
        self.crew.proves && is_program && strategy.node_limit.is_none() && trial.suggestion.assurance().is_open()
    }

    /// Proves the suggestion until `stop` is set or the strategy's time limit is over, unless the evaluation is over at once.
    pub fn prove(&mut self, id: u64, stop: &Stop) {
        let started = Instant::now();
        while started.elapsed() < MOMENT {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(GLANCE);
        }
        match self.proven(id, stop) {
            Ok(trial) => self.crew.listener.hears(News::Proven { trial: &trial }),
            Err(why) => self.crew.listener.hears(News::NotProven { id, why: &why }),
        }
    }

    fn proven(&mut self, id: u64, stop: &Stop) -> Result<Trial> {
        let (file, listener, worker) = (self.crew.file, self.crew.listener, self.worker);
        let study = match &mut self.study {
            Some(study) => study,
            none @ None => {
                let mut study = Study::open(file.address(), &file.definition().name)?;
                study.set_patience(PATIENCE)?;
                none.insert(study)
            }
        };
        let mut hear = |report: Report| listener.hears(News::Proves { worker, report });
        let mut watch = Watch::new(stop).heard_by(&mut hear);
        let limit = study.definition().strategy.time_limit;
        // Workers share what is free.
        let memory = spare_memory() / self.crew.workers.max(1) as u64;
        study.prove_in(id, Some(memory), &mut watch.within(limit))
    }
}
