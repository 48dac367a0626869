//! Ask and tell.
//!
//! A trial is pending until it is told, and then finished; corrections are entries of a history. What is asked for next depends on the study file
//! and the trials alone, not on who asks or when: ask, crash, open, ask gives the same point. Two who ask at once may
//! think of the same point; the store lets one of them have the number, and the other thinks again.
//!
//! A worker that may die takes trials on a [`Lease`] and renews it. Once a lease has ended, whoever asks next is given
//! that trial again, with the same number and point.

mod changing;
mod experiment;
mod proving;
mod reporting;

use crate::address::Address;
use crate::bound::Remaining;
use crate::change::Original;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::history::{self, Step};
use crate::learned::Learned;
use crate::recommended::Recommended;
use crate::spool::Spool;
use crate::store::{Access, Entry, Finish, PATIENCE, Store, open};
use crate::suggest::{self, Recall, Surrogate};
use crate::trial::{Lease, Outcome, State, Trial};
use crate::values::{BadValues, OBJECTIVE, Values};
use crate::verification::{TrialProof, Verification};
use crate::watch::{Stage, Watch};
use fathom_method::Found;
use fathom_proof::Statement;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub use changing::Entered;
pub use experiment::{Experiment, Imported};
pub use reporting::TakenUp;

/// Suggestions that others may outdate in a row before asking fails.
const TRIES: usize = 200;

/// A study in a store.
#[derive(Debug)]
pub struct Study {
    store: Box<dyn Store>,
    key: i64,
    definition: Definition,
    /// Who solves the paper's program, once somebody asked.
    found: OnceLock<Found>,
    spool: Option<Spool>,
    patience: Duration,
    /// The best value among the trials that it has read or told.
    best_known: Option<f64>,
}

impl Study {
    fn new(store: Box<dyn Store>, key: i64, definition: Definition) -> Self {
        Self { store, key, definition, found: OnceLock::new(), spool: None, patience: PATIENCE, best_known: None }
    }

    /// A new study in the store at an address.
    pub fn create(address: impl Into<Address>, definition: Definition) -> Result<Self> {
        let mut store = open(&address.into(), Access::Act)?;
        match store.create(&definition.name, definition.text())? {
            Some(key) => Ok(Self::new(store, key, definition)),
            None => Err(Error::StudyExists { name: definition.name }),
        }
    }

    /// The study called `name` in the store at an address.
    pub fn open(address: impl Into<Address>, name: &str) -> Result<Self> {
        let (store, key, text) = found(&address.into(), Access::Act, name)?;
        let mut definition = Definition::parse_kept(&text)?;
        name.clone_into(&mut definition.name);
        Ok(Self::new(store, key, definition))
    }

    /// The study that `definition` is about: created where it does not exist, else opened, with the new strategy, which is
    /// stored. Space and goal must be what they were.
    pub fn resume(address: impl Into<Address>, definition: Definition) -> Result<Self> {
        let mut study = Self::begin(address, definition)?;
        study.rewrite()?;
        Ok(study)
    }

    /// The same without storing the new strategy, which is for those who are asked for points.
    pub fn begin(address: impl Into<Address>, definition: Definition) -> Result<Self> {
        let mut store = open(&address.into(), Access::Act)?;
        // Looked for before it is created: who finds it writes nothing.
        let mut found = store.find(&definition.name)?;
        if found.is_none() {
            if let Some(key) = store.create(&definition.name, definition.text())? {
                return Ok(Self::new(store, key, definition));
            }
            found = store.find(&definition.name)?;
        }
        let Some(found) = found else {
            let (store, name) = (store.address().clone(), definition.name);
            return Err(Error::NoSuchStudy { store, name, names: Vec::new() });
        };
        same_space(&definition, &found.text)?;
        Ok(Self::new(store, found.key, definition))
    }

    /// The study that `definition` is about, to tell it something: it must exist, and its file stays as it is.
    pub fn join(address: impl Into<Address>, definition: Definition) -> Result<Self> {
        Self::existing(&address.into(), Access::Act, definition)
    }

    /// The study that `definition` is about, to look at: nothing is created or written, and no right to write is needed.
    /// Space and goal must be what they were; the strategy is the definition's.
    pub fn consult(address: impl Into<Address>, definition: Definition) -> Result<Self> {
        Self::existing(&address.into(), Access::Read, definition)
    }

    fn existing(address: &Address, access: Access, definition: Definition) -> Result<Self> {
        let (store, key, text) = found(address, access, &definition.name)?;
        same_space(&definition, &text)?;
        Ok(Self::new(store, key, definition))
    }

    /// Stores the definition, where it is not what is stored.
    fn rewrite(&mut self) -> Result<()> {
        let stored = self.store.find(&self.definition.name)?;
        if stored.is_some_and(|stored| stored.text == self.definition.text()) {
            return Ok(());
        }
        self.store.rewrite(self.key, self.definition.text())
    }

    /// With a file for values that the store does not take.
    #[must_use]
    pub fn with_spool(mut self, spool: Spool) -> Self {
        self.spool = Some(spool);
        self
    }

    /// The same, if there is one.
    pub(crate) fn spooled(self, spool: Option<Spool>) -> Self {
        Self { spool, ..self }
    }

    /// How long each of its operations waits for others, or for a server that went away; 30 s if nobody says otherwise.
    pub fn set_patience(&mut self, patience: Duration) -> Result<()> {
        self.patience = patience;
        self.store.set_patience(patience)
    }

    /// Who solves the paper's program. A solver that is missing is an error before the first experiment.
    fn found(&self) -> Result<&Found> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let found = self.definition.found()?;
        Ok(self.found.get_or_init(|| found))
    }

    /// What the study is.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The address of its store, which shows no secret.
    pub fn address(&self) -> &Address {
        self.store.address()
    }

    /// `count` trials to evaluate, which wait until they are told. Whoever may die before that takes them on a lease.
    pub fn ask(&mut self, count: usize) -> Result<Vec<Trial>> {
        let mut watch = Watch::nobody();
        let one = |_| Ok(self.ask_watched(None, u64::MAX, &mut watch)?.expect("no most, so there is one"));
        (0..count).map(one).collect()
    }

    /// A trial to evaluate, reserved for a while: one whose lease has ended, or a new one; `None` where there are `most`
    /// trials already and nobody has given one up.
    pub fn ask_leased(&mut self, lease: &Lease, most: u64) -> Result<Option<Trial>> {
        self.ask_watched(Some(lease), most, &mut Watch::nobody())
    }

    /// The same, on a lease or for ever, under a watch. The time limit of the strategy bounds the whole: fit, bound and every
    /// search together; its patience bounds the searches. Once they are over, the trial is the best one known by then, and its
    /// certificate says what is proven of it; [`Study::prove`] goes on from there.
    pub fn ask_watched(&mut self, lease: Option<&Lease>, most: u64, watch: &mut Watch<'_>) -> Result<Option<Trial>> {
        let patience = self.definition.strategy.patience_in(&self.definition.space);
        self.asked(lease, most, patience, watch)
    }

    /// The same, with as much patience as the strategy's time limit allows: the trial is proven if there is time for it.
    pub fn ask_proven(&mut self, lease: Option<&Lease>, most: u64, watch: &mut Watch<'_>) -> Result<Option<Trial>> {
        let mut watch = watch.within(self.definition.strategy.time_limit);
        match self.asked(lease, most, None, &mut watch)? {
            // A trial that somebody gave up was perhaps asked for in haste.
            Some(trial) if trial.suggestion.assurance().is_open() && !watch.is_over() => {
                match self.prove_watched(trial.id, &mut watch) {
                    Err(Error::NoProof { .. } | Error::Different { .. }) => Ok(Some(trial)),
                    proven => proven.map(Some),
                }
            }
            asked => Ok(asked),
        }
    }

    fn asked(
        &mut self,
        lease: Option<&Lease>,
        most: u64,
        patience: Option<Duration>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Trial>> {
        let mut watch = watch.within(self.definition.strategy.time_limit);
        for _ in 0..TRIES {
            let standing = self.store.standing(self.key)?;
            let mut since = Instant::now();
            if let Some(id) = standing.lapsed {
                match self.lapsed(id, lease)? {
                    Some(trial) if self.is_still_held(id, lease, since)? => return Ok(Some(trial)),
                    // Somebody else was given it.
                    Some(_) | None => continue,
                }
            }
            if standing.count - standing.cancelled >= most {
                return Ok(None);
            }
            let trials = self.trials()?;
            let cancelled = trials.iter().filter(|trial| trial.state == State::Cancelled).count();
            if (trials.len() - cancelled) as u64 >= most {
                // Somebody added the last one in between.
                continue;
            }
            trials.iter().for_each(|trial| self.learn(trial.objective()));
            let (x, suggestion) = suggest::suggest(&self.definition, &trials, self.found()?, patience, &mut watch)?;
            let point = self.definition.space.decode(&x);
            let entry = Entry { point, suggestion, outcome: None, lease: lease.cloned() };
            since = Instant::now();
            let added = self.store.add(self.key, trials.len() as u64 + 1, &[entry])?.and_then(|mut added| added.pop());
            if let Some(trial) = added
                && self.is_still_held(trial.id, lease, since)?
            {
                return Ok(Some(trial));
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    /// Whether a lease that was asked for at `since` still holds: an answer that took long may tell of one that has ended.
    fn is_still_held(&mut self, id: u64, lease: Option<&Lease>, mut since: Instant) -> Result<bool> {
        let Some(lease) = lease else { return Ok(true) };
        // A lease that no answer is quick enough for is worth a few attempts.
        for _ in 0..5 {
            if since.elapsed() <= lease.duration / 4 {
                break;
            }
            since = Instant::now();
            if !self.renew(id, lease)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Trial `id`, whose lease has ended, if it could be had.
    fn lapsed(&mut self, id: u64, lease: Option<&Lease>) -> Result<Option<Trial>> {
        let is_given = match lease {
            Some(lease) => self.renew(id, lease)?,
            // Nobody to renew it: it waits for ever, as every trial without a lease.
            None => self.keep(id, "")?,
        };
        if is_given { self.store.trial(self.key, id) } else { Ok(None) }
    }

    /// Whether trials are out on a lease, so that one of them may yet be given up.
    pub fn is_leased(&mut self) -> Result<bool> {
        Ok(self.store.standing(self.key)?.is_leased)
    }

    /// Reserves a pending trial for longer; `false` where it is finished or somebody else's by now.
    pub fn renew(&mut self, id: u64, lease: &Lease) -> Result<bool> {
        self.store.lease(self.key, id, &lease.owner, Some(lease.duration))
    }

    /// Ends the lease of a pending trial that is `owner`'s: from now on it waits until it is told, whoever dies. `false`
    /// where it is finished or somebody else's by now.
    pub fn keep(&mut self, id: u64, owner: &str) -> Result<bool> {
        self.store.lease(self.key, id, owner, None)
    }

    /// Tells a trial its value. Telling the same again changes nothing, so that it can be repeated after a crash.
    pub fn tell(&mut self, id: u64, value: f64) -> Result<()> {
        self.finish(id, &Outcome::of(value)?)
    }

    /// Tells a trial its values by name, of which one is the objective.
    pub fn tell_values(&mut self, id: u64, values: Values) -> Result<()> {
        self.finish(id, &Outcome::Values(values))
    }

    /// Tells a trial that it has no value.
    pub fn tell_failed(&mut self, id: u64, message: &str) -> Result<()> {
        self.finish(id, &Outcome::Failed(message.to_owned()))
    }

    /// `Ok` if a trial waits for an outcome, or has this one already: what telling it would say, without telling it.
    pub fn may_be_told(&mut self, id: u64, outcome: &Outcome) -> Result<()> {
        has_objective(outcome)?;
        let trial = self.trial(id)?;
        if trial.as_told().state == State::Pending { Ok(()) } else { agrees(&trial, outcome) }
    }

    fn finish(&mut self, id: u64, outcome: &Outcome) -> Result<()> {
        has_objective(outcome)?;
        match self.store.finish(self.key, id, outcome)? {
            Finish::Done => {
                self.learn(outcome.objective());
                Ok(())
            }
            Finish::Unknown => Err(Error::NoSuchTrial { study: self.definition.name.clone(), id }),
            Finish::Already(trial) => agrees(&trial, outcome),
        }
    }

    /// All trials, by number.
    pub fn trials(&mut self) -> Result<Vec<Trial>> {
        self.store.trials(self.key)
    }

    /// One trial.
    pub fn trial(&mut self, id: u64) -> Result<Trial> {
        let found = self.store.trial(self.key, id)?;
        found.ok_or_else(|| Error::NoSuchTrial { study: self.definition.name.clone(), id })
    }

    /// The complete trial with the best value; the earliest of equals.
    pub fn best(&mut self) -> Result<Option<Trial>> {
        let trials = self.trials()?;
        Ok(self.definition.goal.best(&trials).cloned())
    }

    /// The best trial by the model, if values are noisy and there are enough of them for a model: the least of noisy values is
    /// partly luck. `None` if [`best`](Self::best) says it all.
    pub fn recommended(&mut self) -> Result<Option<Recommended>> {
        self.recommended_watched(&mut Watch::nobody())
    }

    /// The same under a watch, as [`surrogate_watched`](Self::surrogate_watched).
    pub fn recommended_watched(&mut self, watch: &mut Watch<'_>) -> Result<Option<Recommended>> {
        let trials = self.trials()?;
        if !Recommended::is_due(&self.definition, &trials) {
            return Ok(None);
        }
        let surrogate = suggest::surrogate(&self.definition, &trials, watch)?;
        Recommended::new(&self.definition, &surrogate, &trials)
    }

    /// The best value of which it knows without reading: among the trials that were there when it last thought of a point,
    /// and what it was told since.
    pub fn best_known(&self) -> Option<f64> {
        self.best_known
    }

    fn learn(&mut self, value: Option<f64>) {
        let goal = self.definition.goal;
        if let Some(value) = value
            && self.best_known.is_none_or(|best| goal.cost(value) < goal.cost(best))
        {
            self.best_known = Some(value);
        }
    }

    /// How far it has come, trial by trial.
    pub fn history(&mut self) -> Result<Vec<Step>> {
        Ok(history::history(&self.trials()?, self.definition.goal))
    }

    /// What can still be gained now under a cautious model, by a fit and a minimisation of its own, or why nothing is said.
    pub fn remaining(&mut self) -> Result<Remaining> {
        self.remaining_watched(&mut Watch::nobody())
    }

    /// The same under a watch; within the strategy's time limit too. A search that is cut short gives what it has proven, a fit
    /// that is cut short nothing.
    pub fn remaining_watched(&mut self, watch: &mut Watch<'_>) -> Result<Remaining> {
        let trials = self.trials()?;
        suggest::remaining(&self.definition, &trials, &mut watch.within(self.definition.strategy.time_limit))
    }

    /// The problem whose minimum trial `id` is, made again from the trials as they were then.
    pub fn statement(&mut self, id: u64) -> Result<Statement> {
        let trials = self.trials()?;
        Recall::new(&self.definition, &trials, id)?.statement()
    }

    /// The proof behind trial `id`, made again: its search is repeated under the stored hyperparameters. An
    /// [`Error::NoProof`] says why there is none, an [`Error::Different`] what in the study is not as it was.
    pub fn proof(&mut self, id: u64) -> Result<TrialProof> {
        self.proof_watched(id, &mut Watch::nobody())
    }

    /// The same under a watch; [`Error::Interrupted`] or [`Error::Late`] if that is over before.
    pub fn proof_watched(&mut self, id: u64, watch: &mut Watch<'_>) -> Result<TrialProof> {
        let trials = self.trials()?;
        Recall::new(&self.definition, &trials, id)?.proof(watch)
    }

    /// The proof behind trial `id`, checked by separate code in interval arithmetic; [`Error::Refused`] if it does not hold.
    pub fn verify(&mut self, id: u64) -> Result<Verification> {
        self.verify_watched(id, &mut Watch::nobody())
    }

    /// The same under a watch, which ends the making of the proof and not its check.
    pub fn verify_watched(&mut self, id: u64, watch: &mut Watch<'_>) -> Result<Verification> {
        let proof = self.proof_watched(id, watch)?;
        watch.tell(Stage::Check, None);
        let verdict = fathom_check::verify(&proof.proof).map_err(|rejection| Error::Refused { id, rejection })?;
        Ok(Verification { proof, verdict })
    }

    /// What the model has learned from the finished trials, under a watch as [`surrogate_watched`](Self::surrogate_watched).
    pub fn learned_watched(&mut self, watch: &mut Watch<'_>) -> Result<Learned> {
        let surrogate = self.surrogate_watched(watch)?;
        Ok(Learned::new(&self.definition, &surrogate))
    }

    /// The model after the finished trials.
    pub fn surrogate(&mut self) -> Result<Surrogate> {
        self.surrogate_watched(&mut Watch::nobody())
    }

    /// The same under a watch; [`Error::Interrupted`] or [`Error::Late`] if that is over before the fit has come to its end.
    pub fn surrogate_watched(&mut self, watch: &mut Watch<'_>) -> Result<Surrogate> {
        let trials = self.trials()?;
        suggest::surrogate(&self.definition, &trials, watch)
    }
}

/// A study in its store: its key and its file.
fn found(address: &Address, access: Access, name: &str) -> Result<(Box<dyn Store>, i64, String)> {
    // To open it would make it.
    if let Some(path) = address.file().filter(|path| !path.exists()) {
        return Err(Error::NoStore { path: path.to_owned() });
    }
    let mut store = open(address, access)?;
    match store.find(name)? {
        Some(found) => Ok((store, found.key, found.text)),
        None => {
            let names = store.names()?;
            Err(Error::NoSuchStudy { store: address.clone(), name: name.to_owned(), names })
        }
    }
}

/// Whether a definition is about the study that `stored` is the file of.
fn same_space(definition: &Definition, stored: &str) -> Result<()> {
    if stored == definition.text() {
        return Ok(());
    }
    match definition.difference(&Definition::parse_kept(stored)?) {
        Some(what) => Err(Error::DifferentSpace { name: definition.name.clone(), what }),
        None => Ok(()),
    }
}

/// `Ok` if a finished trial was told this outcome, or has it by now; reasons of failures are not compared.
fn agrees(trial: &Trial, outcome: &Outcome) -> Result<()> {
    let has =
        |told: Original| told.state == outcome.state() && outcome.values().is_none_or(|values| told.values == *values);
    if has(trial.as_told()) || has(trial.now()) {
        return Ok(());
    }
    let outcome = if trial.values.is_empty() { trial.state.name().to_owned() } else { trial.values.to_string() };
    Err(Error::AlreadyFinished { id: trial.id, outcome })
}

/// `Ok` if an outcome has what the study is about, or is a failure.
fn has_objective(outcome: &Outcome) -> Result<()> {
    match outcome.values() {
        Some(values) if values.objective().is_none() => {
            Err(BadValues::BadName { name: OBJECTIVE.into(), reason: "it is the objective, and it is missing" }.into())
        }
        Some(_) | None => Ok(()),
    }
}
