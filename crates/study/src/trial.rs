//! One evaluation: its point, where the point came from, and what became of the trial.

pub use crate::outcome::{Outcome, State};

use crate::basis::Basis;
use crate::bound::{Bound, Forecast};
use crate::change::{Change, Original};
use crate::later::Later;
use crate::value::Point;
use crate::values::{Fields, Values};
use fathom_global::Certificate;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One evaluation, with what people changed about it afterwards: the fields say what counts now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The trial's number in the study, from 1.
    pub id: u64,
    /// What became of the trial.
    pub state: State,
    /// A value for every parameter.
    pub point: Point,
    /// The values that were told; none unless the trial is complete.
    #[serde(flatten, with = "Fields")]
    pub values: Values,
    /// Why the trial failed, if it did.
    pub message: Option<String>,
    /// How the point was chosen.
    pub suggestion: Suggestion,
    /// Who evaluates the trial, if they said so.
    pub owner: Option<String>,
    /// Seconds since 1970, by the store's clock as all times, after which a pending trial may be given to somebody else;
    /// `None` waits for ever.
    pub lease: Option<f64>,
    /// When the trial was asked for, in seconds since 1970.
    pub asked_at: f64,
    /// When the trial was finished.
    pub finished_at: Option<f64>,
    /// What was changed afterwards, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The trial as it was asked for and told; `None` if nothing was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Box<Original>>,
}

impl Trial {
    /// The value of a numeric parameter.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.point.get(name)?.as_f64()
    }

    /// The value called `name` that was told.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.get(name)
    }

    /// What is minimised or maximised; `None` unless the trial is complete.
    pub fn objective(&self) -> Option<f64> {
        self.values.objective()
    }
}

/// For whom and how long a trial is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Who evaluates; unique among all workers.
    pub owner: String,
    /// How long without a word from them, by the store's clock.
    pub duration: Duration,
}

/// How a point was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// What chose the point.
    pub origin: Origin,
    /// The optimiser, if a model was used.
    pub method: Option<String>,
    /// The acquisition function at the point, if a model was used; in the model's units.
    pub acquisition: Option<f64>,
    /// What the search proved about that value, in its coordinates and the model's units; `None` without a model, and for
    /// optimisers that prove nothing of the true function.
    pub certificate: Option<Certificate>,
    /// What is known about the piecewise-linear function, if the paper's method minimised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piecewise_linear: Option<Certificate>,
    /// Who solved the paper's program, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// What could still be gained when the point was chosen, if that was known.
    pub bound: Option<Bound>,
    /// What the cautious model expected of the trial; `None` before there are values for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Forecast>,
    /// Seconds that the choice took.
    pub seconds: f64,
    /// What the suggestion rests on, so that its proof can be made again; `None` without a model, and for trials of versions
    /// that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Box<Basis>>,
    /// What was proven after the point was handed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later: Option<Box<Later>>,
}

impl Suggestion {
    pub(crate) fn without_model(origin: Origin) -> Self {
        Self {
            origin,
            method: None,
            acquisition: None,
            certificate: None,
            piecewise_linear: None,
            solver: None,
            bound: None,
            forecast: None,
            seconds: 0.0,
            basis: None,
            later: None,
        }
    }
}

/// Where a point comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The initial design.
    Design,
    /// The minimum of an acquisition function.
    Model,
    /// The caller.
    Import,
}

impl Origin {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Design, Self::Model, Self::Import];

    /// The origin's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Design => "design",
            Self::Model => "model",
            Self::Import => "import",
        }
    }
}
