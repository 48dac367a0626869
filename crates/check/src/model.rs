//! The model that a statement speaks of: what can be said of K̂ and of values at points without an exact solve (docs/method.md,
//! Lemmas 2.1 to 2.3, 6.3 and 6.4).

mod piece;

pub(crate) use piece::Piece;

use crate::criterion::Criterion;
use crate::interval::{Interval, absolute_sum, cholesky, dot, is_positive_definite, solve};
use crate::kernel::Kernel;
use crate::rows::Rows;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{Proof, StatedNegative, StatedTerm, Statement};

/// One kernel of the covariance, over some of the inputs.
#[derive(Debug)]
pub(crate) struct Term {
    pub kernel: Kernel,
    pub inputs: Vec<usize>,
    pub variance: Interval,
}

/// The statement's function, with bounds of K̂ and of the weights.
#[derive(Debug)]
pub(crate) struct Model<'s> {
    pub statement: &'s Statement,
    pub terms: Vec<Term>,
    pub rows: Rows<'s>,
    /// z_ij = x_ij / l_j.
    pub scaled: Vec<Vec<Interval>>,
    /// K̂ row by row, each entry within `matrix_error` of the true one.
    matrix: Vec<Vec<f64>>,
    matrix_error: Interval,
    /// An upper bound of the entries of K̂.
    largest_entry: Interval,
    /// An approximate Cholesky factor of K̂, for guesses only.
    factor: Vec<Vec<f64>>,
    pub pieces: Vec<Piece<'s>>,
    /// How much further apart the pieces' prior means are than they must be.
    excess: Interval,
    /// The improvement criterion, a function of the one piece's mean and of the deviation; without a criterion, the function is
    /// the least of its pieces.
    pub criterion: Option<Criterion>,
    /// The square root of the stationary kernels' part of k(x, x).
    pub sigma_f: Interval,
    /// A lower bound of the eigenvalues of K̂.
    least_eigenvalue: Interval,
}

/// The function at a point, and what the function is computed from.
pub(crate) struct Value {
    pub value: Interval,
    /// μ − κσ of each piece.
    pub pieces: Vec<Interval>,
    /// The posterior mean under the first piece's prior mean.
    pub mean: Interval,
    pub variance: Interval,
    /// sqrt(k(x, x)).
    pub prior: Interval,
}

impl<'s> Model<'s> {
    /// The model of a proof whose statement has been checked.
    pub fn new(proof: &'s Proof) -> Result<Self, Rejection> {
        let statement = &proof.statement;
        let terms: Vec<Term> = statement.terms.iter().map(Term::from).collect();
        let stationary = terms.iter().filter(|term| term.kernel.is_stationary()).map(|term| term.variance);
        let noise = Interval::point(statement.noise) + Interval::point(statement.jitter);
        let mut model = Self {
            statement,
            sigma_f: stationary.sum::<Interval>().sqrt(),
            terms,
            rows: Rows::new(statement),
            scaled: statement.x.iter().map(|row| scaled(statement, row)).collect(),
            matrix: Vec::new(),
            matrix_error: Interval::ZERO,
            largest_entry: Interval::ZERO,
            factor: Vec::new(),
            pieces: Vec::new(),
            excess: Interval::ZERO,
            criterion: Criterion::of(statement.acquisition),
            least_eigenvalue: noise.lower(),
        };
        model.check_distances()?;
        model.fill_matrix(noise)?;
        model.factor = cholesky(&model.matrix);
        model.check_spectrum(proof.least_eigenvalue)?;
        (model.pieces, model.excess) = Piece::all(&model, &proof.pieces)?;
        Ok(model)
    }

    /// Whether k(x, x) is the same everywhere.
    pub fn is_stationary(&self) -> bool {
        self.terms.iter().all(|term| term.kernel.is_stationary())
    }

    /// Whether the covariance is one RBF kernel.
    pub fn is_rbf(&self) -> bool {
        matches!(&self.terms[..], [term] if term.kernel == Kernel::Rbf)
    }

    /// The number of inputs.
    pub fn dim(&self) -> usize {
        self.statement.dim()
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

    /// Side j of the region, scaled.
    fn side(&self, j: usize) -> Interval {
        let (lower, upper) = self.statement.bounds[j];
        scaled_end(self.statement, j, lower).hull(scaled_end(self.statement, j, upper))
    }

    /// A piecewise-linear kernel of a distance continues beyond its last knot: the kernel must stay above −1 at all distances
    /// that occur.
    fn check_distances(&self) -> Result<(), Rejection> {
        if !self.statement.is_piecewise_linear() {
            return Ok(());
        }
        let span = |j: usize| {
            let side = self.side(j);
            let data = self.scaled.iter().map(|row| row[j]);
            let all = data.clone().fold(side, Interval::hull);
            data.fold(Interval::ZERO, |widest, z| widest.max((all - z).abs().upper()))
        };
        for term in self.terms.iter().filter(|term| matches!(term.kernel, Kernel::Chords(_))) {
            let furthest: Interval = term.inputs.iter().map(|input| span(*input).square()).sum();
            let least = term.kernel.value(furthest.upper());
            if !(least.low() >= -1.0) {
                return refuse("the statement", "a piecewise-linear kernel falls below −1 within the region");
            }
        }
        Ok(())
    }

    fn fill_matrix(&mut self, noise: Interval) -> Result<(), Rejection> {
        for i in 0..self.scaled.len() {
            let mut row = self.covariances(&self.scaled[i]);
            row[i] = self.prior(&self.scaled[i]) + noise;
            // The largest entry of a covariance matrix is on the diagonal.
            self.largest_entry = self.largest_entry.max(row[i].upper());
            let Some((middles, error)) = balls(&row) else {
                return refuse("the statement", "an entry of its covariance matrix is too large to be known");
            };
            self.matrix_error = self.matrix_error.max(error);
            self.matrix.push(middles);
        }
        Ok(())
    }

    /// σ_ε² is a lower bound of the eigenvalues if K is a covariance matrix. Otherwise the proof must claim a bound.
    fn check_spectrum(&mut self, claimed: Option<f64>) -> Result<(), Rejection> {
        if !self.statement.is_piecewise_linear() {
            return Ok(());
        }
        let error = self.matrix_error * self.matrix.len() as f64;
        let is_least = |least: &f64| {
            *least > 0.0 && is_positive_definite(&self.matrix, |_| (Interval::point(*least) + error).high())
        };
        match claimed.filter(is_least) {
            Some(least) => self.least_eigenvalue = Interval::point(least),
            None => return refuse("the statement", "its matrix is not known to be positive definite"),
        }
        Ok(())
    }

    /// An upper bound kmax of every |k(x, x_i)| with x in the region, under a piecewise-linear kernel: φ of a distance is at most 1
    /// in size.
    pub fn largest_cross(&self) -> Interval {
        let sides: Vec<Interval> = (0..self.dim()).map(|j| self.side(j)).collect();
        let largest = |term: &Term| match &term.kernel {
            Kernel::Chords(_) => term.variance,
            Kernel::Polyline(polyline) => {
                let product =
                    |z: &Vec<Interval>| term.inputs.iter().map(|input| sides[*input] * z[*input]).sum::<Interval>();
                let products = self.scaled.iter().map(product).reduce(Interval::hull).unwrap_or(Interval::ALL);
                polyline.value(products).abs().upper() * term.variance
            }
            Kernel::Matern12
            | Kernel::Matern32
            | Kernel::Matern52
            | Kernel::Matern72
            | Kernel::Rbf
            | Kernel::Rq(_)
            | Kernel::Power { .. } => Interval::ALL,
        };
        self.terms.iter().map(largest).sum::<Interval>().upper()
    }

    /// An upper bound of kᵀK̂⁻¹k / kmax that holds at points with a negative variance, too: kᵀK̂⁻¹k ≤ ‖k‖²/λ_min, and no entry of k
    /// exceeds kmax.
    pub fn largest_explained_share(&self, cross: Interval) -> Interval {
        let bound = cross * self.matrix.len() as f64 / self.least_eigenvalue;
        bound.max(Interval::ONE).upper()
    }

    /// Upper bounds of every |ρ_i| and of ρᵀK̂⁻¹ρ for ρ = target − K̂v; the second uses the least eigenvalue.
    pub fn residual(&self, v: &[f64], target: &[Interval]) -> (Interval, Interval) {
        let spread = (self.matrix_error * absolute_sum(v)).give_or_take();
        let missing = |(row, target): (&Vec<f64>, &Interval)| *target - (dot(row, v) + spread);
        let residual = Interval::largest(self.matrix.iter().zip(target).map(missing));
        (residual, residual.square() * target.len() as f64 / self.least_eigenvalue)
    }

    /// vᵀK̂w.
    pub fn form(&self, v: &[f64], w: &[f64]) -> Interval {
        self.forms(&[v], w)[0]
    }

    /// vᵀK̂w for several v.
    pub fn forms(&self, vectors: &[&[f64]], w: &[f64]) -> Vec<Interval> {
        let products: Vec<Interval> = self.matrix.iter().map(|row| dot(row, w)).collect();
        let Some((middles, spread)) = balls(&products) else { return vec![Interval::ALL; vectors.len()] };
        let error = self.matrix_error * absolute_sum(w);
        let off = |v: &[f64]| (spread * absolute_sum(v)).give_or_take() + (error * absolute_sum(v)).give_or_take();
        vectors.iter().map(|v| dot(v, &middles) + off(v)).collect()
    }

    /// A guess of K̂⁻¹v.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        solve(&self.factor, v)
    }

    /// A guess of K̂⁻¹v, refined once.
    pub fn solve_closely(&self, v: &[f64]) -> Vec<f64> {
        let mut x = self.solve(v);
        let missing: Vec<f64> = self.matrix.iter().zip(v).map(|(row, v)| v - dot(row, &x).guess()).collect();
        for (x, correction) in x.iter_mut().zip(self.solve(&missing)) {
            *x += correction;
        }
        x
    }

    /// An upper bound of (g − a)ᵀK̂(g − a) for a piece's exact weights a.
    pub fn energy(&self, piece: &Piece<'_>, g: &[f64]) -> Interval {
        // t is g − ã, each entry rounded by at most half a unit of its own size.
        let t: Vec<f64> = g.iter().zip(piece.weights).map(|(g, a)| g - a).collect();
        let slack = energy_slack(absolute_sum(&t), self.largest_entry, piece.residual);
        let energy = self.form(&t, &t) + slack.give_or_take() + piece.residual_energy;
        energy.positive_part() * piece.explained_share
    }

    /// An upper bound of k(x, x) on a box with these scaled sides.
    pub fn largest_prior(&self, sides: &[Interval]) -> Interval {
        self.prior(sides).upper()
    }

    /// An upper bound of every |k(x, x_i)| if k(x, x) is at most `prior`.
    pub fn largest_covariance(&self, prior: Interval) -> Interval {
        (prior * self.largest_entry).sqrt()
    }

    /// A bound of the error of kᵀg if each entry of g was rounded by half a unit of its size, and k(x, x) is at most `prior`.
    pub fn rounding(&self, prior: Interval, g: &[f64]) -> Interval {
        self.largest_covariance(prior) * absolute_sum(g) * f64::EPSILON
    }

    /// k(c, x_i) and σ at a scaled point c.
    fn at_centre(&self, centre: &[f64]) -> (Vec<Interval>, Interval) {
        let z: Vec<Interval> = centre.iter().map(|c| Interval::point(*c)).collect();
        let k = self.covariances(&z);
        let deviation = (self.prior(&z) - self.explained(&k)).sqrt();
        (k, deviation)
    }

    /// The least k(x, c) for x within `half` of c, for stationary kernels.
    fn corner_covariance(&self, half: &[f64]) -> Interval {
        let least = |term: &Term| {
            let radius = term.inputs.iter().map(|input| Interval::point(half[*input]).square()).sum();
            term.kernel.value(radius) * term.variance
        };
        self.terms.iter().map(least).sum()
    }

    /// The gain G and the slope S of a multiplier g = a − τη with η ≈ K̂⁻¹k(c): the mean is at least m_g + G − Sσ. With
    /// r = k(c) − K̂η, kᵀη ≥ k(x, c) − σ(c)σ − |kᵀK̂⁻¹r|. The kernels must be stationary.
    pub fn tilt(&self, piece: &Piece<'_>, g: &[f64], tau: f64, [centre, half]: [&[f64]; 2]) -> (Interval, Interval) {
        let eta: Vec<f64> = piece.weights.iter().zip(g).map(|(a, g)| (a - g) / tau).collect();
        let tau = Interval::point(tau);
        let (k, deviation) = self.at_centre(centre);
        let (_, rest) = self.residual(&eta, &k);
        // `apart` bounds the rounding error between a − g and τη; no k_i is above σ_f².
        let apart =
            |((a, g), eta): ((&f64, &f64), &f64)| (Interval::point(*a) - Interval::point(*g) - tau * *eta).abs();
        let apart: Interval = piece.weights.iter().zip(g).zip(&eta).map(apart).sum();
        let drift = tilt_drift(self.sigma_f, tau, [rest, piece.residual_energy], apart);
        (tau * self.corner_covariance(half) - drift, (tau * deviation).upper())
    }

    /// The range of σ within `half` of the scaled point `centre`. σ is a distance in the kernel's space, so σ(x) differs from
    /// σ(c) by at most ‖k(x, ·) − k(c, ·)‖.
    pub fn deviation_range(&self, centre: &[f64], half: &[f64], prior: Interval) -> Interval {
        let widest = prior.sqrt().upper();
        let (_, deviation) = self.at_centre(centre);
        let distance = self.terms.iter().map(|term| term.square_distance(centre, half)).sum::<Interval>().sqrt();
        let near = (deviation + distance.give_or_take()).positive_part().min(widest);
        if near.is_known() { near } else { widest.hull(Interval::ZERO) }
    }

    /// The function at a point of the region.
    pub fn value(&self, x: &[f64]) -> Value {
        let z = scaled(self.statement, x);
        let (k, prior) = (self.covariances(&z), self.prior(&z));
        let (means, variance): (Vec<Interval>, Interval) = match self.explanation(&k) {
            Some(explained) => {
                let means = self.pieces.iter().map(|piece| self.mean(piece, &k, &explained)).collect();
                (means, prior - explained.value)
            }
            None => (vec![Interval::ALL; self.pieces.len()], Interval::ALL),
        };
        let deviation = variance.sqrt();
        let bound = |(piece, mean): (&Piece<'_>, &Interval)| *mean - deviation * piece.kappa;
        let pieces: Vec<Interval> = self.pieces.iter().zip(&means).map(bound).collect();
        let value = if self.statement.negative_variance == Some(StatedNegative::Excluded) && !(variance.high() >= 0.0) {
            // The point does not count.
            Interval::ALL
        } else if let Some(criterion) = &self.criterion {
            criterion.value(means[0], deviation)
        } else {
            self.least(&pieces)
        };
        Value { value, pieces, mean: means[0], variance, prior: prior.sqrt() }
    }

    /// A piece's mean at a point with covariances k. With ρ the weights' residual and r = k − K̂η,
    /// kᵀK̂⁻¹ρ = ηᵀρ + rᵀK̂⁻¹ρ, and rᵀK̂⁻¹ρ is at most sqrt(rᵀK̂⁻¹r) sqrt(ρᵀK̂⁻¹ρ).
    fn mean(&self, piece: &Piece<'_>, k: &[Interval], explained: &Explanation) -> Interval {
        let Some((middles, error)) = balls(k) else { return Interval::ALL };
        let off = [
            absolute_sum(&explained.eta) * piece.residual,
            explained.residual_energy.sqrt() * piece.residual_energy.sqrt(),
            error * absolute_sum(piece.weights),
        ];
        Interval::point(piece.mean) + dot(&middles, piece.weights) + off.map(Interval::give_or_take).into_iter().sum()
    }

    /// The least of the pieces' values.
    fn least(&self, values: &[Interval]) -> Interval {
        let least = values[1..].iter().fold(values[0], |least, value| least.min(*value));
        // Prior means that are further apart than they must be lower the least value by their excess times |1 − kᵀK̂⁻¹1|.
        match &self.pieces[..] {
            [low, high, ..] if self.excess != Interval::ZERO => {
                let balance = (values[1] - values[0]) / (Interval::point(high.mean) - Interval::point(low.mean));
                least.hull(least + balance.abs() * self.excess)
            }
            _ => least,
        }
    }

    /// kᵀK̂⁻¹k.
    fn explained(&self, k: &[Interval]) -> Interval {
        self.explanation(k).map_or(Interval::ALL, |explanation| explanation.value)
    }

    /// 2ηᵀk − ηᵀK̂η ≤ kᵀK̂⁻¹k ≤ that + ‖k − K̂η‖²/λ_min for any η; none if k is not known.
    fn explanation(&self, k: &[Interval]) -> Option<Explanation> {
        let (middles, error) = balls(k)?;
        let eta = self.solve(&middles);
        let total = absolute_sum(&eta);
        let lower = dot(&eta, &middles) * 2.0 - self.form(&eta, &eta) + (error * total * 2.0).give_or_take();
        let spread = (self.matrix_error * total).give_or_take();
        let missing = |(row, k): (&Vec<f64>, &Interval)| (*k - (dot(row, &eta) + spread)).square();
        let gap: Interval = self.matrix.iter().zip(k).map(missing).sum();
        let residual_energy = gap / self.least_eigenvalue;
        Some(Explanation { value: lower.hull(lower + residual_energy), eta, residual_energy })
    }
}

/// The part of the variance at a point that the data explain.
struct Explanation {
    /// kᵀK̂⁻¹k.
    value: Interval,
    /// A guess of K̂⁻¹k.
    eta: Vec<f64>,
    /// rᵀK̂⁻¹r for the residual r = k − K̂η.
    residual_energy: Interval,
}

/// A bound of the error of tᵀK̂t if each entry of t was rounded by half a unit of its own size, plus a bound of |2tᵀρ|; `sum`
/// is Σ|t_i|.
fn energy_slack(sum: Interval, largest_entry: Interval, residual: Interval) -> Interval {
    let total = sum * (1.0 + 4.0 * f64::EPSILON);
    total.square() * largest_entry * (2.0 * f64::EPSILON) + residual * total * 2.0
}

/// σ_f (τ sqrt(rᵀK̂⁻¹r) + sqrt(ρᵀK̂⁻¹ρ)) + σ_f² Σ|a − g − τη|, a bound of the error of a tilted mean.
fn tilt_drift(sigma_f: Interval, tau: Interval, [rest, residual_energy]: [Interval; 2], apart: Interval) -> Interval {
    sigma_f * (tau * rest.sqrt() + residual_energy.sqrt()) + sigma_f.square() * apart
}

/// x_j / l_j.
fn scaled(statement: &Statement, x: &[f64]) -> Vec<Interval> {
    x.iter().enumerate().map(|(j, x)| scaled_end(statement, j, *x)).collect()
}

fn scaled_end(statement: &Statement, j: usize, x: f64) -> Interval {
    Interval::point(x) / Interval::point(statement.lengthscales[j])
}

/// The middles of the sets, and one bound of every member's distance from its middle; none if a set is not known.
pub(crate) fn balls(sets: &[Interval]) -> Option<(Vec<f64>, Interval)> {
    let balls: Vec<(f64, f64)> = sets.iter().map(|set| set.ball()).collect::<Option<_>>()?;
    let radius = Interval::largest(balls.iter().map(|(_, radius)| Interval::point(*radius)));
    Some((balls.into_iter().map(|(middle, _)| middle).collect(), radius))
}

impl From<&StatedTerm> for Term {
    fn from(stated: &StatedTerm) -> Self {
        let (kernel, variance) = (Kernel::from(&stated.kernel), Interval::point(stated.variance));
        Self { kernel, inputs: stated.inputs.clone(), variance }
    }
}

impl Term {
    fn covariance(&self, a: &[Interval], b: &[Interval]) -> Interval {
        let pairs = self.inputs.iter().map(|input| (a[*input], b[*input]));
        let argument = match self.kernel.is_stationary() {
            true => pairs.map(|(a, b)| (a - b).square()).sum(),
            false => pairs.map(|(a, b)| a * b).sum(),
        };
        self.kernel.value(argument) * self.variance
    }

    /// An upper bound of ‖k(x, ·) − k(c, ·)‖² for x within `half` of c. For a power kernel the bound is |z − c|² times the
    /// largest squared slope of x ↦ k(x, ·), which is at most m² (offset + |z|²)^(m−1).
    fn square_distance(&self, centre: &[f64], half: &[f64]) -> Interval {
        let radius: Interval = self.inputs.iter().map(|input| Interval::point(half[*input]).square()).sum();
        if let Kernel::Polyline(_) = self.kernel {
            return Interval::ALL;
        }
        let Kernel::Power { degree, offset } = self.kernel else {
            return (Interval::ONE - self.kernel.value(radius)) * self.variance * 2.0;
        };
        let far = |input: &usize| (Interval::point(centre[*input]).abs() + Interval::point(half[*input])).square();
        let most: Interval = self.inputs.iter().map(far).sum();
        let slope = (most + Interval::point(offset)).power(degree - 1) * f64::from(degree * degree);
        slope * radius * self.variance
    }

    fn prior(&self, z: &[Interval]) -> Interval {
        match self.kernel.is_stationary() {
            true => self.variance,
            false => {
                let square = self.inputs.iter().map(|input| z[*input].square()).sum();
                self.kernel.value(square) * self.variance
            }
        }
    }
}

#[cfg(test)]
mod tests;
