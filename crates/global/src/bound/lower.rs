//! Numbers that are proven. Every rounding constant is derived in docs/method.md, chapter 10.

use crate::problem::Problem;

/// A lower bound that is proven, rounding included. Only the bounds of this storey make a `Lower`; an estimate is a
/// plain `f64` and never becomes a bound.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Lower(f64);

impl Lower {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self(f64::NEG_INFINITY);

    /// The bound of a set without points.
    pub const OF_NO_POINT: Self = Self(f64::INFINITY);

    /// A value that a theorem proves; NaN proves nothing.
    pub(super) fn proven(value: f64) -> Self {
        if value.is_nan() { Self::UNKNOWN } else { Self(value) }
    }

    /// A bound of the problem's function that holds for all data.
    pub fn of_function(problem: &Problem<'_>) -> Self {
        Self(problem.improvement.map_or(f64::NEG_INFINITY, |improvement| improvement.floor()))
    }

    /// The bound of everything that a node closed or cut off: nothing there is below the cutoff.
    pub fn of_closed(cutoff: f64) -> Self {
        Self::proven(cutoff)
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether no bounded point is below `level`.
    pub fn reaches(self, level: f64) -> bool {
        self.0 >= level
    }

    /// The better of two bounds of the same points.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The bound of two sets of points together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_proves_nothing() {
        assert_eq!(Lower::proven(f64::NAN), Lower::UNKNOWN);
        assert_eq!(Lower::proven(1.0).or(Lower::proven(f64::NAN)), Lower::proven(1.0));
        assert_eq!(Lower::proven(1.0).and(Lower::proven(f64::NAN)), Lower::UNKNOWN);
        assert!(!Lower::proven(f64::NAN).reaches(f64::MIN));
    }
}
