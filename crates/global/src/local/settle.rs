//! The last small move to a row.
//!
//! A method that knows rows meets them to its own tolerance, which is coarser than
//! [`FEASIBILITY`](fathom_proof::FEASIBILITY). Here `x` is projected onto the violated rows in turn. Each step is the
//! shortest to the row's linearisation that respects integers and the box: x ← x − v g/‖g‖², with the signed violation
//! v and the gradient g on the sides that can move.

use crate::region::{Region, Row};
use fathom_proof::FEASIBILITY;

/// Rounds of projections. They converge linearly, and a few rows in general position need few rounds.
const ROUNDS: usize = 50;

/// How near to its rows a point is moved, so that a checker's own rounding finds it feasible too.
const NEAR: f64 = 0.1 * FEASIBILITY;

/// How far a point may be moved in all, as a part of each side's width. A point moved further is not the one that was
/// found.
const FURTHEST: f64 = 1e-3;

/// Moves `x` onto the rows if `x` is near them; otherwise leaves `x` unchanged.
pub fn settle(region: &Region, x: &mut [f64]) {
    if are_met(region, x) {
        return;
    }
    let mut moved = x.to_vec();
    approach(region, &mut moved);
    let width = |j: usize| region.upper()[j] - region.lower()[j];
    let near = (0..x.len()).all(|j| (moved[j] - x[j]).abs() <= FURTHEST * width(j));
    if near && region.contains(&moved) {
        x.copy_from_slice(&moved);
    }
}

/// Moves `x` into the region, however far that is; false if `x` did not arrive.
pub(crate) fn reach(region: &Region, x: &mut [f64]) -> bool {
    region.clamp(x);
    approach(region, x);
    region.contains(x)
}

fn are_met(region: &Region, x: &[f64]) -> bool {
    region.rows().iter().all(|row| row.miss(x) <= NEAR)
}

fn approach(region: &Region, x: &mut [f64]) {
    for _ in 0..ROUNDS {
        if are_met(region, x) {
            return;
        }
        for row in region.rows() {
            project(region, row, x);
        }
    }
}

fn project(region: &Region, row: &Row, x: &mut [f64]) {
    let value = row.value(x);
    let miss = (value - row.upper()).max(0.0) - (row.lower() - value).max(0.0);
    if miss == 0.0 {
        return;
    }
    let mut gradient = vec![0.0; x.len()];
    row.add_gradient(x, miss.signum(), &mut gradient);
    for j in 0..x.len() {
        let blocked = if gradient[j] > 0.0 { x[j] <= region.lower()[j] } else { x[j] >= region.upper()[j] };
        if region.is_discrete(j) || blocked {
            gradient[j] = 0.0;
        }
    }
    let length: f64 = gradient.iter().map(|g| g * g).sum();
    if length > 0.0 {
        for j in 0..x.len() {
            x[j] = (x[j] - miss.abs() * gradient[j] / length).clamp(region.lower()[j], region.upper()[j]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc() -> Region {
        let row = Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, 1.0).unwrap();
        Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(row).unwrap()
    }

    #[test]
    fn a_near_miss_is_pulled_onto_the_row() {
        let mut x = [0.8 + 1e-5, 0.6 + 1e-5];
        settle(&disc(), &mut x);
        assert!(disc().contains(&x) && (x[0] - 0.8).abs() < 1e-4 && (x[1] - 0.6).abs() < 1e-4, "{x:?}");
    }

    #[test]
    fn a_wide_miss_is_left_as_it_is() {
        let mut x = [0.9, 0.9];
        settle(&disc(), &mut x);
        assert_eq!(x, [0.9, 0.9]);
    }
}
