//! Finished trials as a model sees them: a data set over the unit cube, in costs that are warped and scaled.

use crate::definition::Definition;
use crate::error::Result;
use crate::space::Space;
use crate::strategy::{OutputScale, Strategy, WarpName};
use crate::trial::{State, Trial};
use fathom_gp::{Dataset, Replicates, Scaling, Warp};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Values that are larger count as this for the model, so that differences stay finite; unscaled, squares too.
const LARGEST: f64 = 1e300;
const LARGEST_UNSCALED: f64 = 1e40;

/// The points of trials in the search's coordinates.
pub(crate) fn encoded(space: &Space, trials: &[Trial]) -> Vec<Vec<f64>> {
    trials.iter().map(|trial| space.encode(&trial.point)).collect()
}

/// Finished trials as a model sees them.
pub(super) struct Observed {
    /// The data over the unit cube, in scaled costs.
    pub data: Dataset,
    pub warp: Option<Warp>,
    pub scaling: Scaling,
    /// The least cost after the warp.
    pub best: f64,
    /// The finished trials, of which the data may be a part.
    pub of: usize,
}

impl Observed {
    pub fn new(definition: &Definition, strategy: &Strategy, trials: &[Trial], encoded: &[Vec<f64>]) -> Result<Self> {
        let Definition { space, goal, .. } = definition;
        let widths = space.widths();
        let largest = if strategy.scaling == OutputScale::None { LARGEST_UNSCALED } else { LARGEST };
        let cost = |value: f64| goal.cost(value).clamp(-largest, largest);
        let told: Vec<f64> = trials.iter().filter_map(Trial::objective).map(cost).collect();
        let worst = told.iter().copied().fold(f64::MIN, f64::max);
        let warp = match strategy.warp {
            WarpName::Log => Some(Warp::of(&told)?),
            WarpName::None => None,
        };
        let (mut inputs, mut costs) = (Vec::new(), Vec::new());
        for (trial, x) in trials.iter().zip(encoded) {
            let cost = match (trial.state, trial.objective()) {
                (State::Complete, Some(value)) => cost(value),
                (State::Failed, _) if worst > f64::MIN => worst,
                _ => continue,
            };
            inputs.push(x.iter().zip(&widths).map(|(x, width)| x / width).collect::<Vec<_>>());
            costs.push(warp.map_or(cost, |warp| warp.forward(cost)));
        }
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let of = costs.len();
        if of > strategy.model_size {
            let chosen = chosen(&costs, strategy.model_size, strategy.seed);
            inputs = chosen.iter().map(|i| std::mem::take(&mut inputs[*i])).collect();
            costs = chosen.iter().map(|i| costs[*i]).collect();
        }
        let data = Dataset::with_replicates(&inputs, &costs, strategy.replicates())?;
        // A single output, or outputs that are all the same, are only shifted.
        let scaling = Scaling::new(&data, &vec![(0.0, 1.0); data.dim()], strategy.scaling.scaling())?;
        Ok(Self { data: scaling.dataset(&data)?, warp, scaling, best, of })
    }

    /// At most `most` of the data, for a fit.
    pub fn sample(&self, most: usize, strategy: &Strategy) -> Result<Dataset> {
        if self.data.len() <= most || strategy.model_size == usize::MAX {
            return Ok(self.data.clone());
        }
        let chosen = chosen(self.data.y(), most, strategy.seed);
        let rows: Vec<Vec<f64>> = chosen.iter().map(|i| self.data.x().row(*i)).collect();
        let costs: Vec<f64> = chosen.iter().map(|i| self.data.y()[*i]).collect();
        Ok(Dataset::with_replicates(&rows, &costs, Replicates::Keep)?)
    }
}

/// The places of `most` costs: a third are the least, a third the latest, and the others a random sample that changes
/// little when one more cost is added. In their order.
fn chosen(costs: &[f64], most: usize, seed: u64) -> Vec<usize> {
    let n = costs.len();
    let mut by_cost: Vec<usize> = (0..n).collect();
    by_cost.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]).then(a.cmp(b)));
    let mut is_chosen = vec![false; n];
    by_cost.iter().take(most / 3).chain(&((n - most / 3)..n).collect::<Vec<_>>()).for_each(|i| is_chosen[*i] = true);
    let lot = |i: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(i as u64);
        rng.random::<u64>()
    };
    let mut others: Vec<(u64, usize)> = (0..n).filter(|i| !is_chosen[*i]).map(|i| (lot(i), i)).collect();
    others.sort_unstable();
    let missing = most - is_chosen.iter().filter(|chosen| **chosen).count();
    others.iter().take(missing).for_each(|(_, i)| is_chosen[*i] = true);
    (0..n).filter(|i| is_chosen[*i]).collect()
}

/// Data in coordinates that are `widths` times as large.
pub(super) fn wide(data: &Dataset, widths: &[f64]) -> Result<Dataset> {
    let wide = |row: Vec<f64>| -> Vec<f64> {
        // Whole numbers must come back whole; what lies between them stays there.
        let back = |(u, width): (&f64, &f64)| {
            let (place, nearest) = (u * width, (u * width).round());
            if *width != 1.0 && (place - nearest).abs() <= 1e-9 * width { nearest } else { place }
        };
        row.iter().zip(widths).map(back).collect()
    };
    let rows: Vec<Vec<f64>> = data.x().rows().map(wide).collect();
    Ok(Dataset::with_replicates(&rows, data.y(), Replicates::Keep)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_many_trials_has_the_best_the_latest_and_a_steady_sample() {
        let costs: Vec<f64> = (0..1000).map(|i| f64::from((i * 37) % 1000)).collect();
        let part = chosen(&costs, 90, 3);
        assert_eq!(part.len(), 90);
        assert!(part.is_sorted() && part.ends_with(&(970..1000).collect::<Vec<_>>()));
        let has = |cost: f64| part.iter().any(|i| costs[*i] == cost);
        assert!((0..30).all(|cost| has(f64::from(cost))), "the least are there");
        let one_more = chosen(&[&costs[..], &[500.5]].concat(), 90, 3);
        assert!(part.iter().filter(|i| !one_more.contains(i)).count() <= 3);
        assert_ne!(part, chosen(&costs, 90, 4));
    }
}
