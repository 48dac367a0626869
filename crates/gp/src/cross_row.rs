//! The covariances between one point and the observed ones.

use crate::covariance::Covariance;
use crate::lanes::{axpy, widest};
use crate::points::Points;

impl Covariance {
    /// Writes k(x, x_i) for every point to `cross`.
    ///
    /// # Panics
    /// Where `x` or the points do not have [`dim`](Self::dim) entries, or `cross` not one for each point.
    pub fn cross(&self, points: &Points, x: &[f64], cross: &mut [f64]) {
        self.assert_point(x);
        assert!(points.dim() == self.dim(), "the points must have one entry for each input of the covariance");
        assert!(points.len() == cross.len(), "one covariance for each point");
        let mut row = CrossRow::new(self, points.len());
        row.values(self, points, x);
        cross.copy_from_slice(&row.covariances);
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
            slopes: vec![row.clone(); covariance.terms().len()],
            arguments: row.clone(),
            phi: row,
        }
    }

    /// Fills in the covariances at `x`.
    pub fn values(&mut self, covariance: &Covariance, points: &Points, x: &[f64]) {
        self.values_with(covariance, points, x, |term, u, phi| covariance.terms()[term].kernel().values(u, phi));
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
        for (index, term) in covariance.terms().iter().enumerate() {
            term.arguments(points, 0, x, &mut self.arguments);
            fill(index, &self.arguments, &mut self.phi);
            widest(|| axpy(term.variance(), &self.phi, &mut self.covariances));
        }
    }

    /// Fills in the covariances and the slopes at `x`.
    pub fn values_and_slopes(&mut self, covariance: &Covariance, points: &Points, x: &[f64]) {
        let fill = |term: usize, u: &[f64], phi: &mut [f64], slopes: &mut [f64]| {
            covariance.terms()[term].kernel().values_and_slopes(u, phi, slopes);
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
        for (index, (term, slopes)) in covariance.terms().iter().zip(&mut self.slopes).enumerate() {
            term.arguments(points, 0, x, &mut self.arguments);
            fill(index, &self.arguments, &mut self.phi, slopes);
            widest(|| axpy(term.variance(), &self.phi, &mut self.covariances));
            slopes.iter_mut().for_each(|slope| *slope *= term.variance());
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
        for (term, slopes) in covariance.terms().iter().zip(&self.slopes) {
            for ((factor, slope), weight) in self.phi.iter_mut().zip(slopes).zip(weights) {
                *factor = slope * weight;
            }
            term.add_argument_gradient(points, x, &self.phi, gradient);
        }
    }
}
