//! One constraint: `lower <= cᵀx + Σ q_jk x_j x_k <= upper`.

use crate::error::{Error, Result};
use fathom_proof::{FEASIBILITY, LARGEST, exact_sum};
use std::collections::BTreeMap;

/// A linear or quadratic constraint, convex or not, with one or both sides finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    linear: Vec<(usize, f64)>,
    quadratic: Vec<(usize, usize, f64)>,
    lower: f64,
    upper: f64,
}

impl Row {
    /// `lower <= Σ c x_j + Σ q x_j x_k <= upper`. Entries that name the same variables are summed exactly and rounded
    /// once. An infinite side is no side.
    pub fn new(linear: &[(usize, f64)], quadratic: &[(usize, usize, f64)], lower: f64, upper: f64) -> Result<Self> {
        let coefficients = linear.iter().map(|(_, c)| c).chain(quadratic.iter().map(|(_, _, q)| q));
        if let Some(value) = coefficients.copied().find(|c| !(c.abs() <= LARGEST)) {
            return Err(Error::BadRow {
                reason: format!("a coefficient is {value}: at most {LARGEST:e} in size can be used"),
            });
        }
        if let Some(side) = [lower, upper].into_iter().find(|side| side.is_finite() && side.abs() > LARGEST) {
            return Err(Error::BadRow { reason: format!("a side is {side}: at most {LARGEST:e} in size can be used") });
        }
        if !(lower <= upper) || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err(Error::BadRow { reason: format!("no number is at least {lower} and at most {upper}") });
        }
        let linear = linear.iter().map(|(j, c)| (*j, *c));
        let quadratic = quadratic.iter().map(|(j, k, q)| ((*j.min(k), *j.max(k)), *q));
        Ok(Self {
            linear: merged(linear),
            quadratic: merged(quadratic).into_iter().map(|((j, k), q)| (j, k, q)).collect(),
            lower,
            upper,
        })
    }

    /// The outside of a ball: `Σ ((x_j − centre_j)/scale_j)² >= radius²`.
    pub fn outside_ball(centre: &[f64], scales: &[f64], radius: f64) -> Result<Self> {
        let weight = |j: usize| 1.0 / (scales[j] * scales[j]);
        let linear: Vec<_> = (0..centre.len()).map(|j| (j, -2.0 * weight(j) * centre[j])).collect();
        let quadratic: Vec<_> = (0..centre.len()).map(|j| (j, j, weight(j))).collect();
        let constant: f64 = (0..centre.len()).map(|j| weight(j) * centre[j] * centre[j]).sum();
        Self::new(&linear, &quadratic, radius * radius - constant, f64::INFINITY)
    }

    /// Coefficients of the linear terms, by variable.
    pub fn linear(&self) -> &[(usize, f64)] {
        &self.linear
    }

    /// Coefficients q_jk of the products x_j x_k, j <= k.
    pub fn quadratic(&self) -> &[(usize, usize, f64)] {
        &self.quadratic
    }

    /// The lower side; −∞ if there is none.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The upper side; ∞ if there is none.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// Whether both sides are the same number.
    pub fn is_equality(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether no products occur.
    pub fn is_linear(&self) -> bool {
        self.quadratic.is_empty()
    }

    /// The largest variable that occurs, if any.
    pub fn last_variable(&self) -> Option<usize> {
        let linear = self.linear.iter().map(|(j, _)| *j);
        linear.chain(self.quadratic.iter().map(|(_, k, _)| *k)).max()
    }

    /// The function between the sides.
    pub fn value(&self, x: &[f64]) -> f64 {
        let linear: f64 = self.linear.iter().map(|(j, c)| c * x[*j]).sum();
        linear + self.quadratic.iter().map(|(j, k, q)| q * x[*j] * x[*k]).sum::<f64>()
    }

    /// Adds `scale` times the gradient of the function at `x`.
    pub fn add_gradient(&self, x: &[f64], scale: f64, gradient: &mut [f64]) {
        for (j, c) in &self.linear {
            gradient[*j] += scale * c;
        }
        for (j, k, q) in &self.quadratic {
            gradient[*j] += scale * q * x[*k];
            gradient[*k] += scale * q * x[*j];
        }
    }

    /// How far outside its sides the function is at `x`, in the row's own units; 0 if it is between them.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let value = self.value(x);
        (self.lower - value).max(value - self.upper).max(0.0)
    }

    /// The violation at `x` as a part of the largest term at `x` or of the side that is missed, whichever is larger.
    pub fn miss(&self, x: &[f64]) -> f64 {
        let (value, term) = (self.value(x), self.largest_term(x));
        let missed = |by: f64, side: f64| if by > 0.0 { by / term.max(side.abs()) } else { 0.0 };
        missed(self.lower - value, self.lower).max(missed(value - self.upper, self.upper))
    }

    /// Whether `x` satisfies the row up to [`FEASIBILITY`].
    pub fn holds(&self, x: &[f64]) -> bool {
        self.miss(x) <= FEASIBILITY
    }

    fn largest_term(&self, x: &[f64]) -> f64 {
        let linear = self.linear.iter().map(|(j, c)| (c * x[*j]).abs());
        linear.chain(self.quadratic.iter().map(|(j, k, q)| (q * x[*j] * x[*k]).abs())).fold(0.0, f64::max)
    }

    /// 1 over the function's range on a box, or a little more; a row times this factor has no unit. 1 if the function
    /// is constant.
    pub fn weight(&self, lower: &[f64], upper: &[f64]) -> f64 {
        let width = |j: usize| upper[j] - lower[j];
        let size = |j: usize| upper[j].abs().max(lower[j].abs());
        let linear: f64 = self.linear.iter().map(|(j, c)| c.abs() * width(*j)).sum();
        let product = |j: usize, k: usize| width(j) * size(k) + width(k) * size(j);
        let quadratic: f64 = self.quadratic.iter().map(|(j, k, q)| q.abs() * product(*j, *k)).sum();
        let range = linear + quadratic;
        if range > 0.0 { range.recip() } else { 1.0 }
    }
}

/// The entries in order, summed by key, without zeros.
fn merged<K: Ord + Copy>(entries: impl Iterator<Item = (K, f64)>) -> Vec<(K, f64)> {
    let mut by_key: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in entries {
        by_key.entry(key).or_default().push(value);
    }
    by_key.into_iter().map(|(key, values)| (key, exact_sum(&values))).filter(|(_, sum)| *sum != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_at_the_same_points_in_small_and_in_large_units() {
        for scale in [1e-90, 1e-10, 1.0, 1e90] {
            let row = Row::new(&[(0, scale)], &[], f64::NEG_INFINITY, 0.1 * scale).unwrap();
            assert!(row.holds(&[0.1]) && row.holds(&[0.1 + 5e-11]), "{scale}");
            assert!(!row.holds(&[0.1 + 2e-10]) && !row.holds(&[2.94]), "{scale}");
        }
    }

    #[test]
    fn the_size_of_a_row_is_that_of_its_largest_term_or_side() {
        let row = Row::new(&[(0, 1.0), (1, -1.0)], &[], 0.0, f64::INFINITY).unwrap();
        assert!(row.holds(&[1e3, 1e3 + 5e-7]) && !row.holds(&[1.0, 1.0 + 5e-7]));
        assert!(row.holds(&[0.0, 0.0]) && !row.holds(&[0.0, 1e-30]));
        let merged = Row::new(&[(0, 1e20), (0, 1.0), (0, -1e20)], &[], f64::NEG_INFINITY, 0.0).unwrap();
        assert!(!merged.holds(&[1e-3]), "terms that cancel are no terms");
    }

    #[test]
    fn entries_of_the_same_variables_add_up_exactly() {
        let row = Row::new(&[], &[(0, 0, 1e16), (0, 0, 1.0), (0, 0, -1e16)], 0.5, f64::INFINITY).unwrap();
        assert_eq!(row.quadratic(), [(0, 0, 1.0)]);
        let row = Row::new(&[(1, 1e16), (0, 2.0), (1, 1.0), (1, -1e16)], &[(2, 1, 1e-30), (1, 2, -1e-30)], 0.0, 1.0);
        assert_eq!((row.clone().unwrap().linear(), row.unwrap().is_linear()), (&[(0, 2.0), (1, 1.0)][..], true));
    }
}
