//! A trial as a row: columns for what is searched for, JSON for the rest.

use crate::change::{Change, Edit, Original};
use crate::error::{Error, Result};
use crate::later::Later;
use crate::trial::{State, Suggestion, Trial};
use crate::values::{OBJECTIVE, Values};

/// The columns of a trial, in the order of every query.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub number: i64,
    pub state: String,
    pub point: String,
    pub told: Option<String>,
    pub message: Option<String>,
    pub suggestion: String,
    pub owner: Option<String>,
    pub lease: Option<f64>,
    pub asked_at: f64,
    pub finished_at: Option<f64>,
    pub later: Option<String>,
    /// What the history says of trials that do not count, for queries.
    pub set_aside: Option<String>,
    /// The history, an array of entries in their order; from another table.
    pub changes: Option<String>,
}

/// The columns' names.
pub(crate) const COLUMNS: &str =
    "number, state, point, told, message, suggestion, owner, lease, asked_at, finished_at, later, set_aside";

/// What was proven afterwards, as the text of the column.
pub(crate) fn written(later: &Later) -> Result<String> {
    let damaged = |error: serde_json::Error| Error::Damaged { what: "later".to_owned(), reason: error.to_string() };
    serde_json::to_string(later).map_err(damaged)
}

/// The values by name of a trial of earlier versions, which had one value without a name. A number that is not finite
/// is no JSON.
pub(crate) fn told_alone(value: f64) -> String {
    format!("{{\"{OBJECTIVE}\":{value:?}}}")
}

/// Values by name, as the text of the column.
pub(crate) fn told(values: &Values) -> Option<String> {
    let text = || serde_json::to_string(values).expect("names and finite numbers are JSON");
    (!values.is_empty()).then(text)
}

impl Row {
    pub fn new(trial: &Trial) -> Result<Self> {
        let write = |what: &str, json: serde_json::Result<String>| {
            json.map_err(|error| Error::Damaged { what: what.to_owned(), reason: error.to_string() })
        };
        // What comes later has a column of its own: the suggestion stays as it was.
        let suggestion = Suggestion { later: None, ..trial.suggestion.clone() };
        let Original { state, point, values, message } = trial.as_told();
        let entry = |change: &Change| {
            let edit = write("history", serde_json::to_string(&change.edit))?;
            write("history", serde_json::to_string(&(change.number, change.made_at, &change.by, edit)))
        };
        let entries: Vec<String> = trial.changes.iter().map(entry).collect::<Result<_>>()?;
        Ok(Self {
            number: trial.id as i64,
            state: state.name().to_owned(),
            point: write("point", serde_json::to_string(&point))?,
            told: told(&values),
            message,
            suggestion: write("suggestion", serde_json::to_string(&suggestion))?,
            owner: trial.owner.clone(),
            lease: trial.lease,
            asked_at: trial.asked_at,
            finished_at: trial.finished_at,
            later: trial.suggestion.later.as_deref().map(written).transpose()?,
            set_aside: trial.set_aside().map(str::to_owned),
            changes: (!entries.is_empty()).then(|| format!("[{}]", entries.join(","))),
        })
    }

    pub fn trial(self) -> Result<Trial> {
        let damaged =
            |what: &str, reason: String| Error::Damaged { what: format!("trial {}, {what}", self.number), reason };
        // Only the history says that a trial was cancelled or withdrawn.
        let state = State::named(&self.state)
            .filter(|state| state.counts())
            .ok_or_else(|| damaged("state", self.state.clone()))?;
        let point = serde_json::from_str(&self.point).map_err(|error| damaged("point", error.to_string()))?;
        let mut suggestion: Suggestion =
            serde_json::from_str(&self.suggestion).map_err(|error| damaged("suggestion", error.to_string()))?;
        let read = |later: &String| serde_json::from_str(later).map_err(|error| damaged("later", error.to_string()));
        suggestion.later = self.later.as_ref().map(read).transpose()?;
        let read = |told: &String| serde_json::from_str(told).map_err(|error| damaged("values", error.to_string()));
        let values: Values = self.told.as_ref().map(read).transpose()?.unwrap_or_default();
        if (state == State::Complete) == values.is_empty() {
            return Err(damaged("values", format!("{:?} in state {}", self.told, self.state)));
        }
        let changes = entries(self.changes.as_deref()).map_err(|reason| damaged("history", reason))?;
        let trial = Trial {
            id: u64::try_from(self.number).map_err(|error| damaged("number", error.to_string()))?,
            state,
            point,
            values,
            message: self.message,
            suggestion,
            owner: self.owner,
            lease: self.lease,
            asked_at: self.asked_at,
            finished_at: self.finished_at,
            changes: Vec::new(),
            original: None,
        };
        Ok(trial.with_changes(changes))
    }
}

/// An entry of the history as stores hand it out: number, time, who, and the edit as a text of its own, whose numbers no database
/// writes anew.
type Entry = (u64, f64, Option<String>, String);

/// The entries of a history.
pub(crate) fn entries(text: Option<&str>) -> std::result::Result<Vec<Change>, String> {
    let read = |(number, made_at, by, edit): Entry| -> serde_json::Result<Change> {
        Ok(Change { number, made_at, by, edit: serde_json::from_str::<Edit>(&edit)? })
    };
    let entries: Vec<Entry> = text.map_or(Ok(Vec::new()), serde_json::from_str).map_err(|error| error.to_string())?;
    let read: serde_json::Result<Vec<Change>> = entries.into_iter().map(read).collect();
    let mut changes = read.map_err(|error| error.to_string())?;
    changes.sort_by_key(|change| change.number);
    Ok(changes)
}

/// An edit, as the text of its column.
pub(crate) fn edited(edit: &Edit) -> Result<String> {
    let damaged = |error: serde_json::Error| Error::Damaged { what: "history".to_owned(), reason: error.to_string() };
    serde_json::to_string(edit).map_err(damaged)
}
