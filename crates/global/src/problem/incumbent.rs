//! A point and its value.

use super::evaluator::Evaluate;
use serde::{Deserialize, Serialize};

/// A point of the region and the acquisition function's value there, as evaluated by us.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incumbent {
    /// The point.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
}

impl Incumbent {
    /// Evaluates a point of the region.
    pub fn evaluate(acquisition: &mut impl Evaluate, x: Vec<f64>) -> Self {
        let value = acquisition.value(&x);
        Self { x, value }
    }

    /// No point yet.
    pub(crate) fn none() -> Self {
        Self { x: Vec::new(), value: f64::INFINITY }
    }

    /// Whether there is a point.
    pub(crate) fn exists(&self) -> bool {
        self.value < f64::INFINITY
    }
}
