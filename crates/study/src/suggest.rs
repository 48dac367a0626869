//! The next point: Algorithm 1 of the paper around its acquisition step.
//!
//! Finished trials become a data set over the unit cube, with costs (values, or their negatives if they are
//! maximised) scaled; the model is fitted there and carried over to the search's coordinates, in which integers are
//! whole. A failed trial counts with the worst value seen, so that nobody goes there again soon. A pending one is
//! believed to come out at the posterior mean. That leaves the mean as it is and removes the deviation around it, so that
//! several workers get different points (Desautels et al., 2014); improvements count from what is believed, too. If values are
//! noisy, one belief removes little: it counts several times, and points keep a distance from pending ones (docs/decisions/021).
//!
//! What can still be gained needs no belief, and no acquisition function: a model of its own says it (`gain`).

mod afterwards;
mod apart;
mod budget;
mod gain;
mod minimum;
mod observed;
mod recall;
mod surrogate;

pub(crate) use gain::remaining;
pub(crate) use recall::Recall;
pub(crate) use surrogate::NEGLIGIBLE;
pub use surrogate::{LeftOut, Surrogate};

use crate::basis::{Basis, DEFAULTS, Fitted, Minimised, ScaledBy, SearchedBy, Seen, WarpedBy};
use crate::bound::{Bound, Forecast};
use crate::corrected::last_change;
use crate::definition::Definition;
use crate::design;
use crate::error::{Error, Result};
use crate::trial::{Origin, State, Suggestion, Trial};
use crate::watch::{Stage, Watch};
use apart::{Apart, WIDE};
use budget::Budget;
use fathom_method::{Found, Method};
use gain::{Cautious, Effort};
use minimum::Search;
use observed::encoded;
use std::time::{Duration, Instant};
use surrogate::last_fit;

/// The most values with which a trial of the design gets a forecast: a design of many points should not wait for a model.
const LARGEST_DESIGN: usize = 40;

/// How long a usual processor takes for what an ask says of the gain; a longer search would keep people waiting.
const TIME_OF_GAIN: Duration = Duration::from_millis(50);

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
    let counting = trials.iter().filter(|trial| trial.state.counts()).count();
    if counting < strategy.design_size(space) || finished < 2 {
        let x = design::next(space, strategy.sequence(space), &taken, watch)?;
        let (forecast, bound) = match finished <= LARGEST_DESIGN {
            true => outlook(definition, trials, &taken, &x, watch)?,
            false => (None, None),
        };
        return Ok((x, Suggestion { forecast, bound, ..Suggestion::without_model(Origin::Design) }));
    }
    let started = Instant::now();
    let mut surrogate = Surrogate::fitted(definition, strategy, trials, &taken, last_fit(trials), watch)?;
    let pending: Vec<(&Trial, &Vec<f64>)> =
        trials.iter().zip(&taken).filter(|(trial, _)| trial.state == State::Pending).collect();
    let budget = patience.map(|time| Budget::new(time, surrogate.made_of().0, space.dim()));
    let search = Search { budget: budget.as_ref(), ..search(definition, trials, found) };
    let watch = &mut watch.within(patience.unwrap_or(Duration::MAX));
    let mut believed = Vec::new();
    for (trial, x) in &pending {
        let (mean, times) = surrogate.believe(x)?;
        surrogate.improve_on(mean)?;
        believed.push(Seen { times, ..Seen::new(trial, Some(mean)) });
    }
    let minimum = search.minimum(&surrogate, &[], Stage::Search, watch)?;
    // Local methods of the paper would end at balls.
    let keeps_distance = surrogate.is_noisy() && matches!(strategy.method(space), Method::Certified | Method::Wide);
    let apart = |wide: Option<f64>| Apart::new(space, trials, taken.clone(), wide);
    let mut apart_by = keeps_distance.then_some(WIDE);
    let minimum = match search.away_from(&apart(apart_by), minimum.clone(), &surrogate, watch) {
        // The space has no room for a distance.
        Err(Error::NoNewPoint) if apart_by.take().is_some() => {
            search.away_from(&apart(None), minimum, &surrogate, watch)?
        }
        found => found?,
    };
    // The time there is goes to the point first.
    let (forecast, bound) = outlook(definition, trials, &taken, &minimum.x, watch)?;
    let basis = Basis {
        told: Seen::new_in(trials),
        changes: last_change(trials),
        model: Fitted::new(surrogate.posterior.model()),
        warp: surrogate.warp().map(WarpedBy::new),
        scaling: ScaledBy::new(surrogate.scaling()),
        function: Minimised::new(surrogate.criterion),
        apart_by: apart_by.filter(|_| !believed.is_empty()),
        is_best_believed: !believed.is_empty(),
        believed,
        apart_from: minimum.apart_from,
        search: SearchedBy {
            gap: surrogate.gap,
            relative_gap: surrogate.relative_gap,
            seed: search.seed,
            cut_after: minimum.cut_after,
            cut_by: minimum.cut_by,
        },
        is_fit_cut: surrogate.is_fit_cut,
        defaults: DEFAULTS,
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
        forecast,
        seconds: started.elapsed().as_secs_f64(),
        basis: Some(Box::new(basis)),
        later: None,
    };
    Ok((minimum.x, suggestion))
}

/// The model after the finished trials, fitted to the end.
pub(crate) fn surrogate(definition: &Definition, trials: &[Trial], watch: &mut Watch<'_>) -> Result<Surrogate> {
    let (strategy, encoded) = (&definition.strategy, encoded(&definition.space, trials));
    let surrogate = Surrogate::fitted(definition, strategy, trials, &encoded, last_fit(trials), watch)?;
    if surrogate.is_fit_cut { Err(watch.ended("the model was fitted")) } else { Ok(surrogate) }
}

/// What the cautious model expects at `x`, and what it says can still be gained as far as a short search proves it.
fn outlook(
    definition: &Definition,
    trials: &[Trial],
    encoded: &[Vec<f64>],
    x: &[f64],
    watch: &mut Watch<'_>,
) -> Result<(Option<Forecast>, Option<Bound>)> {
    if watch.is_over() {
        return Ok((None, None));
    }
    let Some(cautious) = Cautious::fitted(definition, trials, encoded, watch)? else { return Ok((None, None)) };
    let forecast = cautious.forecast(x)?;
    if gain::silence(definition, trials).is_some() {
        return Ok((Some(forecast), None));
    }
    let boxes = Some(budget::boxes(TIME_OF_GAIN, cautious.size(), definition.space.dim()));
    let remaining = cautious.remaining(definition, trials, Effort { boxes, forecasts: 2 }, watch)?;
    Ok((Some(forecast), remaining.bound()))
}

fn search<'a>(definition: &'a Definition, trials: &[Trial], found: &'a Found) -> Search<'a> {
    let Definition { space, strategy, .. } = definition;
    let seed = strategy.seed.wrapping_add(trials.len() as u64);
    Search { space, strategy, seed, found, budget: None }
}
