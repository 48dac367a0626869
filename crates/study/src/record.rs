//! The next point of a search whose record somebody else keeps: Optuna's storage, Ray's trial runner.
//!
//! The point depends on the record alone, so nothing has to be kept in step: the same record gives the same point.

use crate::bound::{Forecast, Remaining};
use crate::definition::Definition;
use crate::error::Result;
use crate::store::Entry;
use crate::strategy::{BetaName, Turns};
use crate::suggest::{self, Surrogate};
use crate::trial::{Origin, Outcome, Suggestion, Trial};
use crate::value::Point;
use crate::watch::Watch;

/// What was tried and what came of it.
#[derive(Debug, Clone)]
pub struct Record {
    definition: Definition,
    trials: Vec<Trial>,
    kappa: f64,
}

impl Record {
    /// An empty record. A model chose `chosen` of the points that will be added; their number decides β and whose turn it is
    /// among the acquisition functions.
    pub fn new(mut definition: Definition, chosen: usize) -> Result<Self> {
        let beta = definition.strategy.beta_at(chosen + 1, &definition.space)?;
        definition.strategy.beta = BetaName::Constant(beta);
        definition.strategy.acquisition = Turns::one(definition.strategy.acquisition.at(chosen + 1));
        Ok(Self { definition, trials: Vec::new(), kappa: beta.sqrt() })
    }

    /// Adds a point and what came of it, if that is known already, with what was expected of it: mean and deviation. A point that
    /// the space does not have is refused.
    pub fn add(&mut self, point: &Point, outcome: Option<Outcome>, expected: Option<(f64, f64)>) -> Result<()> {
        let point = self.definition.space.check(point)?;
        let forecast = expected.map(|(mean, deviation)| Forecast { mean, deviation, model: None });
        let suggestion = Suggestion { forecast, ..Suggestion::without_model(Origin::Import) };
        let entry = Entry { point, suggestion, outcome, lease: None };
        self.trials.push(entry.trial(self.trials.len() as u64 + 1, 0.0));
        Ok(())
    }

    /// β^½, by which the confidence bound weighs the deviation.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    /// The next trial, from as much of the search as the watch allows.
    pub fn propose(&self, watch: &mut Watch<'_>) -> Result<Trial> {
        propose(&self.definition, &self.trials, watch)
    }

    /// What can still be gained (see [`Study::remaining`](crate::Study::remaining)).
    pub fn remaining(&self, watch: &mut Watch<'_>) -> Result<Remaining> {
        suggest::remaining(&self.definition, &self.trials, &mut watch.within(self.definition.strategy.time_limit))
    }

    /// Posterior mean and deviation of the value at every point.
    pub fn predict(&self, points: &[Point]) -> Result<Vec<(f64, f64)>> {
        let surrogate = Surrogate::new(&self.definition, &self.trials)?;
        points.iter().map(|point| surrogate.predict(&self.definition.space.check(point)?)).collect()
    }
}

/// The trial that a study with these trials, numbered from 1, would hand out next. Nothing is kept.
pub fn propose(definition: &Definition, trials: &[Trial], watch: &mut Watch<'_>) -> Result<Trial> {
    let mut watch = watch.within(definition.strategy.time_limit);
    let patience = definition.strategy.patience_in(&definition.space);
    let (x, suggestion) = suggest::suggest(definition, trials, &definition.found()?, patience, &mut watch)?;
    let entry = Entry { point: definition.space.decode(&x), suggestion, outcome: None, lease: None };
    Ok(entry.trial(trials.len() as u64 + 1, 0.0))
}
