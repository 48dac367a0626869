//! Experiments that the study did not ask for.

use super::{Study, TRIES, has_objective};
use crate::change::Original;
use crate::error::{Error, Result};
use crate::store::Entry;
use crate::trial::{Origin, Outcome, State, Suggestion, Trial};
use crate::value::{Point, Value};
use crate::values::Values;
use std::collections::HashMap;

/// An experiment of somebody's records.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// A value for every parameter.
    pub point: Point,
    /// What became of it; `None` if nobody knows yet.
    pub outcome: Option<Outcome>,
    /// What chose the point, if the records are those of a study.
    pub origin: Origin,
}

impl Experiment {
    /// An experiment of the past.
    pub fn past(point: Point, outcome: Outcome) -> Self {
        Self { point, outcome: Some(outcome), origin: Origin::Import }
    }
}

/// What became of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    /// Experiments that are trials now.
    pub added: usize,
    /// Experiments that were there already.
    pub known: usize,
}

impl Study {
    /// Adds an experiment of the past as a finished trial.
    pub fn add(&mut self, point: &Point, outcome: &Outcome) -> Result<Trial> {
        let entry = self.experiment(point, Some(outcome))?;
        self.add_one(&entry)
    }

    /// Adds a trial that somebody else is evaluating.
    pub fn add_pending(&mut self, point: &Point) -> Result<Trial> {
        let entry = self.experiment(point, None)?;
        self.add_one(&entry)
    }

    fn add_one(&mut self, entry: &Entry) -> Result<Trial> {
        for _ in 0..TRIES {
            let first = self.store.standing(self.key)?.count + 1;
            if let Some(trial) =
                self.store.add(self.key, first, std::slice::from_ref(entry))?.and_then(|mut one| one.pop())
            {
                return Ok(trial);
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    /// Adds experiments of the past as finished trials, as [`import_all`](Self::import_all) does.
    pub fn import(&mut self, experiments: &[(Point, Outcome)]) -> Result<Imported> {
        let past = |(point, outcome): &(Point, Outcome)| Experiment::past(point.clone(), outcome.clone());
        self.import_all(&experiments.iter().map(past).collect::<Vec<_>>())
    }

    /// Adds experiments, all or none, without those that are there already: of each point and outcome the study has afterwards as
    /// many as it had or as `experiments` has, whichever are more. So doing it again adds nothing. An experiment without an
    /// outcome becomes a pending trial; it is there already if a trial at its point is, whatever became of that.
    pub fn import_all(&mut self, experiments: &[Experiment]) -> Result<Imported> {
        for _ in 0..TRIES {
            let trials = self.trials()?;
            let new = self.new_among(experiments, &trials)?;
            let imported = Imported { added: new.len(), known: experiments.len() - new.len() };
            if new.is_empty() || self.store.add(self.key, trials.len() as u64 + 1, &new)?.is_some() {
                return Ok(imported);
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    /// What [`import_all`](Self::import_all) would do now.
    pub fn rehearse(&mut self, experiments: &[Experiment]) -> Result<Imported> {
        let trials = self.trials()?;
        let new = self.new_among(experiments, &trials)?;
        Ok(Imported { added: new.len(), known: experiments.len() - new.len() })
    }

    /// The experiments that are not among the trials.
    fn new_among(&self, experiments: &[Experiment], trials: &[Trial]) -> Result<Vec<Entry>> {
        let entry = |experiment: &Experiment| {
            let entry = self.experiment(&experiment.point, experiment.outcome.as_ref())?;
            Ok(Entry { suggestion: Suggestion::without_model(experiment.origin), ..entry })
        };
        let entries: Vec<Entry> = experiments.iter().map(entry).collect::<Result<_>>()?;
        let mut there: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, trial) in trials.iter().enumerate() {
            // A trial that was corrected since is still the one that was imported.
            for Original { state, point, values, .. } in [trial.now(), trial.as_told()] {
                let values = (state != State::Pending).then_some(&values);
                there.entry(experiment_key(&point, values)).or_default().push(at);
            }
        }
        let mut is_free = vec![true; trials.len()];
        let mut is_new = vec![true; entries.len()];
        for (entry, is_new) in entries.iter().zip(&mut is_new) {
            let none = Values::default();
            let values = entry.outcome.as_ref().map(|outcome| outcome.values().unwrap_or(&none));
            let places = there.get(&experiment_key(&entry.point, values)).map_or(&[][..], Vec::as_slice);
            if let Some(at) = places.iter().rev().find(|at| is_free[**at]) {
                (is_free[*at], *is_new) = (false, false);
            }
        }
        // Spreadsheets keep 15 digits, and what was pending may have been told since.
        for (entry, is_new) in entries.iter().zip(&mut is_new).filter(|(_, is_new)| **is_new) {
            let is_same = |at: &usize| is_free[*at] && is_same_experiment(entry, &trials[*at]);
            if let Some(at) = (0..trials.len()).find(is_same) {
                (is_free[at], *is_new) = (false, false);
            }
        }
        Ok(entries.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(entry, _)| entry).collect())
    }

    fn experiment(&self, point: &Point, outcome: Option<&Outcome>) -> Result<Entry> {
        outcome.map_or(Ok(()), has_objective)?;
        let (point, suggestion) = (self.definition.space.check(point)?, Suggestion::without_model(Origin::Import));
        Ok(Entry { point, suggestion, outcome: outcome.cloned(), lease: None })
    }
}

/// Whether an experiment is a trial's but for the digits that a spreadsheet drops. One without an outcome is whatever the trial is.
fn is_same_experiment(entry: &Entry, trial: &Trial) -> bool {
    let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-14 * a.abs().max(b.abs());
    let is_same_value = |(a, b): (&Value, &Value)| match (a, b) {
        (Value::Float(a), Value::Float(b)) => is_same(*a, *b),
        (a, b) => a == b,
    };
    let is_same_point =
        entry.point.len() == trial.point.len() && entry.point.values().zip(trial.point.values()).all(is_same_value);
    is_same_point
        && entry.outcome.as_ref().is_none_or(|outcome| {
            let told =
                |values: &Values| values.iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>();
            let [mut a, mut b] = [outcome.values().map(told).unwrap_or_default(), told(&trial.values)];
            a.sort_by(|one, other| one.0.cmp(&other.0));
            b.sort_by(|one, other| one.0.cmp(&other.0));
            trial.state == outcome.state()
                && a.len() == b.len()
                && a.iter().zip(&b).all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
        })
}

/// What is equal of equal experiments, of which those without values failed and those with none are pending. Reasons of failures are not
/// compared: they are said otherwise in a table.
fn experiment_key(point: &Point, values: Option<&Values>) -> String {
    let told = values.map(|values| {
        let bits = |(name, value): (&str, f64)| (name.to_owned(), (value + 0.0).to_bits());
        let mut told: Vec<(String, u64)> = values.iter().map(bits).collect();
        told.sort_unstable();
        told
    });
    let mut key = format!("{told:?}");
    for (name, value) in point {
        key += &format!("|{name}={value:?}");
    }
    key
}
