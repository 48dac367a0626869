//! The best trial by the model, beside the luckiest one.
//!
//! Under noise the least value told is partly luck. The model knows how much of a value is noise: the trial whose posterior median
//! is the best is the one to use, and the interval is that of its value without the noise.

use crate::definition::Definition;
use crate::error::Result;
use crate::strategy::NoiseName;
use crate::suggest::{NEGLIGIBLE, Surrogate};
use crate::trial::{State, Trial};

/// The fewest values from which a model says which is best.
const FEWEST: usize = 4;

/// The complete trial whose value without the noise is the best under the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommended {
    /// The trial.
    pub trial: Trial,
    /// The median of its value without the noise.
    pub median: f64,
    /// The lower end of the interval that holds this value with a probability of 68 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of the trial that was told the best value.
    pub luckiest: u64,
    /// The value that it was told.
    pub told: f64,
}

impl Recommended {
    /// Whether the model of these trials is to be asked: values are noisy, and enough of them are there.
    pub(crate) fn is_due(definition: &Definition, trials: &[Trial]) -> bool {
        let Definition { strategy, space, .. } = definition;
        let count = |is_meant: fn(State) -> bool| trials.iter().filter(|trial| is_meant(trial.state)).count();
        let is_noisy = match strategy.noise {
            NoiseName::Learned => true,
            NoiseName::Fixed(noise) => noise > NEGLIGIBLE,
        };
        let finished = count(|state| state != State::Pending);
        is_noisy && finished >= strategy.design_size(space) && count(|state| state == State::Complete) >= FEWEST
    }

    /// What the model after these trials says; `None` if it has learned that the noise is negligible. Then values
    /// are known better than the model knows them, and the best of them is the best.
    pub(crate) fn new(definition: &Definition, surrogate: &Surrogate, trials: &[Trial]) -> Result<Option<Self>> {
        if !surrogate.is_noisy() {
            return Ok(None);
        }
        let goal = definition.goal;
        let Some((lucky, told)) = goal.best(trials).and_then(|trial| Some((trial, trial.objective()?))) else {
            return Ok(None);
        };
        let complete = trials.iter().filter(|trial| trial.state == State::Complete);
        // The luckiest comes first, so of equal medians its own counts.
        let mut best: Option<(f64, &Trial)> = None;
        for trial in std::iter::once(lucky).chain(complete) {
            let cost = goal.cost(surrogate.median(&trial.point)?);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, trial));
            }
        }
        let Some((_, trial)) = best else { return Ok(None) };
        let (median, (low, high)) = (surrogate.median(&trial.point)?, surrogate.interval(&trial.point)?);
        Ok(Some(Self { trial: trial.clone(), median, low, high, luckiest: lucky.id, told }))
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// What is said, in one sentence; `number` writes numbers.
    pub fn sentence(&self, number: impl Fn(f64) -> String) -> String {
        let Self { trial, median, luckiest, told, .. } = self;
        let (id, median, half, told) = (trial.id, number(*median), number(self.half_width()), number(*told));
        match id == *luckiest {
            true => format!(
                "trial {id}, {median} ± {half} without the noise (the same trial was told the best value, {told})"
            ),
            false => format!("trial {id}, {median} ± {half} (the luckiest value is that of trial {luckiest}, {told})"),
        }
    }
}
