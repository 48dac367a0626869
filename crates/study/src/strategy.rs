//! How the next point is chosen. Every field is a key of the study file's `[strategy]`.

mod check;
mod keys;
mod turns;

use crate::error::{Error, Result};
use crate::sequence::{Sequence, SequenceName};
use crate::space::Space;
use fathom_gp::{
    Beta, Covariance, FitSettings, Gamma, Kernel, Mean, Model, Noise, OutputScaling, Priors, Replicates,
    SmoothnessAssumption, Term,
};
use fathom_method::{Method, PkOptions, Preset};
use fathom_proof::{CriterionFields, CriterionName, KernelFamily, KernelFields, KernelName};
use serde::Deserialize;
use std::time::Duration;

pub(crate) use keys::{Defaults, Keys, hyphenated, some_duration};
pub use turns::Turns;

/// The noise variance of values that are exact, relative to the scaled outputs: enough for a matrix that is definite.
const EXACT: f64 = 1e-8;

/// κ² of a confidence bound if nobody says otherwise: a small κ found better points than the larger ones of the theory.
const BETA: f64 = 1.0;

/// Points of the initial design if nobody says otherwise.
const DESIGN: usize = 8;

/// The least that it is, however few trials are planned.
const LEAST_DESIGN: usize = 3;

/// The most trials that hyperparameters are fitted to.
pub(crate) const FITTED: usize = 500;

/// δ of `beta = "theorem"` if nobody says otherwise.
const DELTA: f64 = 0.1;

/// How long an ask searches if nobody says otherwise.
const PATIENCE: Duration = Duration::from_millis(500);

/// The model, the acquisition function and how it is minimised.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// The kernel. Matérn 5/2 by default.
    pub kernel: KernelName,
    /// α of the rational quadratic kernel; 1 by default.
    pub alpha: Option<f64>,
    /// The degree of the polynomial kernel; 2 by default.
    pub degree: Option<u32>,
    /// The offset of the linear and the polynomial kernel, which is not learned; 1 by default.
    pub offset: Option<f64>,
    /// One lengthscale per coordinate (automatic relevance determination) instead of one for all. On by default.
    pub ard: bool,
    /// How the hyperparameters are fitted. Under priors by default.
    pub fit: FitName,
    /// The constant prior mean of the scaled outputs, or learned. Learned by default.
    pub mean: MeanName,
    /// The noise variance relative to the scaled outputs, or learned. Learned by default, and 1e-8 if the study says that its
    /// values are exact.
    pub noise: NoiseName,
    /// How outputs are warped before they are scaled. By a logarithm above the median by default.
    pub warp: WarpName,
    /// How outputs are scaled. Standardised by default.
    pub scaling: OutputScale,
    /// The most trials that a model is made of: the best, the latest, and a sample of the others. 2000 by default.
    pub model_size: usize,
    /// Points of the initial design. 8 by default, or half of the planned trials if these are fewer than 16, but 3 at least.
    pub initial: DesignSize,
    /// The sequence that the initial design is taken from. Sobol' points by default.
    pub design: SequenceName,
    /// The acquisition function, or several that are taken in turns. Log EI and the confidence bound in turns by default.
    pub acquisition: Turns,
    /// β of the confidence bound μ − β^½ σ. 1 by default.
    pub beta: BetaName,
    /// δ of [`BetaName::Theorem`]; 0.1 by default.
    pub delta: Option<f64>,
    /// a and b of [`BetaName::Theorem`], which needs them.
    pub smoothness: Option<(f64, f64)>,
    /// ρ of the generalised confidence bound; 1 by default.
    pub rho: Option<f64>,
    /// The degree of imprecision of the generalised confidence bound; 1 by default.
    pub imprecision: Option<f64>,
    /// How the acquisition function is minimised. Certified by default.
    pub optimiser: Method,
    /// Absolute gap of the certified minimum, in scaled outputs. The default is 0.01, a hundredth of a standard deviation (of
    /// EI and PI themselves, which get as small as they like), or a quarter of the gain at which the study stops, if that is
    /// less: late in a study the acquisition function is flat, and a tenth of the gap is ten times the work.
    pub gap: Option<f64>,
    /// How long an ask searches once its model is fitted; it hands out the best point that is found by then, and the proof may go
    /// on afterwards. The time is spent in a number of boxes that leaves room to spare, so what is suggested does not depend on
    /// the machine's speed unless the clock cuts in. 0.5 s by default, or no limit but the next if `node_limit` is given; so it
    /// is with `time_limit` or more.
    pub patience: Option<Duration>,
    /// The most time for one ask, the fit and every minimisation together, or for one proof; what is proven by then is used. 60 s
    /// by default. An ask that the clock cuts short depends on the machine's speed, all others on seed and history alone.
    pub time_limit: Duration,
    /// The most boxes that one certified minimisation of an ask may bound; what is proven by then is used, and it does not
    /// depend on the machine's speed. By default what `patience` has room for.
    pub node_limit: Option<u64>,
    /// Threads of the certified search; the answer does not depend on it. 1 by default.
    pub threads: usize,
    /// The gap relative to the size of the minimum; the larger of the two allowances counts, and if only one of them is
    /// given, the other is 0.
    pub relative_gap: Option<f64>,
    /// The most bytes for one search; half of what the machine has free by default.
    pub memory_limit: Option<u64>,
    /// Groups of parameters whose effects add up; none by default.
    pub groups: Option<Vec<Vec<String>>>,
    /// The settings of the paper's method, `[strategy.pk]`.
    pub pk: PkOptions,
    /// The seed of the initial design, the fits and the searches. 0 by default.
    pub seed: u64,
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            kernel: KernelName::Matern52,
            alpha: None,
            degree: None,
            offset: None,
            ard: true,
            fit: FitName::Priors,
            mean: MeanName::Learned,
            noise: NoiseName::Learned,
            warp: WarpName::Log,
            scaling: OutputScale::Standardise,
            model_size: 2000,
            initial: DesignSize::Points(DESIGN),
            design: SequenceName::Sobol,
            acquisition: Turns::default(),
            beta: BetaName::Constant(BETA),
            delta: None,
            smoothness: None,
            rho: None,
            imprecision: None,
            optimiser: Method::Certified,
            gap: None,
            patience: None,
            time_limit: Duration::from_secs(60),
            node_limit: None,
            threads: 1,
            relative_gap: None,
            memory_limit: None,
            groups: None,
            pk: PkOptions::default(),
            seed: 0,
        }
    }
}

impl Strategy {
    /// The loop of the paper's Section 5 and Appendix B (`preset = "paper"`): one lengthscale, outputs in [0, 1], a noise
    /// variance of 1e-6, min(10 D, 30) points of a Latin hypercube, β_t = 0.2 D log 2t, and PK-MIQP with 1800 s for the
    /// sub-problem and 5400 s for the full one.
    pub fn paper() -> Self {
        Self {
            ard: false,
            scaling: OutputScale::Unit,
            design: SequenceName::LatinHypercube,
            optimiser: Method::Pk,
            time_limit: Duration::from_secs(1800 + 5400),
            relative_gap: Some(0.5),
            pk: PkOptions { preset: Some(Preset::Paper), ..PkOptions::default() },
            ..Self::before()
        }
    }

    /// The defaults of versions before 0.2, which are the paper's but for the scaling and the optimiser. What those versions have
    /// suggested is made again under these defaults.
    pub(crate) fn before() -> Self {
        Self {
            kernel: KernelName::Matern32,
            fit: FitName::Likelihood,
            mean: MeanName::Fixed(0.0),
            noise: NoiseName::Fixed(1e-6),
            warp: WarpName::None,
            model_size: usize::MAX,
            initial: DesignSize::Paper,
            acquisition: Turns::one(CriterionName::Lcb),
            beta: BetaName::Paper,
            ..Self::default()
        }
    }

    /// The strategy whose model says what can still be gained: Matérn 3/2 by likelihood alone around a mean of 0, the outputs as
    /// they are, and the confidence bound with κ. Far from the data its mean is that of the trials, which lie low in a search, so
    /// it is the more cautious guess.
    pub(crate) fn cautious(&self, kappa: f64) -> Self {
        Self {
            kernel: KernelName::Matern32,
            alpha: None,
            degree: None,
            offset: None,
            ard: true,
            noise: match self.noise {
                NoiseName::Fixed(noise) => NoiseName::Fixed(noise.max(1e-6)),
                NoiseName::Learned => NoiseName::Learned,
            },
            scaling: OutputScale::Standardise,
            model_size: self.model_size,
            beta: BetaName::Constant(kappa * kappa),
            optimiser: Method::Certified,
            gap: None,
            relative_gap: None,
            time_limit: self.time_limit,
            node_limit: self.node_limit,
            threads: self.threads,
            memory_limit: self.memory_limit,
            groups: self.groups.clone(),
            seed: self.seed,
            ..Self::before()
        }
    }

    /// The kernels that a study may have.
    pub fn kernels() -> impl Iterator<Item = KernelName> {
        KernelName::ALL.iter().copied().filter(|name| name.is_of_models())
    }

    /// Points of the initial design in `space`.
    pub fn design_size(&self, space: &Space) -> usize {
        match self.initial {
            DesignSize::Points(size) => size,
            DesignSize::Paper => (10 * space.free()).min(30),
        }
    }

    /// The sequence from which the initial design in `space` is taken.
    pub(crate) fn sequence(&self, space: &Space) -> Sequence {
        Sequence::new(self.design, self.seed, space.free(), self.design_size(space))
    }

    /// Whether somebody has chosen β.
    fn is_beta_given(&self) -> bool {
        self.beta != Self::default().beta && self.beta != Self::before().beta
    }

    /// Who minimises in `space`.
    pub(crate) fn method(&self, space: &Space) -> Method {
        self.optimiser.clone().for_inputs(space.dim())
    }

    /// How long an ask searches in `space`; `None` if only `time_limit` ends it.
    pub(crate) fn patience_in(&self, space: &Space) -> Option<Duration> {
        let default = self.node_limit.is_none().then_some(PATIENCE);
        let is_less = |patience: &Duration| *patience < self.time_limit;
        self.patience.or(default).filter(is_less).filter(|_| self.method(space) == Method::Certified)
    }

    /// β of step `t`, which counts the steps of the model from 1.
    pub(crate) fn beta_at(&self, t: usize, space: &Space) -> Result<f64> {
        let schedule = match &self.beta {
            BetaName::Paper => Beta::Paper,
            BetaName::Constant(beta) => Beta::Constant(*beta),
            BetaName::Schedule(betas) => Beta::Schedule(betas.clone()),
            BetaName::Theorem => {
                let Some((a, b)) = self.smoothness else {
                    let reason = "`smoothness` is missing: \"theorem\" assumes that a derivative of the function exceeds \
                                  L with probability at most a exp(−(L/b)²), and needs smoothness = [a, b]";
                    return Err(Error::BadStrategy { key: "beta", reason: reason.into() });
                };
                Beta::Theorem(SmoothnessAssumption { delta: self.delta.unwrap_or(DELTA), a, b, side: 1.0 })
            }
        };
        Ok(schedule.at(t, space.free())?)
    }

    /// The parameters of the acquisition function that are the strategy's own.
    pub(crate) fn criterion_fields(&self) -> CriterionFields {
        CriterionFields { rho: self.rho, imprecision: self.imprecision, ..CriterionFields::default() }
    }

    /// The kernel of every term, of unit variance and unit lengthscale.
    pub(crate) fn unit_kernel(&self) -> Result<Kernel> {
        let Self { alpha, offset, degree, .. } = *self;
        Ok(Kernel::named(self.kernel, KernelFields { alpha, offset, degree, knots: None })?)
    }

    /// The covariance before it is fitted, over the unit cube.
    pub(crate) fn covariance(&self, space: &Space) -> Result<Covariance> {
        let dim = space.dim();
        let groups = self.groups_of_sides(space)?.unwrap_or_else(|| vec![(0..dim).collect()]);
        let kernel = self.unit_kernel()?;
        let share = 1.0 / groups.len().max(1) as f64;
        let term = |group: Vec<usize>| {
            let shared = match self.fit {
                FitName::Priors => space.parameters_of(&group),
                FitName::Likelihood => vec![1; group.len()],
            };
            let scale = match (self.has_priors(), self.kernel.family()) {
                (true, _) => self.lengthscale_prior(space).mode(),
                // Inner products in the unit cube are at most the number of inputs; lengthscales below 1 multiply them.
                (false, KernelFamily::DotProduct) => 1.0,
                (false, KernelFamily::Monotone | KernelFamily::PiecewiseLinear) => 0.5,
            };
            let term = Term::new(kernel, group, share, &[scale])?;
            Ok(if self.ard { term.with_shared(&shared) } else { term })
        };
        let terms: Vec<Term> = groups.into_iter().map(term).collect::<Result<_>>()?;
        match Covariance::new(dim, terms) {
            Ok(covariance) => Ok(covariance),
            Err(_) if self.groups.is_some() => {
                let reason = "every parameter that is not fixed must be in exactly one group".into();
                Err(Error::BadStrategy { key: "groups", reason })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The groups in the search's coordinates, if there are any.
    fn groups_of_sides(&self, space: &Space) -> Result<Option<Vec<Vec<usize>>>> {
        let groups = self.groups.as_ref();
        groups.map(|groups| groups.iter().map(|group| sides(group, space)).collect()).transpose()
    }

    /// Whether the hyperparameters have priors. The lengthscales of a dot-product kernel are slopes, of which priors for distances
    /// say nothing.
    fn has_priors(&self) -> bool {
        self.fit == FitName::Priors && self.kernel.family() != KernelFamily::DotProduct
    }

    fn lengthscale_prior(&self, space: &Space) -> Gamma {
        Gamma::dimension_scaled(space.free())
    }

    /// How a model of trials in `space` is fitted, with a start from an `earlier` model over the unit cube if there is one.
    pub(crate) fn fit_settings(&self, space: &Space, earlier: Option<Model>) -> Result<FitSettings> {
        let settings = FitSettings {
            noise: match self.noise {
                NoiseName::Fixed(noise) => Noise::Fixed(noise),
                NoiseName::Learned => Noise::Learned { lower: 1e-6, upper: 1.0 },
            },
            mean: match self.mean {
                MeanName::Fixed(mean) => Mean::Fixed(mean),
                MeanName::Learned => Mean::Learned,
            },
            seed: self.seed,
            shape: None,
            // A fit that starts where the last one ended needs few others.
            starts: if earlier.is_some() { 3 } else { FitSettings::default().starts },
            earlier,
            ..FitSettings::default()
        };
        if !self.has_priors() {
            return Ok(settings);
        }
        let priors = Priors {
            lengthscale: Some(self.lengthscale_prior(space).into()),
            noise: Some(Gamma::new(1.1, 30.0)?.into()),
            ..Priors::default()
        };
        // One kernel of standardised outputs has a variance of 1; several share it as the data want.
        let variance = if self.groups.is_some() { settings.variance } else { (1.0, 1.0) };
        let starts = settings.starts.min(3);
        Ok(FitSettings { priors, variance, lengthscale: (0.025, 10.0), starts, max_iterations: 60, ..settings })
    }

    pub(crate) fn replicates(&self) -> Replicates {
        match self.noise {
            NoiseName::Fixed(_) => Replicates::Average,
            NoiseName::Learned => Replicates::Keep,
        }
    }
}

fn sides(group: &[String], space: &Space) -> Result<Vec<usize>> {
    let mut sides = Vec::new();
    for name in group {
        let found = space
            .all_sides_of(name)
            .ok_or_else(|| Error::BadStrategy { key: "groups", reason: format!("there is no parameter `{name}`") })?;
        sides.extend(found);
    }
    Ok(sides)
}

/// A number, or `"learned"`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoiseName {
    /// Known.
    Fixed(f64),
    /// Learned with the other hyperparameters.
    Learned,
}

/// How hyperparameters are fitted, as the file calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FitName {
    /// A posteriori: lengthscales have the prior Γ(3, 9.766/√D), a learned noise variance Γ(1.1, 30), and the variance of one
    /// kernel is 1. The coordinates of a categorical parameter share a lengthscale.
    Priors,
    /// By likelihood alone within the paper's bounds.
    Likelihood,
}

/// A number, or `"learned"`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeanName {
    /// Known.
    Fixed(f64),
    /// Learned with the other hyperparameters.
    Learned,
}

/// Warps of outputs, as the file calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WarpName {
    /// A logarithm above the median (see [`fathom_gp::Warp`]).
    Log,
    /// None.
    None,
}

/// A number of points, or `"paper"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesignSize {
    /// So many.
    Points(usize),
    /// min(10 D, 30), with D the number of parameters that are not fixed.
    Paper,
}

impl DesignSize {
    /// The size by default, if so many trials are planned: half of them are left to the model.
    fn planned(trials: Option<u64>) -> Self {
        let half = trials.map_or(DESIGN, |trials| usize::try_from(trials.div_ceil(2)).unwrap_or(DESIGN));
        Self::Points(DESIGN.min(half.max(LEAST_DESIGN)))
    }
}

/// Scalings of outputs, as the file calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputScale {
    /// Mean 0, deviation 1.
    Standardise,
    /// Smallest 0, largest 1, as in the paper.
    Unit,
    /// No scaling.
    None,
}

impl OutputScale {
    pub(crate) fn scaling(self) -> OutputScaling {
        match self {
            Self::Standardise => OutputScaling::Standardise,
            Self::Unit => OutputScaling::UnitInterval,
            Self::None => OutputScaling::None,
        }
    }
}

/// `"paper"`, `"theorem"`, a number, or a list of numbers by step.
#[derive(Debug, Clone, PartialEq)]
pub enum BetaName {
    /// 0.2 D log 2t.
    Paper,
    /// The β_t of Theorem 4.4, under which its bound of the regret holds with probability 1 − δ.
    Theorem,
    /// The same at every step.
    Constant(f64),
    /// One number per step; the last one is held.
    Schedule(Vec<f64>),
}
