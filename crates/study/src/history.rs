//! How far a study has come, trial by trial.

use crate::bound::Bound;
use crate::definition::Goal;
use crate::trial::{State, Trial};
use serde::Serialize;

/// A study after one more trial; trials come in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The trial.
    pub id: u64,
    /// What it was told.
    pub value: Option<f64>,
    /// The best value up to this trial.
    pub best: Option<f64>,
    /// What could still be gained when the trial was asked for.
    pub bound: Option<Bound>,
    /// By how much a better point may be better at most, in the model's units, by the strongest bound that is known by now.
    pub gap: Option<f64>,
}

pub(crate) fn history(trials: &[Trial], goal: Goal) -> Vec<Step> {
    let mut best: Option<f64> = None;
    let mut step = |trial: &Trial| {
        if let (Some(value), State::Complete) = (trial.objective(), trial.state)
            && best.is_none_or(|best| goal.cost(value) < goal.cost(best))
        {
            best = Some(value);
        }
        let suggestion = &trial.suggestion;
        Step { id: trial.id, value: trial.objective(), best, bound: suggestion.bound, gap: suggestion.gap() }
    };
    trials.iter().map(&mut step).collect()
}
