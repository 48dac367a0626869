//! Experiments that the study did not ask for.

use super::{Study, TRIES, has_objective};
use crate::error::{Error, Result};
use crate::store::Entry;
use crate::trial::{Origin, Outcome, State, Suggestion, Trial};
use crate::value::Point;
use crate::values::Values;
use std::collections::HashMap;

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

    /// Adds experiments of the past as finished trials, all or none, without those that are there already: of each point
    /// and outcome the study has afterwards as many as it had or as `experiments` has, whichever are more. So doing it again
    /// adds nothing.
    pub fn import(&mut self, experiments: &[(Point, Outcome)]) -> Result<Imported> {
        let entries = experiments.iter().map(|(point, outcome)| self.experiment(point, Some(outcome)));
        let entries: Vec<Entry> = entries.collect::<Result<_>>()?;
        for _ in 0..TRIES {
            let trials = self.trials()?;
            let mut there: HashMap<String, usize> = HashMap::new();
            for trial in trials.iter().filter(|trial| trial.state != State::Pending) {
                *there.entry(experiment_key(&trial.point, Some(&trial.values))).or_default() += 1;
            }
            let is_new = |entry: &&Entry| {
                let values = entry.outcome.as_ref().and_then(Outcome::values);
                match there.get_mut(&experiment_key(&entry.point, values)) {
                    Some(count) if *count > 0 => {
                        *count -= 1;
                        false
                    }
                    Some(_) | None => true,
                }
            };
            let new: Vec<Entry> = entries.iter().filter(is_new).cloned().collect();
            let imported = Imported { added: new.len(), known: entries.len() - new.len() };
            if new.is_empty() || self.store.add(self.key, trials.len() as u64 + 1, &new)?.is_some() {
                return Ok(imported);
            }
        }
        Err(Error::Crowded { tries: TRIES })
    }

    fn experiment(&self, point: &Point, outcome: Option<&Outcome>) -> Result<Entry> {
        outcome.map_or(Ok(()), has_objective)?;
        let (point, suggestion) = (self.definition.space.check(point)?, Suggestion::without_model(Origin::Import));
        Ok(Entry { point, suggestion, outcome: outcome.cloned(), lease: None })
    }
}

/// What is equal of equal experiments. Reasons of failures are not compared: they are said otherwise in a table.
fn experiment_key(point: &Point, values: Option<&Values>) -> String {
    let mut told: Vec<(&str, u64)> =
        values.into_iter().flat_map(Values::iter).map(|(name, value)| (name, (value + 0.0).to_bits())).collect();
    told.sort_unstable();
    let mut key = format!("{told:?}");
    for (name, value) in point {
        key += &format!("|{name}={value:?}");
    }
    key
}
