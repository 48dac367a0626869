//! One worker: asks, evaluates, tells.

use super::crew::{Crew, Ending, Shared};
use super::evaluator::{Failure, evaluate};
use super::listener::News;
use super::prover::{End, Prover};
use crate::definition::{Definition, Evaluation};
use crate::error::{Error, Result};
use crate::owner::owner;
use crate::patience::{Waiter, patiently};
use crate::store::PATIENCE;
use crate::study::Study;
use crate::trial::{Lease, Outcome, Trial};
use crate::watch::{Report, Watch};
use fathom_global::Stop;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// How often a worker that has nothing to do looks whether a trial was given up.
const GLANCE: Duration = Duration::from_millis(100);

/// How long the store may take while a program runs: the worker must look after the program.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

impl Crew<'_> {
    /// Works until the study ends or somebody stops it. Returns what ended workers before their time.
    pub fn work(&self, study: &mut Study) -> Result<Vec<Ending>> {
        let shared = Shared::new(study.best()?.and_then(|best| best.objective()));
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
}

/// One worker of a crew.
struct Worker<'a> {
    crew: &'a Crew<'a>,
    shared: &'a Shared,
    number: usize,
    lease: Lease,
}

impl<'a> Worker<'a> {
    pub fn new(crew: &'a Crew<'a>, shared: &'a Shared, number: usize) -> Self {
        let lease = Lease { owner: owner(number), duration: crew.lease };
        Self { crew, shared, number, lease }
    }

    /// Works until the run is over. Returns why the worker ended before that, if it did.
    pub fn work(&self) -> Option<Ending> {
        let ending = self.loop_until_over();
        if ending.is_some() {
            // A worker that cannot go on ends the others too.
            self.shared.ended.store(true, Ordering::Relaxed);
        }
        ending
    }

    fn definition(&self) -> &'a Definition {
        self.crew.file.definition()
    }

    fn loop_until_over(&self) -> Option<Ending> {
        let Some(evaluation) = &self.definition().evaluation else {
            return Some(Ending::Failed(Error::NothingToEvaluate));
        };
        let mut study = match self.opened() {
            Ok(study) => study,
            Err(error) => return Some(Ending::Failed(error)),
        };
        let mut prover = Prover::new(self.crew, self.number);
        let mut waits = false;
        while !self.crew.is_over(self.shared) {
            let trial = match self.asked(&mut study) {
                // Nothing is under way, so nothing is lost.
                Err(error) if error.is_temporary() && self.crew.is_over(self.shared) => break,
                Err(Error::Interrupted { .. }) => break,
                Err(error) => return Some(Ending::Failed(error)),
                Ok(Asked::Trial(trial)) => trial,
                Ok(Asked::Later) => {
                    if !std::mem::replace(&mut waits, true) {
                        self.crew.listener.hears(News::WaitsForOthers { worker: self.number });
                    }
                    std::thread::sleep(GLANCE);
                    continue;
                }
                Ok(Asked::Over) => break,
            };
            if let Err(ending) = self.evaluated(&mut study, &mut prover, &trial, evaluation) {
                return Some(ending);
            }
        }
        None
    }

    fn opened(&self) -> Result<Study> {
        let file = self.crew.file;
        let study = patiently(&mut Voice(self), || Study::open(file.address(), &self.definition().name))?;
        Ok(study.spooled(file.spool()))
    }

    /// Asks for the next trial.
    fn asked(&self, study: &mut Study) -> Result<Asked> {
        let mut listener = |report: Report| {
            self.crew.listener.hears(News::Asks { worker: self.number, report });
        };
        let mut watch = Watch::new(self.crew.stop).heard_by(&mut listener);
        let most = self.crew.most;
        let asked = patiently(&mut Voice(self), || study.ask_watched(Some(&self.lease), most, &mut watch));
        match asked {
            Ok(Some(trial)) if self.crew.is_stopped() => {
                self.crew.listener.hears(News::Leaves { trial: &trial });
                self.give_up(study, trial.id);
                return Ok(Asked::Over);
            }
            Ok(Some(trial)) => return Ok(Asked::Trial(Box::new(trial))),
            Ok(None) => {}
            Err(Error::Exhausted { points }) => self.crew.listener.hears(News::Exhausted { points }),
            Err(error) => return Err(error),
        }
        // Trials of others may yet be given up.
        let is_leased = patiently(&mut Voice(self), || study.is_leased())?;
        Ok(if is_leased { Asked::Later } else { Asked::Over })
    }

    /// Leaves a trial to the next who asks at once, so that nobody has to wait for the lease to end; if that fails, the
    /// lease ends by itself.
    fn give_up(&self, study: &mut Study, id: u64) {
        let _ = study.renew(id, &Lease { duration: Duration::ZERO, ..self.lease.clone() });
    }

    /// Evaluates a trial and tells its outcome, while another thread proves its suggestion.
    fn evaluated(
        &self,
        study: &mut Study,
        prover: &mut Prover<'_>,
        trial: &Trial,
        evaluation: &Evaluation,
    ) -> std::result::Result<(), Ending> {
        let best = self.shared.best(self.definition(), study.best_known());
        self.crew.listener.hears(News::Evaluates { worker: self.number, trial, best });
        let stop = Stop::new(false);
        let told = std::thread::scope(|scope| {
            let stop = &stop;
            let wants = prover.wants(trial, evaluation);
            let proof = wants.then(|| scope.spawn(move || prover.prove(trial.id, stop)));
            let told = self.told(study, trial, evaluation, End(stop));
            // A proof that breaks down is no harm to the trial.
            drop(proof.map(ScopedJoinHandle::join));
            told
        });
        if let (Ok(true), Some(bound), Some(gain)) = (&told, trial.suggestion.bound, self.definition().stopping.gain)
            && bound.gain <= gain
        {
            self.shared.ended.store(true, Ordering::Relaxed);
        }
        told.map(|_| ())
    }

    /// Evaluates a trial and tells its outcome; `false` if the evaluation was cut short. The proof ends with the evaluation.
    fn told(
        &self,
        study: &mut Study,
        trial: &Trial,
        evaluation: &Evaluation,
        proof: End<'_>,
    ) -> std::result::Result<bool, Ending> {
        let outcome = self.outcome(study, trial, evaluation);
        drop(proof);
        let Some(outcome) = outcome.map_err(Ending::Failed)? else {
            self.give_up(study, trial.id);
            return Ok(false);
        };
        match study.report(trial.id, Some(&trial.point), &outcome, &mut Voice(self)) {
            Ok(()) => drop(self.shared.best(self.definition(), outcome.objective())),
            Err(why @ Error::AlreadyFinished { .. }) => {
                self.crew.listener.hears(News::NotTold { id: trial.id, outcome: &outcome, why: &why });
            }
            Err(error) => {
                return Err(Ending::Untold { id: trial.id, outcome: Box::new(outcome), error: Box::new(error) });
            }
        }
        Ok(true)
    }

    /// The outcome of the evaluation, during which the lease is renewed; `None` if the evaluation was cut short.
    fn outcome(&self, study: &mut Study, trial: &Trial, evaluation: &Evaluation) -> Result<Option<Outcome>> {
        study.set_patience(SHORT_PATIENCE)?;
        let mut renewed = Instant::now();
        let mut is_ours = true;
        let outcome = evaluate(evaluation, trial, || {
            if renewed.elapsed() > self.lease.duration / 4 {
                renewed = Instant::now();
                is_ours = study.renew(trial.id, &self.lease).unwrap_or(true);
            }
            is_ours && !self.crew.is_stopped()
        });
        study.set_patience(PATIENCE)?;
        Ok(match outcome {
            Ok(value) => Some(Outcome::of(value)?),
            Err(Failure::Failed(reason)) => Some(Outcome::Failed(reason)),
            Err(Failure::Interrupted) => None,
        })
    }
}

/// What became of asking.
enum Asked {
    Trial(Box<Trial>),
    /// There is no trial now, but others may give one up.
    Later,
    /// There are no more trials, or nobody wants one.
    Over,
}

/// A worker that waits for the store until the run is stopped.
struct Voice<'a>(&'a Worker<'a>);

impl Waiter for Voice<'_> {
    fn waits(&mut self, why: &Error, times: usize) {
        self.0.crew.listener.hears(News::Waits { why, times });
    }

    fn keeps(&mut self, id: u64, outcome: &Outcome, kept: std::result::Result<&Path, &Error>) {
        self.0.crew.listener.hears(News::Keeps { id, outcome, kept });
    }

    fn goes_on(&self) -> bool {
        !self.0.crew.is_stopped()
    }
}
