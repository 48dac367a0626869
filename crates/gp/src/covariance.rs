//! The covariance function of a model: a sum of kernels, each over its own group of inputs.
//!
//! `k(x, x') = Σ_g σ_g² φ_g(u_g)`, with `u_g` the squared scaled distance or the scaled inner product of the inputs in
//! group g. One group over all inputs is the ordinary GP; several disjoint groups are the additive GP of the paper's
//! Section 4.2, `f(x) = Σ f⁽ⁱ⁾(x⁽ⁱ⁾)`.

use crate::error::{Error, Result, same_length};
use crate::kernel::{Argument, Kernel};
use crate::lanes::{axpy, widest};
use crate::points::Points;
use crate::term::Term;
use faer::Mat;

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
            for &input in term.inputs() {
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
        self.terms.iter().map(|term| term.variance() * term.kernel().value(term.own_argument(x))).sum()
    }

    /// Adds ∂k(x, x)/∂x to `gradient`; zero for stationary kernels.
    pub(crate) fn add_prior_variance_gradient(&self, x: &[f64], gradient: &mut [f64]) {
        for term in &self.terms {
            if term.kernel().argument() == Argument::InnerProduct {
                let slope = term.variance() * term.kernel().jet(term.own_argument(x)).first;
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
        let argument = |term: &Term| match term.kernel().argument() {
            Argument::SquaredDistance => term.weights().map(|(j, w)| w * (x[j] - other[j]).powi(2)).sum(),
            Argument::InnerProduct => term.weights().map(|(j, w)| w * x[j] * other[j]).sum(),
        };
        self.terms.iter().map(|term| term.variance() * term.kernel().value(argument(term))).sum()
    }

    /// The lower triangle of the Gram matrix of `points`, `noise` added to its diagonal.
    ///
    /// # Panics
    /// Where the points do not have [`dim`](Self::dim) entries.
    pub fn gram(&self, points: &Points, noise: f64) -> Mat<f64> {
        self.gram_with(points, noise, |term, u, phi| self.terms[term].kernel().values(u, phi))
    }

    /// As [`gram`](Self::gram), with `fill(index, u, phi)` in place of the φ of the term with that index.
    pub(crate) fn gram_with(&self, points: &Points, noise: f64, fill: impl Fn(usize, &[f64], &mut [f64])) -> Mat<f64> {
        assert!(points.dim() == self.dim, "the points must have one entry for each input of the covariance");
        let n = points.len();
        let mut gram = Mat::zeros(n, n);
        let (mut u, mut phi, mut x) = (vec![0.0; n], vec![0.0; n], vec![0.0; self.dim]);
        for j in 0..n {
            x.iter_mut().enumerate().for_each(|(input, x)| *x = points.column(input)[j]);
            let (u, phi) = (&mut u[j..], &mut phi[j..]);
            for (index, term) in self.terms.iter().enumerate() {
                term.arguments(points, j, &x, u);
                fill(index, u, phi);
                let column = gram.col_mut(j).try_as_col_major_mut().expect("columns are contiguous").as_slice_mut();
                widest(|| axpy(term.variance(), phi, &mut column[j..]));
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
            logs.push(term.variance().ln());
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
            term.set_parameters(&mut next);
        }
        assert!(logs.next().is_none(), "one logarithm for each hyperparameter");
        changed
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
}
