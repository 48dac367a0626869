//! The bound of the RBF kernel expanded to second order at the centre of a small box (docs/method.md, Theorem 2 and Lemma 4.1).
//!
//! The error is of third order in the radius. It depends on the norm of the posterior mean, not on the size of the weights.

use super::best::Best;
use super::quadratic::Quadratic;
use super::relaxation::Relaxation;
use super::round::{Bound, Round};
use super::scaled_box::ScaledBox;
use super::separable::Separable;
use super::target::Target;
use crate::level::Shortfall;
use crate::problem::{Piece, Tables};
use crate::region::MOST_INPUTS;
use crate::rounding;
use fathom_gp::lanes::dot;
use fathom_gp::widest;
use fathom_proof::Reason;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// The relaxation in s bounds boxes with a larger radius R.
const LARGEST_RADIUS: f64 = 0.5;

/// Below this squared radius the expansion is always better than a multiplier of the box's own.
const SHARP_ONLY: f64 = 0.01;

/// How the bound was reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// S0.
    guess: f64,
    kappa: f64,
    shortfall: Shortfall,
}

/// Tables and memory of the bound.
#[derive(Debug)]
pub(super) struct Expansion {
    dim: usize,
    /// The features of every d_i of order at most 2: 1, h_j, then h_j²/√2 and h_j h_k row by row.
    features: Vec<Vec<f64>>,
    /// W and K̂W for orders 0 and 1.
    solved: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
    mean: Vec<f64>,
    /// The first D + 1 rows of M̄, as computed; the true rows exceed them by at most `slack` times the identity.
    residual: Vec<f64>,
    slack: f64,
    /// How far another W, as good as ours, may move an entry of M̄; used only as room for the shift.
    solve_error: f64,
    /// For each column of W: the sum of its entries' sizes, and a bound of every entry of E − K̂W.
    sizes: Vec<f64>,
    missing: Vec<f64>,
    /// How much the slack lowered the last bound.
    lost_to_slack: f64,
    radial: Vec<f64>,
    quadratic: Quadratic,
    trial: Separable,
    minorant: Separable,
}

impl Expansion {
    /// The tables; `None` if the kernel is not RBF.
    pub fn new(tables: &Tables) -> Option<Self> {
        if !tables.is_rbf() {
            return None;
        }
        let dim = tables.dim();
        let count = (dim + 1) * (dim + 2) / 2;
        let zeros = vec![0.0; tables.width()];
        Some(Self {
            dim,
            features: vec![zeros.clone(); count],
            solved: vec![zeros.clone(); dim + 1],
            products: vec![zeros.clone(); dim + 1],
            mean: vec![0.0; count],
            residual: vec![0.0; (dim + 1) * count],
            slack: 0.0,
            solve_error: 0.0,
            sizes: vec![0.0; dim + 1],
            missing: vec![0.0; dim + 1],
            lost_to_slack: 0.0,
            radial: vec![0.0; tables.size()],
            quadratic: Quadratic::zero(dim),
            trial: Separable::zero(),
            minorant: Separable::zero(),
        })
    }

    /// Whether the last bound, which is `short` of the target, is about as good as in exact arithmetic.
    fn is_sharp(&self, short: f64) -> bool {
        self.lost_to_slack < 0.1 * short
    }

    /// The best S0 found, with its κ and its shortfall; leaves the minorant, lifted by the target, in `minorant`.
    fn reach(&mut self, round: &mut Round<'_>) -> Reached {
        let Round { tables, piece, target, on, relaxation, rows, .. } = round;
        let dim = self.dim;
        self.fill_features(tables, piece, relaxation);
        if !target.ignores_deviation() {
            self.solve(tables);
        }
        let sigma_f = tables.variance.sqrt();
        let square: f64 = on.half[..dim].iter().map(|w| w * w).sum();
        let radius = square.sqrt();
        let low: f64 = self.mean.iter().map(|m| m * m).sum();
        let beyond = (piece.norm_square - low * rounding::SQUARES_DOWN).max(0.0).sqrt();
        let (omega, drift) = (omega(square), self.drift(tables, piece, target, on));
        let mixed = self.mixed_norm();
        let central = self.residual[0].max(1e-14);
        // An S smaller than its own uncertainty cannot be told from 0.
        let mut guess = (central + 4.0 * self.slack).sqrt();
        let mut best = None;
        self.minorant.value = f64::NEG_INFINITY;
        for _ in 0..3 {
            let kappa = target.kappa(sigma_f * guess);
            let weight = kappa / guess;
            // Cubic and quartic terms of S², and the slack of M.
            let high = 2.0 * mixed * radius * square * FRAC_1_SQRT_2 + 0.5 * square * square;
            let spread = self.slack * (1.0 + square + 0.5 * square * square);
            let lost = sigma_f * (beyond + kappa) * omega + drift + 0.5 * sigma_f * weight * (high + spread);
            let near = guess * (-0.5 * square).exp() * rounding::ROOT_DOWN;
            let shortfall = Shortfall::Expansion { kappa, sigma_f, omega, near, far: guess };
            self.fill_quadratic(tables, piece, on, (kappa, guess), central, lost - target.lift(&shortfall));
            rows.minorant(&self.quadratic, target.height, &mut self.trial);
            if self.trial.value > self.minorant.value || best.is_none() {
                best = Some(Reached { guess, kappa, shortfall });
                self.lost_to_slack = 0.5 * sigma_f * weight * spread;
                self.minorant.clone_from(&self.trial);
            }
            if kappa == 0.0 {
                break;
            }
            let next = self.deviation_square(on, &self.trial).max(0.05 * central).max(4.0 * self.slack).sqrt();
            if (next / guess - 1.0).abs() < 0.02 {
                break;
            }
            guess = next;
        }
        best.expect("the first guess is taken as it is")
    }

    /// How much the residual ρ of the weights may add to the mean: |kᵀK̂⁻¹ρ|. The features of order 0 and 1 add |Wᵀρ|
    /// and the remainder of W; the other features add at most their norm times that of ρ.
    fn drift(&self, tables: &Tables, piece: &Piece, target: &Target, on: &ScaledBox) -> f64 {
        let (sigma_f, norm) = (tables.variance.sqrt(), piece.residual_energy.sqrt());
        if target.ignores_deviation() {
            return sigma_f * norm;
        }
        let square: f64 = on.half[..self.dim].iter().map(|w| w * w).sum();
        let scale = (tables.size() as f64 / tables.least_eigenvalue).sqrt();
        let along = |b: usize| piece.residual * self.sizes[b] + norm * scale * self.missing[b];
        let low = along(0) + (0..self.dim).map(|j| on.half[j] * along(1 + j)).sum::<f64>();
        // The factor 2 is for a checker, which has a W of its own.
        sigma_f * norm.min(2.0 * (low + FRAC_1_SQRT_2 * square * norm))
    }

    fn fill_features(&mut self, tables: &Tables, piece: &Piece, relaxation: &mut Relaxation) {
        relaxation.radial(tables, &mut self.radial);
        let sigma_f = tables.variance.sqrt();
        let weights = &piece.weights;
        widest!(<'a> (
            expansion: &'a mut Expansion = self,
            relaxation: &'a Relaxation = relaxation,
            weights: &'a [f64] = weights,
            sigma_f: f64 = sigma_f,
        ) {
            let Expansion { dim, features, radial, mean, .. } = expansion;
            let (low, high) = features.split_at_mut(*dim + 1);
            for (feature, radial) in low[0].iter_mut().zip(&*radial) {
                *feature = sigma_f * radial;
            }
            let (constant, linear) = low.split_at_mut(1);
            let mut high = high.iter_mut();
            for j in 0..*dim {
                multiply(&constant[0], relaxation.offsets(j), 1.0, &mut linear[j]);
                for k in j..*dim {
                    let scale = if j == k { FRAC_1_SQRT_2 } else { 1.0 };
                    let feature = high.next().expect("one feature for each pair of inputs");
                    multiply(&linear[j], relaxation.offsets(k), scale, feature);
                }
            }
            for (mean, feature) in mean.iter_mut().zip(&*features) {
                *mean = dot(&feature[..weights.len()], weights);
            }
        });
    }

    /// Computes the first rows of M̄, and how far rounding may have lowered M̄.
    fn solve(&mut self, tables: &Tables) {
        let n = tables.size();
        tables.inverse.multiply_all(&self.features[..=self.dim], &mut self.solved);
        tables.covariance.multiply_all(&self.solved, &mut self.products);
        let reach = widest!(<'a> (expansion: &'a mut Expansion = self, tables: &'a Tables = tables) -> f64 {
            let Expansion { dim, features, solved, products, residual, sizes, missing, .. } = expansion;
            let (orders, count) = (*dim + 1, features.len());
            let mut reach = 0.0;
            for b in 0..orders {
                for c in b..orders {
                    let twice = dot(&features[b], &solved[c]) + dot(&solved[b], &features[c]);
                    let entry = f64::from(u8::from(b == c)) - (twice - dot(&solved[b], &products[c]));
                    residual[b * count + c] = entry;
                    residual[c * count + b] = entry;
                }
                for c in orders..count {
                    residual[b * count + c] = -dot(&solved[b], &features[c]);
                }
                sizes[b] = solved[b].iter().map(|w| w.abs()).sum();
                let apart = features[b].iter().zip(&products[b]).map(|(feature, product)| (feature - product).abs());
                missing[b] = apart.fold(0.0, f64::max);
                reach += 1.0 + tables.variance.sqrt() * sizes[b];
            }
            reach
        });
        let entry = rounding::product_entry(n as f64, tables.largest_entry(), tables.covariance_error);
        for (missing, size) in self.missing.iter_mut().zip(&self.sizes) {
            *missing += 4.0 * (entry * size + tables.variance.sqrt() * tables.terms[0].error);
        }
        // No entry's error exceeds this multiple of its row's and its column's share of `reach`.
        let unit = rounding::expansion_entry(n as f64, tables.terms[0].error);
        let condition = n as f64 * tables.covariance.diagonal(0) / (tables.covariance.diagonal(0) - tables.variance);
        self.solve_error = rounding::SOLVE * condition * reach;
        self.slack = unit * reach * reach * tables.covariance.diagonal(0) / tables.variance;
    }

    /// Frobenius norm of the block of M between orders 1 and 2.
    fn mixed_norm(&self) -> f64 {
        let count = self.features.len();
        let block = |b: usize| &self.residual[b * count + self.dim + 1..(b + 1) * count];
        let square: f64 = (1..=self.dim).flat_map(block).map(|m| m * m).sum();
        square.sqrt() * rounding::NORM_UP + self.slack
    }

    /// E · (c + bᵀh + ½hᵀHh) − lost, with E linearised in |h|², as a quadratic on the cube.
    fn fill_quadratic(
        &mut self,
        tables: &Tables,
        piece: &Piece,
        on: &ScaledBox,
        (kappa, guess): (f64, f64),
        central: f64,
        lost: f64,
    ) {
        let (dim, features) = (self.dim, self.features.len());
        let sigma_f = tables.variance.sqrt();
        let weight = kappa / guess;
        let constant = sigma_f * (self.mean[0] - 0.5 * kappa * (central / guess + guess));
        let magnitude = self.magnitude(tables, piece);
        let quadratic = &mut self.quadratic;
        let half = &on.half;
        let mut at = dim + 1;
        for j in 0..dim {
            quadratic.linear[j] = sigma_f * (self.mean[1 + j] - weight * self.residual[1 + j]);
            for k in j..dim {
                let second = sigma_f * (self.mean[at] - weight * self.residual[at]);
                let scale = if j == k { SQRT_2 } else { 1.0 };
                let entry = scale * second - sigma_f * weight * self.residual[(1 + j) * features + 1 + k];
                quadratic.matrix[j][k] = entry;
                quadratic.matrix[k][j] = entry;
                at += 1;
            }
        }
        // E = Ē (1 − (t − t̄)/2 + θ (t − t̄)²/8) with t = |h|² in [0, R²], t̄ = R²/2, 0 <= θ <= exp(t̄/2).
        let middle = 0.5 * half[..dim].iter().map(|w| w * w).sum::<f64>();
        let (scale, most) = ((-0.5 * middle).exp(), (0.5 * middle).exp());
        let mut swing = 0.0;
        for j in 0..dim {
            swing += quadratic.linear[j].abs() * half[j];
            for k in 0..dim {
                swing += 0.5 * quadratic.matrix[j][k].abs() * half[j] * half[k];
            }
        }
        let bent = 0.5 * middle * swing + most * middle * middle / 8.0 * (swing - constant).max(0.0);
        let size = constant.abs() + swing;
        let unit = rounding::polynomials(tables.size() as f64, tables.terms[0].error);
        let rounding = unit * (size + magnitude) + rounding::MEAN * (piece.offset.abs() + lost.abs());
        let widest = half[..dim].iter().fold(0.0_f64, |most, w| most.max(w * w));
        quadratic.uncertainty = rounding + sigma_f * weight * (2.0 * self.slack + self.solve_error) * widest;
        quadratic.constant = piece.offset + scale * (constant * (1.0 + 0.5 * middle) - bent) - lost - rounding;
        for j in 0..dim {
            quadratic.linear[j] *= scale * half[j];
            for k in 0..dim {
                quadratic.matrix[j][k] *= scale * half[j] * half[k];
            }
            quadratic.matrix[j][j] -= scale * constant * half[j] * half[j];
        }
    }

    /// A bound of the sums behind `mean`: Σ|a_i| k(c, x_i), with room for offsets and kernel errors.
    fn magnitude(&self, tables: &Tables, piece: &Piece) -> f64 {
        let sum: f64 = piece.weights.iter().zip(&self.radial).map(|(a, e)| a.abs() * (e + 1e-3)).sum();
        4.0 * tables.variance * sum
    }

    /// S² to second order at the minorant's point; the next S0 is chosen by it.
    fn deviation_square(&self, on: &ScaledBox, minorant: &Separable) -> f64 {
        let (dim, features) = (self.dim, self.features.len());
        let mut h = [0.0; MOST_INPUTS];
        for j in 0..dim {
            h[j] = minorant.at[j] * on.half[j];
        }
        let mut square = self.residual[0];
        let mut at = dim + 1;
        for j in 0..dim {
            square += 2.0 * self.residual[1 + j] * h[j];
            for k in 0..dim {
                square += self.residual[(1 + j) * features + 1 + k] * h[j] * h[k];
            }
            for k in j..dim {
                let scale = if j == k { FRAC_1_SQRT_2 } else { 1.0 };
                square += 2.0 * self.residual[at] * h[j] * h[k] * scale;
                at += 1;
            }
        }
        square
    }
}

impl Bound for Expansion {
    fn applies(&self, round: &Round<'_>, _: &Best) -> bool {
        let square: f64 = round.on.half[..self.dim].iter().map(|w| w * w).sum();
        square < LARGEST_RADIUS * LARGEST_RADIUS
    }

    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best) {
        round.settle(best);
        let Reached { guess, kappa, shortfall } = self.reach(round);
        let reached = self.minorant.value;
        let is_better = reached > best.minorant.value;
        if is_better {
            best.low_point = self.minorant.at;
        }
        let square: f64 = round.on.half[..self.dim].iter().map(|w| w * w).sum();
        best.is_sharp = is_better && self.is_sharp(round.target.height - reached) && square < SHARP_ONLY;
        let reason = Reason::Taylor { guess, kappa };
        best.consider(&self.minorant, reason, shortfall, &round.target, (round.lower, round.upper));
    }
}

/// `out = scale · a · b`, entry by entry.
#[inline(always)]
fn multiply(a: &[f64], b: &[f64], scale: f64, out: &mut [f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = scale * a * b;
    }
}

/// ω for R² = `square`, rounded up: the share of the kernel's norm beyond order 2.
fn omega(square: f64) -> f64 {
    // exp(−s)(1 + s + s²/2) = 1 − s³/6 + s⁴/8 − …, an alternating tail: s³/6 bounds the rest.
    (square * square * square / 6.0).sqrt() * rounding::NORM_UP
}
