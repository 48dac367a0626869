//! The function that a statement speaks of: what can be said of K̂ and its weights without an exact solve.

use super::face::Face;
use super::merit::Merit;
use super::rows::Rows;
use super::{Rejection, refuse};
use crate::interval::{Interval, Kernel, cholesky, dot, is_positive_definite};
use crate::proof::{StatedNegative, StatedTerm, Statement};

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
    pub faces: Vec<Face<'s>>,
    /// How much further apart the faces' prior means are than they need to be.
    excess: f64,
    /// The function of the one face's mean and the deviation; without one, the function is the least of its faces.
    pub merit: Option<Merit>,
    /// The root of what stationary kernels add to k(x, x).
    pub sigma_f: Interval,
    /// No eigenvalue of K̂ is smaller.
    least_eigenvalue: f64,
}

impl<'s> Function<'s> {
    pub fn new(statement: &'s Statement) -> Result<Self, Rejection> {
        let (n, dim) = (statement.y.len(), statement.bounds.len());
        let variances = statement.terms.iter().map(|term| &term.variance);
        let shapes_agree = n > 0
            && dim > 0
            && statement.x.len() == n
            && statement.x.iter().all(|row| row.len() == dim)
            && statement.faces.iter().all(|face| face.weights.len() == n)
            && statement.lengthscales.len() == dim
            && statement.point.as_ref().is_none_or(|point| point.len() == dim)
            && statement.point.is_some() == statement.value.is_some();
        if !shapes_agree {
            return refuse("the statement", "its parts disagree about their sizes".into());
        }
        let is_positive = |v: &f64| *v > 0.0 && v.is_finite();
        if !variances.chain([&statement.noise]).chain(&statement.lengthscales).all(is_positive) {
            return refuse("the statement", "a hyperparameter is out of its domain".into());
        }
        let faces = statement.faces.iter().flat_map(|face| face.weights.iter().chain([&face.mean, &face.kappa]));
        let rest = statement.x.iter().flatten().chain(&statement.y).chain(faces);
        if !rest.chain([&statement.mean]).all(|v| v.is_finite()) {
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
            faces: Vec::new(),
            excess: 0.0,
            merit: Merit::of(&statement.acquisition),
            least_eigenvalue: statement.noise,
        };
        function.fill_matrix();
        function.factor = cholesky(&function.matrix);
        function.check_spectrum()?;
        (function.faces, function.excess) = Face::all(&function)?;
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

    /// Whether a kernel is piecewise linear, and so K is no covariance.
    pub fn is_piecewise_linear(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.kernel, Kernel::Chords(_)))
    }

    /// σ_ε² is below all eigenvalues where K is a covariance. Elsewhere there must be a claim.
    fn check_spectrum(&mut self) -> Result<(), Rejection> {
        if !self.is_piecewise_linear() {
            return Ok(());
        }
        let error = self.matrix.len() as f64 * self.matrix_error;
        let is_least = |least: &f64| *least > 0.0 && is_positive_definite(&self.matrix, |_| least + error);
        match self.statement.least_eigenvalue.filter(is_least) {
            Some(least) => self.least_eigenvalue = least,
            None => return refuse("the statement", "its matrix is not known to be positive definite".into()),
        }
        Ok(())
    }

    /// An upper bound of kᵀK̂⁻¹k / k(x, x) at points with a negative variance: ‖k‖²/λ_min, no entry of k exceeding the
    /// stationary k(x, x).
    pub fn reach_anywhere(&self) -> Interval {
        let count = Interval::point(self.matrix.len() as f64);
        let bound = count * self.sigma_f.square() / Interval::point(self.least_eigenvalue);
        Interval { low: 1.0, high: bound.high.max(1.0) }
    }

    /// Bounds of ρ = target − K̂v: each |ρ_i|, and ρᵀK̂⁻¹ρ, from the least eigenvalue.
    pub fn residual(&self, v: &[f64], target: &[Interval]) -> (f64, Interval) {
        let spread = Interval::around(0.0, self.matrix_error * sizes(v));
        let missing = |(row, target): (&Vec<f64>, &Interval)| (*target - (dot(row, v) + spread)).size();
        let residual = self.matrix.iter().zip(target).map(missing).fold(0.0, f64::max);
        let count = Interval::point(target.len() as f64);
        (residual, count * Interval::point(residual).square() / Interval::point(self.least_eigenvalue))
    }

    /// vᵀK̂w.
    pub fn form(&self, v: &[f64], w: &[f64]) -> Interval {
        self.forms(&[v], w)[0]
    }

    /// vᵀK̂w for several v.
    pub fn forms(&self, vectors: &[&[f64]], w: &[f64]) -> Vec<Interval> {
        let products: Vec<Interval> = self.matrix.iter().map(|row| dot(row, w)).collect();
        let middle: Vec<f64> = products.iter().map(|p| p.middle()).collect();
        let spread = products.iter().map(|p| p.radius()).fold(0.0, f64::max) + self.matrix_error * sizes(w);
        vectors.iter().map(|v| dot(v, &middle) + Interval::around(0.0, spread * sizes(v))).collect()
    }

    /// About K̂⁻¹v; zero where ordinary arithmetic has no factor of K̂, as any guess is as good as another then.
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
        if x.iter().all(|value| value.is_finite()) { x } else { vec![0.0; n] }
    }

    /// The same, refined once.
    pub fn solve_closely(&self, v: &[f64]) -> Vec<f64> {
        let mut x = self.solve(v);
        let missing: Vec<f64> = self.matrix.iter().zip(v).map(|(row, v)| v - dot(row, &x).middle()).collect();
        for (x, correction) in x.iter_mut().zip(self.solve(&missing)) {
            *x += correction;
        }
        x
    }

    /// An upper bound of (g − a)ᵀK̂(g − a) for a face's exact weights a.
    pub fn energy(&self, face: &Face<'_>, g: &[f64]) -> Interval {
        let weights = face.weights;
        let t: Vec<f64> = g.iter().zip(weights).map(|(g, a)| g - a).collect();
        let total = sizes(&t) + 4.0 * f64::EPSILON * (sizes(g) + sizes(weights));
        // Rounding of t itself: each entry by half a unit of its own size.
        let largest = (0..g.len()).map(|i| self.matrix[i][i]).fold(0.0, f64::max);
        let rounding = 2.0 * f64::EPSILON * total * total * (largest + self.matrix_error);
        let slack = rounding + 2.0 * face.residual * total;
        let energy = self.form(&t, &t) + Interval::around(0.0, slack) + face.residual_energy;
        energy.positive_part() * face.reach
    }

    /// An upper bound of k(x, x) on a box of these scaled sides.
    pub fn largest_prior(&self, sides: &[Interval]) -> Interval {
        Interval::point(self.prior(sides).high)
    }

    /// An upper bound of every |k(x, x_i)| where k(x, x) is at most `prior`.
    pub fn largest_covariance(&self, prior: Interval) -> Interval {
        let own = (0..self.matrix.len()).map(|i| self.matrix[i][i]).fold(0.0, f64::max);
        (prior * (own + self.matrix_error)).sqrt()
    }

    /// σ_f², of stationary kernels.
    fn prior_variance(&self) -> Interval {
        self.sigma_f.square()
    }

    /// k(c, x_i) and σ at a scaled point c.
    fn central(&self, centre: &[f64]) -> (Vec<Interval>, Interval) {
        let z: Vec<Interval> = centre.iter().map(|c| Interval::point(*c)).collect();
        let k = self.covariances(&z);
        let deviation = (self.prior(&z) - self.explained(&k)).sqrt();
        (k, deviation)
    }

    /// The least k(x, c) for x as far from c as `half`, of stationary kernels.
    fn corner(&self, half: &[f64]) -> Interval {
        let least = |term: &Term| {
            let radius = term.inputs.iter().map(|input| Interval::point(half[*input]).square()).sum();
            term.kernel.value(radius) * term.variance
        };
        self.terms.iter().map(least).sum()
    }

    /// What a multiplier g = a − τη with η about K̂⁻¹k(c) says of the mean: at least m_g + the first less the second times σ.
    /// With r = k(c) − K̂η, kᵀη ≥ k(x, c) − σ(c)σ − |kᵀK̂⁻¹r|.
    pub fn tilt(&self, face: &Face<'_>, g: &[f64], tau: f64, [centre, half]: [&[f64]; 2]) -> (Interval, f64) {
        let eta: Vec<f64> = face.weights.iter().zip(g).map(|(a, g)| (a - g) / tau).collect();
        let (k, deviation) = self.central(centre);
        let (_, rest) = self.residual(&eta, &k);
        let tau = Interval::point(tau);
        let variance = self.prior_variance();
        // Each η_i is rounded by a unit of a_i and g_i, and no k_i is above σ_f².
        let rounding = variance * (4.0 * f64::EPSILON * (sizes(face.weights) + sizes(g)));
        let drift = self.sigma_f * (tau * rest.sqrt() + face.residual_energy.sqrt()) + rounding;
        (tau * self.corner(half) - drift, (tau * deviation).high)
    }

    /// What σ can be on a box around the scaled point `centre`, as far away as `half`. It is a distance in the kernel's
    /// space, so it differs from that at the centre by ‖k(x, ·) − k(c, ·)‖ at most.
    pub fn deviation_range(&self, centre: &[f64], half: &[f64], prior: Interval) -> (f64, f64) {
        let widest = prior.sqrt().high;
        let (_, deviation) = self.central(centre);
        let distance = self.terms.iter().map(|term| term.square_distance(centre, half)).sum::<Interval>().sqrt();
        ((deviation - distance).low.max(0.0), (deviation + distance).high.min(widest))
    }

    /// The function's value at a point of the region.
    pub fn value(&self, x: &[f64]) -> Interval {
        let z: Vec<Interval> = x
            .iter()
            .zip(&self.statement.lengthscales)
            .map(|(x, l)| Interval::point(*x) / Interval::point(*l))
            .collect();
        let (k, prior) = (self.covariances(&z), self.prior(&z));
        let middle: Vec<f64> = k.iter().map(|k| k.middle()).collect();
        let error = k.iter().map(|k| k.radius()).fold(0.0, f64::max);
        let explained = self.explained(&k);
        // |kᵀK̂⁻¹ρ| ≤ sqrt(kᵀK̂⁻¹k) sqrt(ρᵀK̂⁻¹ρ).
        let mean = |face: &Face<'_>| {
            let drift = (explained.sqrt() * face.residual_energy.sqrt()).high + error * sizes(face.weights);
            Interval::point(face.mean) + dot(&middle, face.weights) + Interval::around(0.0, drift)
        };
        let variance = prior - explained;
        if self.statement.negative_variance == Some(StatedNegative::Excluded) && !(variance.high >= 0.0) {
            return Interval::point(f64::NAN);
        }
        let deviation = variance.sqrt();
        if let Some(merit) = &self.merit {
            return merit.value(mean(&self.faces[0]), deviation);
        }
        let values: Vec<Interval> = self.faces.iter().map(|face| mean(face) - deviation * face.kappa).collect();
        let least = |end: fn(&Interval) -> f64| values.iter().map(end).fold(f64::INFINITY, f64::min);
        let (low, high) = (least(|value| value.low), least(|value| value.high));
        // Prior means further apart than needed lower the least by their excess times |1 − kᵀK̂⁻¹1|.
        let lowered = match (&values[..], &self.faces[..]) {
            ([first, second], [low, high]) if self.excess > 0.0 => {
                let balance = (*second - *first) / (Interval::point(high.mean) - Interval::point(low.mean));
                (balance.abs() * self.excess).high
            }
            _ => 0.0,
        };
        Interval { low, high: high + lowered }
    }

    /// kᵀK̂⁻¹k: 2ηᵀk − ηᵀK̂η ≤ it ≤ that + ‖k − K̂η‖²/λ_min for any η.
    fn explained(&self, k: &[Interval]) -> Interval {
        let middle: Vec<f64> = k.iter().map(|k| k.middle()).collect();
        let error = k.iter().map(|k| k.radius()).fold(0.0, f64::max);
        let eta = self.solve(&middle);
        let lower = dot(&eta, &middle) * 2.0 - self.form(&eta, &eta) + Interval::around(0.0, 2.0 * error * sizes(&eta));
        let spread = Interval::around(0.0, self.matrix_error * sizes(&eta));
        let missing = |(row, k): (&Vec<f64>, &Interval)| (*k - (dot(row, &eta) + spread)).square();
        let gap: Interval = self.matrix.iter().zip(k).map(missing).sum();
        let upper = lower + gap / Interval::point(self.least_eigenvalue);
        Interval { low: lower.low, high: upper.high }
    }
}

impl Term {
    fn new(stated: &StatedTerm) -> Result<Self, Rejection> {
        match Kernel::named(&stated.kernel, stated.shape, stated.degree, &stated.knots) {
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

    /// ‖k(x, ·) − k(c, ·)‖², at most, for x as far from c as `half`. Of a power it is |z − c|² times the square of the
    /// largest slope of x ↦ k(x, ·), at most m² (offset + |z|²)^(m−1).
    fn square_distance(&self, centre: &[f64], half: &[f64]) -> Interval {
        let radius: Interval = self.inputs.iter().map(|input| Interval::point(half[*input]).square()).sum();
        let Kernel::Power { degree, offset } = self.kernel else {
            return (Interval::point(1.0) - self.kernel.value(radius)) * (2.0 * self.variance);
        };
        let far = |input: &usize| (Interval::point(centre[*input].abs()) + Interval::point(half[*input])).square();
        let most: Interval = self.inputs.iter().map(far).sum();
        let slope = (most + Interval::point(offset)).power(degree - 1) * f64::from(degree * degree);
        slope * radius * self.variance
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
