//! Rows and whole numbers in the statement's region.

use super::{Pending, Rejection, name, refuse};
use crate::interval::Interval;
use crate::proof::{StatedRow, Statement};
use crate::propagation::Cut;

/// How far a point may miss a row, relative to the largest of its terms or 1.
const FEASIBILITY: f64 = 1e-9;

/// The constraints of a statement.
#[derive(Debug)]
pub(super) struct Rows<'s> {
    rows: &'s [StatedRow],
    pub integer: Vec<bool>,
}

impl<'s> Rows<'s> {
    pub fn new(statement: &'s Statement) -> Result<Self, Rejection> {
        let dim = statement.bounds.len();
        let fits = |row: &StatedRow| {
            let coefficients = row.linear.iter().map(|(_, c)| c).chain(row.quadratic.iter().map(|(_, _, q)| q));
            row.linear.iter().all(|(j, _)| *j < dim)
                && row.quadratic.iter().all(|(j, k, _)| *j < dim && *k < dim)
                && coefficients.chain(&row.lower).chain(&row.upper).all(|c| c.is_finite())
        };
        if !(statement.rows.iter().all(fits) && statement.integers.iter().all(|j| *j < dim)) {
            return refuse("the statement", "a constraint names an input that does not exist, or is not finite".into());
        }
        Ok(Self { rows: &statement.rows, integer: (0..dim).map(|j| statement.integers.contains(&j)).collect() })
    }

    /// Whether the point is whole where it must be and satisfies every row.
    pub fn check_point(&self, x: &[f64]) -> Result<(), Rejection> {
        if let Some(j) = (0..x.len()).find(|j| self.integer[*j] && x[*j] != x[*j].round()) {
            return refuse("the best point", format!("coordinate {j} is {}, not a whole number", x[j]));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let range = |j: usize| Interval::point(x[j]);
            let linear = row.linear.iter().map(|(j, c)| range(*j) * *c);
            let terms: Vec<Interval> =
                linear.chain(row.quadratic.iter().map(|(j, k, q)| range(*j) * range(*k) * *q)).collect();
            let room = FEASIBILITY * terms.iter().map(|term| term.size()).fold(1.0, f64::max);
            let value: Interval = terms.into_iter().sum();
            let fits = row.upper.is_none_or(|upper| value.low <= upper + room)
                && row.lower.is_none_or(|lower| value.high >= lower - room);
            if !fits {
                return refuse("the best point", format!("it violates row {index}"));
            }
        }
        Ok(())
    }

    /// Refuses a box called empty on which the row can hold.
    pub fn check_empty(&self, part: &Pending, row: usize) -> Result<(), Rejection> {
        if row < self.rows.len() && self.is_missed(part, row, 0, Interval { low: part.lower[0], high: part.upper[0] }) {
            return Ok(());
        }
        refuse(name(part), format!("it is called empty, but row {row} can hold"))
    }

    /// Cuts a side where the row is missed on everything cut off.
    pub fn cut(&self, part: &mut Pending, cut: &Cut) -> Result<(), Rejection> {
        let Cut { row, coordinate: j, lower, upper } = *cut;
        let inside = row < self.rows.len() && j < part.lower.len();
        if !(inside && part.lower[j] <= lower && lower <= upper && upper <= part.upper[j]) {
            return refuse(
                name(part),
                format!("row {row} cuts side {j} to [{lower}, {upper}], which it does not contain"),
            );
        }
        for (low, high) in self.lost(part, j, lower, upper).into_iter().flatten() {
            if !self.is_missed(part, row, j, Interval { low, high }) {
                return refuse(
                    name(part),
                    format!("row {row} can hold on [{low}, {high}] of side {j}, which it cuts off"),
                );
            }
        }
        (part.lower[j], part.upper[j]) = (lower, upper);
        Ok(())
    }

    /// What a side loses when it shrinks; of whole numbers, only the next ones.
    pub fn lost(&self, part: &Pending, j: usize, lower: f64, upper: f64) -> [Option<(f64, f64)>; 2] {
        let step = if self.integer[j] { 1.0 } else { 0.0 };
        let below = (part.lower[j] < lower).then(|| (part.lower[j], lower - step));
        let above = (upper < part.upper[j]).then(|| (upper + step, part.upper[j]));
        [below, above]
    }

    /// Whether the row misses its sides on the whole box, with side j in `range`.
    fn is_missed(&self, part: &Pending, row: usize, j: usize, range: Interval) -> bool {
        let row = &self.rows[row];
        let side = |k: usize| match k == j {
            true => range,
            false => Interval { low: part.lower[k], high: part.upper[k] },
        };
        // Terms with x_j are gathered, so that it occurs but once.
        let mut slopes = vec![Interval::ZERO; part.lower.len()];
        let mut squares = vec![0.0; part.lower.len()];
        let mut value = Interval::ZERO;
        for (k, c) in &row.linear {
            slopes[*k] = slopes[*k] + Interval::point(*c);
        }
        for (k, l, q) in &row.quadratic {
            match (k == l, *k == j, *l == j) {
                (true, ..) => squares[*k] += q,
                (false, true, _) => slopes[j] = slopes[j] + side(*l) * *q,
                (false, _, true) => slopes[j] = slopes[j] + side(*k) * *q,
                (false, false, false) => value = value + side(*k) * side(*l) * *q,
            }
        }
        for k in 0..slopes.len() {
            value = value + parabola(squares[k], slopes[k], side(k));
        }
        row.upper.is_some_and(|upper| value.low > upper) || row.lower.is_some_and(|lower| value.high < lower)
    }

    /// Σ λ (R − side) on the cube x = centre + half·u: added to a constant, a linear part and the lower half of a matrix.
    /// False where a multiplier speaks of a side that is not there.
    pub fn add(
        &self,
        duals: &[f64],
        [centre, half]: [&[Interval]; 2],
        constant: &mut Interval,
        linear: &mut [Interval],
        matrix: &mut [Vec<Interval>],
    ) -> bool {
        for (row, lambda) in self.rows.iter().zip(duals).filter(|(_, lambda)| **lambda != 0.0) {
            let Some(side) = (if *lambda > 0.0 { row.upper } else { row.lower }) else { return false };
            if !lambda.is_finite() {
                return false;
            }
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
                let (high, low) = (*j.max(k), *j.min(k));
                let twice = if j == k { 2.0 } else { 1.0 };
                matrix[high][low] = matrix[high][low] + q * half[*j] * half[*k] * twice;
            }
        }
        true
    }
}

/// An enclosure of a x² + b x over a side.
fn parabola(a: f64, b: Interval, x: Interval) -> Interval {
    let at = |x: f64| Interval::point(x) * (b + Interval::point(a) * x);
    let (low, high) = (at(x.low), at(x.high));
    let mut range = Interval { low: low.low.min(high.low), high: low.high.max(high.high) };
    if a != 0.0 {
        let vertex = -(b / Interval::point(2.0 * a));
        if vertex.high >= x.low && vertex.low <= x.high {
            let there = -(b.square() / Interval::point(4.0 * a));
            range = Interval { low: range.low.min(there.low), high: range.high.max(there.high) };
        }
    }
    range
}
