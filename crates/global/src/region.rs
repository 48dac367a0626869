//! The set that is searched: a box, some of whose sides hold whole numbers or the numbers of a list only, cut by rows.

mod propagation;
mod row;

pub(crate) use propagation::propagate;
pub use row::Row;

use crate::error::{Error, Result};
use std::sync::Arc;

/// The most inputs a problem can have; vectors and matrices over inputs live on the stack.
pub const MOST_INPUTS: usize = 20;

/// A vector over inputs.
pub(crate) type Vector = [f64; MOST_INPUTS];

/// The points of a box whose `integers` are whole numbers, whose listed sides have one of their numbers, and at which every row holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) integer: Vec<bool>,
    /// The numbers that a side may have, in rising order, if they are listed.
    values: Vec<Option<Arc<[f64]>>>,
    pub(crate) rows: Vec<Row>,
}

impl Region {
    /// The box with the given sides.
    pub fn new(sides: &[(f64, f64)]) -> Result<Self> {
        for (side, (lower, upper)) in sides.iter().copied().enumerate() {
            // NaN must be an error, so the comparison asks for the good case.
            if !(lower <= upper && (upper - lower).is_finite()) {
                return Err(Error::BadSide { side, lower, upper });
            }
        }
        Ok(Self {
            lower: sides.iter().map(|side| side.0).collect(),
            upper: sides.iter().map(|side| side.1).collect(),
            integer: vec![false; sides.len()],
            values: vec![None; sides.len()],
            rows: Vec::new(),
        })
    }

    /// The region with whole numbers only in the sides `integers`; their ends move inwards to whole numbers.
    pub fn with_integers(mut self, integers: &[usize]) -> Result<Self> {
        for &side in integers {
            self.check_variable(side)?;
            if self.values[side].is_some() {
                return Err(Error::BadValues { side, reason: "its numbers are listed already" });
            }
            let (lower, upper) = (self.lower[side].ceil(), self.upper[side].floor());
            if lower > upper {
                return Err(Error::NoInteger { side, lower: self.lower[side], upper: self.upper[side] });
            }
            // Every whole number in between must have a representation of its own.
            if lower.abs().max(upper.abs()) > 2_f64.powi(50) {
                return Err(Error::HugeInteger { side, lower, upper });
            }
            (self.lower[side], self.upper[side], self.integer[side]) = (lower, upper, true);
        }
        Ok(self)
    }

    /// The region with these numbers only, in rising order, in one side; its ends move to the first and the last of them.
    pub fn with_values(mut self, side: usize, values: &[f64]) -> Result<Self> {
        self.check_variable(side)?;
        let bad = |reason| Err(Error::BadValues { side, reason });
        if self.integer[side] {
            return bad("it holds whole numbers already");
        }
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return bad("the list is empty") };
        if !(values.iter().all(|value| value.is_finite()) && values.windows(2).all(|pair| pair[0] < pair[1])) {
            return bad("the numbers of the list must be finite and rise");
        }
        if !(self.lower[side] <= *first && *last <= self.upper[side]) {
            return bad("a number of the list lies outside the side");
        }
        (self.lower[side], self.upper[side], self.values[side]) = (*first, *last, Some(values.into()));
        Ok(self)
    }

    /// The region cut by one more row.
    pub fn with_row(mut self, row: Row) -> Result<Self> {
        if let Some(last) = row.last_variable() {
            self.check_variable(last)?;
        }
        self.rows.push(row);
        Ok(self)
    }

    /// The region in which exactly one of the sides in `group` is 1 and the others are 0: a categorical variable, one-hot.
    pub fn with_one_of(self, group: &[usize]) -> Result<Self> {
        if group.is_empty() {
            return Err(Error::BadRow { reason: "one side of an empty categorical group must be 1".into() });
        }
        for (place, &side) in group.iter().enumerate() {
            self.check_variable(side)?;
            if self.is_one_hot(side) || group[..place].contains(&side) {
                return Err(Error::OverlappingGroups { side });
            }
            if self.lower[side] > 0.0 || self.upper[side] < 1.0 {
                return Err(Error::NotBinary { side, lower: self.lower[side], upper: self.upper[side] });
            }
        }
        let mut region = self;
        for &side in group {
            (region.lower[side], region.upper[side]) = (0.0, 1.0);
        }
        let ones: Vec<(usize, f64)> = group.iter().map(|side| (*side, 1.0)).collect();
        region.with_integers(group)?.with_row(Row::new(&ones, &[], 1.0, 1.0)?)
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

    /// Which sides hold whole numbers only.
    pub fn integer(&self) -> &[bool] {
        &self.integer
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The numbers that a side may have, in rising order, if they are listed.
    pub fn values(&self, side: usize) -> Option<&[f64]> {
        self.values[side].as_deref()
    }

    /// Whether a side holds whole numbers or listed ones only.
    pub fn is_discrete(&self, side: usize) -> bool {
        self.integer[side] || self.values[side].is_some()
    }

    /// The largest number of side `side` that is at most `x`; −∞ if there is none.
    pub(crate) fn floor(&self, side: usize, x: f64) -> f64 {
        match &self.values[side] {
            Some(values) => match values.partition_point(|value| *value <= x) {
                0 => f64::NEG_INFINITY,
                above => values[above - 1],
            },
            None if self.integer[side] => x.floor(),
            None => x,
        }
    }

    /// The smallest number of side `side` that is at least `x`; ∞ if there is none.
    pub(crate) fn ceil(&self, side: usize, x: f64) -> f64 {
        match &self.values[side] {
            Some(values) => values.get(values.partition_point(|value| *value < x)).copied().unwrap_or(f64::INFINITY),
            None if self.integer[side] => x.ceil(),
            None => x,
        }
    }

    /// The number of a discrete side that follows its number `x`; ∞ if there is none.
    pub(crate) fn next(&self, side: usize, x: f64) -> f64 {
        match &self.values[side] {
            Some(values) => values.get(values.partition_point(|value| *value <= x)).copied().unwrap_or(f64::INFINITY),
            None => x + 1.0,
        }
    }

    /// The number of a side that is nearest to `x`; the ends of the side do not matter for whole numbers.
    pub fn nearest(&self, side: usize, x: f64) -> f64 {
        match &self.values[side] {
            Some(_) => {
                let (below, above) = (self.floor(side, x), self.ceil(side, x));
                if x - below <= above - x { below } else { above }
            }
            None if self.integer[side] => x.round(),
            None => x,
        }
    }

    /// How many numbers a discrete side has between two of its numbers, both included.
    pub(crate) fn count(&self, side: usize, low: f64, high: f64) -> f64 {
        match &self.values[side] {
            Some(values) => values.iter().filter(|value| (low..=high).contains(*value)).count() as f64,
            None => high - low + 1.0,
        }
    }

    /// The number of a discrete side so many places after `x`; `None` if it lies outside of the side.
    pub(crate) fn moved(&self, side: usize, x: f64, places: f64) -> Option<f64> {
        match &self.values[side] {
            Some(values) => {
                let at = values.iter().position(|value| *value == x)? as f64 + places;
                if at < 0.0 { None } else { values.get(at as usize).copied() }
            }
            None => Some(x + places).filter(|there| (self.lower[side]..=self.upper[side]).contains(there)),
        }
    }

    /// Whether the region is a plain box: no rows, no integers, no lists.
    pub fn is_box(&self) -> bool {
        self.rows.is_empty() && !(0..self.dim()).any(|side| self.is_discrete(side))
    }

    /// Whether `x` lies in the box, is whole on every integer side and listed on every listed one, and satisfies every row (to
    /// [`FEASIBILITY`](crate::FEASIBILITY)).
    pub fn contains(&self, x: &[f64]) -> bool {
        let inside = |j: usize| self.lower[j] <= x[j] && x[j] <= self.upper[j];
        let whole = |j: usize| x[j] == self.nearest(j, x[j]);
        x.len() == self.dim()
            && (0..self.dim()).all(|j| inside(j) && whole(j))
            && self.rows.iter().all(|row| row.holds(x))
    }

    /// Moves `x` into the box and rounds its discrete sides; ignores the rows.
    pub fn clamp(&self, x: &mut [f64]) {
        for j in 0..self.dim() {
            x[j] = self.nearest(j, x[j]).clamp(self.lower[j], self.upper[j]);
        }
    }

    /// The region with its whole and listed numbers fixed at those of `x`.
    pub(crate) fn around(&self, x: &[f64]) -> Self {
        let mut region = self.clone();
        for j in (0..self.dim()).filter(|j| self.is_discrete(*j)) {
            (region.lower[j], region.upper[j]) = (x[j], x[j]);
        }
        region
    }

    /// The largest violation of a row at `x`, as a part of the range of the row's function on the box.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let violation = |row: &Row| row.weight(&self.lower, &self.upper) * row.violation(x);
        self.rows.iter().map(violation).fold(0.0, f64::max)
    }

    /// The groups of sides of which exactly one is 1: categorical variables.
    pub(crate) fn one_hot_groups(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let is_group = |row: &&Row| {
            row.is_linear() && row.is_equality() && row.lower() == 1.0 && {
                row.linear().iter().all(|(j, c)| *c == 1.0 && self.integer[*j] && self.upper[*j] == 1.0)
            }
        };
        self.rows.iter().filter(is_group).map(|row| row.linear().iter().map(|(j, _)| *j).collect())
    }

    fn is_one_hot(&self, side: usize) -> bool {
        self.one_hot_groups().any(|group| group.contains(&side))
    }

    fn check_variable(&self, side: usize) -> Result<()> {
        if side < self.dim() { Ok(()) } else { Err(Error::NoSuchSide { side, sides: self.dim() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_move_the_ends_inwards_or_are_refused() {
        let region = Region::new(&[(-0.5, 2.7), (0.2, 0.8)]).unwrap();
        let whole = region.clone().with_integers(&[0]).unwrap();
        assert_eq!((whole.lower()[0], whole.upper()[0]), (0.0, 2.0));
        assert!(matches!(region.clone().with_integers(&[1]), Err(Error::NoInteger { side: 1, .. })));
        let huge = Region::new(&[(-1e17, 1e17)]).unwrap();
        assert!(matches!(huge.with_integers(&[0]), Err(Error::HugeInteger { side: 0, .. })));
        assert!(matches!(region.with_integers(&[2]), Err(Error::NoSuchSide { side: 2, sides: 2 })));
    }

    #[test]
    fn a_point_must_satisfy_rows_and_integrality() {
        let row = Row::new(&[(0, 1.0), (1, 3.0)], &[(0, 0, 1.0)], f64::NEG_INFINITY, 4.0).unwrap();
        let region = Region::new(&[(0.0, 2.0); 2]).unwrap().with_integers(&[0]).unwrap().with_row(row).unwrap();
        assert!(region.contains(&[1.0, 0.5]));
        assert!(!region.contains(&[0.5, 0.5]), "not whole");
        assert!(!region.contains(&[1.0, 0.7]), "1 + 2.1 + 1 > 4");
    }

    #[test]
    fn a_listed_side_has_its_numbers_and_none_between() {
        let region = Region::new(&[(0.0, 2.0), (0.0, 1.0)]).unwrap().with_values(0, &[0.0, 0.25, 1.5]).unwrap();
        assert_eq!((region.upper()[0], region.is_discrete(0), region.is_discrete(1)), (1.5, true, false));
        assert!(region.contains(&[0.25, 0.3]) && !region.contains(&[0.3, 0.3]) && !region.contains(&[2.0, 0.3]));
        for (x, floor, ceil, nearest) in [
            (-1.0, f64::NEG_INFINITY, 0.0, 0.0),
            (0.0, 0.0, 0.0, 0.0),
            (0.2, 0.0, 0.25, 0.25),
            (0.9, 0.25, 1.5, 1.5),
            (0.8, 0.25, 1.5, 0.25),
            (7.0, 1.5, f64::INFINITY, 1.5),
        ] {
            assert_eq!((region.floor(0, x), region.ceil(0, x), region.nearest(0, x)), (floor, ceil, nearest), "{x}");
        }
        assert_eq!((region.next(0, 0.25), region.next(0, 1.5)), (1.5, f64::INFINITY));
        assert_eq!((region.moved(0, 0.25, 1.0), region.moved(0, 0.25, 2.0)), (Some(1.5), None));
        let plain = Region::new(&[(0.0, 2.0)]).unwrap();
        for values in [&[][..], &[1.0, 1.0], &[1.0, 0.5], &[0.0, f64::NAN], &[0.0, 3.0], &[-1.0, 1.0]] {
            let refused = plain.clone().with_values(0, values);
            assert!(matches!(refused, Err(Error::BadValues { side: 0, .. })), "{values:?}");
        }
        let whole = plain.with_integers(&[0]).unwrap().with_values(0, &[0.0, 1.0]);
        assert!(matches!(whole, Err(Error::BadValues { .. })));
        assert!(matches!(region.with_integers(&[0]), Err(Error::BadValues { .. })));
    }

    #[test]
    fn a_one_hot_group_is_vertices_and_groups_do_not_overlap() {
        let region = Region::new(&[(0.0, 1.0); 4]).unwrap().with_one_of(&[0, 1, 2]).unwrap();
        assert!(region.contains(&[0.0, 1.0, 0.0, 0.3]));
        assert!(!region.contains(&[1.0, 1.0, 0.0, 0.3]));
        assert!(matches!(region.clone().with_one_of(&[2, 3]), Err(Error::OverlappingGroups { side: 2 })));
        assert!(matches!(region.clone().with_one_of(&[3, 3]), Err(Error::OverlappingGroups { side: 3 })));
        assert!(matches!(region.with_one_of(&[]), Err(Error::BadRow { .. })));
        let narrow = Region::new(&[(0.0, 1.0), (0.0, 0.5)]).unwrap();
        assert!(matches!(narrow.with_one_of(&[0, 1]), Err(Error::NotBinary { side: 1, .. })));
    }
}
