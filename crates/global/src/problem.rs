//! A problem ready to be searched: minimise the least of `m + aᵀk(x) − κ σ(x)` over its faces, or a function of mean and
//! deviation, over a box.
//!
//! Inputs are scaled by the lengthscales, z = x / l, and stored column by column. What the bounds need is tabulated
//! once: K̂, an approximate inverse, the weights a, and how far rounding can push each of them.

use crate::error::{Error, Result};
use crate::evaluator::Evaluator;
use crate::face::Face;
use crate::improvement::Improvement;
use crate::part::{Curve, Part};
use crate::proof::Order;
use crate::region::Region;
use crate::relaxation::ScaledBox;
use fathom_gp::lanes::{dot, widest};
use fathom_gp::{Acquisition, Criterion, Kernel, Posterior};

/// The most inputs a problem can have; vectors and matrices over inputs live on the stack.
pub const MOST_INPUTS: usize = 20;

/// Above this crowding a relaxation of order 3 pays.
const CROWDED: f64 = 3.0;

/// An acquisition function over a region.
#[derive(Debug)]
pub struct Problem<'p> {
    acquisition: Acquisition<'p>,
    evaluator: Evaluator<'p>,
    region: Region,
    /// The kernels whose sum is the covariance.
    pub(crate) parts: Vec<Part>,
    /// Whether k(x, x) is the same everywhere, σ_f².
    pub(crate) is_stationary: bool,
    /// What stationary kernels add to k(x, x).
    pub(crate) variance: f64,
    /// No entry of K exceeds this, and none is further than the other from its true value.
    pub(crate) largest_covariance: f64,
    pub(crate) covariance_error: f64,
    /// σ_ε², jitter included.
    pub(crate) noise: f64,
    /// The function is the least of these, unless it is an improvement.
    pub(crate) faces: Vec<Face>,
    /// The function of the one face's mean and the deviation.
    pub(crate) improvement: Option<Improvement>,
    pub(crate) lengthscales: Vec<f64>,
    /// K̂, all of it, row by row.
    pub(crate) covariance: Vec<f64>,
    /// The degree of the relaxation.
    pub(crate) order: Order,
    /// Approximately K̂⁻¹, row by row; only tightness depends on it.
    pub(crate) inverse: Vec<f64>,
}

impl<'p> Problem<'p> {
    /// Minimise `criterion` under `posterior` over `region`.
    pub fn new(posterior: &'p Posterior, criterion: Criterion, region: Region) -> Result<Self> {
        let acquisition = Acquisition::new(posterior, criterion)?;
        let model = posterior.model();
        let dim = region.dim();
        if dim != posterior.x().dim() {
            return Err(Error::WrongDimension { expected: posterior.x().dim(), found: dim });
        }
        if dim > MOST_INPUTS {
            return Err(Error::TooManyInputs { found: dim, most: MOST_INPUTS });
        }
        let noise = model.noise + posterior.factor().jitter();
        if noise <= 0.0 {
            return Err(Error::Unsupported { what: "a model without noise (1e-10 is enough)" });
        }
        let mut lengthscales = vec![1.0; dim];
        for term in model.covariance.terms() {
            for (input, l) in term.inputs().iter().zip(term.lengthscales()) {
                lengthscales[*input] = *l;
            }
        }
        let columns: Vec<Vec<f64>> =
            (0..dim).map(|j| posterior.x().column(j).iter().map(|x| x / lengthscales[j]).collect()).collect();
        let ends = region.lower.iter().chain(&region.upper);
        let scaled = ends.zip(lengthscales.iter().cycle()).map(|(x, l)| (x / l).abs());
        let largest = scaled.chain(columns.iter().flatten().map(|z| z.abs())).fold(0.0, f64::max);
        let terms = model.covariance.terms();
        let parts: Vec<Part> =
            terms.iter().map(|term| Part::new(term, term.kernel().into(), &columns, largest)).collect();
        let mut problem = Self {
            is_stationary: parts.iter().all(Part::is_stationary),
            variance: parts.iter().filter(|part| part.is_stationary()).map(|part| part.variance).sum(),
            largest_covariance: parts.iter().map(|part| part.variance * part.size).sum(),
            covariance_error: parts.iter().map(|part| part.variance * part.size * part.error).sum(),
            parts,
            noise,
            faces: Vec::new(),
            improvement: Improvement::of(criterion),
            covariance: full_gram(posterior, noise),
            order: Order::Two,
            inverse: posterior.factor().inverse(),
            lengthscales,
            region,
            evaluator: Evaluator::Exact(acquisition.clone()),
            acquisition,
        };
        if problem.crowding() > CROWDED {
            problem.order = Order::Three;
        }
        problem.faces = Face::all(&problem, criterion)?;
        Ok(problem)
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

    /// Number of observations.
    pub(crate) fn size(&self) -> usize {
        self.acquisition.posterior().y().len()
    }

    /// Number of inputs.
    pub(crate) fn dim(&self) -> usize {
        self.lengthscales.len()
    }

    /// Row `i` of K̂.
    pub(crate) fn covariance_row(&self, i: usize) -> &[f64] {
        let n = self.size();
        &self.covariance[i * n..(i + 1) * n]
    }

    /// What the function is nowhere below, whatever the data.
    pub(crate) fn floor(&self) -> f64 {
        self.improvement.map_or(f64::NEG_INFINITY, |improvement| improvement.floor())
    }

    /// No entry of K̂ is larger.
    pub(crate) fn largest_entry(&self) -> f64 {
        self.largest_covariance + self.noise
    }

    /// An upper bound of ‖k(x, ·) − k(c, ·)‖ for x in a box and its centre c, where k(x, x) is the same everywhere.
    pub(crate) fn largest_distance(&self, on: &ScaledBox) -> Option<f64> {
        let square = |part: &Part| {
            let radius: f64 = part.inputs.iter().map(|input| on.half[*input] * on.half[*input]).sum();
            2.0 * part.variance * (1.0 - part.curve.value(radius) + 8.0 * f64::EPSILON)
        };
        self.is_stationary.then(|| (self.parts.iter().map(square).sum::<f64>() * (1.0 + 1e-14)).sqrt())
    }

    /// `out ← K̂⁻¹ v`, approximately.
    pub(crate) fn solve(&self, v: &[f64], out: &mut [f64]) {
        let n = v.len();
        widest(|| {
            for (row, out) in self.inverse.chunks_exact(n).zip(out.iter_mut()) {
                *out = dot(row, v);
            }
        });
    }

    /// How much weights cancel: σ_f sqrt((K̂⁻¹)_ii) is the size of a typical weight relative to the function it helps to
    /// make. Its mean is about 1 where observations are apart, and up to σ_f/σ_ε where they crowd.
    fn crowding(&self) -> f64 {
        let n = self.size();
        let weight = |i: usize| (self.largest_covariance * self.inverse[i * (n + 1)]).max(0.0).sqrt();
        (0..n).map(weight).sum::<f64>() / n as f64
    }

    /// Whether the covariance is one RBF kernel.
    pub(crate) fn is_rbf(&self) -> bool {
        matches!(&self.parts[..], [part] if part.curve == Curve::Monotone(Kernel::Rbf))
    }
}

fn full_gram(posterior: &Posterior, noise: f64) -> Vec<f64> {
    let gram = posterior.model().covariance.gram(posterior.x(), noise);
    let n = gram.nrows();
    (0..n * n).map(|at| gram[((at / n).max(at % n), (at / n).min(at % n))]).collect()
}
