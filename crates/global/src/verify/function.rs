//! The function that a statement speaks of: what can be said of K̂ and its weights without an exact solve.

use super::rows::Rows;
use super::{Rejection, refuse};
use crate::interval::{Interval, Kernel, dot};
use crate::proof::{StatedTerm, Statement};

/// One kernel of the covariance over its inputs.
#[derive(Debug)]
pub(super) struct Term {
    pub kernel: Kernel,
    pub inputs: Vec<usize>,
    pub variance: f64,
}

/// The statement's function, with K̂ and the weights bounded.
#[derive(Debug)]
pub(super) struct Function<'s> {
    pub statement: &'s Statement,
    pub terms: Vec<Term>,
    pub rows: Rows<'s>,
    /// z_ij = x_ij / l_j.
    pub scaled: Vec<Vec<Interval>>,
    /// K̂ row by row, each entry within `matrix_error` of the true one.
    matrix: Vec<Vec<f64>>,
    matrix_error: f64,
    /// A Cholesky factor of about K̂, for guesses only.
    factor: Vec<Vec<f64>>,
    /// Bounds of the residual ρ of the weights: each |ρ_i|, and ρᵀK̂⁻¹ρ.
    residual: f64,
    pub residual_energy: Interval,
    /// An upper bound of ãᵀKã.
    pub norm_square: Interval,
    /// The root of what stationary kernels add to k(x, x).
    pub sigma_f: Interval,
}

impl<'s> Function<'s> {
    pub fn new(statement: &'s Statement) -> Result<Self, Rejection> {
        let (n, dim) = (statement.y.len(), statement.bounds.len());
        let variances = statement.terms.iter().map(|term| &term.variance);
        let shapes_agree = n > 0
            && dim > 0
            && statement.x.len() == n
            && statement.x.iter().all(|row| row.len() == dim)
            && statement.weights.len() == n
            && statement.lengthscales.len() == dim
            && statement.point.as_ref().is_none_or(|point| point.len() == dim)
            && statement.point.is_some() == statement.value.is_some();
        if !shapes_agree {
            return refuse("the statement", "its parts disagree about their sizes".into());
        }
        let is_positive = |v: &f64| *v > 0.0 && v.is_finite();
        if !variances.chain([&statement.noise]).chain(&statement.lengthscales).all(is_positive)
            || !(statement.kappa >= 0.0)
        {
            return refuse("the statement", "a hyperparameter is out of its domain".into());
        }
        let rest = statement.x.iter().flatten().chain(&statement.y).chain(&statement.weights);
        if !rest.chain([&statement.mean, &statement.kappa]).all(|v| v.is_finite()) {
            return refuse("the statement", "a number is not finite".into());
        }
        let terms = statement.terms.iter().map(Term::new).collect::<Result<Vec<_>, _>>()?;
        let mut grouped: Vec<usize> = terms.iter().flat_map(|term| term.inputs.iter().copied()).collect();
        grouped.sort_unstable();
        if grouped != (0..dim).collect::<Vec<_>>() || terms.iter().any(|term| term.inputs.is_empty()) {
            return refuse("the statement", "its groups do not share out the inputs".into());
        }
        let stationary = terms.iter().filter(|term| term.is_stationary()).map(|term| Interval::point(term.variance));
        let divide = |row: &Vec<f64>| {
            row.iter().zip(&statement.lengthscales).map(|(x, l)| Interval::point(*x) / Interval::point(*l)).collect()
        };
        let mut function = Self {
            statement,
            sigma_f: stationary.sum::<Interval>().sqrt(),
            terms,
            rows: Rows::new(statement)?,
            scaled: statement.x.iter().map(divide).collect(),
            matrix: Vec::new(),
            matrix_error: 0.0,
            factor: Vec::new(),
            residual: 0.0,
            residual_energy: Interval::ZERO,
            norm_square: Interval::ZERO,
        };
        function.fill_matrix();
        function.factor = cholesky(&function.matrix);
        function.check_weights()?;
        Ok(function)
    }

    /// Whether k(x, x) is the same everywhere.
    pub fn is_stationary(&self) -> bool {
        self.terms.iter().all(Term::is_stationary)
    }

    /// Whether the covariance is one RBF kernel.
    pub fn is_rbf(&self) -> bool {
        matches!(&self.terms[..], [term] if term.kernel == Kernel::Rbf)
    }

    /// k(z, x_i) for a point z.
    pub fn covariances(&self, z: &[Interval]) -> Vec<Interval> {
        let covariance = |row: &Vec<Interval>| self.terms.iter().map(|term| term.covariance(row, z)).sum();
        self.scaled.iter().map(covariance).collect()
    }

    /// k(z, z).
    fn prior(&self, z: &[Interval]) -> Interval {
        self.terms.iter().map(|term| term.prior(z)).sum()
    }

    fn fill_matrix(&mut self) {
        let noise = Interval::point(self.statement.noise);
        for i in 0..self.scaled.len() {
            let mut row = self.covariances(&self.scaled[i]);
            row[i] = self.prior(&self.scaled[i]) + noise;
            self.matrix_error = row.iter().map(|k| k.radius()).fold(self.matrix_error, f64::max);
            self.matrix.push(row.iter().map(|k| k.middle()).collect());
        }
    }

    /// ρ = y − m − K̂ã; then yᵀK̂⁻¹y-like terms follow from λ_min(K̂) ≥ σ_ε².
    fn check_weights(&mut self) -> Result<(), Rejection> {
        let Statement { weights, y, mean, noise, uses_mean, .. } = self.statement;
        if !uses_mean {
            return match weights.iter().all(|a| *a == 0.0) {
                true => Ok(()),
                false => refuse("the statement", "it has weights but does not use the mean".into()),
            };
        }
        let total = sizes(weights);
        let mut fitted = Interval::ZERO;
        for i in 0..y.len() {
            let centred = Interval::point(y[i]) - Interval::point(*mean);
            let product = dot(&self.matrix[i], weights) + Interval::around(0.0, self.matrix_error * total);
            self.residual = self.residual.max((centred - product).size());
            fitted = fitted + centred * weights[i];
        }
        let count = Interval::point(y.len() as f64);
        self.residual_energy = count * Interval::point(self.residual).square() / Interval::point(*noise);
        self.norm_square = fitted + Interval::around(0.0, self.residual * total);
        Ok(())
    }

    /// vᵀK̂w.
    pub fn form(&self, v: &[f64], w: &[f64]) -> Interval {
        let products: Vec<Interval> = self.matrix.iter().map(|row| dot(row, w)).collect();
        let middle: Vec<f64> = products.iter().map(|p| p.middle()).collect();
        let spread = products.iter().map(|p| p.radius()).fold(0.0, f64::max) * sizes(v);
        dot(v, &middle) + Interval::around(0.0, spread + self.matrix_error * sizes(v) * sizes(w))
    }

    /// About K̂⁻¹v.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        let n = v.len();
        let mut x = v.to_vec();
        for i in 0..n {
            let known: f64 = (0..i).map(|k| self.factor[i][k] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i][i];
        }
        for i in (0..n).rev() {
            x[i] /= self.factor[i][i];
            let (rest, done) = x.split_at_mut(i);
            for (k, value) in rest.iter_mut().enumerate() {
                *value -= self.factor[i][k] * done[0];
            }
        }
        x
    }

    /// An upper bound of (g − a)ᵀK̂(g − a) for the exact weights a.
    pub fn energy(&self, g: &[f64]) -> Interval {
        let weights = &self.statement.weights;
        let t: Vec<f64> = g.iter().zip(weights).map(|(g, a)| g - a).collect();
        let total = sizes(&t) + 4.0 * f64::EPSILON * (sizes(g) + sizes(weights));
        // Rounding of t itself: each entry by half a unit of its own size.
        let largest = (0..g.len()).map(|i| self.matrix[i][i]).fold(0.0, f64::max);
        let rounding = 2.0 * f64::EPSILON * total * total * (largest + self.matrix_error);
        let slack = rounding + 2.0 * self.residual * total;
        (self.form(&t, &t) + Interval::around(0.0, slack) + self.residual_energy).positive_part()
    }

    /// ρ = sqrt(κ² + energy).
    pub fn rho(&self, energy: Interval) -> Interval {
        (Interval::point(self.statement.kappa).square() + energy).sqrt()
    }

    /// The function's value at a point of the region.
    pub fn value(&self, x: &[f64]) -> Interval {
        let Statement { weights, kappa, mean, noise, uses_mean, lengthscales, .. } = self.statement;
        let z: Vec<Interval> =
            x.iter().zip(lengthscales).map(|(x, l)| Interval::point(*x) / Interval::point(*l)).collect();
        let (k, prior) = (self.covariances(&z), self.prior(&z));
        let middle: Vec<f64> = k.iter().map(|k| k.middle()).collect();
        let error = k.iter().map(|k| k.radius()).fold(0.0, f64::max);
        // |kᵀK̂⁻¹ρ| ≤ sqrt(k(x, x)) sqrt(ρᵀK̂⁻¹ρ).
        let drift = (prior.sqrt() * self.residual_energy.sqrt()).high + error * sizes(weights);
        let mean_part = if *uses_mean {
            Interval::point(*mean) + dot(&middle, weights) + Interval::around(0.0, drift)
        } else {
            Interval::ZERO
        };
        // 2ηᵀk − ηᵀK̂η ≤ kᵀK̂⁻¹k ≤ that + ‖k − K̂η‖²/σ_ε².
        let eta = self.solve(&middle);
        let lower = dot(&eta, &middle) * 2.0 - self.form(&eta, &eta) + Interval::around(0.0, 2.0 * error * sizes(&eta));
        let gap: Interval = (0..k.len())
            .map(|i| {
                let product = dot(&self.matrix[i], &eta) + Interval::around(0.0, self.matrix_error * sizes(&eta));
                (k[i] - product).square()
            })
            .sum();
        let upper = lower + gap / Interval::point(*noise);
        let explained = Interval { low: lower.low, high: upper.high };
        mean_part - (prior - explained).sqrt() * *kappa
    }
}

impl Term {
    fn new(stated: &StatedTerm) -> Result<Self, Rejection> {
        match Kernel::named(&stated.kernel, stated.shape, stated.degree) {
            Some(kernel) => Ok(Self { kernel, inputs: stated.inputs.clone(), variance: stated.variance }),
            None => refuse("the statement", "a kernel is unknown or out of its domain".into()),
        }
    }

    /// Whether it is a function of a distance.
    pub fn is_stationary(&self) -> bool {
        !matches!(self.kernel, Kernel::Power { .. })
    }

    fn covariance(&self, a: &[Interval], b: &[Interval]) -> Interval {
        let pairs = self.inputs.iter().map(|input| (a[*input], b[*input]));
        let argument = match self.is_stationary() {
            true => pairs.map(|(a, b)| (a - b).square()).sum(),
            false => pairs.map(|(a, b)| a * b).sum(),
        };
        self.kernel.value(argument) * self.variance
    }

    fn prior(&self, z: &[Interval]) -> Interval {
        match self.is_stationary() {
            true => Interval::point(self.variance),
            false => {
                let square = self.inputs.iter().map(|input| z[*input].square()).sum();
                self.kernel.value(square) * self.variance
            }
        }
    }
}

/// Σ|v_i|, rounded up.
pub(super) fn sizes(v: &[f64]) -> f64 {
    v.iter().map(|v| v.abs()).sum::<f64>() * (1.0 + (v.len() as f64 + 2.0) * f64::EPSILON)
}

fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, row) in matrix.iter().enumerate() {
        let mut next = vec![0.0; i + 1];
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| next[k] * if i == j { next[k] } else { factor[j][k] }).sum();
            next[j] = if i == j { (row[i] - known).sqrt() } else { (row[j] - known) / factor[j][j] };
        }
        factor.push(next);
    }
    factor
}
