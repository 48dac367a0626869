//! A problem in its one canonical form: minimise a function of a Gaussian process over a region.
//!
//! As JSON a statement is a problem file (`instance`) that uses no abbreviation.

use crate::criterion::Criterion;
use crate::kernel::{KernelName, StatedKernel};
use crate::row::StatedRow;
use serde::{Deserialize, Serialize};

/// The function and the region. `docs/reference/proof.md` says what each part means; [`Statement::check`] what it may be.
#[derive(Debug, Clone, PartialEq)]
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
    pub acquisition: Criterion,
    /// Observed inputs.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// The sides of the region; those of whole numbers have whole ends.
    pub bounds: Vec<(f64, f64)>,
    /// Which inputs are whole numbers, in rising order.
    pub integers: Vec<usize>,
    /// Inputs that have one of the numbers of a list, in rising order; each list rises from one end of the side to the other.
    pub values: Vec<(usize, Vec<f64>)>,
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

/// What becomes of points with a negative variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedNegative {
    /// It counts as 0.
    Clamped,
    /// They do not count.
    Excluded,
}

impl Statement {
    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// Whether the kernels are piecewise linear, and so K need not be a covariance.
    pub fn is_piecewise_linear(&self) -> bool {
        self.terms.iter().any(|term| term.kernel.name() == KernelName::PiecewiseLinear)
    }
}
