//! The minorant of a multiplier that moves with x: see the head of the search's `moving`.
//!
//! The vectors b and G are this checker's own, from its own factor of K̂: any are as valid as any others.

use super::{Cube, Minorant, Quadratic, Stand};
use crate::interval::Interval;
use crate::proof::{Evidence, Order};
use crate::verify::face::Face;
use crate::verify::function::{Function, sizes};

impl Minorant {
    /// From (a + b + Gx)ᵀk(x) − (b + Gx)ᵀK̂(b + Gx)/2w − ½ w k(x, x), a lower bound of μ − ½wσ², less `charge`; for kernels of
    /// distances.
    pub fn of_moving(
        function: &Function<'_>,
        face: &Face<'_>,
        [lower, upper]: [&[f64]; 2],
        (order, weight, charge): (Order, f64, Interval),
        evidence: &Evidence,
    ) -> Option<Self> {
        let cube = Cube::new(function, lower, upper);
        let dim = cube.half.len();
        let scaled = |v: &[f64]| -> Vec<f64> { function.solve(v).iter().map(|v| weight * v).collect() };
        let centre: Vec<Interval> = cube.centre.iter().map(|c| Interval::point(*c)).collect();
        let central: Vec<f64> = function.covariances(&centre).iter().map(|k| k.middle()).collect();
        let base = scaled(&central);
        let middles: Vec<Vec<Stand>> = function.terms.iter().map(|term| term.middles(function, &cube, order)).collect();
        let moves: Vec<Vec<f64>> = rates(function, dim, &middles).iter().map(|rate| scaled(rate)).collect();
        let g: Vec<f64> = face.weights.iter().zip(&base).map(|(a, b)| a + b).collect();
        let mut quadratic = Quadratic::constant(face.mean, dim);
        for term in &function.terms {
            quadratic.add(function, term, &cube, order, &g);
        }
        let mut cubic = vec![vec![vec![Interval::ZERO; dim]; dim]; dim];
        for (j, column) in moves.iter().enumerate() {
            let mut enclosed = Quadratic::constant(0.0, dim);
            for (term, middles) in function.terms.iter().zip(&middles) {
                let error = enclosed.add_up(term, &cube, middles, column, true);
                quadratic.constant = quadratic.constant - error;
            }
            quadratic.linear[j] = quadratic.linear[j] + enclosed.constant;
            for k in 0..dim {
                let twice = if j == k { 2.0 } else { 1.0 };
                let entry = &mut quadratic.matrix[j.max(k)][j.min(k)];
                *entry = *entry + enclosed.linear[k] * twice;
                for l in 0..=k {
                    let share = if k == l { 0.5 } else { 1.0 };
                    let mut place = [j, k, l];
                    place.sort_unstable();
                    let term = &mut cubic[place[0]][place[1]][place[2]];
                    *term = *term + enclosed.matrix[k][l] * share;
                }
            }
        }
        quadratic.economise(&cubic);
        quadratic.charge_moving(function, weight, &base, &moves);
        // Each entry of g is rounded by half a unit of its size, and no covariance exceeds the variance.
        let rounded = function.sigma_f.square() * (f64::EPSILON * sizes(&g));
        let drift = function.sigma_f * face.residual_energy.sqrt();
        quadratic.constant = quadratic.constant - drift - rounded - charge;
        quadratic.linearise(function, cube, evidence)
    }
}

impl Quadratic {
    /// Adds Σ c_jkl x_j x_k x_l, from below: x³ = ¾x ± ¼, x²y = ½y ± ½, xyz = ± 1.
    fn economise(&mut self, cubic: &[Vec<Vec<Interval>>]) {
        let dim = self.linear.len();
        for j in 0..dim {
            for k in j..dim {
                for l in k..dim {
                    let term = cubic[j][k][l];
                    let (share, left) = match (j == k, k == l) {
                        (true, true) => (0.75, j),
                        (true, false) => (0.5, l),
                        (false, true) => (0.5, j),
                        (false, false) => (0.0, j),
                    };
                    self.linear[left] = self.linear[left] + term * share;
                    self.constant = self.constant - Interval::point(term.size()) * (1.0 - share);
                }
            }
        }
    }

    /// Takes off (b + Gx)ᵀK̂(b + Gx)/2w + ½ w k(x, x).
    fn charge_moving(&mut self, function: &Function<'_>, weight: f64, base: &[f64], moves: &[Vec<f64>]) {
        let weight = Interval::point(weight);
        let columns: Vec<&[f64]> = moves.iter().map(|column| &column[..]).collect();
        let fixed = function.form(base, base);
        self.constant = self.constant - (fixed / weight + weight * function.sigma_f.square()) * 0.5;
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
