//! The log marginal likelihood of a model and its gradient in the logarithms of the hyperparameters.
//!
//! ```text
//! log p = −½ ((y − m)ᵀa + log det K̂ + n log 2π),      a = K̂⁻¹(y − m)
//! ∂ log p / ∂θ = ½ Σ_ij W_ij ∂K̂_ij/∂θ,               W = a aᵀ − K̂⁻¹
//! ```
//!
//! A prior mean that is learned is m = 1ᵀK̂⁻¹y / 1ᵀK̂⁻¹1, the most likely one for the other hyperparameters. Since log p is
//! stationary in m there, the gradient in θ is the same with m held fixed.
//!
//! A fit evaluates the likelihood hundreds of times on the same inputs, so the numbers that do not depend on the
//! hyperparameters (squared differences or products of every pair, for each free lengthscale) are tabulated once. Pairs i ≥ j
//! are stored column after column, as in the lower triangle of K̂; every loop below runs along the pairs.

use crate::covariance::Covariance;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::factor::{cholesky_with_jitter, scratch};
use crate::kernel::Argument;
use crate::lanes::{axpy, dot, widest};
use crate::mean::Mean;
use crate::posterior::Model;
use crate::term::Term;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{Mat, Par};

/// The pair tables of a data set for one covariance structure.
#[derive(Debug)]
pub(crate) struct Likelihood<'d> {
    y: &'d [f64],
    /// A table for each term and free lengthscale l; the kernel argument is `u = Σ_l table_l / l²`.
    tables: Vec<Vec<Vec<f64>>>,
}

/// The memory for one evaluation at a time.
pub(crate) struct Workspace {
    arguments: Vec<f64>,
    terms: Vec<TermWork>,
    gram: Mat<f64>,
    factor: Mat<f64>,
    inverse: Mat<f64>,
    weights: Vec<f64>,
    sensitivity: Vec<f64>,
    memory: MemBuffer,
}

/// A log likelihood, and the jitter that was added to the diagonal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evaluation {
    pub value: f64,
    pub jitter: f64,
    /// The prior mean: the given one, or the most likely one.
    pub mean: f64,
}

#[derive(Debug, Clone)]
struct TermWork {
    phi: Vec<f64>,
    slopes: Vec<f64>,
}

impl<'d> Likelihood<'d> {
    pub fn new(structure: &Covariance, data: &'d Dataset) -> Self {
        Self { y: data.y(), tables: structure.terms().iter().map(|term| term_tables(term, data)).collect() }
    }

    pub fn workspace(&self) -> Workspace {
        let n = self.y.len();
        let pairs = vec![0.0; n * (n + 1) / 2];
        let term = TermWork { phi: pairs.clone(), slopes: pairs.clone() };
        Workspace {
            arguments: pairs.clone(),
            terms: vec![term; self.tables.len()],
            gram: Mat::zeros(n, n),
            factor: Mat::zeros(n, n),
            inverse: Mat::zeros(n, n),
            weights: vec![0.0; n],
            sensitivity: pairs,
            memory: scratch(n),
        }
    }

    /// log p(y) under `model`, whose covariance has the structure of the tables; the model's own mean counts if `mean` fixes
    /// it. Writes to `gradient` the derivative in each of [`Covariance::parameters`], then in log σ_ε².
    pub fn evaluate(
        &self,
        model: &Model,
        mean: Mean,
        work: &mut Workspace,
        gradient: &mut [f64],
    ) -> Result<Evaluation> {
        self.fill_gram(model, work);
        let n = self.y.len();
        let scale = (0..n).map(|i| work.gram[(i, i)].abs()).sum::<f64>() / n as f64;
        let jitter = cholesky_with_jitter(&work.gram, scale, work.factor.as_mut(), &mut work.memory)?;
        llt::inverse::inverse(work.inverse.as_mut(), work.factor.as_ref(), Par::Seq, MemStack::new(&mut work.memory));
        let mean = match mean {
            Mean::Fixed(_) => model.mean,
            Mean::Learned => self.likeliest_mean(&work.inverse),
        };
        let value = self.solve_weights(mean, work);
        self.fill_sensitivity(work);
        self.fill_gradient(model, work, gradient);
        Ok(Evaluation { value, jitter, mean })
    }

    fn fill_gram(&self, model: &Model, work: &mut Workspace) {
        let n = self.y.len();
        let Workspace { arguments, terms, gram, sensitivity: covariances, .. } = work;
        covariances.fill(0.0);
        for ((term, tables), store) in model.covariance.terms().iter().zip(&self.tables).zip(terms) {
            fill_arguments(term, tables, arguments);
            term.kernel().values_and_slopes(arguments, &mut store.phi, &mut store.slopes);
            widest(|| axpy(term.variance(), &store.phi, covariances));
        }
        for (j, pairs) in columns(covariances, n).enumerate() {
            let column = gram.col_mut(j).try_as_col_major_mut().expect("columns are contiguous").as_slice_mut();
            column[j..].copy_from_slice(pairs);
            column[j] += model.noise;
        }
    }

    /// 1ᵀK̂⁻¹y / 1ᵀK̂⁻¹1, from the lower triangle of K̂⁻¹.
    fn likeliest_mean(&self, inverse: &Mat<f64>) -> f64 {
        let (mut weighted, mut total) = (0.0, 0.0);
        for j in 0..self.y.len() {
            let below = &column(inverse, j)[j..];
            let (sum, product) = widest(|| (below.iter().sum::<f64>(), dot(below, &self.y[j..])));
            // An entry below the diagonal stands for its mirror image too.
            weighted += product + (sum - below[0]) * self.y[j];
            total += 2.0 * sum - below[0];
        }
        let mean = weighted / total;
        // Rounding can spoil the quotient if K̂ is nearly singular; the outputs' range is never left by more than it is wide.
        let (low, high) = self.y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        if mean.is_finite() { mean.clamp(low - (high - low), high + (high - low)) } else { 0.5 * (low + high) }
    }

    /// Fills in a = K̂⁻¹(y − m) and returns the log likelihood.
    fn solve_weights(&self, mean: f64, work: &mut Workspace) -> f64 {
        let n = self.y.len();
        let Workspace { factor, weights, .. } = work;
        for (weight, y) in weights.iter_mut().zip(self.y) {
            *weight = y - mean;
        }
        let mut half_log_determinant = 0.0;
        let mut fit = 0.0;
        // Forward substitution, then backward substitution, runs along the columns of L.
        widest(|| {
            for j in 0..n {
                let column = column(factor, j);
                half_log_determinant += column[j].ln();
                weights[j] /= column[j];
                let half = weights[j];
                fit += half * half;
                axpy(-half, &column[j + 1..], &mut weights[j + 1..]);
            }
            for j in (0..n).rev() {
                let column = column(factor, j);
                weights[j] = (weights[j] - dot(&column[j + 1..], &weights[j + 1..])) / column[j];
            }
        });
        -0.5 * (fit + n as f64 * (2.0 * std::f64::consts::PI).ln()) - half_log_determinant
    }

    /// Fills in W = a aᵀ − K̂⁻¹; pairs off the diagonal count twice.
    fn fill_sensitivity(&self, work: &mut Workspace) {
        let n = self.y.len();
        let Workspace { inverse, weights, sensitivity, .. } = work;
        widest(|| {
            for (j, pairs) in columns_mut(sensitivity, n).enumerate() {
                for ((w, inverse), a) in pairs.iter_mut().zip(&column(inverse, j)[j..]).zip(&weights[j..]) {
                    *w = 2.0 * (a * weights[j] - inverse);
                }
                pairs[0] *= 0.5;
            }
        });
    }

    fn fill_gradient(&self, model: &Model, work: &mut Workspace, gradient: &mut [f64]) {
        let n = self.y.len();
        let mut entries = gradient.iter_mut();
        let mut next = |value: f64| *entries.next().expect("one entry for each hyperparameter") = value;
        let Workspace { arguments, terms, sensitivity, .. } = work;
        for ((term, tables), store) in model.covariance.terms().iter().zip(&self.tables).zip(terms) {
            let variance = term.variance();
            next(0.5 * variance * widest(|| dot(sensitivity, &store.phi)));
            widest(|| {
                for (slope, w) in store.slopes.iter_mut().zip(sensitivity.iter()) {
                    *slope *= w;
                }
            });
            for (l, table) in term.free_lengthscales().iter().zip(tables) {
                next(-variance / (l * l) * widest(|| dot(&store.slopes, table)));
            }
            if let Some(shape) = term.free_shape() {
                fill_arguments(term, tables, arguments);
                let slopes = arguments.iter().map(|u| term.kernel().shape_slope(*u));
                let sum: f64 = slopes.zip(sensitivity.iter()).map(|(slope, w)| slope * w).sum();
                next(0.5 * variance * shape * sum);
            }
        }
        let trace: f64 = columns(sensitivity, n).map(|pairs| pairs[0]).sum();
        next(0.5 * model.noise * trace);
    }
}

/// Fills in the kernel argument of every pair, `u = Σ_l table_l / l²`.
fn fill_arguments(term: &Term, tables: &[Vec<f64>], arguments: &mut [f64]) {
    widest(|| {
        arguments.fill(0.0);
        for (l, table) in term.free_lengthscales().iter().zip(tables) {
            axpy(1.0 / (l * l), table, arguments);
        }
    });
}

/// The whole column `j` of a matrix.
#[inline(always)]
fn column(matrix: &Mat<f64>, j: usize) -> &[f64] {
    matrix.col(j).try_as_col_major().expect("columns are contiguous").as_slice()
}

/// The pairs of each column j: (j, j), (j + 1, j), …, (n − 1, j).
fn columns(pairs: &[f64], n: usize) -> impl Iterator<Item = &[f64]> {
    let mut rest = pairs;
    (0..n).map(move |j| {
        let (column, after) = rest.split_at(n - j);
        rest = after;
        column
    })
}

fn columns_mut(pairs: &mut [f64], n: usize) -> impl Iterator<Item = &mut [f64]> {
    let mut rest = pairs;
    (0..n).map(move |j| {
        let (column, after) = std::mem::take(&mut rest).split_at_mut(n - j);
        rest = after;
        column
    })
}

/// One table for each free lengthscale: the sum over the inputs that share it.
fn term_tables(term: &Term, data: &Dataset) -> Vec<Vec<f64>> {
    let n = data.len();
    let table = |inputs: &[usize]| {
        let mut pairs = vec![0.0; n * (n + 1) / 2];
        for input in inputs {
            let x = data.x().column(*input);
            for (j, column) in columns_mut(&mut pairs, n).enumerate() {
                for (entry, other) in column.iter_mut().zip(&x[j..]) {
                    *entry += match term.kernel().argument() {
                        Argument::SquaredDistance => (x[j] - other) * (x[j] - other),
                        Argument::InnerProduct => x[j] * other,
                    };
                }
            }
        }
        pairs
    };
    term.sharing().map(|places| table(&term.inputs()[places])).collect()
}
