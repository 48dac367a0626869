//! y = f(x) for a continuous piecewise-linear f given by its breakpoints (R_j, f(R_j)), j = 0..M.

use crate::error::{Error, Result};
use crate::expr::Variable;

/// y = f(x). Gurobi takes the constraint as it is; for other solvers [`Model::expanded`](crate::Model::expanded) writes it out
/// as Eq. (6).
#[derive(Debug, Clone, PartialEq)]
pub struct Pwl {
    pub(crate) label: String,
    pub(crate) x: Variable,
    pub(crate) y: Variable,
    pub(crate) breakpoints: Vec<(f64, f64)>,
}

impl Pwl {
    pub(crate) fn new(label: &str, x: Variable, y: Variable, breakpoints: &[(f64, f64)]) -> Result<Self> {
        let bad = |reason| Err(Error::BadPwl { label: label.to_string(), reason });
        if label.is_empty() || !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return bad("its label must consist of ASCII letters, digits and `_`");
        }
        if breakpoints.len() < 2 {
            return bad("it needs two breakpoints");
        }
        if !breakpoints.iter().all(|point| point.0.is_finite() && point.1.is_finite()) {
            return bad("its breakpoints must be finite");
        }
        if !breakpoints.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            return bad("its breakpoints must increase");
        }
        Ok(Self { label: label.to_string(), x, y, breakpoints: breakpoints.to_vec() })
    }

    /// The label, which is part of names: `pwl_<label>`, `w_<label>_<j>`, `lambda_<label>_<j>`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The argument.
    pub fn x(&self) -> Variable {
        self.x
    }

    /// The value.
    pub fn y(&self) -> Variable {
        self.y
    }

    /// (R_j, f(R_j)), increasing in R.
    pub fn breakpoints(&self) -> &[(f64, f64)] {
        &self.breakpoints
    }

    /// The segment j = 1..M that contains `x`, or the first or last segment if `x` lies outside; and the position of `x` on the
    /// segment, in [0, 1].
    pub(crate) fn locate(&self, x: f64) -> (usize, f64) {
        let last = self.breakpoints.len() - 1;
        let segment = self.breakpoints.partition_point(|point| point.0 < x).clamp(1, last);
        let (left, right) = (self.breakpoints[segment - 1].0, self.breakpoints[segment].0);
        (segment, ((x - left) / (right - left)).clamp(0.0, 1.0))
    }

    /// f(x); beyond an end, the value at that end.
    pub fn value(&self, x: f64) -> f64 {
        let (segment, along) = self.locate(x);
        let (left, right) = (self.breakpoints[segment - 1].1, self.breakpoints[segment].1);
        left * (1.0 - along) + right * along
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_at_and_beyond_the_breakpoints() {
        let pwl = Pwl::new("1", Variable(0), Variable(1), &[(0.0, 1.0), (1.0, 0.5), (3.0, 0.1)]).unwrap();
        let expected = [(-1.0, 1.0), (0.0, 1.0), (0.5, 0.75), (1.0, 0.5), (2.0, 0.3), (3.0, 0.1), (9.0, 0.1)];
        for (x, value) in expected {
            assert!((pwl.value(x) - value).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn breakpoints_that_do_not_define_a_function_are_refused() {
        let make = |label, points: &[(f64, f64)]| Pwl::new(label, Variable(0), Variable(1), points);
        assert!(make("1", &[(0.0, 1.0)]).is_err());
        assert!(make("1", &[(0.0, 1.0), (0.0, 2.0)]).is_err());
        assert!(make("1", &[(0.0, 1.0), (1.0, f64::NAN)]).is_err());
        assert!(make("a b", &[(0.0, 1.0), (1.0, 2.0)]).is_err());
    }
}
