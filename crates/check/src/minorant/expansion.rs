//! The quadratic of the RBF kernel's expansion to second order at the centre of a box (docs/method.md, Theorem 2 and
//! Lemma 4.1).

use super::cube::squares;
use super::{Cube, Quadratic};
use crate::interval::{Interval, absolute_sum, dot};
use crate::model::{Model, Piece, balls};

impl Quadratic {
    /// The quadratic from the second-order expansion of the RBF kernel at the centre, with S0 = `guess`.
    pub fn of_expansion(model: &Model<'_>, piece: &Piece<'_>, cube: &Cube, (guess, kappa): (f64, f64)) -> Option<Self> {
        let kappa = Interval::point(kappa);
        let Features { mean, residual, beyond, drift } = Features::new(model, piece, cube)?;
        let dim = cube.half.len();
        let sigma_f = model.sigma_f;
        let weight = kappa / Interval::point(guess);
        let square = squares(&cube.half);
        let quartic = square.square() * 0.5;
        // `lost` bounds the terms beyond order 2, and the cubic and quartic terms of S².
        let tail = sigma_f * (beyond + kappa) * omega(square);
        let mixed: Interval = (1..=dim).flat_map(|b| residual[b][dim + 1..].iter()).map(|m| m.square()).sum();
        let cubic = mixed.sqrt() * square.sqrt() * square * 2.0 * Interval::point(0.5).sqrt();
        let lost = tail + sigma_f * weight * (cubic + quartic) * 0.5 + drift;
        let central = residual[0][0] / Interval::point(guess) + Interval::point(guess);
        let constant = sigma_f * (mean[0] - kappa * central * 0.5);
        let linear: Vec<Interval> = (0..dim).map(|j| sigma_f * (mean[1 + j] - weight * residual[0][1 + j])).collect();
        let mut matrix = vec![vec![Interval::ZERO; dim]; dim];
        let mut at = dim + 1;
        for j in 0..dim {
            for k in j..dim {
                let scale = if j == k { Interval::point(2.0).sqrt() } else { Interval::ONE };
                let second = sigma_f * (mean[at] - weight * residual[0][at]);
                matrix[k][j] = scale * second - sigma_f * weight * residual[1 + j][1 + k];
                at += 1;
            }
        }
        // exp(−|h|²/2) = Ē (1 − (t − t̄)/2 + θ(t − t̄)²/8), t̄ = R²/2, 0 ≤ θ ≤ exp(t̄/2).
        let middle = square * 0.5;
        let (scale, most) = ((middle * -0.5).exp(), (middle * 0.5).exp());
        let size = |a: Interval, factor: f64| a.abs().upper() * factor;
        let mut swing: Interval = (0..dim).map(|j| size(linear[j], cube.half[j])).sum();
        for j in 0..dim {
            for k in 0..=j {
                let twice = if j == k { 0.5 } else { 1.0 };
                swing = swing + size(matrix[j][k], cube.half[j]) * cube.half[k] * twice;
            }
        }
        let bent = middle * swing * 0.5 + most * middle.square() * 0.125 * (swing - constant).positive_part();
        let offset = Interval::point(piece.mean);
        Some(Self {
            constant: offset + scale * (constant * (Interval::ONE + middle * 0.5) - bent) - lost,
            linear: (0..dim).map(|j| scale * linear[j] * cube.half[j]).collect(),
            matrix: (0..dim)
                .map(|j| {
                    let entry = |k: usize| {
                        let bend = if j == k { constant } else { Interval::ZERO };
                        scale * (matrix[j][k] - bend) * cube.half[j] * cube.half[k]
                    };
                    (0..dim).map(|k| if k <= j { entry(k) } else { Interval::ZERO }).collect()
                })
                .collect(),
        })
    }
}

/// ω for R² = `square`: the share of the RBF kernel's norm beyond order 2.
pub(crate) fn omega(square: Interval) -> Interval {
    (square * square * square / Interval::point(6.0)).sqrt()
}

/// The numbers of the expansion at the centre of a box: m_α, the first rows of M̄, and ‖m_{>2}‖.
struct Features {
    mean: Vec<Interval>,
    residual: Vec<Vec<Interval>>,
    beyond: Interval,
    /// A bound of what the residual of the weights adds to the mean.
    drift: Interval,
}

impl Features {
    /// The numbers at the centre of the cube; none if a feature is not known.
    fn new(model: &Model<'_>, piece: &Piece<'_>, cube: &Cube) -> Option<Self> {
        let dim = cube.half.len();
        let offset =
            |row: &Vec<Interval>| row.iter().zip(&cube.centre).map(|(z, c)| *z - Interval::point(*c)).collect();
        let offsets: Vec<Vec<Interval>> = model.scaled.iter().map(offset).collect();
        let rows: Vec<Vec<Interval>> = offsets.iter().map(|d| Self::of_point(model, d)).collect();
        let count = 1 + dim + dim * (dim + 1) / 2;
        let column = |b: usize| balls(&rows.iter().map(|row| row[b]).collect::<Vec<Interval>>());
        let (columns, errors): (Vec<Vec<f64>>, Vec<Interval>) =
            (0..count).map(column).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let error = Interval::largest(errors);
        let weights = piece.weights;
        let near = |v: &[f64], b: usize| dot(v, &columns[b]) + (error * absolute_sum(v)).give_or_take();
        let mean: Vec<Interval> = (0..count).map(|b| near(weights, b)).collect();
        let solved: Vec<Vec<f64>> = (0..=dim).map(|b| model.solve(&columns[b])).collect();
        let entry = |b: usize, c: usize| {
            if c > dim {
                return -near(&solved[b], c);
            }
            let unit = if b == c { Interval::ONE } else { Interval::ZERO };
            unit - (near(&solved[c], b) + near(&solved[b], c) - model.form(&solved[b], &solved[c]))
        };
        let residual = (0..=dim).map(|b| (0..count).map(|c| entry(b, c)).collect()).collect();
        let low: Interval = mean.iter().map(|m| m.square()).sum();
        // A bound of |kᵀK̂⁻¹ρ|. Features of order 0 and 1 give |Wᵀρ| plus the residual of W. The norm of the other features is
        // at most R²/√2, so they give at most that times the norm of ρ. The norm of all features is 1, so the norm of ρ is a
        // bound, too.
        let norm = piece.residual_energy.sqrt();
        let along = |b: usize| {
            let column: Vec<Interval> = rows.iter().map(|row| row[b]).collect();
            let (_, rest) = model.residual(&solved[b], &column);
            piece.residual * absolute_sum(&solved[b]) + norm * rest.sqrt()
        };
        let moved: Interval = (0..dim).map(|j| along(1 + j) * cube.half[j]).sum();
        let drift = along(0) + moved + norm * squares(&cube.half) * Interval::point(0.5).sqrt();
        let drift = model.sigma_f * drift.min(norm);
        Some(Self { mean, residual, beyond: (piece.norm_square - low).positive_part().sqrt(), drift })
    }

    /// σ_f exp(−|d|²/2) d^α/√α! for |α| ≤ 2.
    fn of_point(model: &Model<'_>, d: &[Interval]) -> Vec<Interval> {
        let squared: Interval = d.iter().map(|d| d.square()).sum();
        let e = model.sigma_f * (squared * -0.5).exp();
        let mut row = vec![e];
        row.extend(d.iter().map(|d| e * *d));
        for j in 0..d.len() {
            for k in j..d.len() {
                let scale = if j == k { Interval::point(0.5).sqrt() } else { Interval::ONE };
                row.push(e * d[j] * d[k] * scale);
            }
        }
        row
    }
}
