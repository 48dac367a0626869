//! A problem ready to be searched: minimise the least of `m + aᵀk(x) − κ σ(x)` over its faces, or a function of mean and
//! deviation, over a box.
//!
//! Inputs are scaled by the lengthscales, z = x / l, and stored column by column. What the bounds need is tabulated
//! once: K̂, an approximate inverse, the weights a, and how far rounding can push each of them.

mod range;

use crate::certificate::{BoundBy, Claim, Repairs};
use crate::error::{Error, Result};
use crate::evaluator::Evaluator;
use crate::face::Face;
use crate::improvement::Improvement;
use crate::part::{Curve, Part};
use crate::quadratic::Vector;
use crate::region::Region;
use crate::relaxation::ScaledBox;
use fathom_gp::lanes::dot;
use fathom_gp::widest;
use fathom_gp::{Acquisition, Argument, Criterion, Kernel, NegativeVariance, Posterior, PwlAcquisition, PwlPosterior};
use fathom_proof::Order;

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
    /// What deviations are measured in: the power of two next to the largest, so that the search is the same in any unit.
    pub(crate) deviation_unit: f64,
    /// What the function is measured in: the same, or 1 where it has no unit.
    pub(crate) unit: f64,
    /// σ_ε², with all that was added to the diagonal.
    pub(crate) noise: f64,
    /// No eigenvalue of K̂ is smaller; σ_ε² where K is a covariance.
    pub(crate) least_eigenvalue: f64,
    /// The function is the least of these, unless it is an improvement.
    pub(crate) faces: Vec<Face>,
    /// The function of the one face's mean and the deviation.
    pub(crate) improvement: Option<Improvement>,
    pub(crate) lengthscales: Vec<f64>,
    /// K̂, all of it, row by row.
    pub(crate) covariance: Vec<f64>,
    /// The degree of the relaxation.
    pub(crate) order: Order,
    /// Whether all terms of the covariance count.
    pub(crate) is_whole: bool,
    /// Approximately K̂⁻¹, row by row; only tightness depends on it.
    pub(crate) inverse: Vec<f64>,
}

/// What a problem is made of beside its function and region.
struct Tables {
    curves: Vec<Curve>,
    covariance: Vec<f64>,
    inverse: Vec<f64>,
    noise: f64,
    least_eigenvalue: f64,
}

impl<'p> Problem<'p> {
    /// Minimise `criterion` under `posterior` over `region`.
    pub fn new(posterior: &'p Posterior, criterion: Criterion, region: Region) -> Result<Self> {
        let acquisition = Acquisition::new(posterior, criterion)?;
        let model = posterior.model();
        let noise = model.noise + posterior.factor().jitter();
        if noise <= 0.0 {
            return Err(Error::Unsupported { what: "a model without noise (1e-10 is enough)" });
        }
        let gram = model.covariance.gram(posterior.x(), noise);
        let tables = Tables {
            curves: model.covariance.terms().iter().map(|term| term.kernel().into()).collect(),
            covariance: full(posterior.y().len(), |at| gram[at]),
            inverse: posterior.factor().inverse(),
            noise,
            least_eigenvalue: noise,
        };
        Self::assemble(acquisition.clone(), Evaluator::Exact(acquisition), region, tables)
    }

    /// Minimise `criterion`, a confidence bound, the mean or the deviation, under the piecewise-linear kernel: what the
    /// paper's program minimises, without a program.
    pub fn piecewise_linear(
        approximate: &'p PwlPosterior,
        criterion: Criterion,
        region: Region,
        negative: NegativeVariance,
    ) -> Result<Self> {
        let function = PwlAcquisition::new(approximate, criterion, negative)?;
        let (posterior, pwl) = (approximate.exact(), approximate.pwl());
        let terms = pwl.covariance().terms();
        if terms.iter().any(|term| term.kernel().argument() != Argument::SquaredDistance) {
            return Err(Error::Unsupported { what: "a piecewise-linear dot-product kernel" });
        }
        let Some(shift) = approximate.shift() else {
            return Err(Error::Unsupported { what: "a repair of the covariance matrix that is no shift" });
        };
        let sides = region.lower().iter().zip(region.upper()).zip(pwl.bounds());
        if sides.clone().any(|((lower, upper), (low, high))| lower < low || upper > high) {
            return Err(Error::Unsupported { what: "a region beyond the box of the piecewise-linear kernel" });
        }
        let noise = posterior.model().noise + posterior.factor().jitter() + shift;
        let (n, gram) = (posterior.y().len(), pwl.gram(posterior.x(), noise)?);
        let tables = Tables {
            curves: pwl.kernels().iter().map(|kernel| Curve::Chords(kernel.into())).collect(),
            covariance: full(n, |at| gram[at]),
            inverse: full(n, |at| approximate.inverse()[at]),
            noise,
            // Half of what is computed, so that no rounding can make it too much.
            least_eigenvalue: 0.5 * approximate.spectrum().values()[0],
        };
        if !(tables.least_eigenvalue > 0.0) {
            return Err(Error::Unsupported { what: "an indefinite covariance matrix; shift its spectrum" });
        }
        Self::assemble(Acquisition::new(posterior, criterion)?, Evaluator::PiecewiseLinear(function), region, tables)
    }

    /// As [`piecewise_linear`](Self::piecewise_linear), for one term of an additive model alone: μ̃_g − κσ̃_g without the prior
    /// mean. Inputs of other terms are those of the region's lower corner, and do not matter. This is the paper's way; the sum
    /// of such minima says nothing of the sum's minimum, as σ̃ is not the sum of the σ̃_g, so there are no proofs of them.
    pub fn piecewise_linear_group(
        approximate: &'p PwlPosterior,
        criterion: Criterion,
        region: Region,
        negative: NegativeVariance,
        group: usize,
    ) -> Result<Self> {
        let mut problem = Self::piecewise_linear(approximate, criterion, region, negative)?;
        if group >= problem.parts.len() {
            return Err(Error::Unsupported { what: "a group that the model does not have" });
        }
        problem.parts = vec![problem.parts.swap_remove(group)];
        problem.variance = problem.parts[0].variance;
        problem.faces.iter_mut().for_each(|face| face.offset = 0.0);
        let function = PwlAcquisition::new(approximate, criterion, negative)?.of_group(group);
        problem.evaluator = Evaluator::PiecewiseLinear(function);
        problem.is_whole = false;
        Ok(problem)
    }

    fn assemble(
        acquisition: Acquisition<'p>,
        evaluator: Evaluator<'p>,
        region: Region,
        tables: Tables,
    ) -> Result<Self> {
        let (posterior, criterion, dim) = (acquisition.posterior(), acquisition.criterion(), region.dim());
        if dim != posterior.x().dim() {
            return Err(Error::WrongDimension { expected: posterior.x().dim(), found: dim });
        }
        if dim > MOST_INPUTS {
            return Err(Error::TooManyInputs { found: dim, most: MOST_INPUTS });
        }
        range::check(posterior, criterion, &region)?;
        let terms = posterior.model().covariance.terms();
        let mut lengthscales = vec![1.0; dim];
        for term in terms {
            for (input, l) in term.inputs().iter().zip(term.lengthscales()) {
                lengthscales[*input] = *l;
            }
        }
        let columns: Vec<Vec<f64>> =
            (0..dim).map(|j| posterior.x().column(j).iter().map(|x| x / lengthscales[j]).collect()).collect();
        let ends = region.lower.iter().chain(&region.upper);
        let scaled = ends.zip(lengthscales.iter().cycle()).map(|(x, l)| (x / l).abs());
        let largest = scaled.chain(columns.iter().flatten().map(|z| z.abs())).fold(0.0, f64::max);
        let Tables { curves, covariance, inverse, noise, least_eigenvalue } = tables;
        let part = |(term, curve)| Part::new(term, curve, &columns, largest);
        let parts: Vec<Part> = terms.iter().zip(curves).map(part).collect();
        let largest_covariance = parts.iter().map(|part| part.variance * part.size).sum();
        let deviation_unit = root_of_power_of_two(largest_covariance);
        let unit = match criterion {
            Criterion::LogEi { .. } | Criterion::Pi { .. } => 1.0,
            Criterion::Lcb { .. }
            | Criterion::Mean
            | Criterion::Deviation
            | Criterion::Glcb { .. }
            | Criterion::Ei { .. } => deviation_unit,
        };
        let mut problem = Self {
            deviation_unit,
            unit,
            is_stationary: parts.iter().all(Part::is_stationary),
            variance: parts.iter().filter(|part| part.is_stationary()).map(|part| part.variance).sum(),
            largest_covariance,
            covariance_error: parts.iter().map(|part| part.variance * part.size * part.error).sum(),
            parts,
            noise,
            least_eigenvalue,
            faces: Vec::new(),
            improvement: Improvement::of(criterion, unit),
            covariance,
            order: Order::Two,
            is_whole: true,
            inverse,
            lengthscales,
            region,
            acquisition,
            evaluator,
        };
        if problem.crowding() > CROWDED || problem.parts.len() > 1 {
            problem.order = Order::Three;
        }
        problem.faces = Face::all(&problem, criterion)?;
        range::check_derived(&problem)?;
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

    /// What a certificate of this problem is about.
    pub(crate) fn claim(&self) -> Claim {
        let criterion = self.acquisition.criterion().into();
        match &self.evaluator {
            Evaluator::Exact(_) => Claim::Acquisition { criterion },
            Evaluator::PiecewiseLinear(_) => Claim::PiecewiseLinear { criterion, bound_by: BoundBy::Proof },
        }
    }

    /// What had to be changed to make the numbers work.
    pub(crate) fn repairs(&self) -> Repairs {
        let jitter = self.acquisition.posterior().factor().jitter();
        match &self.evaluator {
            Evaluator::Exact(_) => Repairs { jitter, shift: 0.0 },
            Evaluator::PiecewiseLinear(function) => {
                Repairs { jitter, shift: function.posterior().shift().unwrap_or_default() }
            }
        }
    }

    /// Whether the function is an improvement criterion, which is bounded by level curves.
    pub fn is_improvement(&self) -> bool {
        self.improvement.is_some()
    }

    /// What becomes of points with σ̃² < 0, where the kernel is piecewise linear.
    pub(crate) fn negative(&self) -> Option<NegativeVariance> {
        match &self.evaluator {
            Evaluator::Exact(_) => None,
            Evaluator::PiecewiseLinear(function) => Some(function.negative()),
        }
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

    /// An upper bound of ‖k(x, ·) − k(c, ·)‖ for x in a box and its centre c. Of (z·z' + c)^m it is |z − c| times
    /// the largest slope of x ↦ k(x, ·), whose square is at most m² (c + |z|²)^(m−1).
    pub(crate) fn largest_distance(&self, on: &ScaledBox) -> f64 {
        let square = |part: &Part| {
            let radius: f64 = part.inputs.iter().map(|input| on.half[*input] * on.half[*input]).sum();
            match part.curve {
                // With room for what a checker's own kernel values may be off by.
                Curve::Monotone(_) | Curve::Chords(_) => {
                    2.0 * part.variance * (1.0 - part.curve.value(radius) + part.error)
                }
                Curve::Power { degree, offset } => {
                    let most = part.inputs.iter().map(|input| (on.centre[*input].abs() + on.half[*input]).powi(2));
                    let slope =
                        f64::from(degree * degree) * (offset + most.sum::<f64>()).powi(degree.cast_signed() - 1);
                    part.variance * slope * radius * (1.0 + part.error)
                }
            }
        };
        (self.parts.iter().map(square).sum::<f64>() * (1.0 + 1e-14)).sqrt()
    }

    /// No k(x, x) of the region or of an observation is larger, about.
    fn largest_prior(&self) -> f64 {
        let far = |j: usize| self.region.lower[j].abs().max(self.region.upper[j].abs()) / self.lengthscales[j];
        let own = |part: &Part| match part.curve {
            Curve::Power { .. } => {
                part.variance * part.curve.value(part.inputs.iter().map(|j| far(*j).powi(2)).sum()).max(part.size)
            }
            Curve::Monotone(_) | Curve::Chords(_) => part.variance,
        };
        self.parts.iter().map(own).sum()
    }

    /// k(c, c) at a scaled point, and a bound of its error.
    pub(crate) fn prior_at(&self, centre: &Vector) -> (f64, f64) {
        let (mut prior, mut error) = (self.variance, 0.0);
        for part in &self.parts {
            if let Curve::Power { .. } = part.curve {
                let square = part.inputs.iter().map(|input| centre[*input] * centre[*input]).sum();
                let own = part.variance * part.curve.value(square);
                (prior, error) = (prior + own, error + part.error * own);
            }
        }
        (prior, error)
    }

    /// `out ← K̂⁻¹ v`, approximately.
    pub(crate) fn solve(&self, v: &[f64], out: &mut [f64]) {
        widest!(<'a> (inverse: &'a [f64] = &self.inverse, v: &'a [f64] = v, out: &'a mut [f64] = out) {
            for (row, out) in inverse.chunks_exact(v.len()).zip(out) {
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

    /// No condition number of K̂ is larger, about.
    pub(crate) fn condition(&self) -> f64 {
        self.size() as f64 * self.largest_entry() / self.least_eigenvalue
    }

    /// Whether no kernel has kinks.
    pub(crate) fn is_smooth(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part.curve, Curve::Chords(_)))
    }

    /// Whether the covariance is one RBF kernel.
    pub(crate) fn is_rbf(&self) -> bool {
        matches!(&self.parts[..], [part] if part.curve == Curve::Monotone(Kernel::Rbf))
    }
}

/// The power of two next to the root of a positive number.
fn root_of_power_of_two(square: f64) -> f64 {
    let exponent = ((square.to_bits() >> 52) & 0x7ff).cast_signed() - 1023;
    2_f64.powi(i32::try_from((exponent + 1).div_euclid(2)).expect("at most 512"))
}

/// All entries of a symmetric matrix, row by row, from its lower triangle.
fn full(n: usize, lower: impl Fn((usize, usize)) -> f64) -> Vec<f64> {
    (0..n * n).map(|at| lower(((at / n).max(at % n), (at / n).min(at % n)))).collect()
}
