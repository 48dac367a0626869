//! The function that is minimised, as a function of x, under the true kernel or under the piecewise-linear kernel.

use fathom_gp::{Acquisition, NegativeVariance, PwlAcquisition};

/// A function of x with a gradient, always to be minimised.
pub trait Evaluate {
    /// Number of inputs.
    fn dim(&self) -> usize;

    /// The function at `x`.
    fn value(&mut self, x: &[f64]) -> f64;

    /// The function at `x`, and its gradient.
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64;
}

impl Evaluate for Acquisition<'_> {
    fn dim(&self) -> usize {
        self.posterior().x().dim()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        Self::value(self, x)
    }

    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        Self::value_and_gradient(self, x, gradient)
    }
}

/// The function of a problem; clone it to evaluate.
#[derive(Debug, Clone)]
pub(crate) enum Evaluator<'p> {
    Exact(Acquisition<'p>),
    PiecewiseLinear(PwlAcquisition<'p>),
}

impl Evaluator<'_> {
    /// What becomes of points with σ̃² < 0, if the kernel is piecewise linear.
    pub fn negative(&self) -> Option<NegativeVariance> {
        match self {
            Self::Exact(_) => None,
            Self::PiecewiseLinear(function) => Some(function.negative()),
        }
    }
}

impl Evaluate for Evaluator<'_> {
    fn dim(&self) -> usize {
        match self {
            Self::Exact(function) => function.posterior().x().dim(),
            Self::PiecewiseLinear(function) => function.posterior().exact().x().dim(),
        }
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        match self {
            Self::Exact(function) => function.value(x),
            Self::PiecewiseLinear(function) => function.value(x),
        }
    }

    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        match self {
            Self::Exact(function) => function.value_and_gradient(x, gradient),
            Self::PiecewiseLinear(function) => function.value_and_gradient(x, gradient),
        }
    }
}
