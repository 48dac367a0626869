//! Hyperparameters by maximum marginal likelihood, or by maximum a posteriori if priors are given.
//!
//! As in the paper's Appendix B, bounded L-BFGS-B maximises over the logarithms of the hyperparameters, from the caller's
//! values and from random values drawn log-uniformly between the bounds; the best end point wins. Starts run in parallel, each
//! with its own random stream, and ties go to the earlier start, so the result does not depend on the number of threads.

use crate::covariance::{Covariance, Hyperparameter};
use crate::dataset::Dataset;
use crate::error::{Error, Result, ordered, positive};
use crate::likelihood::{Likelihood, Workspace};
use crate::mean::Mean;
use crate::memory::room_to_fit;
use crate::posterior::{Model, Posterior};
use crate::prior::Priors;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::cell::RefCell;

/// The noise variance σ_ε²: known, or learned with the other hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Known.
    Fixed(f64),
    /// Learned between positive bounds.
    Learned {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
}

/// The settings of a fit. The defaults are those of the paper's Appendix B.
#[derive(Debug, Clone, PartialEq)]
pub struct FitSettings {
    /// The number of starting points, ≥ 1: first the hyperparameters of the given covariance, then those of an earlier fit, if
    /// there are any, then random ones. The default is ten, as in the paper.
    pub starts: usize,
    /// The hyperparameters that an earlier fit of the same structure ended with.
    pub earlier: Option<Model>,
    /// The bounds of each term's σ_f². The defaults are the paper's, for outputs scaled to [0, 1].
    pub variance: (f64, f64),
    /// The bounds of each lengthscale. The defaults are the paper's, for inputs scaled to [0, 1].
    pub lengthscale: (f64, f64),
    /// The bounds of the rational quadratic kernel's own α; `None` keeps the given value. The offset of a dot-product kernel keeps
    /// its value, since the variance and the lengthscales make up for it.
    pub shape: Option<(f64, f64)>,
    /// The noise variance; the default is 1e-6, as in the paper.
    pub noise: Noise,
    /// The constant prior mean; the default is 0, as in the paper.
    pub mean: Mean,
    /// Prior densities; none by default (maximum likelihood).
    pub priors: Priors,
    /// The most L-BFGS-B iterations of a start, ≥ 1. A start that is not finished by then counts with the best point it has
    /// seen.
    pub max_iterations: u64,
    /// The seed of the random starts.
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            starts: 10,
            earlier: None,
            variance: (0.05, 20.0),
            lengthscale: (0.005, 20.0),
            shape: Some((0.05, 20.0)),
            noise: Noise::Fixed(1e-6),
            mean: Mean::Fixed(0.0),
            priors: Priors::default(),
            max_iterations: 200,
            seed: 0,
        }
    }
}

impl FitSettings {
    /// The prior mean if it is known, and 0 until it is learned.
    fn fixed_mean(&self) -> f64 {
        match self.mean {
            Mean::Fixed(mean) => mean,
            Mean::Learned => 0.0,
        }
    }
}

/// A start stops if the objective improves by less than this share. That is enough to compare the starts.
const START_TOLERANCE: f64 = 1e-5;

/// The same share for the best start, which is continued to its maximum; SciPy's default.
const POLISH_TOLERANCE: f64 = 1e7 * f64::EPSILON;

/// A fitted model and how the fit was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The posterior under the best hyperparameters found.
    pub posterior: Posterior,
    /// log p(y | X, θ) under these hyperparameters.
    pub log_likelihood: f64,
    /// The objective that was maximised: the log likelihood plus the log prior densities, if any.
    pub objective: f64,
    /// Every start, in order.
    pub starts: Vec<Start>,
    /// The last run, from the end of the best start to its maximum.
    pub polish: Start,
    /// Whether it was ended before it had come to its end, so that there may be better hyperparameters.
    pub is_cut: bool,
}

/// How one start ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The best objective that was seen, or why there is none.
    pub objective: Result<f64>,
    /// The number of evaluations of the likelihood and its gradient.
    pub evaluations: usize,
    /// The number of evaluations that added jitter to the diagonal; their likelihood is that of a slightly noisier model.
    pub jittered: usize,
}

/// Fits the hyperparameters of `structure` to `data`. The kernels and groups of `structure` are kept; its values are the first
/// start.
///
/// ```
/// use fathom_gp::{Covariance, Dataset, FitSettings, Kernel, fit};
/// let x: Vec<[f64; 1]> = (0..9).map(|i| [f64::from(i) / 8.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| (6.0 * x[0]).sin()).collect();
/// let structure = Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.5)?;
/// let fitted = fit(&structure, &Dataset::new(&x, &y)?, &FitSettings::default())?;
/// let between = fitted.posterior.predict(&[0.55])?;
/// assert!((between.mean - 3.3_f64.sin()).abs() < 0.02);
/// # Ok::<(), fathom_gp::Error>(())
/// ```
pub fn fit(structure: &Covariance, data: &Dataset, settings: &FitSettings) -> Result<Fit> {
    fit_until(structure, data, settings, &|| false)
}

/// As [`fit`], until `late` says that it is enough: the best hyperparameters seen by then count, and at least those of
/// `structure` are looked at. `late` is asked before every evaluation of the likelihood; as long as it says `false` the
/// result is that of [`fit`] to the last bit.
pub fn fit_until(
    structure: &Covariance,
    data: &Dataset,
    settings: &FitSettings,
    late: &(dyn Fn() -> bool + Sync),
) -> Result<Fit> {
    let space = SearchSpace::new(structure, data, settings)?;
    room_to_fit(structure, data.y().len(), settings.starts.min(rayon::current_num_threads()))?;
    let likelihood = Likelihood::new(structure, data);
    let ends: Vec<End> = (0..settings.starts)
        .into_par_iter()
        .map_init(
            || RefCell::new(likelihood.workspace()),
            |work, start| {
                // Those of the caller are looked at in any case, so that there is a model.
                let is_due = |end: &End| late() && (start > 0 || end.evaluations > 0);
                space.climb(&likelihood, work, space.start(start), START_TOLERANCE, &is_due)
            },
        )
        .collect();
    let mut best: Option<&(f64, Vec<f64>)> = None;
    for end in ends.iter().filter_map(|end| end.best.as_ref().ok()) {
        if best.is_none_or(|best| end.0 > best.0) {
            best = Some(end);
        }
    }
    let Some(winner) = best else {
        return Err(ends.into_iter().find_map(|end| end.best.err()).expect("at least one start, checked above"));
    };
    let work = RefCell::new(likelihood.workspace());
    let polished = space.climb(&likelihood, &work, winner.1.clone(), POLISH_TOLERANCE, &|_| late());
    let is_cut = polished.is_cut || ends.iter().any(|end| end.is_cut);
    let (starts, polish) = (ends.iter().map(End::summary).collect(), polished.summary());
    let (objective, parameters) = match polished.best {
        Err(Error::Cut) => winner.clone(),
        best => best?,
    };
    let mut model = space.model(&parameters);
    if settings.mean == Mean::Learned {
        // The optimiser's last evaluation need not be that of the best point.
        let mut gradient = vec![0.0; space.kinds.len() + 1];
        model.mean = likelihood.evaluate(&model, settings.mean, &mut work.borrow_mut(), &mut gradient)?.mean;
    }
    let posterior = model.condition(data)?;
    Ok(Fit { log_likelihood: posterior.log_marginal_likelihood(), objective, starts, polish, is_cut, posterior })
}

/// The log marginal likelihood of `model` on `data`, and its gradient in the logarithms of [`Covariance::parameters`] and of
/// the noise variance, which comes last.
pub fn log_likelihood_gradient(model: &Model, data: &Dataset) -> Result<(f64, Vec<f64>)> {
    model.check(data)?;
    let likelihood = Likelihood::new(&model.covariance, data);
    let mut gradient = vec![0.0; model.covariance.parameters().len() + 1];
    let mean = Mean::Fixed(model.mean);
    let evaluation = likelihood.evaluate(model, mean, &mut likelihood.workspace(), &mut gradient)?;
    Ok((evaluation.value, gradient))
}

/// The box of log hyperparameters, and the model that a point of the box stands for.
struct SearchSpace<'s> {
    structure: &'s Covariance,
    settings: &'s FitSettings,
    kinds: Vec<Hyperparameter>,
    first: Vec<f64>,
    earlier: Option<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Whether the other hyperparameters make up for each of [`Covariance::parameters`], so that the likelihood has a ridge along
/// it and not a maximum. Those keep their values.
///
/// A power σ²(p + c)^m of the inner product p = Σ x_j x'_j/l_j² is σ²c^m(p/c + 1)^m, so σ² and the lengthscales make up for c > 0.
/// Without an offset the lengthscales make up for σ². A sum of linear kernels with an offset has one intercept, for which the
/// first σ² is enough, since the slopes are the lengthscales' affair.
fn redundant(structure: &Covariance) -> Vec<bool> {
    let (mut redundant, mut has_intercept) = (Vec::new(), false);
    for term in structure.terms() {
        let variance = match term.kernel().power() {
            None => false,
            Some((_, 0.0)) => true,
            Some((1, _)) => std::mem::replace(&mut has_intercept, true),
            Some(_) => false,
        };
        redundant.push(variance);
        redundant.extend(term.free_lengthscales().iter().map(|_| false));
        redundant.extend(term.free_shape().map(|_| term.kernel().power().is_some()));
    }
    redundant
}

/// The end of a start.
struct End {
    best: Result<(f64, Vec<f64>)>,
    evaluations: usize,
    jittered: usize,
    is_cut: bool,
}

impl End {
    fn summary(&self) -> Start {
        let objective = self.best.as_ref().map(|best| best.0).map_err(Clone::clone);
        Start { objective, evaluations: self.evaluations, jittered: self.jittered }
    }
}

impl<'s> SearchSpace<'s> {
    fn new(structure: &'s Covariance, data: &Dataset, settings: &'s FitSettings) -> Result<Self> {
        structure.check(data.x())?;
        if settings.starts == 0 {
            return Err(Error::Empty { what: "the list of starts" });
        }
        positive("the iteration limit", settings.max_iterations as f64)?;
        let (smallest, noise) = match settings.noise {
            Noise::Fixed(noise) => (noise, None),
            Noise::Learned { lower, upper } => (lower, Some((lower, upper))),
        };
        // The model is checked as every later use of it will check it.
        Model::new(structure.clone(), smallest)?.with_mean(settings.fixed_mean())?;
        if let Some((lower, upper)) = settings.shape {
            for term in structure.terms().iter().filter(|term| term.free_shape().is_some()) {
                term.kernel().with_shape(lower).validated()?;
                term.kernel().with_shape(upper).validated()?;
            }
        }
        let mut kinds = structure.hyperparameters();
        let mut values: Vec<f64> = structure.parameters();
        if let Some((lower, upper)) = noise {
            kinds.push(Hyperparameter::Noise);
            values.push(0.5 * (positive("the noise variance", lower)?.ln() + upper.ln()));
        }
        let (first, lower, upper) = (Vec::new(), Vec::new(), Vec::new());
        let mut space = Self { structure, settings, kinds, first, earlier: None, lower, upper };
        // The noise, if it is learned, comes last and is never redundant.
        let redundant = redundant(structure).into_iter().chain([false]);
        for ((kind, value), is_redundant) in space.kinds.iter().zip(values).zip(redundant) {
            let (name, bounds) = match kind {
                _ if is_redundant => ("a redundant hyperparameter", None),
                Hyperparameter::Variance => ("the kernel variance", Some(settings.variance)),
                Hyperparameter::Lengthscale => ("the lengthscale", Some(settings.lengthscale)),
                Hyperparameter::Shape => ("the kernel's shape parameter", settings.shape),
                Hyperparameter::Noise => ("the noise variance", noise),
            };
            let (lower, upper) = match bounds {
                None => (value, value),
                Some(bounds) => {
                    ordered(name, bounds)?;
                    (positive(name, bounds.0)?.ln(), bounds.1.ln())
                }
            };
            space.first.push(value.clamp(lower, upper));
            space.lower.push(lower);
            space.upper.push(upper);
        }
        space.earlier = settings.earlier.as_ref().and_then(|model| space.logs(model));
        Ok(space)
    }

    /// The model that a vector of logarithms stands for.
    fn model(&self, logs: &[f64]) -> Model {
        let (logs, noise) = match self.settings.noise {
            Noise::Fixed(noise) => (logs, noise),
            Noise::Learned { .. } => {
                let (noise, logs) = logs.split_last().expect("the noise comes last");
                (logs, noise.exp())
            }
        };
        Model { covariance: self.structure.with_parameters(logs), noise, mean: self.settings.fixed_mean() }
    }

    /// The logarithms of an earlier model's hyperparameters within the bounds; `None` if its structure is another one.
    fn logs(&self, model: &Model) -> Option<Vec<f64>> {
        if model.covariance.hyperparameters() != self.structure.hyperparameters() {
            return None;
        }
        let mut logs = model.covariance.parameters();
        if let Noise::Learned { .. } = self.settings.noise {
            logs.push(model.noise.ln());
        }
        Some(logs.iter().zip(&self.lower).zip(&self.upper).map(|((log, low), high)| log.clamp(*low, *high)).collect())
    }

    fn start(&self, index: usize) -> Vec<f64> {
        match (index, &self.earlier) {
            (0, _) => return self.first.clone(),
            (1, Some(earlier)) => return earlier.clone(),
            (_, _) => {}
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        rng.set_stream(index as u64);
        self.lower.iter().zip(&self.upper).map(|(low, high)| low + (high - low) * rng.random::<f64>()).collect()
    }

    fn climb(
        &self,
        likelihood: &Likelihood<'_>,
        work: &RefCell<Workspace>,
        from: Vec<f64>,
        tolerance: f64,
        is_due: &dyn Fn(&End) -> bool,
    ) -> End {
        let best = Err(Error::NoFiniteLikelihood);
        let end = RefCell::new(End { best, evaluations: 0, jittered: 0, is_cut: false });
        let objective = NegativeObjective { space: self, likelihood, work, end: &end, is_due };
        let solver = basin::Lbfgsb::new()
            .with_absolute_projected_gradient_tolerance(1e-5)
            .with_relative_cost_reduction_tolerance(tolerance);
        let state = basin::FirstOrderState::new(from);
        // However the run ends, it counts with the best point it saw; `end` has kept that point, or why there is none.
        let _ = basin::Executor::new(objective, solver, state).max_iter(self.settings.max_iterations).run();
        end.into_inner()
    }
}

/// The negative objective as the optimiser sees it.
struct NegativeObjective<'a> {
    space: &'a SearchSpace<'a>,
    likelihood: &'a Likelihood<'a>,
    work: &'a RefCell<Workspace>,
    end: &'a RefCell<End>,
    /// Whether the climb is to end where it is.
    is_due: &'a dyn Fn(&End) -> bool,
}

impl basin::CostFunction for NegativeObjective<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Error;

    fn cost(&self, logs: &Vec<f64>) -> Result<f64> {
        basin::Gradient::cost_and_gradient(self, logs).map(|(cost, _)| cost)
    }
}

impl basin::Gradient for NegativeObjective<'_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, logs: &Vec<f64>) -> Result<Vec<f64>> {
        self.cost_and_gradient(logs).map(|(_, gradient)| gradient)
    }

    fn cost_and_gradient(&self, logs: &Vec<f64>) -> Result<(f64, Vec<f64>)> {
        let space = self.space;
        let model = space.model(logs);
        let mut gradient = vec![0.0; space.structure.hyperparameters().len() + 1];
        let mut end = self.end.borrow_mut();
        if (self.is_due)(&end) {
            end.is_cut = true;
            if end.best.is_err() {
                end.best = Err(Error::Cut);
            }
            return Err(Error::Cut);
        }
        end.evaluations += 1;
        let mean = space.settings.mean;
        let evaluated = self.likelihood.evaluate(&model, mean, &mut self.work.borrow_mut(), &mut gradient);
        let evaluation = evaluated.inspect_err(|error| {
            if end.best.is_err() {
                end.best = Err(error.clone());
            }
        })?;
        end.jittered += usize::from(evaluation.jitter > 0.0);
        let mut value = evaluation.value;
        gradient.truncate(logs.len());
        for ((kind, log), slope) in space.kinds.iter().zip(logs).zip(&mut gradient) {
            if let Some(prior) = space.settings.priors.of(*kind) {
                let (density, density_slope) = prior.log_density(*log);
                value += density;
                *slope += density_slope;
            }
        }
        if value.is_finite() && end.best.as_ref().map_or(true, |best| value > best.0) {
            end.best = Ok((value, logs.clone()));
        }
        gradient.iter_mut().for_each(|slope| *slope = -*slope);
        Ok((-value, gradient))
    }
}

impl basin::Constraints for NegativeObjective<'_> {
    type Set = basin::ConstraintSet<basin::BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as basin::ConstraintDescription>::Borrowed<'_> {
        let bounds = basin::BoxBounds::new(Some(&self.space.lower), Some(&self.space.upper));
        basin::ConstraintSet::new().with_bounds(bounds)
    }
}
