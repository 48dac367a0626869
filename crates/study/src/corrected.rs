//! Trials under their history.

use crate::change::{Change, Edit, Original, in_force};
use crate::error::{Error, Result};
use crate::outcome::{Outcome, State};
use crate::trial::Trial;
use crate::value::Point;
use crate::values::Values;

impl Trial {
    /// The trial with its history.
    pub(crate) fn with_changes(mut self, changes: Vec<Change>) -> Self {
        if changes.is_empty() {
            return self;
        }
        self.original = Some(Box::new(self.as_told()));
        self.changes = changes;
        self.changed_up_to(u64::MAX)
    }

    /// The trial as it was asked for and told.
    pub fn as_told(&self) -> Original {
        self.original.as_deref().cloned().unwrap_or_else(|| self.now())
    }

    /// The same as it is now.
    pub(crate) fn now(&self) -> Original {
        let (point, values) = (self.point.clone(), self.values.clone());
        Original { state: self.state, point, values, message: self.message.clone() }
    }

    /// The point that was handed out, whatever settings were really used.
    pub fn asked_point(&self) -> &Point {
        self.original.as_ref().map_or(&self.point, |original| &original.point)
    }

    /// The notes, in order.
    pub fn notes(&self) -> Vec<&str> {
        let entries = in_force(&self.changes, u64::MAX).into_iter();
        entries
            .filter_map(|change| if let Edit::Note(text) = &change.edit { Some(text.as_str()) } else { None })
            .collect()
    }

    /// The trial finished with this outcome, at `now`.
    pub(crate) fn finished(mut self, outcome: &Outcome, now: f64) -> Self {
        let told = Original { state: outcome.state(), ..self.as_told() };
        let values = outcome.values().cloned().unwrap_or_default();
        let told = Original { values, message: outcome.message().map(str::to_owned), ..told };
        self.finished_at = Some(now);
        match &mut self.original {
            Some(original) => {
                **original = told;
                self.changed_up_to(u64::MAX)
            }
            None => Self { state: told.state, values: told.values, message: told.message, ..self },
        }
    }

    /// The trial as it was after entry `last` of the history, if it was finished by then; changes that were made later do not count.
    pub(crate) fn as_of(&self, last: u64) -> Self {
        self.clone().changed_up_to(last)
    }

    /// Whether the trial was cancelled after entry `last`, if it was still pending then.
    pub(crate) fn is_cancelled_as_of(&self, last: u64) -> bool {
        in_force(&self.changes, last).iter().any(|change| matches!(change.edit, Edit::Cancelled(_)))
    }

    fn changed_up_to(mut self, last: u64) -> Self {
        let Some(original) = self.original.as_deref().cloned() else { return self };
        let Original { mut state, mut point, mut values, mut message } = original;
        let (mut cancelled, mut withdrawn) = (None, None);
        for change in in_force(&self.changes, last) {
            match &change.edit {
                Edit::Values(new) => {
                    (state, values, message, withdrawn) = (State::Complete, new.clone(), None, None);
                }
                Edit::Failed(reason) => {
                    (state, values, message) = (State::Failed, Values::default(), Some(reason.clone()));
                    withdrawn = None;
                }
                Edit::Point(new) => point = new.clone(),
                Edit::Cancelled(reason) => cancelled = Some(reason.clone()),
                Edit::Withdrawn(reason) => withdrawn = Some(reason.clone()),
                Edit::Note(_) | Edit::Undone(_) => {}
            }
        }
        // Who tells a cancelled trial has evaluated it after all.
        match (state, cancelled, withdrawn) {
            (State::Pending, Some(reason), _) => (state, message) = (State::Cancelled, Some(reason)),
            (State::Complete | State::Failed, _, Some(reason)) => {
                (state, values, message) = (State::Withdrawn, Values::default(), Some(reason));
            }
            _ => {}
        }
        (self.state, self.point, self.values, self.message) = (state, point, values, message);
        self
    }

    /// The trial with one entry more; `None` if that would change nothing. It is an error if the trial cannot be changed so.
    pub(crate) fn changed(&self, change: Change) -> Result<Option<Self>> {
        let refused = |reason: String| Err(Error::Unchangeable { id: self.id, reason });
        match &change.edit {
            Edit::Values(_) | Edit::Failed(_) => match self.state {
                State::Pending => return refused("it is pending: tell it its value".into()),
                State::Cancelled => return refused("it is cancelled: tell it its value if it was evaluated".into()),
                State::Complete | State::Failed | State::Withdrawn => {}
            },
            Edit::Cancelled(_) => match self.state {
                State::Pending => {}
                State::Cancelled => return Ok(None),
                State::Complete | State::Failed | State::Withdrawn => {
                    return refused("it is finished: withdraw it if it shall not count".into());
                }
            },
            Edit::Withdrawn(_) => match self.state {
                State::Complete | State::Failed => {}
                State::Withdrawn => return Ok(None),
                State::Pending | State::Cancelled => {
                    return refused(
                        "it was told nothing that could be withdrawn: cancel it if nobody will evaluate it".into(),
                    );
                }
            },
            Edit::Note(text) if text.trim().is_empty() => return refused("the note is empty".into()),
            Edit::Undone(number) => {
                if !self.changes.iter().any(|change| change.number == *number) {
                    return refused(format!("entry {number} of the history is not about it"));
                }
                if !in_force(&self.changes, u64::MAX).iter().any(|change| change.number == *number) {
                    return refused(format!("entry {number} of the history is undone already"));
                }
            }
            Edit::Point(_) | Edit::Note(_) => {}
        }
        let is_bare = matches!(change.edit, Edit::Note(_) | Edit::Undone(_));
        let changes = self.changes.iter().cloned().chain([change]).collect();
        let new = Self { original: Some(Box::new(self.as_told())), changes, ..self.clone() }.changed_up_to(u64::MAX);
        Ok(if !is_bare && self.now() == new.now() { None } else { Some(new) })
    }

    /// What a store notes beside a trial that is cancelled or withdrawn, for those who count.
    pub(crate) fn set_aside(&self) -> Option<&'static str> {
        matches!(self.state, State::Cancelled | State::Withdrawn).then(|| self.state.name())
    }
}

/// The number of the last entry in the history of a study's trials; 0 if nothing was changed.
pub(crate) fn last_change(trials: &[Trial]) -> u64 {
    trials.iter().flat_map(|trial| &trial.changes).map(|change| change.number).max().unwrap_or(0)
}

/// The last entry that counts and is none that undoes another, with its trial: what `undo` without a number takes back.
pub(crate) fn last_in_force(trials: &[Trial]) -> Option<(u64, u64)> {
    let entries = trials.iter().flat_map(|trial| {
        let own = in_force(&trial.changes, u64::MAX).into_iter();
        own.filter(|change| !matches!(change.edit, Edit::Undone(_))).map(|change| (trial.id, change.number))
    });
    entries.max_by_key(|(_, number)| *number)
}
