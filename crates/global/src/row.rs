//! One constraint: `lower <= cᵀx + Σ q_jk x_j x_k <= upper`.

use crate::error::{Error, Result};

/// How far outside a row a point may lie and still count as feasible, relative to the size of the row's terms.
pub const FEASIBILITY: f64 = 1e-9;

/// A linear or quadratic constraint, convex or not, with one or both sides finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    linear: Vec<(usize, f64)>,
    quadratic: Vec<(usize, usize, f64)>,
    lower: f64,
    upper: f64,
}

impl Row {
    /// `lower <= Σ c x_j + Σ q x_j x_k <= upper`. Entries that name the same variables add up; a side that is infinite
    /// is no side.
    pub fn new(linear: &[(usize, f64)], quadratic: &[(usize, usize, f64)], lower: f64, upper: f64) -> Result<Self> {
        let coefficients = linear.iter().map(|(_, c)| c).chain(quadratic.iter().map(|(_, _, q)| q));
        if let Some(value) = coefficients.copied().find(|c| !c.is_finite()) {
            return Err(Error::BadRow { reason: format!("a coefficient is {value}") });
        }
        if !(lower <= upper) || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err(Error::BadRow { reason: format!("no number is at least {lower} and at most {upper}") });
        }
        let mut row = Self { linear: Vec::new(), quadratic: Vec::new(), lower, upper };
        for (j, c) in linear {
            match row.linear.iter_mut().find(|(known, _)| known == j) {
                Some((_, sum)) => *sum += c,
                None => row.linear.push((*j, *c)),
            }
        }
        for (j, k, q) in quadratic {
            let (j, k) = (*j.min(k), *j.max(k));
            match row.quadratic.iter_mut().find(|(a, b, _)| (*a, *b) == (j, k)) {
                Some((_, _, sum)) => *sum += q,
                None => row.quadratic.push((j, k, *q)),
            }
        }
        row.linear.retain(|(_, c)| *c != 0.0);
        row.quadratic.retain(|(_, _, q)| *q != 0.0);
        row.linear.sort_by_key(|(j, _)| *j);
        row.quadratic.sort_by_key(|(j, k, _)| (*j, *k));
        Ok(row)
    }

    /// Outside the ball `Σ ((x_j − centre_j)/scale_j)² >= radius²`.
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

    /// The lower side; −∞ where there is none.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The upper side; ∞ where there is none.
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

    /// How far outside its sides the function is at `x`; 0 where the row holds.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let value = self.value(x);
        (self.lower - value).max(value - self.upper).max(0.0)
    }

    /// Whether `x` satisfies the row up to [`FEASIBILITY`] of its largest term there or of the side in question, whichever is
    /// larger. There is no absolute tolerance, as proofs have none (docs/reference/proof.md, section 4.6).
    pub fn holds(&self, x: &[f64]) -> bool {
        let linear = self.linear.iter().map(|(j, c)| (c * x[*j]).abs());
        let terms = linear.chain(self.quadratic.iter().map(|(j, k, q)| (q * x[*j] * x[*k]).abs()));
        let side = if self.value(x) > self.upper { self.upper } else { self.lower };
        self.violation(x) <= FEASIBILITY * terms.fold(side.abs(), f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_follows_the_size_of_the_row() {
        let sum = |upper: f64| Row::new(&[(0, upper), (1, upper)], &[], f64::NEG_INFINITY, upper).unwrap();
        for upper in [1e-9, 1.0, 1e9] {
            assert!(sum(upper).holds(&[0.5, 0.5 + 1e-10]), "{upper}");
            assert!(!sum(upper).holds(&[0.5, 0.5 + 1e-8]), "{upper}");
        }
        // Of terms that cancel, the larger counts; a side of 0 has no size.
        let difference = Row::new(&[(0, 1.0), (1, -1.0)], &[], f64::NEG_INFINITY, 0.0).unwrap();
        assert!(difference.holds(&[1e-6 + 1e-16, 1e-6]) && !difference.holds(&[1e-6 + 1e-14, 1e-6]));
    }
}
