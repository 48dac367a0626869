//! A problem in its one canonical form: minimise a function of a Gaussian process over a region.
//!
//! As JSON a statement is a problem file (`instance`) that uses no abbreviation.

use crate::fault::Fault;
use crate::instance::Instance;
use serde::{Deserialize, Serialize};

/// The function and the region. `docs/reference/proof.md` says what each part means; [`Statement::check`] what it may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Instance", into = "Instance")]
pub struct Statement {
    /// What the problem is called; it has no other meaning.
    pub name: String,
    /// The kernels whose sum is the covariance; they share out the inputs.
    pub terms: Vec<StatedTerm>,
    /// One per input.
    pub lengthscales: Vec<f64>,
    /// σ_ε².
    pub noise: f64,
    /// What was added to the diagonal beside the noise so that the matrix could be factorised; 0 in general.
    pub jitter: f64,
    /// The constant prior mean.
    pub mean: f64,
    /// What is minimised.
    pub acquisition: StatedAcquisition,
    /// Observed inputs.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// The sides of the region; those of whole numbers have whole ends.
    pub bounds: Vec<(f64, f64)>,
    /// Which inputs are whole numbers, in rising order.
    pub integers: Vec<usize>,
    /// Further constraints.
    pub rows: Vec<StatedRow>,
    /// What becomes of points with a negative variance, which piecewise-linear kernels have; only with them.
    pub negative_variance: Option<StatedNegative>,
}

/// A kernel over its group of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedTerm {
    /// The kernel of unit variance.
    pub kernel: StatedKernel,
    /// The inputs.
    pub inputs: Vec<usize>,
    /// σ_f².
    pub variance: f64,
}

/// A kernel of unit variance.
#[derive(Debug, Clone, PartialEq)]
pub enum StatedKernel {
    /// Matérn 1/2.
    Matern12,
    /// Matérn 3/2.
    Matern32,
    /// Matérn 5/2.
    Matern52,
    /// Squared exponential.
    Rbf,
    /// Rational quadratic.
    Rq {
        /// α.
        alpha: f64,
    },
    /// Σ x_j x'_j / l_j² + offset.
    Linear {
        /// The offset.
        offset: f64,
    },
    /// The same to a power.
    Polynomial {
        /// The power.
        degree: u32,
        /// The offset.
        offset: f64,
    },
    /// Piecewise linear in the scaled distance; the last segment goes on.
    PiecewiseLinear {
        /// Distances and values, from distance 0 and value 1.
        knots: Vec<(f64, f64)>,
    },
}

/// What becomes of points with a negative variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedNegative {
    /// It counts as 0.
    Clamped,
    /// They do not count.
    Excluded,
}

/// The acquisition function, always to be minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatedAcquisition {
    /// μ − κσ.
    Lcb {
        /// κ.
        kappa: f64,
    },
    /// μ.
    Mean,
    /// −σ.
    Deviation,
    /// μ − κσ − ρ·(width of the mean under an imprecise prior mean).
    Glcb {
        /// κ.
        kappa: f64,
        /// ρ.
        rho: f64,
        /// c, the degree of imprecision.
        imprecision: f64,
    },
    /// The negative expected improvement over `best`.
    Ei {
        /// The value to improve on.
        best: f64,
    },
    /// The negative logarithm of the expected improvement.
    LogEi {
        /// The value to improve on.
        best: f64,
    },
    /// The negative probability of improvement.
    Pi {
        /// The value to improve on.
        best: f64,
    },
}

/// `lower <= Σ c x_j + Σ q x_j x_k <= upper`; a side that is not there is none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedRow {
    /// Pairs (j, c).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linear: Vec<(usize, f64)>,
    /// Triples (j, k, q).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quadratic: Vec<(usize, usize, f64)>,
    /// The lower side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The upper side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

impl Statement {
    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// Whether the kernels are piecewise linear, and so K need not be a covariance.
    pub fn is_piecewise_linear(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.kernel, StatedKernel::PiecewiseLinear { .. }))
    }
}

impl TryFrom<Instance> for Statement {
    type Error = Fault;

    fn try_from(instance: Instance) -> Result<Self, Fault> {
        instance.statement()
    }
}
