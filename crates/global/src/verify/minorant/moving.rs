//! The minorant of a multiplier that moves with x: see the head of the search's `moving`.
//!
//! The vectors b and G are this checker's own, from its own factor of K̂: any are as valid as any others.

use super::{Cube, Quadratic, Stand, Thirds};
use crate::interval::{Interval, Kernel, Polynomial, expand};
use crate::proof::Order;
use crate::verify::face::Face;
use crate::verify::function::{Function, sizes};

impl Quadratic {
    /// From (a + b + Gx)ᵀk(x) − (b + Gx)ᵀK̂(b + Gx)/2w − ½ w k(x, x), a lower bound of μ − ½wσ², less `charge`; for kernels
    /// without kinks.
    pub fn of_moving(
        function: &Function<'_>,
        face: &Face<'_>,
        cube: &Cube,
        (order, weight, charge): (Order, f64, Interval),
    ) -> Self {
        let dim = cube.half.len();
        let scaled = |v: &[f64]| -> Vec<f64> { function.solve(v).iter().map(|v| weight * v).collect() };
        let centre: Vec<Interval> = cube.centre.iter().map(|c| Interval::point(*c)).collect();
        let central: Vec<f64> = function.covariances(&centre).iter().map(|k| k.middle()).collect();
        let base = scaled(&central);
        let middles: Vec<Vec<Stand>> = function.terms.iter().map(|term| term.middles(function, cube, order)).collect();
        let moves: Vec<Vec<f64>> = rates(function, dim, &middles).iter().map(|rate| scaled(rate)).collect();
        let g: Vec<f64> = face.weights.iter().zip(&base).map(|(a, b)| a + b).collect();
        let (mut quadratic, mut thirds) = Quadratic::of_weights(function, cube, face.mean, order, &g);
        for (j, column) in moves.iter().enumerate() {
            let (mut enclosed, mut beyond) = (Quadratic::constant(0.0, dim), Thirds::zero(dim));
            for (term, middles) in function.terms.iter().zip(&middles) {
                let error = enclosed.add_up(term, cube, middles, column, true, &mut beyond);
                quadratic.constant = quadratic.constant - error;
            }
            quadratic.constant = quadratic.constant - beyond.economise(&mut enclosed.linear);
            quadratic.linear[j] = quadratic.linear[j] + enclosed.constant;
            for k in 0..dim {
                let twice = if j == k { 2.0 } else { 1.0 };
                let entry = &mut quadratic.matrix[j.max(k)][j.min(k)];
                *entry = *entry + enclosed.linear[k] * twice;
                for l in 0..=k {
                    let share = if k == l { 0.5 } else { 1.0 };
                    thirds.add([j, k, l], enclosed.matrix[k][l] * share);
                }
            }
        }
        quadratic.take_off_prior(function, cube, Interval::point(weight) * 0.5, &mut thirds);
        quadratic.constant = quadratic.constant - thirds.economise(&mut quadratic.linear);
        quadratic.take_off_form(function, weight, &base, &moves);
        // Each entry of g is rounded by half a unit of its size.
        let prior = function.largest_prior(&cube.sides());
        let rounded = function.largest_covariance(prior) * (f64::EPSILON * sizes(&g));
        // The exact weights are ã + K̂⁻¹ρ, and kᵀK̂⁻¹ρ + ½w kᵀK̂⁻¹k ≥ (b + Gx)ᵀ(k + ρ/w) − (b + Gx)ᵀK̂(b + Gx)/2w − ρᵀK̂⁻¹ρ/2w.
        let total = sizes(&base) + moves.iter().map(|column| sizes(column)).sum::<f64>() * (1.0 + 1e-14);
        let drift = (Interval::point(face.residual) * total + face.residual_energy * 0.5) / Interval::point(weight);
        quadratic.constant = quadratic.constant - drift - rounded - charge;
        quadratic
    }

    /// Takes `factor` · k(x, x) off. Of a power kernel it is (b + δ)^m, δ = h + q with h = 2cᵀwx and q = Σ w_j²x_j².
    fn take_off_prior(&mut self, function: &Function<'_>, cube: &Cube, factor: Interval, thirds: &mut Thirds) {
        self.constant = self.constant - factor * function.sigma_f.square();
        for term in &function.terms {
            let Kernel::Power { degree, offset } = term.kernel else { continue };
            let (inputs, factor) = (&term.inputs, factor * term.variance);
            let place = |input: &usize| (Interval::point(cube.centre[*input]), Interval::point(cube.half[*input]));
            let (centre, half): (Vec<Interval>, Vec<Interval>) = inputs.iter().map(place).unzip();
            let u: Vec<Interval> = centre.iter().zip(&half).map(|(c, w)| *c * *w * 2.0).collect();
            let w: Vec<Interval> = half.iter().map(|w| w.square()).collect();
            let (h, q) = (u.iter().map(|u| u.abs()).sum::<Interval>(), w.iter().copied().sum::<Interval>());
            let base = Interval::point(offset) + centre.iter().map(|c| c.square()).sum();
            // What lies beyond order 3 in δ is on top of the value.
            let Polynomial { value, slope, curve, third } = expand(degree, base, h + q, false);
            let fourth = curve * q.square() + third * q * (h.square() * 3.0 + h * q * 3.0 + q.square());
            self.constant = self.constant - factor * (value + fourth);
            for (at, j) in inputs.iter().enumerate() {
                self.linear[*j] = self.linear[*j] - factor * slope * u[at];
                self.matrix[*j][*j] = self.matrix[*j][*j] - factor * slope * w[at] * 2.0;
                for (from, k) in inputs.iter().enumerate() {
                    thirds.add([*j, *j, *k], -(factor * curve * w[at] * u[from] * 2.0));
                }
                for (from, k) in inputs[..=at].iter().enumerate() {
                    let entry = &mut self.matrix[*j.max(k)][*j.min(k)];
                    *entry = *entry - factor * curve * u[at] * u[from] * 2.0;
                    for (first, l) in inputs[..=from].iter().enumerate() {
                        let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
                        thirds.add([*j, *k, *l], -(factor * third * u[at] * u[from] * u[first] * orders));
                    }
                }
            }
        }
    }

    /// Takes (b + Gx)ᵀK̂(b + Gx)/2w off.
    fn take_off_form(&mut self, function: &Function<'_>, weight: f64, base: &[f64], moves: &[Vec<f64>]) {
        let weight = Interval::point(weight);
        let columns: Vec<&[f64]> = moves.iter().map(|column| &column[..]).collect();
        self.constant = self.constant - function.form(base, base) / weight * 0.5;
        let along = function.forms(&columns, base);
        for j in 0..columns.len() {
            self.linear[j] = self.linear[j] - along[j] / weight;
            for (k, form) in function.forms(&columns[..=j], columns[j]).into_iter().enumerate() {
                self.matrix[j][k] = self.matrix[j][k] - form / weight;
            }
        }
    }
}

/// About ∂k(x, x_i)/∂x_j in the coordinates of the cube, by columns.
fn rates(function: &Function<'_>, dim: usize, middles: &[Vec<Stand>]) -> Vec<Vec<f64>> {
    let mut rates = vec![vec![0.0; function.scaled.len()]; dim];
    for (term, middles) in function.terms.iter().zip(middles) {
        for (i, Stand { polynomial, u, .. }) in middles.iter().enumerate() {
            for (input, u) in term.inputs.iter().zip(u) {
                rates[*input][i] += term.variance * polynomial.slope.middle() * u.middle();
            }
        }
    }
    rates
}
