//! What a suggestion rests on: enough to pose the problem again to the last bit, and so to make the proof again.
//!
//! Suggestions are numbered in the order in which they were made, and each saw every trial with a smaller number. A
//! finished trial is written down once: by the first suggestion that saw it finished, and again by the first that saw it
//! corrected. All other trials were pending, cancelled or withdrawn; of pending ones the suggestion says which value it took each
//! of them to have.

use crate::error::Result;
use crate::strategy::hyphenated;
use fathom_global::Status;
use fathom_gp::{Covariance, Criterion, Kernel, Model, Scaling, Term, Warp};
use fathom_proof::{CriterionFields, CriterionName, KernelFields, KernelName};
use serde::{Deserialize, Serialize};

/// The data, the model and the search behind a suggestion, as stores keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// Trials that were finished by then, unless an earlier suggestion lists them as they were.
    pub told: Vec<Seen>,
    /// The last entry of the study's history by then; 0 if nothing had been changed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub changes: u64,
    /// Trials that were pending, with the scaled cost that each was taken to have, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub believed: Vec<Seen>,
    /// The fitted model, in the search's coordinates and scaled costs.
    pub model: Fitted,
    /// How costs were warped before they were scaled, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<WarpedBy>,
    /// A scaled cost is (cost − origin) / width.
    pub scaling: ScaledBy,
    /// The function that was minimised.
    pub function: Minimised,
    /// Trials around which a ball was left out, because the minimum without it was at their points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart_from: Vec<u64>,
    /// The radius of the balls around pending trials, and how far the point had to be from them, if that is more than usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart_by: Option<f64>,
    /// Whether improvements count from what was believed, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_best_believed: bool,
    /// How the minimum was searched for.
    pub search: SearchedBy,
    /// The point in the search's coordinates, if no certificate holds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x: Vec<f64>,
    /// Whether a limit or somebody cut the fit of the hyperparameters short.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fit_cut: bool,
    /// Which defaults the keys had that the file does not give: 0 are those of versions before 0.2.
    #[serde(default)]
    pub defaults: u32,
}

/// The defaults of now.
pub(crate) const DEFAULTS: u32 = 1;

/// A trial as a suggestion saw it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The trial's number.
    pub id: u64,
    /// The objective that was told or believed; `None` if the trial had failed.
    pub value: Option<f64>,
    /// A checksum of the trial's point.
    pub point: u32,
    /// How often the model has observed it: once, or several times if it was believed under much noise.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

fn is_none(changes: &u64) -> bool {
    *changes == 0
}

fn is_once(times: &u32) -> bool {
    *times == once()
}

/// The hyperparameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The kernel of every term.
    pub kernel: KernelName,
    /// α of a rational quadratic kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// The degree of a polynomial kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<u32>,
    /// The offset of a dot-product kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// The terms whose sum is the covariance.
    pub terms: Vec<FittedTerm>,
    /// σ_ε².
    pub noise: f64,
    /// The constant prior mean.
    pub mean: f64,
}

/// A kernel over its inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedTerm {
    /// The inputs.
    pub inputs: Vec<usize>,
    /// σ_f².
    pub variance: f64,
    /// The lengthscales, one per input.
    pub lengthscales: Vec<f64>,
}

/// A warp of costs: a cost below the centre is (cost − centre) / width, and one above it the logarithm of 1 plus that.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarpedBy {
    /// The cost that maps to 0.
    pub centre: f64,
    /// The difference below it that maps to −1.
    pub width: f64,
}

/// How costs were scaled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScaledBy {
    /// The cost that maps to 0.
    pub origin: f64,
    /// The difference that maps to 1.
    pub width: f64,
}

/// The acquisition function with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Minimised {
    /// The function's name.
    #[serde(with = "hyphenated")]
    pub name: CriterionName,
    /// κ of the confidence bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kappa: Option<f64>,
    /// The scaled cost that improvements are measured from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<f64>,
    /// ρ of the generalised confidence bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// The degree of imprecision of the generalised confidence bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imprecision: Option<f64>,
}

/// Settings of a search that decide what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchedBy {
    /// The absolute gap asked for.
    pub gap: f64,
    /// The relative gap asked for.
    pub relative_gap: f64,
    /// The seed.
    pub seed: u64,
    /// The boxes bounded when a limit ended the search; `None` if the search ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_after: Option<u64>,
    /// Which limit that was: boxes, which are the same on every machine, or the clock, memory or somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<Status>,
}

impl Fitted {
    /// A model whose terms all have the same kernel.
    pub(crate) fn new(Model { covariance, noise, mean }: &Model) -> Self {
        let term = |term: &Term| FittedTerm {
            inputs: term.inputs().to_vec(),
            variance: term.variance(),
            lengthscales: term.lengthscales().to_vec(),
        };
        let (kernel, fields) = covariance.terms()[0].kernel().stated().into_fields();
        let KernelFields { alpha, offset, degree, .. } = fields;
        let terms = covariance.terms().iter().map(term).collect();
        Self { kernel, alpha, degree, offset, terms, noise: *noise, mean: *mean }
    }

    /// The kernel of every term, of unit variance and unit lengthscale.
    pub(crate) fn unit_kernel(&self) -> Result<Kernel> {
        let Self { alpha, offset, degree, .. } = *self;
        Ok(Kernel::named(self.kernel, KernelFields { alpha, offset, degree, knots: None })?)
    }

    /// The model of `dim` inputs.
    pub(crate) fn model(&self, dim: usize) -> Result<Model> {
        let kernel = self.unit_kernel()?;
        let term = |FittedTerm { inputs, variance, lengthscales }: &FittedTerm| {
            Term::new(kernel, inputs.clone(), *variance, lengthscales)
        };
        let terms = self.terms.iter().map(term).collect::<fathom_gp::Result<_>>()?;
        Ok(Model::new(Covariance::new(dim, terms)?, self.noise)?.with_mean(self.mean)?)
    }

    /// The largest relative difference of a hyperparameter; ∞ if the models differ in shape.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let numbers = |model: &Self| -> Vec<f64> {
            let terms = model.terms.iter().flat_map(|term| term.lengthscales.iter().chain([&term.variance]));
            terms.chain([&model.noise, &model.mean]).copied().collect()
        };
        let (mine, theirs) = (numbers(self), numbers(other));
        if mine.len() != theirs.len() {
            return f64::INFINITY;
        }
        let apart = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) };
        mine.iter().zip(&theirs).map(apart).fold(0.0, f64::max)
    }
}

impl WarpedBy {
    pub(crate) fn new(warp: Warp) -> Self {
        Self { centre: warp.centre(), width: warp.width() }
    }
}

impl ScaledBy {
    pub(crate) fn new(scaling: &Scaling) -> Self {
        Self { origin: scaling.output().origin, width: scaling.output().width }
    }
}

impl Minimised {
    pub(crate) fn new(criterion: Criterion) -> Self {
        let CriterionFields { kappa, best, rho, imprecision } = criterion.fields();
        Self { name: criterion.name(), kappa, best, rho, imprecision }
    }

    /// `like`, with the stored parameters.
    pub(crate) fn criterion(self, like: Criterion) -> Criterion {
        let own = like.fields();
        let fields = CriterionFields {
            kappa: self.kappa.or(own.kappa),
            best: self.best.or(own.best),
            rho: self.rho.or(own.rho),
            imprecision: self.imprecision.or(own.imprecision),
        };
        Criterion::named(like.name(), fields).unwrap_or(like)
    }
}
