//! A box that waits to be checked.

use crate::interval::Interval;

/// A box of the tree that is not checked yet.
#[derive(Debug)]
pub(crate) struct PendingBox {
    /// The index of the box's record in the proof.
    pub record: usize,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// The piece that is to be bounded on the box.
    pub piece: usize,
    /// Whether the claim is proven for a box that contains this one.
    pub is_covered: bool,
}

impl PendingBox {
    /// A box outside any tree.
    #[cfg(test)]
    pub fn of(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { record: 0, lower, upper, piece: 0, is_covered: false }
    }

    /// The name of the box in messages.
    pub fn name(&self) -> String {
        let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
        let sides: Vec<String> = self.lower.iter().zip(&self.upper).map(side).collect();
        format!("box {} {}", self.record, sides.join(" × "))
    }

    /// The range of input j.
    pub fn side(&self, j: usize) -> Interval {
        Interval::between(self.lower[j], self.upper[j])
    }

    /// Whether the box has no points, as the upper half of a whole-number side that was split at its upper end.
    pub fn is_empty(&self) -> bool {
        self.lower.iter().zip(&self.upper).any(|(low, high)| low > high)
    }

    /// The ends of side j.
    pub fn ends(&self, j: usize) -> (f64, f64) {
        (self.lower[j], self.upper[j])
    }

    /// Whether side j exists and contains [lower, upper].
    pub fn contains_side(&self, j: usize, lower: f64, upper: f64) -> bool {
        j < self.lower.len() && self.lower[j] <= lower && lower <= upper && upper <= self.upper[j]
    }

    /// Replaces the ends of side j.
    pub fn set_side(&mut self, j: usize, lower: f64, upper: f64) {
        (self.lower[j], self.upper[j]) = (lower, upper);
    }
}
