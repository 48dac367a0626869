//! The quadratic of a multiplier that moves with x (docs/method.md, Theorem 3, Lemmas 5.1 and 3.10).
//!
//! The vector p₀ and the matrix G are this checker's own, from its own factor of K̂: any are as valid as any others.

use super::quadratic::ObservationPolynomial;
use super::third_order::ThirdOrder;
use super::{Cube, Quadratic};
use crate::interval::{Interval, absolute_sum};
use crate::kernel::Kernel;
use crate::model::{Model, Piece};
use crate::polynomial::{Polynomial, expand};
use fathom_proof::Order;

impl Quadratic {
    /// The quadratic from (a + b + Gx)ᵀk(x) − (b + Gx)ᵀK̂(b + Gx)/2w − ½ w k(x, x), a lower bound of μ − ½wσ², minus `cost`.
    /// The kernels must have no kinks.
    pub fn of_moving(
        model: &Model<'_>,
        piece: &Piece<'_>,
        cube: &Cube,
        (order, weight, cost): (Order, f64, Interval),
    ) -> Self {
        let dim = cube.half.len();
        let scaled = |v: &[f64]| -> Vec<f64> { model.solve(v).iter().map(|v| weight * v).collect() };
        let centre: Vec<Interval> = cube.centre.iter().map(|c| Interval::point(*c)).collect();
        let central: Vec<f64> = model.covariances(&centre).iter().map(|k| k.guess()).collect();
        let base = scaled(&central);
        let middles: Vec<Vec<ObservationPolynomial>> =
            model.terms.iter().map(|term| term.middles(model, cube, order)).collect();
        let moves: Vec<Vec<f64>> = rates(model, dim, &middles).iter().map(|rate| scaled(rate)).collect();
        let g: Vec<f64> = piece.weights.iter().zip(&base).map(|(a, b)| a + b).collect();
        let (mut quadratic, mut third_order) = Quadratic::of_weights(model, cube, piece.mean, order, &g);
        for (j, column) in moves.iter().enumerate() {
            let (mut enclosed, mut beyond) = (Quadratic::zero(dim), ThirdOrder::zero(dim));
            for (term, middles) in model.terms.iter().zip(&middles) {
                let error = enclosed.add_term(term, cube, middles, column, true, &mut beyond);
                quadratic.constant = quadratic.constant - error;
            }
            quadratic.constant = quadratic.constant - beyond.economise(&mut enclosed.linear);
            quadratic.linear[j] = quadratic.linear[j] + enclosed.constant;
            for k in 0..dim {
                let twice = if j == k { 2.0 } else { 1.0 };
                let entry = quadratic.entry(j, k);
                *entry = *entry + enclosed.linear[k] * twice;
                for l in 0..=k {
                    let share = if k == l { 0.5 } else { 1.0 };
                    third_order.add([j, k, l], enclosed.matrix[k][l] * share);
                }
            }
        }
        quadratic.subtract_prior(model, cube, Interval::point(weight) * 0.5, &mut third_order);
        quadratic.constant = quadratic.constant - third_order.economise(&mut quadratic.linear);
        quadratic.subtract_form(model, weight, &base, &moves);
        let rounded = model.rounding(model.largest_prior(&cube.sides()), &g);
        // The exact weights are ã + K̂⁻¹ρ, and kᵀK̂⁻¹ρ + ½w kᵀK̂⁻¹k ≥ (b + Gx)ᵀ(k + ρ/w) − (b + Gx)ᵀK̂(b + Gx)/2w − ρᵀK̂⁻¹ρ/2w.
        let total = absolute_sum(&base) + moves.iter().map(|column| absolute_sum(column)).sum();
        let drift = (piece.residual * total + piece.residual_energy * 0.5) / Interval::point(weight);
        quadratic.constant = quadratic.constant - drift - rounded - cost;
        quadratic
    }

    /// Subtracts `factor` · k(x, x). For a power kernel k(x, x) is (b + δ)^m, δ = h + q with h = 2cᵀwx and q = Σ w_j²x_j².
    fn subtract_prior(&mut self, model: &Model<'_>, cube: &Cube, factor: Interval, third_order: &mut ThirdOrder) {
        self.constant = self.constant - factor * model.sigma_f.square();
        for term in &model.terms {
            let Kernel::Power { degree, offset } = term.kernel else { continue };
            let (inputs, factor) = (&term.inputs, factor * term.variance);
            let place = |input: &usize| (Interval::point(cube.centre[*input]), Interval::point(cube.half[*input]));
            let (centre, half): (Vec<Interval>, Vec<Interval>) = inputs.iter().map(place).unzip();
            let u: Vec<Interval> = centre.iter().zip(&half).map(|(c, w)| *c * *w * 2.0).collect();
            let w: Vec<Interval> = half.iter().map(|w| w.square()).collect();
            let (h, q) = (u.iter().map(|u| u.abs()).sum::<Interval>(), w.iter().copied().sum::<Interval>());
            let base = Interval::point(offset) + centre.iter().map(|c| c.square()).sum();
            // The value includes a bound of the terms beyond order 3 in δ.
            let Polynomial { value, slope, curve, third } = raised(degree, base, h, q);
            self.constant = self.constant - factor * (value + of_fourth_order([curve, third], h, q));
            for (at, j) in inputs.iter().enumerate() {
                self.linear[*j] = self.linear[*j] - factor * slope * u[at];
                self.matrix[*j][*j] = self.matrix[*j][*j] - factor * slope * w[at] * 2.0;
                for (from, k) in inputs.iter().enumerate() {
                    third_order.add([*j, *j, *k], -(factor * curve * w[at] * u[from] * 2.0));
                }
                for (from, k) in inputs[..=at].iter().enumerate() {
                    let entry = self.entry(*j, *k);
                    *entry = *entry - factor * curve * u[at] * u[from] * 2.0;
                    for (first, l) in inputs[..=from].iter().enumerate() {
                        let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
                        third_order.add([*j, *k, *l], -(factor * third * u[at] * u[from] * u[first] * orders));
                    }
                }
            }
        }
    }

    /// Subtracts (b + Gx)ᵀK̂(b + Gx)/2w.
    fn subtract_form(&mut self, model: &Model<'_>, weight: f64, base: &[f64], moves: &[Vec<f64>]) {
        let weight = Interval::point(weight);
        let columns: Vec<&[f64]> = moves.iter().map(|column| &column[..]).collect();
        self.constant = self.constant - model.form(base, base) / weight * 0.5;
        let along = model.forms(&columns, base);
        for j in 0..columns.len() {
            self.linear[j] = self.linear[j] - along[j] / weight;
            for (k, form) in model.forms(&columns[..=j], columns[j]).into_iter().enumerate() {
                self.matrix[j][k] = self.matrix[j][k] - form / weight;
            }
        }
    }
}

/// A polynomial in δ above (base + δ)^degree for |δ| ≤ h + q.
fn raised(degree: u32, base: Interval, h: Interval, q: Interval) -> Polynomial {
    expand(degree, base, h + q, false)
}

/// The terms of c (h + q)² + t (h + q)³ beyond order 3, with h of order 1 and q of order 2.
fn of_fourth_order([curve, third]: [Interval; 2], h: Interval, q: Interval) -> Interval {
    curve * q.square() + third * q * (h.square() * 3.0 + h * q * 3.0 + q.square())
}

/// A guess of ∂k(x, x_i)/∂x_j in the coordinates of the cube, column by column.
fn rates(model: &Model<'_>, dim: usize, middles: &[Vec<ObservationPolynomial>]) -> Vec<Vec<f64>> {
    let mut rates = vec![vec![0.0; model.scaled.len()]; dim];
    for (term, middles) in model.terms.iter().zip(middles) {
        for (i, ObservationPolynomial { polynomial, u, .. }) in middles.iter().enumerate() {
            for (input, u) in term.inputs.iter().zip(u) {
                rates[*input][i] += term.variance.guess() * polynomial.slope.guess() * u.guess();
            }
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_a_power_beyond_order_three_are_bounded_on_the_whole_range() {
        let number = Interval::point;
        let value = raised(5, number(1.0), number(0.5), number(0.25)).value;
        let expected = 1.0 + 5.0 * 0.75_f64.powi(4) + 0.75_f64.powi(5);
        assert!((value.guess() - expected).abs() < 1e-12, "{value:?} {expected}");
    }

    #[test]
    fn terms_of_squares_and_cubes_beyond_order_three_match_their_formula() {
        let number = Interval::point;
        let (curve, third, h, q) = (2.0, 5.0, 3.0, 0.5);
        let all = |h: f64, q: f64| curve * (h + q).powi(2) + third * (h + q).powi(3);
        let up_to_three = curve * (h * h + 2.0 * h * q) + third * h * h * h;
        let found = of_fourth_order([number(curve), number(third)], number(h), number(q));
        assert!((found.guess() - (all(h, q) - up_to_three)).abs() < 1e-12, "{found:?}");
    }
}
