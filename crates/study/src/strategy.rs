//! How the next point is chosen. Every field is a key of the study file's `[strategy]`.

mod check;
mod keys;

use crate::error::{Error, Result};
use crate::sequence::{Sequence, SequenceName};
use crate::space::Space;
use fathom_gp::{Beta, Covariance, Kernel, Noise, OutputScaling, Replicates, SmoothnessAssumption, Term};
use fathom_method::{Method, PkOptions, Preset};
use fathom_paper::TrueBound;
use fathom_proof::{CriterionFields, CriterionName, KernelFamily, KernelFields, KernelName};
use keys::Keys;
use serde::Deserialize;
use std::time::Duration;

pub(crate) use keys::{hyphenated, some_duration};

/// δ of `beta = "theorem"` if nobody says otherwise.
const DELTA: f64 = 0.1;

/// How long an ask searches if nobody says otherwise.
const PATIENCE: Duration = Duration::from_millis(500);

/// The model, the acquisition function and how it is minimised.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Keys")]
pub struct Strategy {
    /// The kernel. Matérn 3/2 by default, as in the paper.
    pub kernel: KernelName,
    /// α of the rational quadratic kernel; 1 by default.
    pub alpha: Option<f64>,
    /// The degree of the polynomial kernel; 2 by default.
    pub degree: Option<u32>,
    /// The offset of the linear and the polynomial kernel, which is not learned; 1 by default.
    pub offset: Option<f64>,
    /// One lengthscale per coordinate (automatic relevance determination) instead of one for all. On by default.
    pub ard: bool,
    /// The noise variance relative to the scaled outputs, or learned. 1e-6 by default, as in the paper.
    pub noise: NoiseName,
    /// How outputs are scaled. Standardised by default.
    pub scaling: OutputScale,
    /// Points of the initial design; by default min(10 D, 30), as in the paper; D is the number of free parameters.
    pub initial: Option<usize>,
    /// The sequence that the initial design is taken from. Sobol' points by default.
    pub design: SequenceName,
    /// The acquisition function. The lower confidence bound by default; only confidence bounds bound what can be gained.
    pub acquisition: CriterionName,
    /// β of the confidence bound μ − β^½ σ. 0.2 D log 2t by default, as in the paper.
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
            kernel: KernelName::Matern32,
            alpha: None,
            degree: None,
            offset: None,
            ard: true,
            noise: NoiseName::Fixed(1e-6),
            scaling: OutputScale::Standardise,
            initial: None,
            design: SequenceName::Sobol,
            acquisition: CriterionName::Lcb,
            beta: BetaName::Paper,
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
            kernel: KernelName::Matern32,
            ard: false,
            noise: NoiseName::Fixed(1e-6),
            scaling: OutputScale::Unit,
            design: SequenceName::LatinHypercube,
            acquisition: CriterionName::Lcb,
            beta: BetaName::Paper,
            optimiser: Method::Pk,
            time_limit: Duration::from_secs(1800 + 5400),
            relative_gap: Some(0.5),
            pk: PkOptions { preset: Some(Preset::Paper), ..PkOptions::default() },
            ..Self::default()
        }
    }

    /// The kernels that a study may have.
    pub fn kernels() -> impl Iterator<Item = KernelName> {
        KernelName::ALL.iter().copied().filter(|name| name.is_of_models())
    }

    /// Points of the initial design in `space`.
    pub fn design_size(&self, space: &Space) -> usize {
        self.initial.unwrap_or_else(|| (10 * space.free()).min(30))
    }

    /// The sequence from which the initial design in `space` is taken.
    pub(crate) fn sequence(&self, space: &Space) -> Sequence {
        Sequence::new(self.design, self.seed, space.free(), self.design_size(space))
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

    /// Whether the minimum of the acquisition function is proven, and says what can still be gained. The generalised confidence
    /// bound is nowhere above the confidence bound, so what bounds its minimum bounds the other's too.
    pub(crate) fn bounds_gain(&self, space: &Space) -> bool {
        self.proves_truth(space) && self.acquisition.is_confidence_bound()
    }

    /// Whether the optimiser proves a bound of the true function.
    pub(crate) fn proves_truth(&self, space: &Space) -> bool {
        match self.method(space) {
            Method::Certified => true,
            Method::Pk | Method::PkGroups => self.pk.true_bound() == TrueBound::Certified,
            Method::Wide | Method::Local(_) => false,
        }
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
        // Inner products in the unit cube are at most the number of inputs; lengthscales below 1 multiply them.
        let scale = if self.kernel.family() == KernelFamily::DotProduct { 1.0 } else { 0.5 };
        let term = |group: Vec<usize>| {
            let scales = vec![scale; if self.ard { group.len() } else { 1 }];
            let term = Term::new(kernel, group, share, &scales)?;
            Ok(if self.ard { term.with_ard() } else { term })
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
            .sides_of(name)
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

impl NoiseName {
    pub(crate) fn noise(self) -> Noise {
        match self {
            Self::Fixed(noise) => Noise::Fixed(noise),
            Self::Learned => Noise::Learned { lower: 1e-6, upper: 1.0 },
        }
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
