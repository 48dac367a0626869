//! Constraints as the bounds see them: a quadratic between two sides on each box.

use super::quadratic::Quadratic;
use crate::region::{Row, Vector};
use crate::rounding;

/// A condition that every point of the region satisfies: on each box, a quadratic that lies between two sides at every
/// point of the region. A row is a quadratic itself. A constraint on a function that is only bounded below gives a
/// quadratic below the function, and no lower side.
pub(super) trait Constraint {
    /// Writes the quadratic and its sides to `out`, for the box with this centre and these half-widths in the user's coordinates.
    fn place(&self, centre: &Vector, half: &Vector, out: &mut ConstraintOnBox);
}

/// A constraint on one box: a quadratic on the cube [−1, 1]^D, which stands for the box, its sides, and the size of its terms.
#[derive(Debug, Clone)]
pub(super) struct ConstraintOnBox {
    pub function: Quadratic,
    pub lower: f64,
    pub upper: f64,
    pub size: f64,
    /// How far rounding may have moved the quadratic, in units of ε of `size`.
    pub units: f64,
}

impl ConstraintOnBox {
    pub fn new(dim: usize) -> Self {
        Self { function: Quadratic::zero(dim), lower: 0.0, upper: 0.0, size: 0.0, units: 0.0 }
    }
}

impl Constraint for Row {
    fn place(&self, centre: &Vector, half: &Vector, out: &mut ConstraintOnBox) {
        let q = &mut out.function;
        q.reset(0.0);
        (out.lower, out.upper) = (self.lower(), self.upper());
        let mut size = 0.0;
        for (j, c) in self.linear() {
            q.constant += c * centre[*j];
            q.linear[*j] += c * half[*j];
            size += c.abs() * (centre[*j].abs() + half[*j]);
        }
        for (j, k, c) in self.quadratic() {
            q.constant += c * centre[*j] * centre[*k];
            q.linear[*j] += c * centre[*k] * half[*j];
            q.linear[*k] += c * centre[*j] * half[*k];
            // ½xᵀAx with A symmetric: a square counts twice on the diagonal.
            q.matrix[*j][*k] += c * half[*j] * half[*k];
            q.matrix[*k][*j] += c * half[*j] * half[*k];
            size += c.abs() * (centre[*j].abs() + half[*j]) * (centre[*k].abs() + half[*k]);
        }
        let side = |side: f64| if side.is_finite() { side.abs() } else { 0.0 };
        out.size = size + side(self.lower()) + side(self.upper());
        out.units = rounding::constraint_units(self.linear().len() + self.quadratic().len());
    }
}
