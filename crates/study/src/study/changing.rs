//! What people correct about trials: entries of a history in which nothing is overwritten.

use super::{Study, has_objective};
use crate::change::{Change, Edit};
use crate::corrected::last_in_force;
use crate::error::{Error, Result};
use crate::trial::{Outcome, Trial};
use crate::value::{Point, Value};

/// An entry of the history, with the trial that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Entered {
    /// The trial's number.
    pub trial: u64,
    /// The entry.
    pub change: Change,
}

impl Study {
    /// Corrects what a finished trial was told. `by` says who does it.
    pub fn correct(&mut self, id: u64, outcome: Outcome, by: Option<&str>) -> Result<Trial> {
        has_objective(&outcome)?;
        self.change(id, &Edit::outcome(outcome), by)
    }

    /// Says at which settings a trial was really evaluated: those of `settings`, and what was asked for otherwise.
    pub fn settle(&mut self, id: u64, settings: &[(String, Value)], by: Option<&str>) -> Result<Trial> {
        let mut point: Point = self.trial(id)?.point;
        for (name, value) in settings {
            point.insert(name.clone(), value.clone());
        }
        let point = self.definition.space.check(&point)?;
        self.change(id, &Edit::Point(point), by)
    }

    /// Says that nobody will evaluate a pending trial, which is no failure: nothing is learned from it.
    pub fn cancel(&mut self, id: u64, reason: &str, by: Option<&str>) -> Result<Trial> {
        self.change(id, &Edit::Cancelled(reason.to_owned()), by)
    }

    /// Says that what a trial was told shall not count.
    pub fn withdraw(&mut self, id: u64, reason: &str, by: Option<&str>) -> Result<Trial> {
        self.change(id, &Edit::Withdrawn(reason.to_owned()), by)
    }

    /// Adds a note to a trial.
    pub fn note(&mut self, id: u64, text: &str, by: Option<&str>) -> Result<Trial> {
        self.change(id, &Edit::Note(text.trim().to_owned()), by)
    }

    /// Takes back entry `number` of the history, or the last one that counts. To undo an undoing does it again.
    pub fn undo(&mut self, number: Option<u64>, by: Option<&str>) -> Result<Trial> {
        let trials = self.trials()?;
        let of = |number: u64| {
            let has = |trial: &&Trial| trial.changes.iter().any(|change| change.number == number);
            trials.iter().find(has).map(|trial| (trial.id, number))
        };
        let found = number.map_or_else(|| last_in_force(&trials), of);
        let Some((id, entry)) = found else {
            return Err(Error::NoSuchChange { study: self.definition.name.clone(), number });
        };
        self.change(id, &Edit::Undone(entry), by)
    }

    /// What was changed about trials, in order.
    pub fn changes(&mut self) -> Result<Vec<Entered>> {
        let trials = self.trials()?;
        let of = |trial: Trial| {
            let id = trial.id;
            trial.changes.into_iter().map(move |change| Entered { trial: id, change })
        };
        let mut entries: Vec<Entered> = trials.into_iter().flat_map(of).collect();
        entries.sort_by_key(|entered| entered.change.number);
        Ok(entries)
    }

    fn change(&mut self, id: u64, edit: &Edit, by: Option<&str>) -> Result<Trial> {
        // What was the best value may not be any more.
        self.best_known = None;
        let changed = self.store.change(self.key, id, by, edit)?;
        changed.ok_or_else(|| Error::NoSuchTrial { study: self.definition.name.clone(), id })
    }
}
