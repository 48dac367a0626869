//! What the bounds need to know of one Gaussian process: K̂, an approximate inverse, its least eigenvalue, and how far
//! rounding can move each of them (docs/method.md, Lemmas 2.1 and 10.2).
//!
//! Inputs are scaled by the lengthscales, z = x / l, and stored column by column.

use super::square::Square;
use super::term::{Curve, KernelTerm};
use crate::region::{Region, Vector};
use fathom_gp::{Kernel, Posterior};
use fathom_proof::Order;

/// Above this crowding a relaxation of order 3 is worth its cost.
const CROWDED: f64 = 3.0;

/// One Gaussian process as the bounds see it.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The kernels whose sum is the covariance.
    pub terms: Vec<KernelTerm>,
    /// Whether k(x, x) is the same everywhere, σ_f².
    pub is_stationary: bool,
    /// The share of stationary kernels in k(x, x).
    pub variance: f64,
    /// No entry of K exceeds this.
    pub largest_covariance: f64,
    /// No computed entry of K is further than this from its true value.
    pub covariance_error: f64,
    /// The unit of deviations: the power of two next to the largest, so that the search does not depend on the unit.
    pub deviation_unit: f64,
    /// σ_ε², with everything that was added to the diagonal.
    pub noise: f64,
    /// No eigenvalue of K̂ is smaller; this is σ_ε² if K is a covariance.
    pub least_eigenvalue: f64,
    pub lengthscales: Vec<f64>,
    /// The whole of K̂.
    pub covariance: Square,
    /// The degree of the relaxation.
    pub order: Order,
    /// Approximately K̂⁻¹; only tightness depends on it.
    pub inverse: Square,
}

/// The matrices of a Gaussian process, and the curves of its kernels.
pub(super) struct Matrices {
    pub curves: Vec<Curve>,
    pub covariance: Square,
    pub inverse: Square,
    pub noise: f64,
    pub least_eigenvalue: f64,
}

impl Tables {
    /// The tables of a posterior whose kernels have the curves of `matrices`.
    pub(super) fn new(posterior: &Posterior, region: &Region, matrices: Matrices) -> Self {
        let dim = region.dim();
        let terms = posterior.model().covariance.terms();
        let mut lengthscales = vec![1.0; dim];
        for term in terms {
            for (input, l) in term.inputs().iter().zip(term.lengthscales()) {
                lengthscales[*input] = *l;
            }
        }
        let columns: Vec<Vec<f64>> =
            (0..dim).map(|j| posterior.x().column(j).iter().map(|x| x / lengthscales[j]).collect()).collect();
        let ends = region.lower().iter().chain(region.upper());
        let scaled = ends.zip(lengthscales.iter().cycle()).map(|(x, l)| (x / l).abs());
        let largest = scaled.chain(columns.iter().flatten().map(|z| z.abs())).fold(0.0, f64::max);
        let Matrices { curves, covariance, inverse, noise, least_eigenvalue } = matrices;
        let ends = region.lower().iter().zip(region.upper()).zip(&lengthscales);
        let sides: Vec<(f64, f64)> = ends.map(|((low, high), l)| (low / l, high / l)).collect();
        let term = |(term, curve)| KernelTerm::new(term, curve, &columns, &sides, largest);
        let terms: Vec<KernelTerm> = terms.iter().zip(curves).map(term).collect();
        let largest_covariance = terms.iter().map(|term| term.variance * term.size).sum();
        let mut tables = Self {
            deviation_unit: root_of_power_of_two(largest_covariance),
            is_stationary: terms.iter().all(KernelTerm::is_stationary),
            variance: terms.iter().filter(|term| term.is_stationary()).map(|term| term.variance).sum(),
            largest_covariance,
            covariance_error: terms.iter().map(|term| term.variance * term.size * term.error).sum(),
            terms,
            noise,
            least_eigenvalue,
            covariance,
            order: Order::Two,
            inverse,
            lengthscales,
        };
        if tables.crowding() > CROWDED || tables.terms.len() > 1 {
            tables.order = Order::Three;
        }
        tables
    }

    /// The tables of term `group` alone, with the matrices of all terms.
    pub(super) fn only(mut self, group: usize) -> Self {
        self.terms = vec![self.terms.swap_remove(group)];
        self.is_stationary = self.terms[0].is_stationary();
        self.variance = if self.is_stationary { self.terms[0].variance } else { 0.0 };
        self
    }

    /// kmax: no |k(x, x_i)| of the region is larger, if the kernels are piecewise linear.
    pub fn largest_cross(&self) -> f64 {
        self.terms.iter().map(|term| term.variance * term.cross).sum()
    }

    /// Number of observations.
    pub fn size(&self) -> usize {
        self.terms[0].columns[0].len()
    }

    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.lengthscales.len()
    }

    /// The length of a vector over observations, filled up to whole blocks.
    pub fn width(&self) -> usize {
        self.covariance.width()
    }

    /// No entry of K̂ is larger.
    pub fn largest_entry(&self) -> f64 {
        self.largest_covariance + self.noise
    }

    /// No k(x, x) of the region or of an observation is larger, about.
    pub fn largest_prior(&self, region: &Region) -> f64 {
        let far = |j: usize| region.lower()[j].abs().max(region.upper()[j].abs()) / self.lengthscales[j];
        let square = |term: &KernelTerm| term.inputs.iter().map(|j| far(*j).powi(2)).sum::<f64>();
        let own = |term: &KernelTerm| match &term.curve {
            Curve::Power { .. } => term.variance * term.curve.value(square(term)).max(term.size),
            Curve::Polyline(polyline) => term.variance * polyline.largest(0.0, square(term)).max(term.size),
            Curve::Monotone(_) | Curve::Chords(_) => term.variance,
        };
        self.terms.iter().map(own).sum()
    }

    /// k(c, c) at a scaled point, and a bound of its error.
    pub fn prior_at(&self, centre: &Vector) -> (f64, f64) {
        let (mut prior, mut error) = (self.variance, 0.0);
        for term in &self.terms {
            if !term.is_stationary() {
                let square = term.inputs.iter().map(|input| centre[*input] * centre[*input]).sum();
                let own = term.variance * term.curve.value(square);
                (prior, error) = (prior + own, error + term.error * own);
            }
        }
        (prior, error)
    }

    /// How much weights cancel: σ_f sqrt((K̂⁻¹)_ii) is the size of a typical weight relative to the function it helps
    /// to make. The mean is about 1 if observations are apart, and up to σ_f/σ_ε if observations crowd.
    fn crowding(&self) -> f64 {
        let n = self.size();
        let weight = |i: usize| (self.largest_covariance * self.inverse.diagonal(i)).max(0.0).sqrt();
        (0..n).map(weight).sum::<f64>() / n as f64
    }

    /// No condition number of K̂ is larger, about.
    pub fn condition(&self) -> f64 {
        self.size() as f64 * self.largest_entry() / self.least_eigenvalue
    }

    /// Whether no kernel has kinks.
    pub fn is_smooth(&self) -> bool {
        !self.terms.iter().any(|term| matches!(term.curve, Curve::Chords(_) | Curve::Polyline(_)))
    }

    /// Whether the covariance is one RBF kernel.
    pub fn is_rbf(&self) -> bool {
        matches!(&self.terms[..], [term] if term.curve == Curve::Monotone(Kernel::Rbf))
    }
}

/// The power of two next to the root of a positive number.
fn root_of_power_of_two(square: f64) -> f64 {
    let exponent = ((square.to_bits() >> 52) & 0x7ff).cast_signed() - 1023;
    2_f64.powi(i32::try_from((exponent + 1).div_euclid(2)).expect("at most 512"))
}
