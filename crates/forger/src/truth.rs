//! What is true of a problem, found by means that share only the statement with the checker.
//!
//! A finer search encloses the minimum of an honest proof's problem. For a problem that a forger made up, any point of
//! the region gives an upper bound of the minimum, which is enough to expose a false lower bound. The function is
//! evaluated in ordinary arithmetic, with generous room for rounding.

use fathom_check::verify;
use fathom_global::{Limits, Problem, Stop, minimise_with_proof};
use fathom_gp::normal::{cdf, log_h};
use fathom_gp::{Argument, Kernel};
use fathom_proof::{
    FEASIBILITY, Proof, StatedAcquisition, StatedKernel, StatedNegative, StatedRow, StatedTerm, Statement,
};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// The number of points at which a made-up problem is evaluated.
const SAMPLES: usize = 60;

/// What is known of a problem's minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// The minimum lies between the two.
    Between(f64, f64),
    /// The region has no points.
    Empty,
    /// No point was found, but there may be one.
    Unknown,
}

/// The judgement of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// The claim is false.
    False,
    /// The claim is true, or too near to the truth to be told from it.
    NotFalse,
    /// Nothing is known.
    Unknown,
}

impl Truth {
    /// The truth by a finer search than the one behind `proof`.
    pub fn of(problem: &Problem<'_>, proof: &Proof) -> anyhow::Result<Self> {
        let limits = Limits { gap: 1e-7, nodes: 1000, ..Limits::default() };
        let (_, finer) = minimise_with_proof(problem, &limits, &Stop::new(false), |_| ())?;
        let mut known = Self::Unknown;
        for proof in finer.iter().chain([proof]) {
            let Ok(verdict) = verify(proof) else { continue };
            known = match (known, verdict.lower_bound, verdict.value) {
                (_, None, _) => Self::Empty,
                (Self::Between(lower, upper), Some(bound), Some((_, high))) => {
                    Self::Between(lower.max(bound), upper.min(high))
                }
                (Self::Unknown, Some(bound), Some((_, high))) => Self::Between(bound, high),
                (known, Some(_), _) => known,
            };
        }
        // A point may miss a row by the tolerance, so its value may lie a little below the minimum.
        if let (Self::Between(_, upper), false) = (&mut known, proof.statement.rows.is_empty()) {
            *upper += 1e-6 * (1.0 + upper.abs());
        }
        Ok(known)
    }

    /// The truth of a problem that a forger made up.
    fn of_statement(plain: &Plain<'_>, rng: &mut ChaCha8Rng) -> Self {
        let (mut best, mut at) = (f64::INFINITY, None);
        let statement = plain.statement;
        for sample in 0..SAMPLES {
            let share = |rng: &mut ChaCha8Rng| match sample % 4 {
                0 => f64::from(u8::from(rng.random::<bool>())),
                _ => rng.random::<f64>(),
            };
            let mut x: Vec<f64> = statement
                .bounds
                .iter()
                .map(|(low, high)| (low + share(rng) * (high - low)).clamp(*low, *high))
                .collect();
            if let (Some(old), true) = (&at, sample > SAMPLES / 2) {
                // A point near the best so far.
                let old: &Vec<f64> = old;
                for ((x, old), (low, high)) in x.iter_mut().zip(old).zip(&statement.bounds) {
                    *x = (old + 0.1 * (*x - old)).clamp(*low, *high);
                }
            }
            for j in &statement.integers {
                x[*j] = x[*j].round();
            }
            for (j, numbers) in &statement.values {
                let apart = |number: &f64| (number - x[*j]).abs();
                let near = numbers.iter().copied().min_by(|a, b| apart(a).total_cmp(&apart(b)));
                x[*j] = near.unwrap_or(x[*j]);
            }
            if !statement.rows.iter().all(|row| misses(row, &x) < -0.01) {
                continue;
            }
            let value = plain.at_most(&x);
            if value < best {
                (best, at) = (value, Some(x));
            }
        }
        if best.is_finite() { Self::Between(f64::NEG_INFINITY, best) } else { Self::Unknown }
    }
}

/// How far a point misses a row, in units of the tolerance; −1 or less if the point certainly satisfies the row.
fn misses(row: &StatedRow, x: &[f64]) -> f64 {
    let linear = row.linear.iter().map(|(j, c)| c * x[*j]);
    let terms: Vec<f64> = linear.chain(row.quadratic.iter().map(|(j, k, q)| q * x[*j] * x[*k])).collect();
    let largest = terms.iter().fold(0.0, |most: f64, term| most.max(term.abs()));
    let value: f64 = terms.iter().sum();
    let over = |side: f64, excess: f64| {
        let unit = FEASIBILITY * largest.max(side.abs());
        if unit > 0.0 {
            excess / unit
        } else if excess > 0.0 {
            f64::INFINITY
        } else {
            -1.0
        }
    };
    let above = row.upper.map_or(f64::NEG_INFINITY, |side| over(side, value - side));
    let below = row.lower.map_or(f64::NEG_INFINITY, |side| over(side, side - value));
    above.max(below)
}

/// Whether a proof's claim is false. `known` is what is true of the problem if it is still the honest one.
pub fn judge(proof: &Proof, known: Option<Truth>, rng: &mut ChaCha8Rng) -> Judgement {
    let (statement, claim) = (&proof.statement, &proof.claim);
    if statement.check().is_err() {
        return Judgement::Unknown;
    }
    let plain = Plain::new(statement);
    let truth = known.unwrap_or_else(|| plain.as_ref().map_or(Truth::Unknown, |plain| Truth::of_statement(plain, rng)));
    if let (Some(point), Some(value)) = (&claim.point, claim.value) {
        if is_outside(statement, point) {
            return Judgement::False;
        }
        if let Some((low, high)) = plain.as_ref().and_then(|plain| plain.range(point)) {
            let room = 1e-5 * (value.abs() + plain.as_ref().map_or(0.0, |plain| plain.prior(point).sqrt()));
            // Improvement criteria are held to a thousandth of their value.
            let room = if plain.as_ref().is_some_and(Plain::is_improvement) {
                room + 3e-3 * (1e-300 + value.abs())
            } else {
                room
            };
            let room =
                if matches!(statement.acquisition, StatedAcquisition::LogEi { .. }) { room + 3e-3 } else { room };
            if !(low - room <= value && value <= high + room) {
                return Judgement::False;
            }
        }
    }
    match (truth, claim.lower_bound) {
        (Truth::Between(_, upper), Some(bound)) if !(bound <= upper + 1e-12 * upper.abs()) => Judgement::False,
        (Truth::Between(..), None) => Judgement::False,
        (Truth::Between(..), Some(_)) | (Truth::Empty, _) => Judgement::NotFalse,
        (Truth::Unknown, _) => Judgement::Unknown,
    }
}

/// Whether a point lies outside the region by more than twice the tolerance.
fn is_outside(statement: &Statement, x: &[f64]) -> bool {
    x.len() != statement.dim()
        || !statement.bounds.iter().zip(x).all(|((low, high), x)| low <= x && x <= high)
        || statement.integers.iter().any(|j| x[*j] != x[*j].round())
        || statement.values.iter().any(|(j, numbers)| !numbers.contains(&x[*j]))
        || statement.rows.iter().any(|row| misses(row, x) > 2.0)
}

/// A statement's function in ordinary arithmetic, and how far rounding may move it.
struct Plain<'s> {
    statement: &'s Statement,
    /// A Cholesky factor of K̂, row by row.
    factor: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// How far the mean and the deviation may be off, at a prior variance of 1.
    mean_error: f64,
    deviation_error: f64,
}

impl<'s> Plain<'s> {
    /// The function; `None` if the matrix has no factor in ordinary arithmetic.
    fn new(statement: &'s Statement) -> Option<Self> {
        let (n, noise) = (statement.y.len(), statement.noise + statement.jitter);
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(n);
        for i in 0..n {
            let mut row = vec![0.0; i + 1];
            for j in 0..=i {
                let entry = covariance(statement, &statement.x[i], &statement.x[j]);
                let entry = if i == j { entry + noise } else { entry };
                let known: f64 = (0..j).map(|k| row[k] * if i == j { row[k] } else { factor[j][k] }).sum();
                row[j] = if i == j { (entry - known).sqrt() } else { (entry - known) / factor[j][j] };
                if !row[j].is_finite() {
                    return None;
                }
            }
            factor.push(row);
        }
        let largest = (0..n).map(|i| covariance(statement, &statement.x[i], &statement.x[i])).fold(0.0, f64::max);
        let (smallest, steepest) = factor
            .iter()
            .enumerate()
            .fold((f64::INFINITY, 0.0_f64), |(low, high), (i, row)| (low.min(row[i]), high.max(row[i])));
        let condition =
            (n as f64 * (steepest / smallest).powi(2)).max(n as f64 * largest / noise.max(smallest * smallest));
        let mut plain = Self { statement, factor, weights: Vec::new(), mean_error: 0.0, deviation_error: 0.0 };
        let residual: Vec<f64> = statement.y.iter().map(|y| y - statement.mean).collect();
        plain.weights = plain.backward(&plain.forward(&residual));
        let total: f64 = plain.weights.iter().map(|a| a.abs()).sum();
        let size = residual.iter().fold(statement.mean.abs(), |most, y| most.max(y.abs()));
        plain.mean_error = 1e-13 * total * largest.sqrt() * condition.sqrt() + 1e-13 * size;
        plain.deviation_error = (1e-14 * condition).sqrt();
        (plain.mean_error.is_finite() && plain.deviation_error.is_finite()).then_some(plain)
    }

    fn forward(&self, v: &[f64]) -> Vec<f64> {
        let mut x = v.to_vec();
        for i in 0..x.len() {
            let known: f64 = (0..i).map(|k| self.factor[i][k] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i][i];
        }
        x
    }

    fn backward(&self, v: &[f64]) -> Vec<f64> {
        let mut x = v.to_vec();
        for i in (0..x.len()).rev() {
            x[i] /= self.factor[i][i];
            for k in 0..i {
                x[k] -= self.factor[i][k] * x[i];
            }
        }
        x
    }

    fn prior(&self, x: &[f64]) -> f64 {
        covariance(self.statement, x, x)
    }

    fn is_improvement(&self) -> bool {
        use StatedAcquisition as A;
        matches!(self.statement.acquisition, A::Ei { .. } | A::LogEi { .. } | A::Pi { .. })
    }

    /// The range of the function at a point; `None` if the point does not count or nothing is known there.
    fn range(&self, x: &[f64]) -> Option<(f64, f64)> {
        let k: Vec<f64> = self.statement.x.iter().map(|row| covariance(self.statement, row, x)).collect();
        let solved = self.forward(&k);
        let prior = self.prior(x);
        let variance = prior - solved.iter().map(|v| v * v).sum::<f64>();
        let scale = prior.abs().sqrt();
        let error = self.deviation_error * scale;
        if self.statement.negative_variance == Some(StatedNegative::Excluded) && !(variance > 0.0) {
            return None;
        }
        let deviation = variance.max(0.0).sqrt();
        let mean = self.statement.mean + k.iter().zip(&self.weights).map(|(k, a)| k * a).sum::<f64>();
        let of_mean = self.mean_error * (1.0 + scale);
        let values: Vec<f64> = [-of_mean, of_mean]
            .into_iter()
            .flat_map(|m| [-error, 0.0, error].map(|s| (mean + m, (deviation + s).max(0.0))))
            .map(|(mean, deviation)| self.function(mean, deviation))
            .collect();
        let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        // W, which lowers GLCB, is not computed, so GLCB may lie anywhere below.
        let is_glcb = matches!(self.statement.acquisition, StatedAcquisition::Glcb { .. });
        let low = if is_glcb { f64::NEG_INFINITY } else { ends.0 };
        (!values.iter().any(|value| value.is_nan())).then_some((low, ends.1))
    }

    /// An upper bound of the function at a point; ∞ if nothing is known there.
    fn at_most(&self, x: &[f64]) -> f64 {
        self.range(x).map_or(f64::INFINITY, |(_, high)| high)
    }

    fn function(&self, mean: f64, deviation: f64) -> f64 {
        let z = |best: f64| (best - mean) / deviation;
        match self.statement.acquisition {
            StatedAcquisition::Lcb { kappa } | StatedAcquisition::Glcb { kappa, .. } => mean - kappa * deviation,
            StatedAcquisition::Mean => mean,
            StatedAcquisition::Deviation => -deviation,
            StatedAcquisition::Ei { best } if deviation > 0.0 => -(deviation * log_h(z(best)).value.exp()),
            StatedAcquisition::Ei { best } => -(best - mean).max(0.0),
            StatedAcquisition::LogEi { best } if deviation > 0.0 => -(deviation.ln() + log_h(z(best)).value),
            StatedAcquisition::LogEi { best } => -(best - mean).max(0.0).ln(),
            StatedAcquisition::Pi { best } if deviation > 0.0 => -cdf(z(best)),
            StatedAcquisition::Pi { best } => {
                if mean < best {
                    -1.0
                } else {
                    0.0
                }
            }
        }
    }
}

fn covariance(statement: &Statement, a: &[f64], b: &[f64]) -> f64 {
    statement.terms.iter().map(|term| of_term(statement, term, a, b)).sum()
}

fn of_term(statement: &Statement, term: &StatedTerm, a: &[f64], b: &[f64]) -> f64 {
    let scaled = |x: &[f64], j: usize| x[j] / statement.lengthscales[j];
    let s: f64 = term.inputs.iter().map(|j| (scaled(a, *j) - scaled(b, *j)).powi(2)).sum();
    let q: f64 = term.inputs.iter().map(|j| scaled(a, *j) * scaled(b, *j)).sum();
    let phi = match (&term.kernel, Kernel::from_stated(&term.kernel)) {
        (StatedKernel::PiecewiseLinear { knots }, _) => interpolated(knots, s.sqrt()),
        (StatedKernel::PiecewiseLinearProduct { knots }, _) => interpolated(knots, q),
        (_, Some(kernel)) if kernel.argument() == Argument::InnerProduct => kernel.value(q),
        (_, Some(kernel)) => kernel.value(s),
        (_, None) => f64::NAN,
    };
    term.variance * phi
}

/// The value between two knots, or on the line of the first or the last segment.
fn interpolated(knots: &[(f64, f64)], t: f64) -> f64 {
    let at = knots[1..knots.len() - 1].partition_point(|knot| knot.0 <= t);
    let ((t0, v0), (t1, v1)) = (knots[at], knots[at + 1]);
    v0 + (v1 - v0) / (t1 - t0) * (t - t0)
}
