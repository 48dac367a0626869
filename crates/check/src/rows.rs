//! Rows, whole numbers and lists of numbers in the statement's region (docs/method.md, Lemmas 8.1 to 8.3).

use crate::interval::Interval;
use crate::pending_box::PendingBox;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{Cut, FEASIBILITY, StatedRow, Statement};

/// Which numbers an input may have.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side<'s> {
    Line,
    Whole,
    /// These, in rising order.
    Listed(&'s [f64]),
}

impl Side<'_> {
    /// Whether a box may end here.
    fn has(self, end: f64) -> bool {
        match self {
            Self::Line => end.is_finite(),
            Self::Whole => end.is_finite() && end == end.round(),
            Self::Listed(numbers) => numbers.get(numbers.partition_point(|number| *number < end)) == Some(&end),
        }
    }

    /// The number after one that it has, or that number if nothing lies between; `None` after the last of a list.
    fn after(self, end: f64) -> Option<f64> {
        match self {
            Self::Line => Some(end),
            Self::Whole => Some(end + 1.0),
            Self::Listed(numbers) => numbers.get(numbers.partition_point(|number| *number <= end)).copied(),
        }
    }

    /// The number before one that it has, or that number if nothing lies between; `None` before the first of a list.
    fn before(self, end: f64) -> Option<f64> {
        match self {
            Self::Line => Some(end),
            Self::Whole => Some(end - 1.0),
            Self::Listed(numbers) => {
                let at = numbers.partition_point(|number| *number < end).checked_sub(1)?;
                Some(numbers[at])
            }
        }
    }
}

/// The constraints of a checked statement.
#[derive(Debug)]
pub(crate) struct Rows<'s> {
    rows: &'s [StatedRow],
    sides: Vec<Side<'s>>,
}

impl<'s> Rows<'s> {
    pub fn new(statement: &'s Statement) -> Self {
        let listed = |j: usize| statement.values.iter().find(|(input, _)| *input == j);
        let side = |j: usize| match (statement.integers.contains(&j), listed(j)) {
            (true, _) => Side::Whole,
            (false, Some((_, numbers))) => Side::Listed(numbers),
            (false, None) => Side::Line,
        };
        Self { rows: &statement.rows, sides: (0..statement.dim()).map(side).collect() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether side j of a box may end at `end`.
    pub fn may_end(&self, j: usize, end: f64) -> bool {
        self.sides[j].has(end)
    }

    /// Where the upper half begins if the lower half of side j ends at `position`; `None` if the side is not split there.
    pub fn after(&self, j: usize, position: f64) -> Option<f64> {
        self.sides[j].after(position).filter(|_| self.may_end(j, position))
    }

    /// Refuses a point that violates a row, or whose inputs are not whole or not listed where they must be.
    pub fn check_point(&self, x: &[f64]) -> Result<(), Rejection> {
        if let Some(j) = (0..x.len()).find(|j| !self.may_end(*j, x[*j])) {
            let needed = if self.sides[j] == Side::Whole { "a whole number" } else { "a number of its list" };
            return refuse("the best point", format!("input {j} is {}, not {needed}", x[j]));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let place = |j: usize| Interval::point(x[j]);
            let linear = row.linear.iter().map(|(j, c)| place(*j) * *c);
            let terms: Vec<Interval> =
                linear.chain(row.quadratic.iter().map(|(j, k, q)| place(*j) * place(*k) * *q)).collect();
            let largest = Interval::largest(terms.iter().copied());
            let value: Interval = terms.into_iter().sum();
            let room = |side: f64| largest.max(Interval::point(side).abs()) * FEASIBILITY;
            let is_below = |upper: f64| (value - (Interval::point(upper) + room(upper))).low() <= 0.0;
            let is_above = |lower: f64| (value - (Interval::point(lower) - room(lower))).high() >= 0.0;
            let fits = row.upper.is_none_or(is_below) && row.lower.is_none_or(is_above);
            if !(fits && value.is_known()) {
                return refuse("the best point", format!("it violates row {index}, {row}"));
            }
        }
        Ok(())
    }

    /// Refuses a box that is called empty if the row can hold on it.
    pub fn check_empty(&self, pending: &PendingBox, row: usize) -> Result<(), Rejection> {
        if row < self.rows.len() && self.is_violated(pending, row, 0, pending.side(0)) {
            return Ok(());
        }
        refuse(pending.name(), format!("it is called empty, but row {row} can hold"))
    }

    /// Cuts a side if the row is violated on everything that is cut off.
    pub fn cut(&self, pending: &mut PendingBox, cut: &Cut) -> Result<(), Rejection> {
        let Cut { row, coordinate: j, lower, upper } = *cut;
        if !(row < self.rows.len() && pending.contains_side(j, lower, upper)) {
            let reason = format!("row {row} cuts side {j} to [{lower}, {upper}], which it does not contain");
            return refuse(pending.name(), reason);
        }
        for (low, high) in self.lost(pending, j, lower, upper)?.into_iter().flatten() {
            if !self.is_violated(pending, row, j, Interval::between(low, high)) {
                let reason = format!("row {row} can hold on [{low}, {high}] of side {j}, which it cuts off");
                return refuse(pending.name(), reason);
            }
        }
        pending.set_side(j, lower, upper);
        Ok(())
    }

    /// The two ranges that a side loses if it shrinks. A whole-number side loses only whole numbers, so its new ends must be
    /// whole; a listed side loses only listed numbers, so its new ends must be listed.
    pub fn lost(
        &self,
        pending: &PendingBox,
        j: usize,
        lower: f64,
        upper: f64,
    ) -> Result<[Option<(f64, f64)>; 2], Rejection> {
        if !(self.may_end(j, lower) && self.may_end(j, upper)) {
            let kind = if self.sides[j] == Side::Whole { "whole" } else { "listed" };
            return refuse(pending.name(), format!("{kind} side {j} would end at {lower} and {upper}"));
        }
        let (from, to) = pending.ends(j);
        // A listed side begins and ends with numbers of its list, so there is one before a higher end and one after a lower end. If
        // there were none, all that is cut off would have to be proven.
        let last = self.sides[j].before(lower).unwrap_or(lower);
        let first = self.sides[j].after(upper).unwrap_or(upper);
        Ok([(from < lower).then_some((from, last)), (upper < to).then_some((first, to))])
    }

    /// Whether the row is violated on the whole box, with input j in `range`.
    fn is_violated(&self, pending: &PendingBox, row: usize, j: usize, range: Interval) -> bool {
        let row = &self.rows[row];
        let side = |k: usize| if k == j { range } else { pending.side(k) };
        // Terms with x_j are collected, so that x_j occurs only once.
        let dim = self.sides.len();
        let (mut slopes, mut squares) = (vec![Interval::ZERO; dim], vec![Interval::ZERO; dim]);
        let mut value = Interval::ZERO;
        for (k, c) in &row.linear {
            slopes[*k] = slopes[*k] + Interval::point(*c);
        }
        for (k, l, q) in &row.quadratic {
            match (k == l, *k == j, *l == j) {
                (true, ..) => squares[*k] = squares[*k] + Interval::point(*q),
                (false, true, _) => slopes[j] = slopes[j] + side(*l) * *q,
                (false, _, true) => slopes[j] = slopes[j] + side(*k) * *q,
                (false, false, false) => value = value + side(*k) * side(*l) * *q,
            }
        }
        for k in 0..dim {
            value = value + parabola(squares[k], slopes[k], side(k));
        }
        row.upper.is_some_and(|upper| value.low() > upper) || row.lower.is_some_and(|lower| value.high() < lower)
    }

    /// Adds Σ λ (R − side) on the cube x = centre + half·u to a constant, a linear part and the lower half of a matrix. Returns
    /// false if a multiplier belongs to a side that its row does not have.
    pub fn add(
        &self,
        duals: &[f64],
        [centre, half]: [&[Interval]; 2],
        constant: &mut Interval,
        linear: &mut [Interval],
        matrix: &mut [Vec<Interval>],
    ) -> bool {
        for (row, lambda) in self.rows.iter().zip(duals).filter(|(_, lambda)| **lambda != 0.0) {
            // A NaN belongs to no side.
            let side = match (*lambda > 0.0, *lambda < 0.0) {
                (true, _) => row.upper,
                (_, true) => row.lower,
                (false, false) => None,
            };
            let Some(side) = side else { return false };
            *constant = *constant - Interval::point(side) * *lambda;
            for (j, c) in &row.linear {
                let c = Interval::point(*c) * *lambda;
                *constant = *constant + c * centre[*j];
                linear[*j] = linear[*j] + c * half[*j];
            }
            for (j, k, q) in &row.quadratic {
                let q = Interval::point(*q) * *lambda;
                *constant = *constant + q * centre[*j] * centre[*k];
                linear[*j] = linear[*j] + q * centre[*k] * half[*j];
                linear[*k] = linear[*k] + q * centre[*j] * half[*k];
                let twice = if j == k { 2.0 } else { 1.0 };
                // j ≤ k in a checked statement.
                matrix[*k][*j] = matrix[*k][*j] + q * half[*j] * half[*k] * twice;
            }
        }
        true
    }
}

/// An enclosure of a x² + b x over a side.
fn parabola(a: Interval, b: Interval, x: Interval) -> Interval {
    let at = |x: Interval| x * (b + a * x);
    let ends = at(x.lower()).hull(at(x.upper()));
    if a == Interval::ZERO {
        return ends;
    }
    // If a may be 0, the vertex may be anywhere, and the result is the whole line.
    let vertex = -(b / (a * 2.0));
    let may_be_inside = vertex.high() >= x.low() && vertex.low() <= x.high();
    if may_be_inside { ends.hull(-(b.square() / (a * 4.0))) } else { ends }
}

#[cfg(test)]
mod tests;
