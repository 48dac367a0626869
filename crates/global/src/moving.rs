//! A multiplier that moves with x: a bound of third order for every kernel of a distance.
//!
//! A fixed multiplier g is exact at one x. Around it the bound loses the curvature that −κσ has there, which is of second
//! order, and around a minimum boxes pile up that can be neither closed nor cut. For any w > 0 and any p,
//!
//! ```text
//! −κσ ≥ −½ w σ² − κ²/2w,      −σ² = kᵀK̂⁻¹k − k(x, x) ≥ 2pᵀk − pᵀK̂p − k(x, x)
//! ```
//!
//! With p = (b + Gx)/w, affine in the coordinates x of the cube,
//!
//! ```text
//! LCB(x) ≥ m + (a + b + Gx)ᵀk(x) − (b + Gx)ᵀK̂(b + Gx)/2w − ½ w k(x, x) − κ²/2w
//! ```
//!
//! b ≈ wK̂⁻¹k(c), G ≈ wK̂⁻¹∂k/∂x and w ≈ κ/σ(c) at the centre c leave an error of third order. (a + b)ᵀk is bounded as for any
//! multiplier; each G_jᵀk is enclosed by a quadratic and an error; x_j times that quadratic has terms of order three,
//! which are added up over j before they are economised.

use crate::face::Face;
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::relaxation::{Relaxation, ScaledBox};
use fathom_gp::lanes::dot;
use fathom_gp::widest;

/// Boxes on which some kernel's own inputs have a larger radius are left to multipliers that do not move.
const LARGEST_RADIUS: f64 = 0.25;

/// Where K̂⁻¹ times a vector may be off by more than this share, no one's G is like another's.
const WORST_SOLVE: f64 = 1e-3;

/// Memory of the bound.
#[derive(Debug)]
pub(crate) struct Moving {
    /// a + b.
    g: Vec<f64>,
    /// b, and K̂b.
    base: Vec<f64>,
    base_product: Vec<f64>,
    /// ∂k/∂x, G and K̂G, by columns.
    rates: Vec<Vec<f64>>,
    moves: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
    /// G_jᵀk.
    enclosed: Quadratic,
    cubic: Cubic,
}

impl Moving {
    /// Memory for problems that it is meant for.
    pub fn new(problem: &Problem<'_>) -> Option<Self> {
        let (n, dim) = (problem.size(), problem.dim());
        let (zeros, columns) = (vec![0.0; n], vec![vec![0.0; n]; dim]);
        let is_meant = problem.is_monotone() && problem.condition() * f64::EPSILON < WORST_SOLVE;
        is_meant.then(|| Self {
            g: zeros.clone(),
            base: zeros.clone(),
            base_product: zeros,
            rates: columns.clone(),
            moves: columns.clone(),
            products: columns,
            enclosed: Quadratic::zero(dim),
            cubic: Cubic::new(dim),
        })
    }

    /// Whether the bound is worth its price on a box.
    pub fn applies(&self, problem: &Problem<'_>, on: &ScaledBox) -> bool {
        let square = |inputs: &[usize]| inputs.iter().map(|input| on.half[*input] * on.half[*input]).sum::<f64>();
        problem.parts.iter().all(|part| square(&part.inputs) < LARGEST_RADIUS * LARGEST_RADIUS)
    }

    /// Leaves the bound of μ − ½wσ² in the quadratic of `relaxation`; `solved` is about K̂⁻¹k(c).
    pub fn bound(
        &mut self,
        problem: &Problem<'_>,
        face: &Face,
        weight: f64,
        solved: &[f64],
        relaxation: &mut Relaxation,
    ) {
        let dim = problem.dim();
        relaxation.rates(problem, &mut self.rates);
        self.solve(problem, face, solved, weight);
        relaxation.bound(problem, face.offset, &self.g, 0.0);
        self.cubic.reset();
        let mut error = 0.0;
        for j in 0..dim {
            error += relaxation.enclose(problem, &self.moves[j], &mut self.enclosed);
            let (enclosed, quadratic) = (&self.enclosed, &mut relaxation.quadratic);
            quadratic.linear[j] += enclosed.constant;
            quadratic.uncertainty += 2.0 * enclosed.uncertainty;
            for k in 0..dim {
                quadratic.matrix[j][k] += enclosed.linear[k];
                quadratic.matrix[k][j] += enclosed.linear[k];
            }
            self.cubic.add(j, enclosed);
        }
        relaxation.quadratic.constant -= error;
        self.cubic.economise(&mut relaxation.quadratic);
        self.charge(problem, face, weight, &mut relaxation.quadratic);
    }

    /// b and G, and K̂ times them.
    fn solve(&mut self, problem: &Problem<'_>, face: &Face, solved: &[f64], weight: f64) {
        for i in 0..problem.size() {
            self.base[i] = weight * solved[i];
            self.g[i] = face.weights[i] + self.base[i];
        }
        widest!(<'a> (moving: &'a mut Moving = self, problem: &'a Problem<'a> = problem, weight: f64 = weight) {
            let Moving { base, base_product, rates, moves, products, .. } = moving;
            let n = base.len();
            for (row, i) in problem.inverse.chunks_exact(n).zip(0..) {
                for (moves, rates) in moves.iter_mut().zip(&*rates) {
                    moves[i] = weight * dot(row, rates);
                }
            }
            for (row, i) in problem.covariance.chunks_exact(n).zip(0..) {
                base_product[i] = dot(row, base);
                for (products, moves) in products.iter_mut().zip(&*moves) {
                    products[i] = dot(row, moves);
                }
            }
        });
    }

    /// Takes off (b + Gx)ᵀK̂(b + Gx)/2w + ½ w k(x, x), and what rounding and the residual of a may add to it.
    fn charge(&self, problem: &Problem<'_>, face: &Face, weight: f64, quadratic: &mut Quadratic) {
        let (n, dim) = (problem.size() as f64, problem.dim());
        let half = 0.5 / weight;
        let (form, total, bent) = widest!(<'a> (
            moving: &'a Moving = self,
            dim: usize = dim,
            half: f64 = half,
            quadratic: &'a mut Quadratic = quadratic,
        ) -> (f64, f64, f64) {
            let Moving { base, base_product, moves, products, .. } = moving;
            let (mut total, mut bent) = (base.iter().map(|b| b.abs()).sum::<f64>(), 0.0);
            for j in 0..dim {
                quadratic.linear[j] -= 2.0 * half * dot(&moves[j], base_product);
                total += moves[j].iter().map(|m| m.abs()).sum::<f64>();
                for k in 0..=j {
                    let entry = 2.0 * half * dot(&moves[j], &products[k]);
                    quadratic.matrix[j][k] -= entry;
                    bent += entry.abs();
                    if k < j {
                        quadratic.matrix[k][j] -= entry;
                    }
                }
            }
            (half * dot(base, base_product), total, bent)
        });
        let fixed = 0.5 * weight * problem.variance + form;
        let entries = (2.0 * n + 16.0) * f64::EPSILON * problem.largest_entry() + problem.covariance_error;
        let rounding = half * entries * total * total
            + 64.0 * f64::EPSILON * (fixed + quadratic.constant.abs() + quadratic.swing());
        let drift = (problem.variance * face.residual_energy).sqrt();
        // A checker has a G of its own, as good as ours.
        quadratic.uncertainty += 2.0 * rounding + 4.0 * f64::EPSILON * problem.condition() * bent;
        quadratic.constant -= fixed + rounding + drift;
    }
}

/// Σ_j x_j q_j(x) for quadratics q_j without their lower orders.
#[derive(Debug)]
struct Cubic {
    dim: usize,
    /// The coefficient of x_j x_k x_l, whatever the order of j, k and l, where they ascend.
    terms: Vec<f64>,
}

impl Cubic {
    fn new(dim: usize) -> Self {
        Self { dim, terms: vec![0.0; dim * dim * dim] }
    }

    fn reset(&mut self) {
        self.terms.fill(0.0);
    }

    /// Adds x_j times the second order of `quadratic`.
    fn add(&mut self, j: usize, quadratic: &Quadratic) {
        let dim = self.dim;
        for k in 0..dim {
            for l in 0..=k {
                let twice = if k == l { 0.5 } else { 1.0 };
                let (low, middle, high) = match (j <= l, j <= k) {
                    (true, _) => (j, l, k),
                    (false, true) => (l, j, k),
                    (false, false) => (l, k, j),
                };
                self.terms[(low * dim + middle) * dim + high] += twice * quadratic.matrix[k][l];
            }
        }
    }

    /// x³ = ¾x ± ¼, x²y = ½y ± ½, xyz = ± 1.
    fn economise(&self, quadratic: &mut Quadratic) {
        let dim = self.dim;
        for j in 0..dim {
            for k in j..dim {
                for l in k..dim {
                    let term = self.terms[(j * dim + k) * dim + l];
                    let (share, left) = match (j == k, k == l) {
                        (true, true) => (0.75, j),
                        (true, false) => (0.5, l),
                        (false, true) => (0.5, j),
                        (false, false) => (0.0, j),
                    };
                    quadratic.linear[left] += share * term;
                    quadratic.constant -= (1.0 - share) * term.abs();
                }
            }
        }
    }
}
