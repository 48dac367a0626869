//! A constraint as a row of the search.
//!
//! In the search's coordinates a constraint must be a linear or quadratic row. Numbers are affine in
//! theirs, so a polynomial of degree 2 stays one. A log-scaled parameter is exponential in its coordinate: it may occur
//! where one product of log-scaled parameters stands against a number, `c Π x_j^p <= b`, whose logarithm is linear.

use super::{Constraint, Relation};
use crate::error::Result;
use crate::kind::Kind;
use crate::parameter::Parameter;
use fathom_global::Row;

impl Constraint {
    /// The row in the search's coordinates; `None` where every point satisfies it. `sides` gives each parameter's first
    /// coordinate.
    pub(crate) fn row(&self, parameters: &[Parameter], sides: &[usize]) -> Result<Option<Row>> {
        if self.verdict().is_some() {
            return Ok(None);
        }
        let mut linear = Vec::new();
        let mut quadratic = Vec::new();
        let is_log = |j: usize| parameters[j].kind.is_log();
        let first = self.polynomial.terms().flat_map(|(monomial, _)| monomial).map(|(j, _)| *j).next();
        let (relation, constant) = if first.is_some_and(is_log) {
            let (relation, bound) = self.bound();
            if bound <= 0.0 {
                return Ok(None);
            }
            let mut constant = -bound.ln();
            for (j, power) in self.polynomial.terms().flat_map(|(monomial, _)| monomial) {
                let (low, width) = logarithm(&parameters[*j]);
                constant += f64::from(*power) * low;
                linear.push((sides[*j], f64::from(*power) * width));
            }
            (relation, constant)
        } else {
            let affine = |j: usize| affine(&parameters[j]);
            let mut constant = 0.0;
            for (monomial, c) in self.polynomial.terms() {
                match factors(monomial).as_slice() {
                    [] => constant += c,
                    [j] => {
                        let (low, width) = affine(*j);
                        constant += c * low;
                        linear.push((sides[*j], c * width));
                    }
                    [j, k] => {
                        let ((a, v), (b, w)) = (affine(*j), affine(*k));
                        constant += c * a * b;
                        linear.push((sides[*j], c * v * b));
                        linear.push((sides[*k], c * a * w));
                        quadratic.push((sides[*j], sides[*k], c * v * w));
                    }
                    _ => unreachable!("checked when it was parsed"),
                }
            }
            (self.relation, constant)
        };
        let (lower, upper) = match relation {
            Relation::AtMost => (f64::NEG_INFINITY, -constant),
            Relation::AtLeast => (-constant, f64::INFINITY),
            Relation::Equal => (-constant, -constant),
        };
        Ok(Some(Row::new(&linear, &quadratic, lower, upper)?))
    }
}

/// x = low + width · coordinate.
pub(crate) fn affine(parameter: &Parameter) -> (f64, f64) {
    let (low, high) = parameter.kind.range().expect("a variable of a constraint is a number");
    let width = match &parameter.kind {
        Kind::Integer { .. } => 1.0,
        Kind::Grid(grid) => grid.step(),
        Kind::Float { .. } | Kind::Listed(_) | Kind::Categorical { .. } | Kind::Ordered { .. } | Kind::Fixed { .. } => {
            high - low
        }
    };
    (low, width)
}

/// ln x = low + width · coordinate.
fn logarithm(parameter: &Parameter) -> (f64, f64) {
    let (low, high) = parameter.kind.range().expect("a variable of a constraint is a number");
    (low.ln(), high.ln() - low.ln())
}

/// The variables of a product, each as often as its power says.
fn factors(monomial: &[(usize, i32)]) -> Vec<usize> {
    monomial.iter().flat_map(|(j, power)| vec![*j; power.unsigned_abs() as usize]).collect()
}
