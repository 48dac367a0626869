//! The covariance function of a model: a sum of kernels, each over its own group of inputs.
//!
//! `k(x, x') = Σ_g σ_g² φ_g(u_g)`, with `u_g` the squared scaled distance or the scaled inner product of the inputs in
//! group g. One group over all inputs is the ordinary GP; several disjoint groups are the additive GP of the paper's
//! Section 4.2, `f(x) = Σ f⁽ⁱ⁾(x⁽ⁱ⁾)`.

use crate::error::{Error, Result, positive, same_length};
use crate::kernel::{Argument, Kernel};
use crate::lanes::{axpy, dot, widest};
use crate::points::Points;
use crate::widest;
use faer::Mat;

/// One kernel with its hyperparameters over a group of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    inputs: Vec<usize>,
    kernel: Kernel,
    variance: f64,
    lengthscales: Vec<f64>,
    ard: bool,
}

/// What a hyperparameter is, which decides its bounds and its prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hyperparameter {
    /// σ_f², a term's variance.
    Variance,
    /// A lengthscale.
    Lengthscale,
    /// A kernel's own parameter: α of the rational quadratic, the offset of a dot-product kernel.
    Shape,
    /// σ_ε², the noise variance.
    Noise,
}

impl Term {
    /// A kernel of variance `variance` over `inputs`, with one lengthscale for all of them or one for each (ARD).
    pub fn new(kernel: Kernel, inputs: Vec<usize>, variance: f64, lengthscales: &[f64]) -> Result<Self> {
        let kernel = kernel.validated()?;
        positive("the kernel variance", variance)?;
        if inputs.is_empty() {
            return Err(Error::Empty { what: "a group of inputs" });
        }
        for l in lengthscales {
            positive("a lengthscale", *l)?;
        }
        let (lengthscales, ard) = match lengthscales {
            [one] => (vec![*one; inputs.len()], false),
            many if many.len() == inputs.len() => (many.to_vec(), true),
            many => {
                return Err(Error::WrongLength {
                    what: "the list of lengthscales",
                    expected: inputs.len(),
                    found: many.len(),
                });
            }
        };
        Ok(Self { inputs, kernel, variance, lengthscales, ard })
    }

    /// With one lengthscale per input even where there is only one input, so that fitting treats them as ARD.
    #[must_use]
    pub fn with_ard(mut self) -> Self {
        self.ard = true;
        self
    }

    /// The inputs this term depends on.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// σ_f² of this term.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// One lengthscale per input of the group, equal where the term is isotropic.
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales
    }

    /// Whether each input has a lengthscale of its own.
    pub fn is_ard(&self) -> bool {
        self.ard
    }

    /// Input index and 1/l² of each input in the group.
    fn weights(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.inputs.iter().copied().zip(self.lengthscales.iter().map(|l| 1.0 / (l * l)))
    }

    /// Writes the kernel's argument between `x` and points `start..` to `u`.
    pub(crate) fn arguments(&self, points: &Points, start: usize, x: &[f64], u: &mut [f64]) {
        widest!(<'a> (
            term: &'a Term = self,
            points: &'a Points = points,
            start: usize = start,
            x: &'a [f64] = x,
            u: &'a mut [f64] = u,
        ) {
            u.fill(0.0);
            for (j, weight) in term.weights() {
                let (column, x) = (&points.column(j)[start..], x[j]);
                match term.kernel.argument() {
                    Argument::SquaredDistance => {
                        for (u, v) in u.iter_mut().zip(column) {
                            *u += weight * (x - v) * (x - v);
                        }
                    }
                    Argument::InnerProduct => {
                        for (u, v) in u.iter_mut().zip(column) {
                            *u += weight * x * v;
                        }
                    }
                }
            }
        });
    }

    /// The kernel's argument between `x` and itself.
    pub(crate) fn own_argument(&self, x: &[f64]) -> f64 {
        match self.kernel.argument() {
            Argument::SquaredDistance => 0.0,
            Argument::InnerProduct => self.weights().map(|(j, weight)| weight * x[j] * x[j]).sum(),
        }
    }

    /// Adds `Σ_i factors_i ∂u_i/∂x` to `gradient`, with `u_i` the argument between `x` and point i.
    fn add_argument_gradient(&self, points: &Points, x: &[f64], factors: &[f64], gradient: &mut [f64]) {
        widest!(<'a> (
            term: &'a Term = self,
            points: &'a Points = points,
            x: &'a [f64] = x,
            factors: &'a [f64] = factors,
            gradient: &'a mut [f64] = gradient,
        ) {
            for (j, weight) in term.weights() {
                let column = points.column(j);
                gradient[j] += match term.kernel.argument() {
                    Argument::SquaredDistance => {
                        2.0 * weight * factors.iter().zip(column).map(|(f, v)| f * (x[j] - v)).sum::<f64>()
                    }
                    Argument::InnerProduct => weight * dot(factors, column),
                };
            }
        });
    }

    /// The interval that the argument of [`Kernel::curve`] runs through when both points lie in the box `bounds`:
    /// [0, r_max] of distances, or the inner products.
    pub fn curve_range(&self, bounds: &[(f64, f64)]) -> Result<(f64, f64)> {
        if let Some(input) = self.inputs.iter().find(|input| **input >= bounds.len()) {
            let (expected, found) = (input + 1, bounds.len());
            return Err(Error::WrongLength { what: "the list of bounds", expected, found });
        }
        Ok(match self.kernel.argument() {
            Argument::SquaredDistance => {
                let width = |(j, weight): (usize, f64)| weight * (bounds[j].1 - bounds[j].0).powi(2);
                (0.0, self.weights().map(width).sum::<f64>().sqrt())
            }
            Argument::InnerProduct => self.weights().fold((0.0, 0.0), |(low, high), (j, weight)| {
                let (a, b) = bounds[j];
                let least = if a <= 0.0 && b >= 0.0 { a * b } else { (a * a).min(b * b) };
                (low + weight * least, high + weight * (a * a).max(b * b))
            }),
        })
    }

    /// The largest σ_f² φ(u(x, x)) for x in the box `bounds`, one for each input. Dot-product kernels grow with
    /// u = Σ x_j²/l_j² ≥ 0, their offset being none below 0.
    pub(crate) fn largest_variance(&self, bounds: &[(f64, f64)]) -> f64 {
        let largest = match self.kernel.argument() {
            Argument::SquaredDistance => 0.0,
            Argument::InnerProduct => {
                self.weights().map(|(j, weight)| weight * (bounds[j].0.powi(2)).max(bounds[j].1.powi(2))).sum()
            }
        };
        self.variance * self.kernel.value(largest)
    }
}

/// A sum of terms over disjoint groups that together cover all inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    dim: usize,
    terms: Vec<Term>,
}

impl Covariance {
    /// The sum of `terms`, whose groups must be disjoint and cover inputs `0..dim`.
    pub fn new(dim: usize, terms: Vec<Term>) -> Result<Self> {
        let mut grouped = vec![false; dim];
        for (group, term) in terms.iter().enumerate() {
            for &input in &term.inputs {
                let seen = grouped.get_mut(input).ok_or(Error::UnknownInput { group, input, dim })?;
                if std::mem::replace(seen, true) {
                    return Err(Error::OverlappingGroups { input });
                }
            }
        }
        match grouped.iter().position(|seen| !seen) {
            Some(input) => Err(Error::UngroupedInput { input }),
            None if terms.is_empty() => Err(Error::Empty { what: "the list of groups" }),
            None => Ok(Self { dim, terms }),
        }
    }

    /// One kernel over all inputs with a single lengthscale.
    pub fn isotropic(kernel: Kernel, dim: usize, variance: f64, lengthscale: f64) -> Result<Self> {
        Self::new(dim, vec![Term::new(kernel, (0..dim).collect(), variance, &[lengthscale])?])
    }

    /// One kernel over all inputs with a lengthscale for each.
    pub fn ard(kernel: Kernel, variance: f64, lengthscales: &[f64]) -> Result<Self> {
        let term = Term::new(kernel, (0..lengthscales.len()).collect(), variance, lengthscales)?.with_ard();
        Self::new(lengthscales.len(), vec![term])
    }

    /// An additive model over the given groups, all with the same kernel and starting hyperparameters (each group's
    /// share of `variance` is equal). Without groups every input is a group of its own.
    pub fn additive(
        kernel: Kernel,
        dim: usize,
        groups: Option<&[Vec<usize>]>,
        variance: f64,
        lengthscale: f64,
    ) -> Result<Self> {
        let singles: Vec<Vec<usize>> = (0..dim).map(|j| vec![j]).collect();
        let groups = groups.unwrap_or(&singles);
        let share = variance / groups.len() as f64;
        let term = |group: &Vec<usize>| Term::new(kernel, group.clone(), share, &[lengthscale]);
        Self::new(dim, groups.iter().map(term).collect::<Result<_>>()?)
    }

    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The terms of the sum.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// One cheap check for loops that index inputs.
    #[inline]
    pub(crate) fn assert_point(&self, x: &[f64]) {
        assert!(x.len() == self.dim, "the point must have one entry for each input of the covariance");
    }

    /// `Ok` where `points` have one coordinate for each input.
    pub(crate) fn check(&self, points: &Points) -> Result<()> {
        same_length("each input row", self.dim, points.dim())
    }

    /// k(x, x): the prior variance at `x`.
    ///
    /// # Panics
    /// Where `x` does not have [`dim`](Self::dim) entries.
    pub fn prior_variance(&self, x: &[f64]) -> f64 {
        self.assert_point(x);
        self.terms.iter().map(|term| term.variance * term.kernel.value(term.own_argument(x))).sum()
    }

    /// Adds ∂k(x, x)/∂x to `gradient`; zero for stationary kernels.
    pub(crate) fn add_prior_variance_gradient(&self, x: &[f64], gradient: &mut [f64]) {
        for term in &self.terms {
            if term.kernel.argument() == Argument::InnerProduct {
                let slope = term.variance * term.kernel.jet(term.own_argument(x)).first;
                for (j, weight) in term.weights() {
                    gradient[j] += slope * 2.0 * weight * x[j];
                }
            }
        }
    }

    /// k(x, x') of two points.
    ///
    /// # Panics
    /// Where one of them does not have [`dim`](Self::dim) entries.
    pub fn between(&self, x: &[f64], other: &[f64]) -> f64 {
        self.assert_point(x);
        self.assert_point(other);
        let argument = |term: &Term| match term.kernel.argument() {
            Argument::SquaredDistance => term.weights().map(|(j, w)| w * (x[j] - other[j]).powi(2)).sum(),
            Argument::InnerProduct => term.weights().map(|(j, w)| w * x[j] * other[j]).sum(),
        };
        self.terms.iter().map(|term| term.variance * term.kernel.value(argument(term))).sum()
    }

    /// Writes k(x, x_i) for every point to `cross`.
    ///
    /// # Panics
    /// Where `x` or the points do not have [`dim`](Self::dim) entries, or `cross` not one for each point.
    pub fn cross(&self, points: &Points, x: &[f64], cross: &mut [f64]) {
        self.assert_point(x);
        assert!(points.dim() == self.dim, "the points must have one entry for each input of the covariance");
        assert!(points.len() == cross.len(), "one covariance for each point");
        let mut row = CrossRow::new(self, points.len());
        row.values(self, points, x);
        cross.copy_from_slice(&row.covariances);
    }

    /// The lower triangle of the Gram matrix of `points`, `noise` added to its diagonal.
    ///
    /// # Panics
    /// Where the points do not have [`dim`](Self::dim) entries.
    pub fn gram(&self, points: &Points, noise: f64) -> Mat<f64> {
        self.gram_with(points, noise, |term, u, phi| self.terms[term].kernel.values(u, phi))
    }

    /// As [`gram`](Self::gram), with `fill(index, u, phi)` in place of the φ of the term with that index.
    pub(crate) fn gram_with(&self, points: &Points, noise: f64, fill: impl Fn(usize, &[f64], &mut [f64])) -> Mat<f64> {
        assert!(points.dim() == self.dim, "the points must have one entry for each input of the covariance");
        let n = points.len();
        let mut gram = Mat::zeros(n, n);
        let (mut u, mut phi) = (vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let x = points.row(j);
            let (u, phi) = (&mut u[j..], &mut phi[j..]);
            for (index, term) in self.terms.iter().enumerate() {
                term.arguments(points, j, &x, u);
                fill(index, u, phi);
                let column = gram.col_mut(j).try_as_col_major_mut().expect("columns are contiguous").as_slice_mut();
                widest(|| axpy(term.variance, phi, &mut column[j..]));
            }
            gram[(j, j)] += noise;
        }
        gram
    }

    /// What each entry of [`parameters`](Self::parameters) is.
    pub fn hyperparameters(&self) -> Vec<Hyperparameter> {
        let mut kinds = Vec::new();
        for term in &self.terms {
            kinds.push(Hyperparameter::Variance);
            kinds.extend(term.free_lengthscales().iter().map(|_| Hyperparameter::Lengthscale));
            kinds.extend(term.free_shape().map(|_| Hyperparameter::Shape));
        }
        kinds
    }

    /// The logarithms of all hyperparameters: of each term the variance, the lengthscale or lengthscales, and the
    /// kernel's own parameter where it has one.
    pub fn parameters(&self) -> Vec<f64> {
        let mut logs = Vec::new();
        for term in &self.terms {
            logs.push(term.variance.ln());
            logs.extend(term.free_lengthscales().iter().map(|l| l.ln()));
            logs.extend(term.free_shape().map(f64::ln));
        }
        logs
    }

    /// The same structure with the hyperparameters whose logarithms are given.
    ///
    /// # Panics
    /// Where there is not one logarithm for each of [`parameters`](Self::parameters).
    #[must_use]
    pub fn with_parameters(&self, logs: &[f64]) -> Self {
        let mut logs = logs.iter().map(|log| log.exp());
        let mut next = || logs.next().expect("one logarithm for each hyperparameter");
        let mut changed = self.clone();
        for term in &mut changed.terms {
            term.variance = next();
            if term.ard {
                term.lengthscales.fill_with(&mut next);
            } else {
                term.lengthscales.fill(next());
            }
            if term.free_shape().is_some() {
                term.kernel = term.kernel.with_shape(next());
            }
        }
        assert!(logs.next().is_none(), "one logarithm for each hyperparameter");
        changed
    }
}

impl Term {
    /// The lengthscales that a fit may move: all under ARD, else one.
    fn free_lengthscales(&self) -> &[f64] {
        if self.ard { &self.lengthscales } else { &self.lengthscales[..1] }
    }

    /// The kernel's own parameter where a fit may move it; an offset of exactly 0 stays 0.
    pub(crate) fn free_shape(&self) -> Option<f64> {
        self.kernel.shape().filter(|shape| *shape > 0.0)
    }
}

/// k(x, X) at one x with what its gradient needs; memory is kept between points.
#[derive(Debug, Clone)]
pub(crate) struct CrossRow {
    /// k(x, x_i).
    pub covariances: Vec<f64>,
    /// σ_g² φ_g'(u_i) of each term.
    slopes: Vec<Vec<f64>>,
    arguments: Vec<f64>,
    phi: Vec<f64>,
}

impl CrossRow {
    pub fn new(covariance: &Covariance, n: usize) -> Self {
        let row = vec![0.0; n];
        Self {
            covariances: row.clone(),
            slopes: vec![row.clone(); covariance.terms.len()],
            arguments: row.clone(),
            phi: row,
        }
    }

    /// Fills in the covariances at `x`.
    pub fn values(&mut self, covariance: &Covariance, points: &Points, x: &[f64]) {
        self.values_with(covariance, points, x, |term, u, phi| covariance.terms[term].kernel.values(u, phi));
    }

    /// As [`values`](Self::values), with `fill(index, u, phi)` in place of the φ of the term with that index.
    pub fn values_with(
        &mut self,
        covariance: &Covariance,
        points: &Points,
        x: &[f64],
        fill: impl Fn(usize, &[f64], &mut [f64]),
    ) {
        self.covariances.fill(0.0);
        for (index, term) in covariance.terms.iter().enumerate() {
            term.arguments(points, 0, x, &mut self.arguments);
            fill(index, &self.arguments, &mut self.phi);
            widest(|| axpy(term.variance, &self.phi, &mut self.covariances));
        }
    }

    /// Fills in the covariances and the slopes at `x`.
    pub fn values_and_slopes(&mut self, covariance: &Covariance, points: &Points, x: &[f64]) {
        let fill = |term: usize, u: &[f64], phi: &mut [f64], slopes: &mut [f64]| {
            covariance.terms[term].kernel.values_and_slopes(u, phi, slopes);
        };
        self.values_and_slopes_with(covariance, points, x, fill);
    }

    /// As [`values_and_slopes`](Self::values_and_slopes), with `fill(index, u, phi, slopes)` in place of the φ and φ' of the
    /// term with that index.
    pub fn values_and_slopes_with(
        &mut self,
        covariance: &Covariance,
        points: &Points,
        x: &[f64],
        fill: impl Fn(usize, &[f64], &mut [f64], &mut [f64]),
    ) {
        self.covariances.fill(0.0);
        for (index, (term, slopes)) in covariance.terms.iter().zip(&mut self.slopes).enumerate() {
            term.arguments(points, 0, x, &mut self.arguments);
            fill(index, &self.arguments, &mut self.phi, slopes);
            widest(|| axpy(term.variance, &self.phi, &mut self.covariances));
            slopes.iter_mut().for_each(|slope| *slope *= term.variance);
        }
    }

    /// Adds `Σ_i weights_i ∂k(x, x_i)/∂x` to `gradient`, from the slopes at the same `x`.
    pub fn add_gradient(
        &mut self,
        covariance: &Covariance,
        points: &Points,
        x: &[f64],
        weights: &[f64],
        gradient: &mut [f64],
    ) {
        for (term, slopes) in covariance.terms.iter().zip(&self.slopes) {
            for ((factor, slope), weight) in self.phi.iter_mut().zip(slopes).zip(weights) {
                *factor = slope * weight;
            }
            term.add_argument_gradient(points, x, &self.phi, gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_must_be_disjoint_complete_and_known() {
        let additive = |groups: &[Vec<usize>]| Covariance::additive(Kernel::Rbf, 3, Some(groups), 1.0, 0.5);
        assert!(additive(&[vec![0, 2], vec![1]]).is_ok());
        assert_eq!(additive(&[vec![0, 1], vec![1, 2]]), Err(Error::OverlappingGroups { input: 1 }));
        assert_eq!(additive(&[vec![0, 1]]), Err(Error::UngroupedInput { input: 2 }));
        assert_eq!(additive(&[vec![0, 1], vec![2, 3]]), Err(Error::UnknownInput { group: 1, input: 3, dim: 3 }));
        assert!(additive(&[]).is_err() && additive(&[vec![0, 1, 2], vec![]]).is_err());
    }

    #[test]
    fn bad_hyperparameters_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Covariance::isotropic(Kernel::Rbf, 2, bad, 1.0).is_err());
            assert!(Covariance::isotropic(Kernel::Rbf, 2, 1.0, bad).is_err());
        }
        assert!(Term::new(Kernel::Rbf, vec![0, 1, 2], 1.0, &[1.0, 2.0]).is_err());
    }

    #[test]
    fn parameters_round_trip_through_their_logarithms() {
        let rq = Term::new(Kernel::RationalQuadratic { alpha: 2.0 }, vec![0, 2], 1.5, &[0.3, 0.7]).unwrap();
        let linear = Term::new(Kernel::Linear { offset: 0.0 }, vec![1], 0.5, &[2.0]).unwrap();
        let covariance = Covariance::new(3, vec![rq, linear]).unwrap();
        let logs = covariance.parameters();
        assert_eq!(logs.len(), covariance.hyperparameters().len());
        assert_eq!(logs.len(), 6);
        let back = covariance.with_parameters(&logs);
        assert!(back.parameters().iter().zip(&logs).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn the_gram_matrix_agrees_with_single_covariances() {
        let points = Points::from_rows(&[[0.1, 0.9], [0.4, -0.3], [0.8, 0.2]]).unwrap();
        let covariance = Covariance::additive(Kernel::Matern32, 2, None, 2.0, 0.4).unwrap();
        let gram = covariance.gram(&points, 0.25);
        for i in 0..3 {
            for j in 0..=i {
                let noise = if i == j { 0.25 } else { 0.0 };
                let direct = covariance.between(&points.row(i), &points.row(j)) + noise;
                assert!((gram[(i, j)] - direct).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn curve_ranges_enclose_every_pair_in_the_box() {
        let bounds = [(-1.0, 2.0), (0.5, 1.0)];
        for kernel in [Kernel::Rbf, Kernel::Linear { offset: 1.0 }] {
            let term = Term::new(kernel, vec![0, 1], 1.0, &[0.5, 2.0]).unwrap();
            let (low, high) = term.curve_range(&bounds).unwrap();
            assert!(term.curve_range(&bounds[..1]).is_err());
            let corners = |j: usize| [bounds[j].0, bounds[j].1];
            let mut reached = (f64::INFINITY, f64::NEG_INFINITY);
            for (a, b) in corners(0).into_iter().flat_map(|a| corners(0).map(|b| (a, b))) {
                for (c, d) in corners(1).into_iter().flat_map(|c| corners(1).map(|d| (c, d))) {
                    let t = match kernel.argument() {
                        Argument::SquaredDistance => (((a - b) / 0.5_f64).powi(2) + ((c - d) / 2.0).powi(2)).sqrt(),
                        Argument::InnerProduct => a * b / 0.25 + c * d / 4.0,
                    };
                    reached = (reached.0.min(t), reached.1.max(t));
                }
            }
            assert!((reached.0 - low).abs() < 1e-12 && (reached.1 - high).abs() < 1e-12, "{kernel:?}");
        }
    }
}
