//! The next point: Algorithm 1 of the paper around its acquisition step.
//!
//! Finished trials become a data set over the unit cube, with costs (values, or their negatives if they are
//! maximised) scaled; the model is fitted there and carried over to the search's coordinates, in which integers are
//! whole. A failed trial counts with the worst value seen, so that nobody goes there again soon. A pending one is
//! believed to come out at the posterior mean. That leaves the mean as it is and removes the deviation around it, so that
//! several workers get different points (Desautels et al., 2014).
//!
//! The certified stopping bound needs no belief: with b ≤ min LCB over the space under the finished trials alone,
//! nothing below b is expected under the model at its level of confidence β, and best − b is what can still be gained.

mod afterwards;
mod budget;
mod minimum;
mod recall;
mod surrogate;

pub(crate) use recall::Recall;
pub use surrogate::Surrogate;

use crate::basis::{Basis, Fitted, Minimised, ScaledBy, SearchedBy, Seen};
use crate::bound::Bound;
use crate::definition::Definition;
use crate::design;
use crate::error::Result;
use crate::trial::{Origin, State, Suggestion, Trial};
use crate::watch::{Stage, Watch};
use budget::Budget;
use fathom_method::Found;
use minimum::Search;
use std::time::{Duration, Instant};
use surrogate::encoded;

/// A point for the next trial, in the search's coordinates, and how it was chosen. Once the watch is over, or the patience after
/// the fit, the point is the best one known by then.
pub(crate) fn suggest(
    definition: &Definition,
    trials: &[Trial],
    found: &Found,
    patience: Option<Duration>,
    watch: &mut Watch<'_>,
) -> Result<(Vec<f64>, Suggestion)> {
    let Definition { space, strategy, .. } = definition;
    let taken = encoded(space, trials);
    let finished = trials.iter().filter(|trial| trial.state == State::Complete).count();
    if trials.len() < strategy.design_size(space) || finished < 2 {
        let x = design::next(space, strategy.sequence(space), &taken, watch)?;
        return Ok((x, Suggestion::without_model(Origin::Design)));
    }
    let started = Instant::now();
    let mut surrogate = Surrogate::fitted(definition, trials, &taken, watch)?;
    let pending: Vec<(&Trial, &Vec<f64>)> =
        trials.iter().zip(&taken).filter(|(trial, _)| trial.state == State::Pending).collect();
    // The bound needs no belief, and is looked for last: the time there is goes to the point first.
    let unbelieving = (!pending.is_empty() && surrogate.gives_bound()).then(|| surrogate.clone());
    let budget = patience.map(|time| Budget::new(time, trials.len(), space.dim(), unbelieving.is_some()));
    let search = Search { budget: budget.as_ref(), ..search(definition, trials, found) };
    let watch = &mut watch.within(patience.unwrap_or(Duration::MAX));
    let mut believed = Vec::new();
    for (trial, x) in &pending {
        believed.push(Seen::new(trial, Some(surrogate.believe(x)?)));
    }
    let minimum = search.minimum(&surrogate, &[], Stage::Search, watch)?;
    let mut bound = if pending.is_empty() { surrogate.bound(minimum.lower_bound()) } else { None };
    let minimum = search.away_from(&taken, minimum, &surrogate, watch)?;
    if let Some(surrogate) = unbelieving.filter(|_| !watch.is_over()) {
        bound = surrogate.bound(search.minimum(&surrogate, &[], Stage::Bound, watch)?.lower_bound());
    }
    let basis = Basis {
        told: Seen::new_in(trials),
        believed,
        model: Fitted::new(surrogate.posterior.model()),
        scaling: ScaledBy::new(surrogate.scaling()),
        function: Minimised::new(strategy.acquisition, surrogate.criterion),
        apart_from: minimum.apart_from,
        search: SearchedBy {
            gap: surrogate.gap,
            relative_gap: surrogate.relative_gap,
            seed: search.seed,
            cut_after: minimum.cut_after,
            cut_by: minimum.cut_by,
        },
        is_fit_cut: surrogate.is_fit_cut,
        x: if minimum.certificate.is_some() { Vec::new() } else { minimum.x.clone() },
    };
    let suggestion = Suggestion {
        origin: Origin::Model,
        method: Some(minimum.method.to_owned()),
        acquisition: Some(minimum.value),
        certificate: minimum.certificate,
        piecewise_linear: minimum.piecewise_linear,
        solver: minimum.solver,
        bound,
        seconds: started.elapsed().as_secs_f64(),
        basis: Some(Box::new(basis)),
        later: None,
    };
    Ok((minimum.x, suggestion))
}

/// The model after the finished trials, fitted to the end.
pub(crate) fn surrogate(definition: &Definition, trials: &[Trial], watch: &mut Watch<'_>) -> Result<Surrogate> {
    let surrogate = Surrogate::fitted(definition, trials, &encoded(&definition.space, trials), watch)?;
    if surrogate.is_fit_cut { Err(watch.ended("the model was fitted")) } else { Ok(surrogate) }
}

/// The bound of what can be gained now, if finished trials, the optimiser and the acquisition function give one.
pub(crate) fn bound(definition: &Definition, trials: &[Trial], watch: &mut Watch<'_>) -> Result<Option<Bound>> {
    if trials.iter().filter(|trial| trial.state == State::Complete).count() < 2 {
        return Ok(None);
    }
    let encoded = encoded(&definition.space, trials);
    let surrogate = Surrogate::fitted(definition, trials, &encoded, watch)?;
    if !surrogate.gives_bound() {
        return Ok(None);
    }
    let minimum = search(definition, trials, &Found::Embedded).minimum(&surrogate, &[], Stage::Bound, watch)?;
    Ok(surrogate.bound(minimum.lower_bound()))
}

fn search<'a>(definition: &'a Definition, trials: &[Trial], found: &'a Found) -> Search<'a> {
    let Definition { space, strategy, .. } = definition;
    let seed = strategy.seed.wrapping_add(trials.len() as u64);
    Search { space, strategy, seed, found, budget: None }
}
