//! The amounts by which a point violates a model, in the units of each row, never scaled.
//!
//! Solvers judge feasibility with their own tolerances, some of which are relative; here every amount is absolute and
//! recomputed.

use crate::error::Result;
use crate::expr::Sense;
use crate::model::{Column, Kind, Model, Row, Sos2};
use crate::pwl::Pwl;
use std::fmt;

/// The kind of requirement that is violated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The lower bound of the variable.
    LowerBound,
    /// The upper bound of the variable.
    UpperBound,
    /// The variable must be whole; the amount is the distance to the nearest whole number.
    Integrality,
    /// The row.
    Row,
    /// The ordered set; the amount is the number that must become zero.
    Sos2,
    /// y = pwl(x); the amount is |y − pwl(x)|, or the distance of x from the range of the breakpoints.
    Pwl,
}

/// One violated requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The kind of requirement.
    pub place: Place,
    /// The variable's, row's or set's name, or the function's label.
    pub name: String,
    /// The amount of the violation; NaN if the point has a NaN there.
    pub amount: f64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::LowerBound => "the lower bound of",
            Place::UpperBound => "the upper bound of",
            Place::Integrality => "the integrality of",
            Place::Row => "row",
            Place::Sos2 => "the ordered set",
            Place::Pwl => "the piecewise-linear function",
        };
        write!(f, "{place} `{}` is violated by {:e}", self.name, self.amount)
    }
}

impl Model {
    /// Every requirement that `x` violates by more than `tolerance`, in the order of the model.
    pub fn violations(&self, x: &[f64], tolerance: f64) -> Result<Vec<Violation>> {
        self.check_length(x)?;
        let mut found = Vec::new();
        let mut note = |place, name: &str, amount: f64| {
            // NaN is a violation.
            if !(amount <= tolerance) {
                found.push(Violation { place, name: name.to_string(), amount });
            }
        };
        for (column, value) in self.columns.iter().zip(x) {
            note(Place::LowerBound, &column.name, column.lower - value);
            note(Place::UpperBound, &column.name, value - column.upper);
            note(Place::Integrality, &column.name, fraction(column, *value));
        }
        for row in &self.rows {
            note(Place::Row, &row.name, row.residual(x));
        }
        for set in &self.sets {
            note(Place::Sos2, &set.name, set.residual(x));
        }
        for pwl in &self.pwls {
            note(Place::Pwl, &pwl.label, pwl.residual(x));
        }
        Ok(found)
    }
}

fn fraction(column: &Column, value: f64) -> f64 {
    match column.kind {
        Kind::Continuous => 0.0,
        Kind::Integer | Kind::Binary => (value - value.round()).abs(),
    }
}

impl Row {
    fn residual(&self, x: &[f64]) -> f64 {
        let excess = self.left.value(x) - self.right;
        match self.sense {
            Sense::AtMost => excess,
            Sense::AtLeast => -excess,
            Sense::Equal => excess.abs(),
        }
    }
}

impl Sos2 {
    /// The largest member outside a pair of neighbours, minimised over all pairs.
    fn residual(&self, x: &[f64]) -> f64 {
        let sizes: Vec<f64> = self.members.iter().map(|member| x[member.0].abs()).collect();
        if sizes.iter().any(|size| size.is_nan()) {
            return f64::NAN;
        }
        let outside = |pair: usize| {
            let others = sizes.iter().enumerate().filter(|(j, _)| *j != pair && *j != pair + 1);
            others.map(|(_, size)| *size).fold(0.0, f64::max)
        };
        (0..sizes.len() - 1).map(outside).fold(f64::INFINITY, f64::min)
    }
}

impl Pwl {
    fn residual(&self, x: &[f64]) -> f64 {
        let (argument, value) = (x[self.x.0], x[self.y.0]);
        let (first, last) = (self.breakpoints[0].0, self.breakpoints[self.breakpoints.len() - 1].0);
        let difference = (value - self.value(argument)).abs();
        // f64::max would drop a NaN; the difference keeps it.
        [first - argument, argument - last]
            .into_iter()
            .fold(difference, |worst, out| if out > worst { out } else { worst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let mut model = Model::new();
        let x = model.add_variable("x", Kind::Continuous, 0.0, 2.0).unwrap();
        let y = model.add_variable("y", Kind::Continuous, -1.0, 1.0).unwrap();
        let z = model.add_variable("z", Kind::Integer, 0.0, 5.0).unwrap();
        model.add_row("disc", (x * x + y * y).at_most(1.0)).unwrap();
        model.add_row("sum", (x + y).at_least(0.5)).unwrap();
        model.add_row("same", (x - z).equal_to(0.0)).unwrap();
        model.add_sos2("pairs", &[x, y, z]).unwrap();
        model.add_pwl("1", x, y, &[(0.0, 1.0), (2.0, 0.0)]).unwrap();
        model
    }

    #[test]
    fn every_kind_of_violation_is_named_with_its_amount() {
        let found = model().violations(&[3.0, -1.5, 0.25], 1e-9).unwrap();
        let listed: Vec<_> = found.iter().map(|v| (v.place, v.name.as_str(), v.amount)).collect();
        let expected = [
            (Place::UpperBound, "x", 1.0),
            (Place::LowerBound, "y", 0.5),
            (Place::Integrality, "z", 0.25),
            (Place::Row, "disc", 10.25),
            (Place::Row, "same", 2.75),
            (Place::Sos2, "pairs", 0.25),
            (Place::Pwl, "1", 1.5),
        ];
        assert_eq!(listed, expected);
        assert_eq!(found[3].to_string(), "row `disc` is violated by 1.025e1");
    }

    #[test]
    fn a_feasible_point_violates_nothing_and_a_nan_violates_everything_it_touches() {
        let mut model = model();
        model.rows.clear();
        model.sets.clear();
        assert!(model.violations(&[1.0, 0.5, 1.0], 0.0).unwrap().is_empty());
        assert_eq!(model.violations(&[f64::NAN, 0.5, 1.0], 1e-6).unwrap().len(), 3);
        assert!(model.violations(&[1.0], 0.0).is_err());
    }
}
