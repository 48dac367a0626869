//! Ask and tell.
//!
//! A trial is pending until it is told, and then finished for good. What is asked for next depends on the study file
//! and the trials alone, not on who asks or when: ask, crash, open, ask gives the same point. Two who ask at once may
//! think of the same point; the store lets one of them have the number, and the other thinks again.
//!
//! A worker that may die takes trials on a [`Lease`] and renews it. Once a lease has ended, whoever asks next is given
//! that trial again, with the same number and point.

use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::history::{self, Step};
use crate::store::{Finish, Store, connect};
use crate::suggest::{self, Bound, Landscape, Recall};
use crate::trial::{Origin, Outcome, State, Suggestion, Trial};
use crate::value::Point;
use crate::verification::{TrialProof, Verification};
use fathom_miqp::Solver;
use fathom_proof::Statement;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Suggestions that others may outdate in a row before asking fails.
const TRIES: usize = 200;

/// For whom and how long a trial is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Who evaluates; unique among all workers.
    pub owner: String,
    /// How long without a word from them.
    pub duration: Duration,
}

/// A study in a store.
#[derive(Debug)]
pub struct Study {
    store: Box<dyn Store>,
    key: i64,
    definition: Definition,
    solver: Option<External>,
}

/// A solver that was handed in.
struct External(Box<dyn Solver>);

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl Study {
    /// A new study in the store at `url`.
    pub fn create(url: &str, definition: Definition) -> Result<Self> {
        let mut store = connect(url)?;
        match store.create(&definition.name, definition.text())? {
            Some(key) => Ok(Self { store, key, definition, solver: None }),
            None => Err(Error::StudyExists { name: definition.name }),
        }
    }

    /// The study called `name` in the store at `url`.
    pub fn open(url: &str, name: &str) -> Result<Self> {
        let mut store = connect(url)?;
        match store.find(name)? {
            Some(found) => {
                let mut definition = Definition::parse(&found.text)?;
                name.clone_into(&mut definition.name);
                Ok(Self { store, key: found.key, definition, solver: None })
            }
            None => {
                let (names, store) = (store.names()?, store.url());
                Err(Error::NoSuchStudy { store, name: name.to_owned(), names })
            }
        }
    }

    /// The study that `definition` is about: created where it does not exist, else opened, with the new strategy. Space
    /// and goal must be what they were.
    pub fn resume(url: &str, definition: Definition) -> Result<Self> {
        let mut store = connect(url)?;
        if let Some(key) = store.create(&definition.name, definition.text())? {
            return Ok(Self { store, key, definition, solver: None });
        }
        let missing = || Error::NoSuchStudy { store: url.to_owned(), name: definition.name.clone(), names: Vec::new() };
        let found = store.find(&definition.name)?.ok_or_else(missing)?;
        if found.text != definition.text() {
            if let Some(what) = definition.difference(&Definition::parse(&found.text)?) {
                return Err(Error::DifferentSpace { name: definition.name, what });
            }
            store.rewrite(found.key, definition.text())?;
        }
        Ok(Self { store, key: found.key, definition, solver: None })
    }

    /// The study that `definition` is about, to look at: nothing is created or written. Space and goal must be what they
    /// were; the strategy is the definition's.
    pub fn consult(url: &str, definition: Definition) -> Result<Self> {
        let Self { store, key, definition: kept, .. } = Self::open(url, &definition.name)?;
        match definition.difference(&kept) {
            Some(what) => Err(Error::DifferentSpace { name: definition.name, what }),
            None => Ok(Self { store, key, definition, solver: None }),
        }
    }

    /// With a solver for the optimiser `pk` in place of the certified search.
    #[must_use]
    pub fn with_solver(mut self, solver: Box<dyn Solver>) -> Self {
        self.solver = Some(External(solver));
        self
    }

    /// What the study is.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The address of its store.
    pub fn url(&self) -> String {
        self.store.url()
    }

    /// `count` trials to evaluate, which wait until they are told. Whoever may die before that takes them on a lease.
    pub fn ask(&mut self, count: usize) -> Result<Vec<Trial>> {
        let one = |_| Ok(self.ask_next(None, u64::MAX)?.expect("no most, so there is one"));
        (0..count).map(one).collect()
    }

    /// A trial to evaluate, reserved for a while: one whose lease has ended, or a new one; `None` where there are `most`
    /// trials already and nobody has given one up.
    pub fn ask_leased(&mut self, lease: &Lease, most: u64) -> Result<Option<Trial>> {
        self.ask_next(Some(lease), most)
    }

    fn ask_next(&mut self, lease: Option<&Lease>, most: u64) -> Result<Option<Trial>> {
        for _ in 0..TRIES {
            let trials = self.trials()?;
            if let Some(trial) = self.lapsed(&trials, lease)? {
                return Ok(Some(trial));
            }
            if trials.len() as u64 >= most {
                return Ok(None);
            }
            let solver = self.solver.as_ref().map(|solver| solver.0.as_ref());
            let (x, suggestion) = suggest::suggest(&self.definition, &trials, solver)?;
            let point = self.definition.space.decode(&x);
            let trial = self.pending(&trials, point, suggestion, lease);
            if self.store.add(self.key, &trial)? {
                return Ok(Some(trial));
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    /// The first trial whose lease has ended, if it could be had.
    fn lapsed(&mut self, trials: &[Trial], lease: Option<&Lease>) -> Result<Option<Trial>> {
        let now = seconds();
        let ended = |trial: &&Trial| trial.state == State::Pending && trial.lease.is_some_and(|lease| lease < now);
        for trial in trials.iter().filter(ended) {
            let (owner, until) = match lease {
                Some(lease) => (lease.owner.as_str(), now + lease.duration.as_secs_f64()),
                // Nobody to renew it: it waits for ever, as every trial without a lease.
                None => ("", f64::MAX),
            };
            if self.store.lease(self.key, trial.id, owner, now, until)? {
                return Ok(Some(Trial { owner: Some(owner.to_owned()), lease: Some(until), ..trial.clone() }));
            }
        }
        Ok(None)
    }

    fn pending(&self, trials: &[Trial], point: Point, suggestion: Suggestion, lease: Option<&Lease>) -> Trial {
        let now = seconds();
        Trial {
            id: trials.len() as u64 + 1,
            state: State::Pending,
            point,
            value: None,
            message: None,
            suggestion,
            owner: lease.map(|lease| lease.owner.clone()),
            lease: lease.map(|lease| now + lease.duration.as_secs_f64()),
            asked_at: now,
            finished_at: None,
        }
    }

    /// Reserves a pending trial for longer; `false` where it is finished or somebody else's by now.
    pub fn renew(&mut self, id: u64, lease: &Lease) -> Result<bool> {
        let now = seconds();
        self.store.lease(self.key, id, &lease.owner, now, now + lease.duration.as_secs_f64())
    }

    /// Ends the lease of a pending trial that is `owner`'s: from now on it waits until it is told, whoever dies. `false`
    /// where it is finished or somebody else's by now.
    pub fn keep(&mut self, id: u64, owner: &str) -> Result<bool> {
        self.store.lease(self.key, id, owner, seconds(), f64::MAX)
    }

    /// Tells a trial its value. Telling the same again changes nothing, so that it can be repeated after a crash.
    pub fn tell(&mut self, id: u64, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(Error::NotFinite { value });
        }
        self.finish(id, &Outcome::Value(value))
    }

    /// Tells a trial that it has no value.
    pub fn tell_failed(&mut self, id: u64, message: &str) -> Result<()> {
        self.finish(id, &Outcome::Failed(message.to_owned()))
    }

    fn finish(&mut self, id: u64, outcome: &Outcome) -> Result<()> {
        match self.store.finish(self.key, id, outcome, seconds())? {
            Finish::Done => Ok(()),
            Finish::Unknown => Err(Error::NoSuchTrial { study: self.definition.name.clone(), id }),
            Finish::Already(trial) if trial.state == outcome.state() && trial.value == outcome.value() => Ok(()),
            Finish::Already(trial) => {
                let outcome =
                    trial.value.map_or_else(|| trial.state.name().to_owned(), |value| format!("value {value}"));
                Err(Error::AlreadyFinished { id, outcome })
            }
        }
    }

    /// Adds an experiment of the past as a finished trial.
    pub fn add(&mut self, point: &Point, outcome: &Outcome) -> Result<Trial> {
        if let Outcome::Value(value) = outcome
            && !value.is_finite()
        {
            return Err(Error::NotFinite { value: *value });
        }
        let point = self.definition.space.check(point)?;
        for _ in 0..TRIES {
            let trials = self.trials()?;
            let bare = self.pending(&trials, point.clone(), Suggestion::without_model(Origin::Import), None);
            let trial = Trial {
                state: outcome.state(),
                value: outcome.value(),
                message: outcome.message().map(str::to_owned),
                finished_at: Some(bare.asked_at),
                ..bare
            };
            if self.store.add(self.key, &trial)? {
                return Ok(trial);
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    /// All trials, by number.
    pub fn trials(&mut self) -> Result<Vec<Trial>> {
        self.store.trials(self.key)
    }

    /// The complete trial with the best value; the earliest of equals.
    pub fn best(&mut self) -> Result<Option<Trial>> {
        let goal = self.definition.goal;
        let cost = |trial: &Trial| trial.value.map_or(f64::INFINITY, |value| goal.cost(value));
        let finished = self.trials()?.into_iter().filter(|trial| trial.value.is_some());
        Ok(finished.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.id.cmp(&b.id))))
    }

    /// How far it has come, trial by trial.
    pub fn history(&mut self) -> Result<Vec<Step>> {
        Ok(history::history(&self.trials()?, self.definition.goal))
    }

    /// What can still be gained now, by a minimisation of its own; `None` before there is a model, and for acquisition
    /// functions and optimisers that prove nothing of the kind.
    pub fn bound(&mut self) -> Result<Option<Bound>> {
        let trials = self.trials()?;
        suggest::bound(&self.definition, &trials)
    }

    /// The problem whose minimum trial `id` is, made again from the trials as they were then.
    pub fn statement(&mut self, id: u64) -> Result<Statement> {
        let trials = self.trials()?;
        Recall::new(&self.definition, &trials, id)?.statement()
    }

    /// The proof behind trial `id`, made again: its search is repeated under the stored hyperparameters. An
    /// [`Error::NoProof`] says why there is none, an [`Error::Different`] what in the study is not as it was.
    pub fn proof(&mut self, id: u64) -> Result<TrialProof> {
        let trials = self.trials()?;
        Recall::new(&self.definition, &trials, id)?.proof()
    }

    /// The proof behind trial `id`, checked by separate code in interval arithmetic; [`Error::Refused`] if it does not hold.
    pub fn verify(&mut self, id: u64) -> Result<Verification> {
        let proof = self.proof(id)?;
        let verdict = fathom_check::verify(&proof.proof).map_err(|rejection| Error::Refused { id, rejection })?;
        Ok(Verification { proof, verdict })
    }

    /// The model after the finished trials.
    pub fn landscape(&mut self) -> Result<Landscape> {
        let trials = self.trials()?;
        Landscape::new(&self.definition, &trials)
    }
}

/// Since 1970.
fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64())
}
