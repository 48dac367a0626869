//! The model of a study as it stands: posterior, scaling and criterion.

use crate::basis::Fitted;
use crate::bound::Bound;
use crate::definition::{Definition, Goal};
use crate::error::Result;
use crate::space::Space;
use crate::strategy::{OutputScale, Strategy};
use crate::trial::{Origin, State, Trial};
use crate::value::Point;
use crate::watch::{Stage, Watch};
use fathom_gp::{
    Acquisition, Covariance, Criterion, CriterionFields, Dataset, FitSettings, Model, OutputScaling, Posterior,
    Replicates, Scaling, Term, fit_until,
};

/// The gap if neither the strategy nor a stopping rule asks for another one.
const GAP: f64 = 0.01;

/// The least gap that a stopping rule leads to; a gain of nothing is never proven.
const FINEST: f64 = 1e-4;

/// An improvement or a probability that counts as none.
const NOTHING: f64 = 1e-6;

/// Values that are larger count as this for the model, so that differences stay finite; unscaled, squares too.
const LARGEST: f64 = 1e300;
const LARGEST_UNSCALED: f64 = 1e40;

/// The fitted model of a study as it stands: what it says about every point, in the user's units.
#[derive(Debug, Clone)]
pub struct Surrogate {
    /// The model after its data, in the search's coordinates and scaled costs.
    pub(crate) posterior: Posterior,
    scaling: Scaling,
    pub(crate) criterion: Criterion,
    /// The gap to which the minimum of the criterion is proven, in scaled costs, and relative to its size; the larger counts.
    pub(crate) gap: f64,
    pub(crate) relative_gap: f64,
    /// t, which counts the steps of the model from 1.
    pub(crate) round: usize,
    /// Whether the fit was cut short.
    pub(crate) is_fit_cut: bool,
    /// Whether the minimum of the criterion is proven and bounds what can be gained.
    bounds_gain: bool,
    goal: Goal,
    best: f64,
    space: Space,
}

impl Surrogate {
    /// The model after the finished ones of `trials`, at least one of them complete.
    pub fn new(definition: &Definition, trials: &[Trial]) -> Result<Self> {
        let encoded = encoded(&definition.space, trials);
        Self::fitted(definition, trials, &encoded, &mut Watch::nobody())
    }

    /// The same for trials whose points are `encoded`; the fit goes as far as the watch allows.
    pub(crate) fn fitted(
        definition: &Definition,
        trials: &[Trial],
        encoded: &[Vec<f64>],
        watch: &mut Watch<'_>,
    ) -> Result<Self> {
        watch.tell(Stage::Fit, None);
        let observed = Observed::new(definition, trials, encoded)?;
        let Definition { space, strategy, .. } = definition;
        let settings =
            FitSettings { noise: strategy.noise.noise(), seed: strategy.seed, shape: None, ..FitSettings::default() };
        let fit = fit_until(&strategy.covariance(space)?, &observed.data, &settings, &watch.late())?;
        let posterior = widened(fit.posterior, &observed.data, &space.widths())?;
        Ok(Self { is_fit_cut: fit.is_cut, ..Self::under(definition, trials, observed, posterior)? })
    }

    /// The same with hyperparameters that were fitted before.
    pub(crate) fn recalled(definition: &Definition, trials: &[Trial], model: &Fitted) -> Result<Self> {
        let space = &definition.space;
        let observed = Observed::new(definition, trials, &encoded(space, trials))?;
        let posterior = model.model(space.dim())?.condition(&wide(&observed.data, &space.widths())?)?;
        Self::under(definition, trials, observed, posterior)
    }

    fn under(definition: &Definition, trials: &[Trial], observed: Observed, posterior: Posterior) -> Result<Self> {
        let Definition { space, strategy, goal, .. } = definition;
        let Observed { scaling, best, .. } = observed;
        let chosen = trials.iter().filter(|trial| trial.suggestion.origin == Origin::Model).count();
        let round = chosen + 1;
        let criterion = criterion(strategy, space, round, scaling.output().to_unit(best))?;
        // A stopping rule can only be met by a bound that is finer than it.
        let needed = definition.stopping.gain.map_or(GAP, |gain| 0.25 * gain / scaling.deviation_back(1.0));
        let (gap, relative_gap) = match (strategy.gap.or(strategy.relative_gap.map(|_| 0.0)), criterion) {
            (Some(gap), _) => (gap, strategy.relative_gap.unwrap_or(0.0)),
            (None, Criterion::Ei { .. } | Criterion::Pi { .. }) => (NOTHING, GAP),
            (None, _) => (needed.clamp(FINEST, GAP), 0.0),
        };
        Ok(Self {
            posterior,
            scaling,
            criterion,
            gap,
            relative_gap,
            round,
            is_fit_cut: false,
            bounds_gain: strategy.bounds_gain(space),
            goal: *goal,
            best,
            space: space.clone(),
        })
    }

    /// How costs are scaled.
    pub(crate) fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// Takes a pending trial to come out at the posterior mean, and returns that mean.
    pub(crate) fn believe(&mut self, x: &[f64]) -> Result<f64> {
        let mean = self.posterior.predict(x)?.mean;
        self.posterior.observe(x, mean)?;
        Ok(mean)
    }

    /// Posterior mean and deviation of the value at a checked point.
    pub fn predict(&self, point: &Point) -> Result<(f64, f64)> {
        let prediction = self.posterior.predict(&self.space.encode(point))?;
        let mean = self.goal.cost(self.scaling.mean_back(prediction.mean));
        Ok((mean, self.scaling.deviation_back(prediction.deviation())))
    }

    /// The acquisition function at a checked point, in the user's units; it is always minimised, so for values
    /// that are maximised it is that of their negatives.
    pub fn acquisition(&self, point: &Point) -> Result<f64> {
        let mut acquisition = Acquisition::new(&self.posterior, self.criterion)?;
        Ok(self.scaling.acquisition_back(self.criterion, acquisition.value(&self.space.encode(point))))
    }

    /// Whether the minimum of the criterion bounds what can be gained, and is proven. Under hyperparameters that are not
    /// fitted the minimum says nothing of the study.
    pub(crate) fn gives_bound(&self) -> bool {
        self.bounds_gain && !self.is_fit_cut
    }

    /// What can be gained, if `lower` is a proven bound of the criterion's minimum.
    pub(crate) fn bound(&self, lower: Option<f64>) -> Option<Bound> {
        let lower = lower.filter(|_| self.gives_bound())?;
        let reachable = self.scaling.mean_back(lower).min(self.best);
        let (best, gain) = (self.goal.cost(self.best), self.best - reachable);
        Some(Bound { best, reachable: self.goal.cost(reachable), gain })
    }
}

/// The points of trials in the search's coordinates.
pub(crate) fn encoded(space: &Space, trials: &[Trial]) -> Vec<Vec<f64>> {
    trials.iter().map(|trial| space.encode(&trial.point)).collect()
}

/// Finished trials as the model sees them.
struct Observed {
    /// The data over the unit cube, in scaled costs.
    data: Dataset,
    scaling: Scaling,
    /// The least cost.
    best: f64,
}

impl Observed {
    fn new(definition: &Definition, trials: &[Trial], encoded: &[Vec<f64>]) -> Result<Self> {
        let Definition { space, strategy, goal, .. } = definition;
        let widths = space.widths();
        let largest = if strategy.scaling == OutputScale::None { LARGEST_UNSCALED } else { LARGEST };
        let cost = |value: f64| goal.cost(value).clamp(-largest, largest);
        let worst = trials.iter().filter_map(Trial::objective).map(cost).fold(f64::MIN, f64::max);
        let (mut inputs, mut costs) = (Vec::new(), Vec::new());
        for (trial, x) in trials.iter().zip(encoded) {
            let cost = match (trial.state, trial.objective()) {
                (State::Complete, Some(value)) => cost(value),
                (State::Failed, _) if worst > f64::MIN => worst,
                (State::Pending | State::Failed | State::Complete, _) => continue,
            };
            inputs.push(x.iter().zip(&widths).map(|(x, width)| x / width).collect::<Vec<_>>());
            costs.push(cost);
        }
        let data = Dataset::with_replicates(&inputs, &costs, strategy.replicates())?;
        let scaling = scaling(&data, strategy)?;
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Self { data: scaling.dataset(&data)?, scaling, best })
    }
}

/// The scaling; a single output, or outputs that are all the same, are only shifted.
fn scaling(data: &Dataset, strategy: &Strategy) -> Result<Scaling> {
    let outputs: OutputScaling = strategy.scaling.scaling();
    Ok(Scaling::new(data, &vec![(0.0, 1.0); data.dim()], outputs)?)
}

/// The same model in coordinates that are `widths` times as large.
fn widened(fitted: Posterior, data: &Dataset, widths: &[f64]) -> Result<Posterior> {
    if widths.iter().all(|width| *width == 1.0) {
        return Ok(fitted);
    }
    let Model { covariance, noise, mean } = fitted.model();
    let term = |term: &Term| {
        let scales = term.inputs().iter().zip(term.lengthscales()).map(|(j, l)| l * widths[*j]).collect::<Vec<_>>();
        Term::new(term.kernel(), term.inputs().to_vec(), term.variance(), &scales)
    };
    let terms = covariance.terms().iter().map(term).collect::<fathom_gp::Result<_>>()?;
    let model = Model::new(Covariance::new(widths.len(), terms)?, *noise)?.with_mean(*mean)?;
    Ok(model.condition(&wide(data, widths)?)?)
}

/// The same data in those coordinates.
fn wide(data: &Dataset, widths: &[f64]) -> Result<Dataset> {
    let wide = |row: Vec<f64>| -> Vec<f64> {
        // Whole numbers must come back whole.
        row.iter().zip(widths).map(|(u, width)| if *width == 1.0 { *u } else { (u * width).round() }).collect()
    };
    let rows: Vec<Vec<f64>> = data.x().rows().map(wide).collect();
    Ok(Dataset::with_replicates(&rows, data.y(), Replicates::Keep)?)
}

/// The criterion of iteration `t`; `best` is the smallest scaled cost.
fn criterion(strategy: &Strategy, space: &Space, t: usize, best: f64) -> Result<Criterion> {
    let kappa = match strategy.acquisition.is_confidence_bound() {
        true => Some(strategy.beta_at(t, space)?.sqrt()),
        false => None,
    };
    let fields = CriterionFields { kappa, best: Some(best), ..strategy.criterion_fields() };
    Ok(Criterion::named(strategy.acquisition, fields).map_err(fathom_global::Error::from)?)
}
