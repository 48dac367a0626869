//! What is known at the centre of a box: k(c), an approximation of K̂⁻¹k(c), and with both the range of σ on the box
//! (docs/method.md, Lemmas 2.2 and 6.4).

use super::relaxation::Relaxation;
use super::scaled_box::ScaledBox;
use crate::problem::Tables;
use crate::region::MOST_INPUTS;
use crate::rounding;
use fathom_gp::lanes::{dot, sum};
use fathom_gp::widest;

/// The covariances with the observations, and K̂⁻¹ times them. Frank–Wolfe steps turn both into those of a mixture of
/// points.
#[derive(Debug)]
pub(crate) struct Centre {
    /// k(c, x_i); here and below zeros fill up the last block.
    pub covariances: Vec<f64>,
    /// Approximately K̂⁻¹ times the covariances.
    pub solved: Vec<f64>,
    /// k(c, c).
    pub prior: f64,
    /// An upper bound of σ(c), and one of rᵀK̂⁻¹r for the residual r of `solved`; [`Self::deviation_range`] computes both.
    pub deviation: f64,
    pub rest: f64,
    /// Whether the covariances are those of the present box's centre.
    is_present: bool,
    difference: Vec<f64>,
    sizes: Vec<f64>,
}

impl Centre {
    pub fn new(tables: &Tables) -> Self {
        let zeros = vec![0.0; tables.width()];
        Self {
            covariances: zeros.clone(),
            solved: zeros.clone(),
            prior: 0.0,
            deviation: 0.0,
            rest: 0.0,
            is_present: false,
            difference: zeros.clone(),
            sizes: zeros,
        }
    }

    /// Notes that the box has changed.
    pub fn forget(&mut self) {
        self.is_present = false;
    }

    /// Evaluates the covariances at the centre of the box of `relaxation`, unless they are known.
    pub fn look(&mut self, tables: &Tables, relaxation: &mut Relaxation) {
        if !self.is_present {
            self.look_again(tables, relaxation);
        }
    }

    /// Evaluates the covariances at the centre, known or not.
    pub fn look_again(&mut self, tables: &Tables, relaxation: &mut Relaxation) {
        let n = tables.size();
        relaxation.at_centre(tables, &mut self.sizes[..n], &mut self.covariances[..n]);
        self.prior = relaxation.prior.at(&[0.0; MOST_INPUTS]);
        tables.inverse.multiply(&self.covariances, &mut self.solved);
        self.is_present = true;
    }

    /// The root of k(x, x) − kᵀK̂⁻¹k, which is kept above zero.
    pub fn posterior_deviation(&self) -> f64 {
        let explained = inner(&self.covariances, &self.solved);
        (self.prior - explained).max(1e-12 * self.prior.abs()).sqrt()
    }

    /// The range of σ on the box. At the centre, q ≤ kᵀK̂⁻¹k ≤ q + ‖k − K̂η‖²/σ_ε² with q = 2ηᵀk − ηᵀK̂η for any η; and
    /// σ is a distance in the kernel's space, so σ changes by no more than ‖k(x, ·) − k(c, ·)‖.
    pub fn deviation_range(&mut self, tables: &Tables, relaxation: &mut Relaxation, on: &ScaledBox) -> (f64, f64) {
        let widest_deviation = relaxation.prior.most().sqrt();
        self.look_again(tables, relaxation);
        let distance = on.largest_distance(tables);
        let n = tables.size();
        tables.covariance.multiply(&self.solved, &mut self.difference);
        let (explained, missing, total) = widest!(<'a> (at: &'a mut Centre = self) -> (f64, f64, f64) {
            let Centre { covariances, solved, difference, sizes, .. } = at;
            for (((difference, size), k), eta) in
                difference.iter_mut().zip(&mut *sizes).zip(&*covariances).zip(&*solved)
            {
                *difference = k - *difference;
                *size = eta.abs();
            }
            (dot(solved, covariances) + dot(solved, difference), dot(difference, difference), sum(sizes))
        });
        let (prior, prior_error) = tables.prior_at(&on.centre);
        // Far from the observations, their covariances with the centre exceed those among themselves.
        let farther = if tables.is_stationary { 1.0 } else { (prior / tables.largest_covariance).max(1.0) };
        let entry = farther * rounding::product_entry(n as f64, tables.largest_entry(), tables.covariance_error);
        let rounding = entry * total * (total + 2.0) + rounding::CENTRAL_PRIOR * prior + prior_error;
        let missing = 2.0 * (missing + n as f64 * (entry * (total + 1.0)).powi(2)) / tables.least_eigenvalue;
        // The largest entry bounds the norm, as a checker may do it.
        let largest = self.difference.iter().map(|r| r.abs()).fold(0.0, f64::max) + 2.0 * entry * (total + 1.0);
        let least = (prior - explained - missing - rounding).max(0.0).sqrt() - distance;
        self.deviation = (prior - explained + rounding).max(0.0).sqrt() * rounding::ROOT_UP;
        self.rest = 2.0 * n as f64 * largest * largest / tables.noise;
        let most = self.deviation + distance;
        (least.max(0.0) * rounding::ROOT_DOWN, (most * rounding::ROOT_UP).min(widest_deviation))
    }
}

/// The inner product of two slices.
pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    fathom_gp::lanes::widest(|| dot(a, b))
}
