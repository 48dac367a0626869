//! What can still be gained, said so that it is true as often as it was measured to be.
//!
//! A cautious model ([`Strategy::cautious`]) is fitted to the finished trials. How far it is off is known from the study itself: for
//! each trial i from the fifth, the model of the trials before i has made a forecast, and z_i is the error of that forecast in its
//! own deviations. With the later half of them, m in number,
//!
//! ```text
//! c = max(1, (Σ z_i² / q)^½),   q the 10 % quantile of χ² with m degrees of freedom
//! ```
//!
//! is an upper limit of the factor by which deviations are too small, and few trials make it larger. The confidence bound with
//! κ = 2.25 c is minimised by the certified search; its proven lower bound is what can be reached, and the difference to the best
//! value what can be gained. Nothing is said before there are max(20, 3 D + 3) values, nor if more than half of the range seen so
//! far is left open. docs/decisions/019 has what was measured.

use super::minimum::Search;
use super::observed::encoded;
use super::surrogate::{GAP, Surrogate, means_at_data};
use crate::basis::Fitted;
use crate::bound::{Bound, Forecast, Remaining, Silence};
use crate::definition::Definition;
use crate::error::Result;
use crate::strategy::{NoiseName, Strategy};
use crate::trial::{State, Trial};
use crate::watch::{Stage, Watch};
use fathom_global::MOST_INPUTS;
use fathom_gp::Criterion;
use fathom_method::Found;

/// Deviations of the model, after they are widened, that the bound lies below its mean.
const KAPPA: f64 = 2.25;

/// The fewest values that anything is said from.
const FEWEST: usize = 20;

/// The first trial, by its place, whose forecast counts: a model of fewer than four values knows nothing.
const FIRST: usize = 4;

/// Errors of this many deviations count as this many.
const LARGEST_ERROR: f64 = 20.0;

/// How much work a statement may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// The most boxes of its search.
    pub boxes: Option<u64>,
    /// The most forecasts that are made afterwards, for trials that came without one. The latest trials come first.
    pub forecasts: usize,
}

/// The effort if somebody waits for the statement.
const PATIENT: Effort = Effort { boxes: None, forecasts: 40 };

/// The fewest forecasts that say how far off the model is.
const FEWEST_FORECASTS: usize = 8;

/// The largest gain that is said, as a part of the range of the values.
const LARGEST_PART: f64 = 0.5;

/// The least gap that a stopping rule leads to; a gain of nothing is never proven.
const FINEST: f64 = 1e-4;

/// The standard normal's 10 % quantile.
const TENTH: f64 = -1.281_551_565_544_600_4;

/// The cautious model after the finished ones of some trials.
pub(super) struct Cautious {
    surrogate: Surrogate,
    strategy: Strategy,
}

impl Cautious {
    /// The model; `None` if there are too few values for one, or if the watch cut its fit.
    pub fn fitted(
        definition: &Definition,
        trials: &[Trial],
        encoded: &[Vec<f64>],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Self>> {
        Self::fitted_from(last_fit(trials), definition, trials, encoded, watch)
    }

    /// The same with a start of the fit from an `earlier` one.
    fn fitted_from(
        earlier: Option<&Fitted>,
        definition: &Definition,
        trials: &[Trial],
        encoded: &[Vec<f64>],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Self>> {
        let strategy = definition.strategy.cautious(KAPPA);
        if trials.iter().filter(|trial| trial.state == State::Complete).count() < FIRST {
            return Ok(None);
        }
        let surrogate = Surrogate::fitted(definition, &strategy, trials, encoded, earlier, watch)?;
        Ok((!surrogate.is_fit_cut).then_some(Self { surrogate, strategy }))
    }

    /// The hyperparameters.
    fn model(&self) -> Fitted {
        Fitted::new(self.surrogate.posterior.model())
    }

    /// The trials that the model is made of.
    pub fn size(&self) -> usize {
        self.surrogate.posterior.y().len()
    }

    /// What the model expects at `x`, in the search's coordinates.
    pub fn forecast(&self, x: &[f64]) -> Result<Forecast> {
        let posterior = &self.surrogate.posterior;
        let mut prediction = posterior.predict(x)?;
        prediction.variance += posterior.model().noise;
        let (mean, deviation) = self.surrogate.predicted(prediction);
        Ok(Forecast { mean, deviation, model: Some(self.model()) })
    }

    /// What can still be gained, with as much work as `effort` allows.
    pub fn remaining(
        mut self,
        definition: &Definition,
        trials: &[Trial],
        effort: Effort,
        watch: &mut Watch<'_>,
    ) -> Result<Remaining> {
        let Definition { space, goal, stopping, best_possible, .. } = definition;
        let costs: Vec<f64> = trials.iter().filter_map(Trial::objective).map(|value| goal.cost(value)).collect();
        let (least, largest) = costs
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), cost| (low.min(*cost), high.max(*cost)));
        let range = largest - least;
        let Some(widening) = widening(definition, trials, effort.forecasts, self.model(), watch)? else {
            return Ok(Remaining::Silent(Silence::Late));
        };
        let kappa = KAPPA * widening;
        self.surrogate.criterion = Criterion::Lcb { kappa };
        let unit = self.surrogate.scaling().deviation_back(1.0);
        // A stopping rule can only be met by a bound that is finer than it.
        self.surrogate.gap = stopping.gain.map_or(GAP, |gain| (0.25 * gain / unit).clamp(FINEST, GAP));
        self.strategy.node_limit = effort.boxes.or(self.strategy.node_limit);
        let seed = self.strategy.seed.wrapping_add(trials.len() as u64);
        let search = Search { space, strategy: &self.strategy, seed, found: &Found::Embedded, budget: None };
        let minimum = search.minimum(&self.surrogate, &[], Stage::Bound, watch)?;
        let Some(lower) = minimum.lower_bound() else { return Ok(Remaining::Silent(Silence::Late)) };
        let reliable = match self.strategy.noise {
            NoiseName::Fixed(_) => least,
            NoiseName::Learned => self.reliable(kappa)?,
        };
        let limit = best_possible.map_or(f64::NEG_INFINITY, |value| goal.cost(value));
        let reachable = self.surrogate.cost_back(lower).max(limit).min(least);
        let gain = (reliable - reachable).max(0.0);
        if !(gain <= LARGEST_PART * range) {
            return Ok(Remaining::Silent(Silence::TooMuchOpen { open: gain, range }));
        }
        let (best, reachable) = (goal.cost(least), goal.cost(reachable));
        Ok(Remaining::AtMost(Bound { best, reachable, gain, widening: Some(widening) }))
    }

    /// The cost that can be relied on at the trial whose posterior mean is least: κ deviations above that mean.
    fn reliable(&self, kappa: f64) -> Result<f64> {
        let posterior = &self.surrogate.posterior;
        let means = means_at_data(posterior).enumerate();
        let best = means.fold((0, f64::INFINITY), |best, (i, mean)| if mean < best.1 { (i, mean) } else { best }).0;
        let prediction = posterior.predict(&posterior.x().row(best))?;
        Ok(self.surrogate.cost_back(prediction.mean + kappa * prediction.deviation()))
    }
}

/// Why nothing can be said after these trials, if that is known without a model.
pub(super) fn silence(definition: &Definition, trials: &[Trial]) -> Option<Silence> {
    let found = trials.iter().filter(|trial| trial.state == State::Complete).count();
    let needed = FEWEST.max(3 * definition.space.free() + 3);
    let dim = definition.space.dim();
    if dim > MOST_INPUTS {
        Some(Silence::ManyCoordinates { found: dim, most: MOST_INPUTS })
    } else if found < needed {
        Some(Silence::FewValues { found, needed })
    } else {
        None
    }
}

/// What can still be gained after these trials.
pub(crate) fn remaining(definition: &Definition, trials: &[Trial], watch: &mut Watch<'_>) -> Result<Remaining> {
    if let Some(silence) = silence(definition, trials) {
        return Ok(Remaining::Silent(silence));
    }
    match Cautious::fitted(definition, trials, &encoded(&definition.space, trials), watch)? {
        Some(cautious) => cautious.remaining(definition, trials, PATIENT, watch),
        None => Ok(Remaining::Silent(Silence::Late)),
    }
}

/// c, by which deviations are widened; `None` if the watch is over first, or if there are too few forecasts. Fits start from `model`,
/// that of all trials, and then each from the one after it.
fn widening(
    definition: &Definition,
    trials: &[Trial],
    most: usize,
    mut model: Fitted,
    watch: &mut Watch<'_>,
) -> Result<Option<f64>> {
    let complete: Vec<usize> = (0..trials.len()).filter(|i| trials[*i].state == State::Complete).collect();
    let later = FIRST + (complete.len() - FIRST) / 2;
    let (mut squares, mut count, mut made) = (0.0, 0_usize, 0);
    for place in complete[later..].iter().rev() {
        let trial = &trials[*place];
        // What was expected of a point says nothing of another one.
        let forecast = match trial.suggestion.forecast.as_ref().filter(|_| trial.point == *trial.asked_point()) {
            Some(forecast) => (forecast.mean, forecast.deviation),
            None if made == most => continue,
            None => {
                made += 1;
                let (before, x) = (&trials[..*place], definition.space.encode(&trial.point));
                let encoded = encoded(&definition.space, before);
                let Some(cautious) = Cautious::fitted_from(Some(&model), definition, before, &encoded, watch)? else {
                    return Ok(None);
                };
                model = cautious.model();
                cautious.forecast(&x).map(|forecast| (forecast.mean, forecast.deviation))?
            }
        };
        let Some(value) = trial.objective() else { continue };
        let error = ((value - forecast.0) / forecast.1).abs();
        // A deviation of 0 beside no error is 0/0.
        squares += if error.is_nan() { 0.0 } else { error.min(LARGEST_ERROR).powi(2) };
        count += 1;
    }
    let widening = (squares / tenth_of_chi_squared(count.max(1))).sqrt().max(1.0);
    Ok((count >= FEWEST_FORECASTS).then_some(widening))
}

/// The 10 % quantile of χ² with `degrees` degrees of freedom, by Wilson and Hilferty's cubes.
fn tenth_of_chi_squared(degrees: usize) -> f64 {
    let m = degrees as f64;
    let spread = 2.0 / (9.0 * m);
    m * (1.0 - spread + TENTH * spread.sqrt()).max(0.0).powi(3)
}

/// The hyperparameters of the last forecast.
fn last_fit(trials: &[Trial]) -> Option<&Fitted> {
    trials.iter().rev().find_map(|trial| trial.suggestion.forecast.as_ref()?.model.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_chi_squared_are_those_of_tables() {
        for (degrees, quantile) in [(8, 3.490), (10, 4.865), (20, 12.443), (28, 18.939), (50, 37.689)] {
            let found = tenth_of_chi_squared(degrees);
            assert!((found - quantile).abs() < 0.005 * quantile, "{degrees}: {found}");
        }
    }
}
