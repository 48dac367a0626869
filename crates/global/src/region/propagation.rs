//! Rows and whole numbers narrow a box before any bound is computed (docs/method.md, Lemmas 8.2 and 8.3).
//!
//! Every number is rounded outwards by more than its error, so that a checker with its own intervals agrees.

use super::Region;
use super::row::Row;
use crate::rounding;
use fathom_proof::Cut;

/// The most rounds over all rows. Propagation converges at once or slowly, and branching does the rest.
const ROUNDS: usize = 4;

/// Another round is worth its cost if a side lost this share.
const WORTH_ANOTHER_ROUND: f64 = 0.1;

/// A range of numbers.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const ZERO: Self = Self { low: 0.0, high: 0.0 };

    fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    fn times(self, factor: f64) -> Self {
        let (a, b) = (self.low * factor, self.high * factor);
        Self { low: a.min(b), high: a.max(b) }
    }

    fn product(self, other: Self) -> Self {
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        Self {
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

/// Tightens the box in place and tells every cut to `note`. Returns the first row that no point of the box satisfies, if any.
pub(crate) fn propagate(
    region: &Region,
    lower: &mut [f64],
    upper: &mut [f64],
    mut note: impl FnMut(Cut),
) -> Option<usize> {
    for _ in 0..ROUNDS {
        let mut most = 0.0_f64;
        for (index, row) in region.rows().iter().enumerate() {
            if is_missed(row, lower, upper) {
                return Some(index);
            }
            for coordinate in variables(row) {
                let width = upper[coordinate] - lower[coordinate];
                let Some((low, high)) = tightened(region, row, coordinate, lower, upper) else { continue };
                let lost = (width - (high - low)) / width;
                if lost < 1e-3 {
                    continue;
                }
                (lower[coordinate], upper[coordinate]) = (low, high);
                note(Cut { row: index, coordinate, lower: low, upper: high });
                most = most.max(lost);
            }
        }
        if most < WORTH_ANOTHER_ROUND {
            break;
        }
    }
    None
}

/// Every variable of a row once.
fn variables(row: &Row) -> impl Iterator<Item = usize> {
    let occurs = |j: usize| {
        row.linear().iter().any(|(k, _)| *k == j) || row.quadratic().iter().any(|(a, b, _)| *a == j || *b == j)
    };
    (0..row.last_variable().map_or(0, |last| last + 1)).filter(move |j| occurs(*j))
}

fn is_missed(row: &Row, lower: &[f64], upper: &[f64]) -> bool {
    let (mut range, mut size) = (Range::ZERO, 0.0);
    for j in variables(row) {
        range = range.plus(own_range(row, j, lower[j], upper[j]));
        size += own_size(row, j, lower, upper);
    }
    for (j, k, q) in row.quadratic().iter().filter(|(j, k, _)| j != k) {
        let (first, second) = (side(lower, upper, *j), side(lower, upper, *k));
        range = range.plus(first.product(second).times(*q));
        size += q.abs() * first.size() * second.size();
    }
    let room = rounding::ROW_RANGE * size + f64::MIN_POSITIVE;
    range.low - room > row.upper() || range.high + room < row.lower()
}

fn side(lower: &[f64], upper: &[f64], j: usize) -> Range {
    Range { low: lower[j], high: upper[j] }
}

/// A and B of the terms in x_j alone.
fn own(row: &Row, j: usize) -> (f64, f64) {
    let square = row.quadratic().iter().find(|(a, b, _)| *a == j && *b == j).map_or(0.0, |(_, _, q)| *q);
    let slope = row.linear().iter().find(|(k, _)| *k == j).map_or(0.0, |(_, c)| *c);
    (square, slope)
}

/// The largest |A x²| + |B x| on a side.
fn own_size(row: &Row, j: usize, lower: &[f64], upper: &[f64]) -> f64 {
    let ((a, b), size) = (own(row, j), side(lower, upper, j).size());
    size * (b.abs() + a.abs() * size)
}

/// The range of A x² + B x on a side.
fn own_range(row: &Row, j: usize, low: f64, high: f64) -> Range {
    let (a, b) = own(row, j);
    let at = |x: f64| x * (b + a * x);
    let mut range = Range { low: at(low).min(at(high)), high: at(low).max(at(high)) };
    let vertex = -0.5 * b / a;
    if vertex > low && vertex < high {
        range.low = range.low.min(at(vertex));
        range.high = range.high.max(at(vertex));
    }
    range
}

/// The part of side j that the row leaves, if the row cuts anything off; never empty.
fn tightened(region: &Region, row: &Row, j: usize, lower: &[f64], upper: &[f64]) -> Option<(f64, f64)> {
    let (low, high) = (lower[j], upper[j]);
    if !(high > low) {
        return None;
    }
    let (a, b) = own(row, j);
    let (mut slope, mut slope_size) = (Range { low: b, high: b }, b.abs());
    let (mut rest, mut size) = (Range::ZERO, 0.0);
    for (i, k, q) in row.quadratic().iter().filter(|(i, k, _)| i != k) {
        let (first, second) = (side(lower, upper, *i), side(lower, upper, *k));
        let partner = if *i == j { Some(second) } else { (*k == j).then_some(first) };
        match partner {
            Some(partner) => {
                slope = slope.plus(partner.times(*q));
                slope_size += q.abs() * partner.size();
            }
            None => {
                rest = rest.plus(first.product(second).times(*q));
                size += q.abs() * first.size() * second.size();
            }
        }
    }
    for k in variables(row).filter(|k| *k != j) {
        rest = rest.plus(own_range(row, k, lower[k], upper[k]));
        size += own_size(row, k, lower, upper);
    }
    let room = rounding::ROW_RANGE * (size + slope_size * low.abs().max(high.abs())) + f64::MIN_POSITIVE;
    let (most, least) = (row.upper() - rest.low + room, row.lower() - rest.high - room);
    let (mut new_low, mut new_high) = (low, high);
    if a == 0.0 {
        // s x ≤ most and s x ≥ least for some s in the slope's range, which must not contain 0.
        if slope.low > 0.0 {
            new_high = new_high.min((most / slope.low).max(most / slope.high));
            new_low = new_low.max((least / slope.low).min(least / slope.high));
        } else if slope.high < 0.0 {
            new_low = new_low.max((most / slope.low).min(most / slope.high));
            new_high = new_high.min((least / slope.low).max(least / slope.high));
        }
    } else if slope.low == slope.high {
        for (a, b, t) in [(a, slope.low, most), (-a, -slope.low, -least)] {
            if t.is_finite() {
                keep_below(a, b, t, &mut new_low, &mut new_high);
            }
        }
    }
    // The ends move outwards by more than the rounding of these quotients and roots.
    let slack = rounding::PROPAGATED_SHARE * (high - low) + rounding::PROPAGATED * low.abs().max(high.abs());
    let mut ends = (low.max(new_low - slack), high.min(new_high + slack));
    if region.is_discrete(j) {
        ends = (low.max(region.ceil(j, ends.0)), high.min(region.floor(j, ends.1)));
    }
    // If nothing is left, some row fails on the rest of the side; the next round finds that.
    if ends.0 > ends.1 {
        ends = if ends.0 > low { (ends.0.min(high), high) } else { (low, ends.1.max(low)) };
    }
    (ends != (low, high)).then_some(ends)
}

/// Cuts off the ends of [low, high] at which a x² + b x > t.
fn keep_below(a: f64, b: f64, t: f64, low: &mut f64, high: &mut f64) {
    // Outwards by the discriminant's rounding, whose square root a root may be off by if terms cancel.
    let rounding = rounding::DISCRIMINANT * (b * b + (4.0 * a * t).abs());
    let discriminant = b * b + 4.0 * a * t + a.signum() * rounding;
    if discriminant < 0.0 {
        return;
    }
    let half = -0.5 * (b + b.signum() * discriminant.sqrt());
    let roots = [half / a, if half == 0.0 { half / a } else { -t / half }];
    let (first, second) = (roots[0].min(roots[1]), roots[0].max(roots[1]));
    if !(first.is_finite() && second.is_finite()) {
        return;
    }
    if a > 0.0 {
        (*low, *high) = (low.max(first), high.min(second));
    } else {
        // The parabola is below t outside the roots: an end between the roots moves to the next root.
        if *low > first {
            *low = low.max(second);
        }
        if *high < second {
            *high = high.min(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(region: &Region) -> (Option<usize>, Vec<f64>, Vec<f64>) {
        let (mut lower, mut upper) = (region.lower().to_vec(), region.upper().to_vec());
        let missed = propagate(region, &mut lower, &mut upper, |_| {});
        (missed, lower, upper)
    }

    #[test]
    fn a_disc_in_a_corner_cuts_the_box_and_a_far_one_empties_it() {
        let disc =
            |radius: f64| Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, radius * radius).unwrap();
        let region = Region::new(&[(0.0, 1.0), (-1.0, 1.0)]).unwrap().with_row(disc(0.5)).unwrap();
        let (missed, lower, upper) = run(&region);
        assert_eq!(missed, None);
        assert!((upper[0] - 0.5).abs() < 1e-6 && (lower[1] + 0.5).abs() < 1e-6);
        let far = Region::new(&[(0.8, 1.0), (0.8, 1.0)]).unwrap().with_row(disc(1.0)).unwrap();
        assert_eq!(run(&far).0, Some(0));
    }

    #[test]
    fn a_one_hot_group_with_one_choice_made_fixes_the_others() {
        let region = Region::new(&[(0.0, 1.0); 3]).unwrap().with_one_of(&[0, 1, 2]).unwrap();
        let (mut lower, mut upper) = (vec![0.0, 1.0, 0.0], vec![1.0; 3]);
        assert_eq!(propagate(&region, &mut lower, &mut upper, |_| {}), None);
        assert_eq!((lower, upper), (vec![0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0]));
    }

    /// x₀ ≤ 10¹⁴ (x₁x₂ − x₃x₄) is about 8.7e-5, of which floating point keeps nothing.
    #[test]
    fn terms_that_cancel_leave_room_for_their_size() {
        let row = Row::new(&[(0, 1.0)], &[(1, 2, -1e14), (3, 4, 1e14)], f64::NEG_INFINITY, 0.0).unwrap();
        let (small, large) = (1.0 + 2_f64.powi(-30), 1.0 + 2_f64.powi(-29));
        let sides = [(0.0, 1.0), (small, small), (small, small), (large, large), (1.0, 1.0)];
        let region = Region::new(&sides).unwrap().with_row(row).unwrap();
        let (missed, lower, upper) = run(&region);
        assert_eq!(missed, None);
        assert!(lower[0] == 0.0 && upper[0] >= 1e14 * 2_f64.powi(-60), "{upper:?}");
    }

    proptest! {
        #[test]
        fn no_point_that_satisfies_the_rows_is_cut_off(
            linear in prop::collection::vec(-2.0..2.0_f64, 3), quadratic in prop::collection::vec(-2.0..2.0_f64, 6),
            keep in prop::collection::vec(any::<bool>(), 9), at in prop::collection::vec(0.0..=1.0_f64, 3),
            sides in prop::collection::vec((-2.0..2.0_f64, 0.0..3.0_f64), 3), width in 0.0..0.5_f64, whole in any::<bool>(),
        ) {
            let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            let linear: Vec<_> = (0..3).filter(|j| keep[*j]).map(|j| (j, linear[j])).collect();
            let quadratic: Vec<_> =
                (0..6).filter(|i| keep[3 + i]).map(|i| (pairs[i].0, pairs[i].1, quadratic[i])).collect();
            let mut region = Region::new(&sides.iter().map(|(low, w)| (*low, low + w)).collect::<Vec<_>>()).unwrap();
            if whole {
                match region.clone().with_integers(&[0]) { Ok(r) => region = r, Err(_) => return Ok(()) }
            }
            let mut x: Vec<f64> = (0..3).map(|j| region.lower()[j] + at[j] * (region.upper()[j] - region.lower()[j])).collect();
            region.clamp(&mut x);
            let value = Row::new(&linear, &quadratic, -1e9, 1e9).unwrap().value(&x);
            let region = region.with_row(Row::new(&linear, &quadratic, value - width, value + width).unwrap()).unwrap();
            let (missed, lower, upper) = run(&region);
            prop_assert_eq!(missed, None);
            prop_assert!((0..3).all(|j| lower[j] <= x[j] && x[j] <= upper[j]), "{x:?} in {lower:?} {upper:?}");
        }
    }
}
