//! The model of a study as it stands: posterior, scaling and criterion.

use super::observed::{Observed, encoded, wide};
use crate::basis::Fitted;
use crate::definition::{Definition, Goal};
use crate::error::Result;
use crate::space::Space;
use crate::strategy::{FITTED, FitName, NoiseName, Strategy};
use crate::trial::{Origin, Trial};
use crate::value::Point;
use crate::watch::{Stage, Watch};
use fathom_gp::{
    Acquisition, Covariance, Criterion, CriterionFields, Dataset, Model, Posterior, Prediction, Scaling, Term, Warp,
    fit_until,
};

/// The gap if the strategy asks for no other one.
pub(super) const GAP: f64 = 0.01;

/// An improvement or a probability that counts as none.
const NOTHING: f64 = 1e-6;

/// A noise variance, relative to that of the values, that makes no difference: a deviation of 1 %.
pub(crate) const NEGLIGIBLE: f64 = 1e-4;

/// A pending trial is believed so often that its point keeps 1 / (1 + this) of its variance, but not more often than
/// [`MOST_TIMES`]: each time is one more observation in the model.
const REMOVED: f64 = 10.0;
pub(super) const MOST_TIMES: u32 = 30;

/// The fitted model of a study as it stands: what it says about every point, in the user's units.
#[derive(Debug, Clone)]
pub struct Surrogate {
    /// The model after its data, in the search's coordinates and scaled costs.
    pub(crate) posterior: Posterior,
    warp: Option<Warp>,
    scaling: Scaling,
    pub(crate) criterion: Criterion,
    /// The gap to which the minimum of the criterion is proven, in scaled costs, and relative to its size; the larger counts.
    pub(crate) gap: f64,
    pub(crate) relative_gap: f64,
    /// t, which counts the steps of the model from 1.
    pub(crate) round: usize,
    /// Whether the fit was cut short.
    pub(crate) is_fit_cut: bool,
    /// The trials that the model is made of, and those that there are.
    made_of: (usize, usize),
    goal: Goal,
    space: Space,
}

/// A trial, or trials at one point, beside what the model expects there without them; all in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The point.
    pub point: Point,
    /// What was told; the mean of several, and the worst value for a failed trial.
    pub value: f64,
    /// The median that the model expects.
    pub median: f64,
    /// The lower end of the interval that holds a measured value with a probability of 68 %.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Surrogate {
    /// The model after the finished ones of `trials`, at least one of them complete.
    pub fn new(definition: &Definition, trials: &[Trial]) -> Result<Self> {
        let encoded = encoded(&definition.space, trials);
        Self::fitted(definition, &definition.strategy, trials, &encoded, last_fit(trials), &mut Watch::nobody())
    }

    /// The same under a strategy for trials whose points are `encoded`, with a start of the fit from an `earlier` one. The fit
    /// goes as far as the watch allows.
    pub(crate) fn fitted(
        definition: &Definition,
        strategy: &Strategy,
        trials: &[Trial],
        encoded: &[Vec<f64>],
        earlier: Option<&Fitted>,
        watch: &mut Watch<'_>,
    ) -> Result<Self> {
        watch.tell(Stage::Fit, None);
        let observed = Observed::new(definition, strategy, trials, encoded)?;
        let space = &definition.space;
        let widths = space.widths();
        let earlier = earlier.and_then(|fitted| narrowed(fitted, &widths));
        let settings = strategy.fit_settings(space, earlier)?;
        let sample = observed.sample(FITTED, strategy)?;
        let fit = fit_until(&strategy.covariance(space)?, &sample, &settings, &watch.late())?;
        let posterior = if sample.len() == observed.data.len() {
            widened(fit.posterior, &observed.data, &widths)?
        } else {
            scaled(fit.posterior.model(), &widths)?.condition(&wide(&observed.data, &widths)?)?
        };
        Ok(Self { is_fit_cut: fit.is_cut, ..Self::under(definition, strategy, trials, observed, posterior)? })
    }

    /// The same with hyperparameters that were fitted before.
    pub(crate) fn recalled(definition: &Definition, trials: &[Trial], model: &Fitted) -> Result<Self> {
        let Definition { space, strategy, .. } = definition;
        let observed = Observed::new(definition, strategy, trials, &encoded(space, trials))?;
        let posterior = model.model(space.dim())?.condition(&wide(&observed.data, &space.widths())?)?;
        Self::under(definition, strategy, trials, observed, posterior)
    }

    fn under(
        definition: &Definition,
        strategy: &Strategy,
        trials: &[Trial],
        observed: Observed,
        posterior: Posterior,
    ) -> Result<Self> {
        let Definition { space, goal, .. } = definition;
        let Observed { warp, scaling, best, of, data } = observed;
        let chosen = trials.iter().filter(|trial| trial.suggestion.origin == Origin::Model).count();
        let round = chosen + 1;
        let best = match (strategy.fit, strategy.noise) {
            // The luckiest of noisy values is better than what can be had there.
            (FitName::Priors, NoiseName::Learned) => means_at_data(&posterior).fold(f64::INFINITY, f64::min),
            (FitName::Priors, NoiseName::Fixed(_)) | (FitName::Likelihood, _) => scaling.output().to_unit(best),
        };
        let criterion = criterion(strategy, space, round, best)?;
        let (gap, relative_gap) = match (strategy.gap.or(strategy.relative_gap.map(|_| 0.0)), criterion) {
            (Some(gap), _) => (gap, strategy.relative_gap.unwrap_or(0.0)),
            (None, Criterion::Ei { .. } | Criterion::Pi { .. }) => (NOTHING, GAP),
            (None, _) => (GAP, 0.0),
        };
        Ok(Self {
            posterior,
            warp,
            scaling,
            criterion,
            gap,
            relative_gap,
            round,
            is_fit_cut: false,
            made_of: (data.len(), of),
            goal: *goal,
            space: space.clone(),
        })
    }

    /// How costs are scaled, after the warp.
    pub(crate) fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// How costs are warped, if they are.
    pub fn warp(&self) -> Option<Warp> {
        self.warp
    }

    /// The fitted model, in the search's coordinates and scaled costs.
    pub fn model(&self) -> &Model {
        self.posterior.model()
    }

    /// The acquisition function of the next step, in scaled costs.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The lengthscale of each coordinate as a part of its range, for each term of the model.
    pub fn lengthscales(&self) -> Vec<Vec<(usize, f64)>> {
        let widths = self.space.widths();
        let of = |term: &Term| {
            term.inputs().iter().zip(term.lengthscales()).map(|(input, l)| (*input, l / widths[*input])).collect()
        };
        self.posterior.model().covariance.terms().iter().map(of).collect()
    }

    /// How many trials the model is made of, and of how many: a model of very many trials is made of a part of them.
    pub fn made_of(&self) -> (usize, usize) {
        self.made_of
    }

    /// Whether the noise makes a difference.
    pub(crate) fn is_noisy(&self) -> bool {
        self.posterior.model().noise > NEGLIGIBLE
    }

    /// Takes a pending trial to come out at the posterior mean, and returns that mean and how often it is taken to do so. One
    /// measurement removes little of the deviation if the noise is large, and the next point would be nearly the same.
    pub(crate) fn believe(&mut self, x: &[f64]) -> Result<(f64, u32)> {
        let Prediction { mean, variance } = self.posterior.predict(x)?;
        let wanted = REMOVED * self.posterior.model().noise / variance.max(f64::MIN_POSITIVE);
        let times = if self.is_noisy() { wanted.ceil().clamp(1.0, f64::from(MOST_TIMES)) as u32 } else { 1 };
        self.observe(x, mean, times)?;
        Ok((mean, times))
    }

    /// Observes a scaled cost so many times.
    pub(crate) fn observe(&mut self, x: &[f64], cost: f64, times: u32) -> Result<()> {
        Ok((0..times).try_for_each(|_| self.posterior.observe(x, cost))?)
    }

    /// Counts improvements from this scaled cost, if that is less than what they count from: what is believed of a pending trial
    /// need not be found again.
    pub(crate) fn improve_on(&mut self, cost: f64) -> Result<()> {
        let fields = self.criterion.fields();
        if let Some(best) = fields.best {
            let fields = CriterionFields { best: Some(best.min(cost)), ..fields };
            self.criterion = Criterion::named(self.criterion.name(), fields).map_err(fathom_global::Error::from)?;
        }
        Ok(())
    }

    /// A scaled cost as a cost.
    pub(crate) fn cost_back(&self, scaled: f64) -> f64 {
        let cost = self.scaling.mean_back(scaled);
        self.warp.map_or(cost, |warp| warp.back(cost))
    }

    /// The median of the value at a checked point, and half the width of the interval that holds it with a probability of 68 %.
    /// Without a warp these are the posterior mean and deviation.
    pub fn predict(&self, point: &Point) -> Result<(f64, f64)> {
        Ok(self.predicted(self.posterior.predict(&self.space.encode(point))?))
    }

    /// The same from a prediction of scaled costs.
    pub(crate) fn predicted(&self, prediction: Prediction) -> (f64, f64) {
        let (mean, deviation) = (prediction.mean, prediction.deviation());
        let half = match self.warp {
            None => self.scaling.deviation_back(deviation),
            Some(_) => 0.5 * (self.cost_back(mean + deviation) - self.cost_back(mean - deviation)),
        };
        (self.goal.cost(self.cost_back(mean)), half)
    }

    /// The median of the value at a checked point, in O(n); without a warp it is the posterior mean.
    pub fn median(&self, point: &Point) -> Result<f64> {
        Ok(self.goal.cost(self.cost_back(self.posterior.mean(&self.space.encode(point))?)))
    }

    /// The posterior mean at a checked point in the model's own units: costs, warped if there is a warp, and scaled.
    pub fn scaled_mean(&self, point: &Point) -> Result<f64> {
        Ok(self.posterior.mean(&self.space.encode(point))?)
    }

    /// The interval that holds the value at a checked point, without its noise, with a probability of 68 %.
    pub fn interval(&self, point: &Point) -> Result<(f64, f64)> {
        Ok(self.between(self.posterior.predict(&self.space.encode(point))?))
    }

    /// What the model would expect of each of its trials if it had all others but not this one, under the same hyperparameters.
    pub fn leave_one_out(&self) -> Vec<LeftOut> {
        let rows = self.posterior.x().rows().zip(self.posterior.y()).zip(self.posterior.leave_one_out());
        let left_out = |((x, y), prediction): ((Vec<f64>, &f64), Prediction)| {
            let value = |cost: f64| self.goal.cost(self.cost_back(cost));
            let (low, high) = self.between(prediction);
            LeftOut { point: self.space.decode(&x), value: value(*y), median: value(prediction.mean), low, high }
        };
        rows.map(left_out).collect()
    }

    /// The ends of the interval of one deviation on both sides, in the user's units.
    fn between(&self, prediction: Prediction) -> (f64, f64) {
        let (mean, deviation) = (prediction.mean, prediction.deviation());
        let ends = [mean - deviation, mean + deviation].map(|cost| self.goal.cost(self.cost_back(cost)));
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    }

    /// The acquisition function at a checked point; it is always minimised, so for values that are maximised it is that of their
    /// negatives. Under a warp, improvements and deviations are in the model's units, everything else is in the user's.
    pub fn acquisition(&self, point: &Point) -> Result<f64> {
        let mut acquisition = Acquisition::new(&self.posterior, self.criterion)?;
        let value = acquisition.value(&self.space.encode(point));
        Ok(match (self.criterion, self.warp) {
            (Criterion::Lcb { .. } | Criterion::Mean | Criterion::Glcb { .. }, _) => self.cost_back(value),
            (_, Some(_)) => value,
            (_, None) => self.scaling.acquisition_back(self.criterion, value),
        })
    }
}

/// The hyperparameters of the last suggestion that a model made.
pub(crate) fn last_fit(trials: &[Trial]) -> Option<&Fitted> {
    trials.iter().rev().find_map(|trial| Some(&trial.suggestion.basis.as_deref()?.model))
}

/// The posterior means at the data: y − σ_ε² a, since K a = y − m − σ_ε² a.
pub(super) fn means_at_data(posterior: &Posterior) -> impl Iterator<Item = f64> + '_ {
    let noise = posterior.model().noise;
    posterior.y().iter().zip(posterior.weights()).map(move |(y, a)| y - noise * a)
}

/// The same model in coordinates that are `factors` times as large.
fn scaled(model: &Model, factors: &[f64]) -> Result<Model> {
    let Model { covariance, noise, mean } = model;
    let term = |term: &Term| {
        let scales = term.inputs().iter().zip(term.lengthscales()).map(|(j, l)| l * factors[*j]).collect::<Vec<_>>();
        Term::new(term.kernel(), term.inputs().to_vec(), term.variance(), &scales)
    };
    let terms = covariance.terms().iter().map(term).collect::<fathom_gp::Result<_>>()?;
    Ok(Model::new(Covariance::new(factors.len(), terms)?, *noise)?.with_mean(*mean)?)
}

/// Stored hyperparameters over the unit cube; `None` if they are those of another space.
fn narrowed(fitted: &Fitted, widths: &[f64]) -> Option<Model> {
    let factors: Vec<f64> = widths.iter().map(|width| 1.0 / width).collect();
    scaled(&fitted.model(widths.len()).ok()?, &factors).ok()
}

/// A posterior in coordinates that are `widths` times as large.
fn widened(fitted: Posterior, data: &Dataset, widths: &[f64]) -> Result<Posterior> {
    if widths.iter().all(|width| *width == 1.0) {
        return Ok(fitted);
    }
    Ok(scaled(fitted.model(), widths)?.condition(&wide(data, widths)?)?)
}

/// The criterion of iteration `t`; `best` is the scaled cost to improve on.
fn criterion(strategy: &Strategy, space: &Space, t: usize, best: f64) -> Result<Criterion> {
    let name = strategy.acquisition.at(t);
    let kappa = match name.is_confidence_bound() {
        true => Some(strategy.beta_at(t, space)?.sqrt()),
        false => None,
    };
    let fields = CriterionFields { kappa, best: Some(best), ..strategy.criterion_fields() };
    Ok(Criterion::named(name, fields).map_err(fathom_global::Error::from)?)
}
