//! A problem ready to be searched: an acquisition function over a region (docs/method.md, chapter 1).
//!
//! The function is the least of its pieces (`piece`), or a function of one piece's mean and the deviation (`level`).
//! `tables` holds what the bounds need to know of the Gaussian process.

mod chords;
mod evaluator;
mod incumbent;
mod piece;
mod polyline;
mod range;
mod square;
mod statement;
mod tables;
mod term;

pub(crate) use chords::{Chords, Line};
pub use evaluator::Evaluate;
pub(crate) use evaluator::Evaluator;
pub use incumbent::Incumbent;
pub(crate) use piece::Piece;
pub(crate) use polyline::Polyline;
pub(crate) use square::Square;
pub use statement::Posed;
pub(crate) use tables::Tables;
pub(crate) use term::{Curve, KernelTerm};

use crate::error::{Error, Result};
use crate::level::Improvement;
use crate::region::{MOST_INPUTS, Region};
use fathom_gp::{Acquisition, Criterion, NegativeVariance, Posterior, PwlAcquisition, PwlPosterior};
use tables::Matrices;

/// An acquisition function over a region.
#[derive(Debug)]
pub struct Problem<'p> {
    acquisition: Acquisition<'p>,
    evaluator: Evaluator<'p>,
    region: Region,
    /// The Gaussian processes that the problem is about; the first is the objective's.
    models: Vec<Tables>,
    /// The unit of the function: that of the deviation, or 1 if the function has none.
    pub(crate) unit: f64,
    /// The function is the least of these pieces, unless it is an improvement.
    pub(crate) pieces: Vec<Piece>,
    /// The improvement criterion, a function of the one piece's mean and the deviation.
    pub(crate) improvement: Option<Improvement>,
    /// Whether all terms of the covariance count.
    pub(crate) is_whole: bool,
}

impl<'p> Problem<'p> {
    /// The problem to minimise `criterion` under `posterior` over `region`.
    pub fn new(posterior: &'p Posterior, criterion: Criterion, region: Region) -> Result<Self> {
        let acquisition = Acquisition::new(posterior, criterion)?;
        let model = posterior.model();
        let noise = model.noise + posterior.factor().jitter();
        if noise <= 0.0 {
            return Err(Error::Unsupported { what: "a model without noise (1e-10 is enough)" });
        }
        let (n, gram) = (posterior.y().len(), model.covariance.gram(posterior.x(), noise));
        let inverse = posterior.factor().inverse();
        let matrices = Matrices {
            curves: model.covariance.terms().iter().map(|term| term.kernel().into()).collect(),
            covariance: symmetric(n, |at| gram[at]),
            inverse: Square::new(n, |i, j| inverse[i * n + j]),
            noise,
            least_eigenvalue: noise,
        };
        Self::assemble(acquisition.clone(), Evaluator::Exact(acquisition), region, matrices)
    }

    /// The problem to minimise `criterion`, a confidence bound, generalised or not, the mean or the deviation, under the
    /// piecewise-linear kernel. The paper's program minimises the same function; here there is no program.
    pub fn piecewise_linear(
        approximate: &'p PwlPosterior,
        criterion: Criterion,
        region: Region,
        negative: NegativeVariance,
    ) -> Result<Self> {
        let function = PwlAcquisition::new(approximate, criterion, negative)?;
        let (posterior, pwl) = (approximate.exact(), approximate.pwl());
        let Some(shift) = approximate.shift() else {
            return Err(Error::Unsupported { what: "a repair of the covariance matrix that is no shift" });
        };
        let sides = region.lower().iter().zip(region.upper()).zip(pwl.bounds());
        if sides.clone().any(|((lower, upper), (low, high))| lower < low || upper > high) {
            return Err(Error::Unsupported { what: "a region beyond the box of the piecewise-linear kernel" });
        }
        let noise = posterior.model().noise + posterior.factor().jitter() + shift;
        let (n, gram) = (posterior.y().len(), pwl.gram(posterior.x(), noise)?);
        let matrices = Matrices {
            curves: pwl.kernels().iter().map(Curve::from).collect(),
            covariance: symmetric(n, |at| gram[at]),
            inverse: symmetric(n, |at| approximate.inverse()[at]),
            noise,
            // Half of the computed value leaves room for rounding; a check follows.
            least_eigenvalue: 0.5 * approximate.spectrum().values()[0],
        };
        let known = approximate.spectrum().least_at_least(f64::NEG_INFINITY).unwrap_or(f64::NEG_INFINITY);
        if !(matrices.least_eigenvalue > 0.0 && known >= matrices.least_eigenvalue) {
            return Err(Error::Unsupported { what: "an indefinite covariance matrix; shift its spectrum" });
        }
        Self::assemble(Acquisition::new(posterior, criterion)?, Evaluator::PiecewiseLinear(function), region, matrices)
    }

    /// As [`piecewise_linear`](Self::piecewise_linear), for one term of an additive model alone: μ̃_g − κσ̃_g without
    /// the prior mean and the imprecision. Inputs of other terms stay at the region's lower corner and do not matter. This is the paper's
    /// way. Such minima have no proofs: σ̃ is not the sum of the σ̃_g, so their sum says nothing about the sum's
    /// minimum.
    pub fn piecewise_linear_group(
        approximate: &'p PwlPosterior,
        criterion: Criterion,
        region: Region,
        negative: NegativeVariance,
        group: usize,
    ) -> Result<Self> {
        // The imprecision of a generalised bound belongs to the sum.
        let criterion =
            if let Criterion::Glcb { kappa, .. } = criterion { Criterion::Lcb { kappa } } else { criterion };
        let mut problem = Self::piecewise_linear(approximate, criterion, region, negative)?;
        if group >= problem.objective().terms.len() {
            return Err(Error::Unsupported { what: "a group that the model does not have" });
        }
        problem.models = problem.models.into_iter().map(|tables| tables.only(group)).collect();
        let cross = problem.objective().largest_cross();
        for piece in &mut problem.pieces {
            piece.offset = 0.0;
            piece.prior = piece.prior.map(|_| cross);
        }
        let function = PwlAcquisition::new(approximate, criterion, negative)?.of_group(group);
        problem.evaluator = Evaluator::PiecewiseLinear(function);
        problem.is_whole = false;
        Ok(problem)
    }

    fn assemble(
        acquisition: Acquisition<'p>,
        evaluator: Evaluator<'p>,
        region: Region,
        matrices: Matrices,
    ) -> Result<Self> {
        let (posterior, criterion, dim) = (acquisition.posterior(), acquisition.criterion(), region.dim());
        if dim != posterior.x().dim() {
            return Err(Error::WrongDimension { expected: posterior.x().dim(), found: dim });
        }
        if dim > MOST_INPUTS {
            return Err(Error::TooManyInputs { found: dim, most: MOST_INPUTS });
        }
        range::check(posterior, criterion, &region)?;
        let tables = Tables::new(posterior, &region, matrices);
        let unit = match criterion {
            Criterion::LogEi { .. } | Criterion::Pi { .. } => 1.0,
            Criterion::Lcb { .. }
            | Criterion::Mean
            | Criterion::Deviation
            | Criterion::Glcb { .. }
            | Criterion::Ei { .. } => tables.deviation_unit,
        };
        let pieces = Piece::all(&tables, posterior, criterion, evaluator.negative(), unit)?;
        range::check_derived(&tables, &region, &pieces)?;
        let improvement = Improvement::of(criterion, unit);
        let models = vec![tables];
        Ok(Self { acquisition, evaluator, region, models, unit, pieces, improvement, is_whole: true })
    }

    /// The region searched.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The acquisition function; clone it to evaluate.
    pub fn acquisition(&self) -> &Acquisition<'p> {
        &self.acquisition
    }

    /// The function that is minimised.
    pub(crate) fn evaluator(&self) -> &Evaluator<'p> {
        &self.evaluator
    }

    /// What was added to the diagonal of the covariance matrix so that it could be factored, and to that of the
    /// piecewise-linear matrix so that it has no negative eigenvalue.
    pub(crate) fn added_to_diagonal(&self) -> (f64, f64) {
        let jitter = self.acquisition.posterior().factor().jitter();
        match &self.evaluator {
            Evaluator::Exact(_) => (jitter, 0.0),
            Evaluator::PiecewiseLinear(function) => (jitter, function.posterior().shift().unwrap_or_default()),
        }
    }

    /// Whether the function is an improvement criterion, which is bounded by level curves.
    pub fn is_improvement(&self) -> bool {
        self.improvement.is_some()
    }

    /// The tables of the objective's Gaussian process.
    pub(crate) fn objective(&self) -> &Tables {
        &self.models[0]
    }

    /// What becomes of points with σ̃² < 0, if the kernel is piecewise linear.
    pub(crate) fn negative(&self) -> Option<NegativeVariance> {
        self.evaluator.negative()
    }

    /// Number of observations of the objective.
    pub(crate) fn size(&self) -> usize {
        self.objective().size()
    }

    /// Number of inputs.
    pub(crate) fn dim(&self) -> usize {
        self.region.dim()
    }
}

/// A symmetric matrix from its lower triangle.
fn symmetric(n: usize, lower: impl Fn((usize, usize)) -> f64) -> Square {
    Square::new(n, |i, j| lower((i.max(j), i.min(j))))
}
