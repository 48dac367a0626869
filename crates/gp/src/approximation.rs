//! The posterior under the piecewise-linear kernel, Eq. (3) of the paper:
//!
//! ```text
//! μ̃(x) = m + k̃(x)ᵀ ã,   ã = K̃⁻¹(y − m)        σ̃²(x) = k̃(x, x) − k̃(x)ᵀ K̃⁻¹ k̃(x)
//! ```
//!
//! with K̃ = K̃_XX + σ_ε² I, repaired where it is not positive definite. σ̃² can be negative: k̃ is no covariance.

use crate::covariance::{Covariance, Term};
use crate::error::Result;
use crate::kernel::Argument;
use crate::points::Points;
use crate::posterior::{Model, Posterior};
use crate::pwl::PwlKernel;
use crate::spectrum::{Indefiniteness, Repair, Spectrum};
use faer::Mat;

/// A covariance whose kernels are replaced by piecewise-linear ones over a box of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct PwlCovariance {
    covariance: Covariance,
    kernels: Vec<PwlKernel>,
}

impl PwlCovariance {
    /// The paper's breakpoints for every term, over the distances or inner products that the box `bounds` allows.
    pub fn paper(covariance: Covariance, bounds: &[(f64, f64)]) -> Result<Self> {
        Self::build(covariance, bounds, |term, range| PwlKernel::paper(term.kernel(), term.inputs().len(), range))
    }

    /// Breakpoints for a total error of at most `error`, divided among the terms by their variance.
    pub fn with_error(covariance: Covariance, bounds: &[(f64, f64)], error: f64) -> Result<Self> {
        let total: f64 = covariance.terms().iter().map(Term::variance).sum();
        Self::build(covariance, bounds, |term, range| PwlKernel::with_error(term.kernel(), range, error / total))
    }

    fn build(
        covariance: Covariance,
        bounds: &[(f64, f64)],
        kernel: impl Fn(&Term, (f64, f64)) -> Result<PwlKernel>,
    ) -> Result<Self> {
        let kernels =
            covariance.terms().iter().map(|term| kernel(term, term.curve_range(bounds))).collect::<Result<_>>()?;
        Ok(Self { covariance, kernels })
    }

    /// The covariance that is approximated.
    pub fn covariance(&self) -> &Covariance {
        &self.covariance
    }

    /// The piecewise-linear kernel of each term.
    pub fn kernels(&self) -> &[PwlKernel] {
        &self.kernels
    }

    /// ε_M: no |k(x, x') − k̃(x, x')| in the box is larger.
    pub fn error(&self) -> f64 {
        let terms = self.covariance.terms().iter().zip(&self.kernels);
        terms.map(|(term, kernel)| term.variance() * kernel.error()).sum()
    }

    /// The lower triangle of K̃_XX, `noise` added to its diagonal.
    pub fn gram(&self, points: &Points, noise: f64) -> Mat<f64> {
        self.covariance.gram_with(points, noise, |term, u, phi| fill(&self.kernels[term], u, phi))
    }

    /// k̃(x, x_i) for every point.
    pub fn cross(&self, points: &Points, x: &[f64]) -> Vec<f64> {
        let n = points.len();
        let (mut u, mut phi, mut cross) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for (term, kernel) in self.covariance.terms().iter().zip(&self.kernels) {
            term.arguments(points, 0, x, &mut u);
            fill(kernel, &u, &mut phi);
            for (sum, phi) in cross.iter_mut().zip(&phi) {
                *sum += term.variance() * phi;
            }
        }
        cross
    }

    /// k̃(x, x).
    pub fn prior_variance(&self, x: &[f64]) -> f64 {
        let point = Points::from_rows(&[x]).expect("one finite point");
        self.cross(&point, x)[0]
    }
}

/// Writes k̃ of each kernel argument u (squared distance or inner product) to `phi`.
fn fill(kernel: &PwlKernel, u: &[f64], phi: &mut [f64]) {
    for (phi, u) in phi.iter_mut().zip(u) {
        *phi = kernel.value(match kernel.kernel().argument() {
            Argument::SquaredDistance => u.sqrt(),
            Argument::InnerProduct => *u,
        });
    }
}

/// The posterior of Eq. (3).
#[derive(Debug, Clone)]
pub struct PwlPosterior {
    pwl: PwlCovariance,
    x: Points,
    mean: f64,
    spectrum: Spectrum,
    inverse: Mat<f64>,
    weights: Vec<f64>,
    indefiniteness: Option<Indefiniteness>,
}

impl PwlPosterior {
    /// The approximation of `posterior` by `pwl`, with the same data, noise and prior mean.
    pub fn new(posterior: &Posterior, pwl: PwlCovariance, repair: Repair) -> Result<Self> {
        let Model { noise, mean, .. } = *posterior.model();
        let spectrum = Spectrum::new(&pwl.gram(posterior.x(), noise))?;
        let indefiniteness = spectrum.indefiniteness();
        let spectrum = spectrum.repaired(repair)?;
        let inverse = spectrum.inverse()?;
        let centred: Vec<f64> = posterior.y().iter().map(|y| y - mean).collect();
        let weights = multiply(&inverse, &centred);
        Ok(Self { pwl, x: posterior.x().clone(), mean, spectrum, inverse, weights, indefiniteness })
    }

    /// The piecewise-linear covariance.
    pub fn pwl(&self) -> &PwlCovariance {
        &self.pwl
    }

    /// ã = K̃⁻¹(y − m).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// K̃⁻¹ after the repair.
    pub fn inverse(&self) -> &Mat<f64> {
        &self.inverse
    }

    /// The spectrum of K̃ after the repair.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// How far K̃ was from positive definite before the repair, or `None` where it was.
    pub fn indefiniteness(&self) -> Option<Indefiniteness> {
        self.indefiniteness
    }

    /// μ̃(x), and σ̃²(x), which can be negative.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let cross = self.pwl.cross(&self.x, x);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let explained = dot(&cross, &multiply(&self.inverse, &cross));
        (self.mean + dot(&cross, &self.weights), self.pwl.prior_variance(x) - explained)
    }
}

fn multiply(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    let n = vector.len();
    (0..n).map(|i| (0..n).map(|j| matrix[(i, j)] * vector[j]).sum()).collect()
}
