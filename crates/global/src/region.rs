//! The box that is searched.

use crate::error::{Error, Result};

/// A box of finite sides `lower[j] <= upper[j]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Region {
    /// The box with the given sides.
    pub fn new(sides: &[(f64, f64)]) -> Result<Self> {
        for (side, (lower, upper)) in sides.iter().copied().enumerate() {
            // NaN must land in the error, so the comparison asks for what is good.
            if !(lower <= upper && (upper - lower).is_finite()) {
                return Err(Error::BadSide { side, lower, upper });
            }
        }
        Ok(Self { lower: sides.iter().map(|side| side.0).collect(), upper: sides.iter().map(|side| side.1).collect() })
    }

    /// Number of sides.
    pub fn dim(&self) -> usize {
        self.lower.len()
    }

    /// Lower ends.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper ends.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Whether `x` lies in the box.
    pub fn contains(&self, x: &[f64]) -> bool {
        x.len() == self.dim() && (0..self.dim()).all(|j| self.lower[j] <= x[j] && x[j] <= self.upper[j])
    }
}
