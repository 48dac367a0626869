//! The paper's Section 4.3: how far the piecewise-linear posterior can be from the true posterior, and how much regret that
//! costs; with the far tighter bounds that the actual matrices give.
//!
//! Notation: N observations, ε_M the proven kernel error, V the largest prior variance k(x, x) in the box,
//! ψ = k(x) − k̃(x), K̂ = K_XX + σ_ε² I = L Lᵀ (the jitter that the factor needed counts as noise), K̃ the (repaired)
//! piecewise-linear matrix with the same noise, Ψ = K̂ − K̃, a = K̂⁻¹y, ã = K̃⁻¹y.
//!
//! **As printed.** Theorem 4.3: |μ − μ̃| ≤ C_μ N² ε_M with C_μ = σ_ε⁻⁴ σ_max², |σ − σ̃| ≤ C_σ N ε_M^½ with
//! C_σ = σ_ε⁻² σ_max². The theorem assumes outputs in [0, 1] and ‖K̃⁻¹‖ ≤ σ_ε⁻² (false if K̃ is indefinite), and drops
//! lower-order terms.
//!
//! **By norms.** This is the chain of inequalities from the appendix with no term dropped and the actual ‖K̂⁻¹‖, ‖K̃⁻¹‖,
//! ‖Ψ‖ and ‖y‖.
//!
//! **A posteriori.** Uniformly in x, because ‖L⁻¹k(x)‖² ≤ k(x, x) ≤ V:
//!
//! ```text
//! μ − μ̃   = kᵀ(a − ã) + ψᵀã                    ≤ √V ‖Lᵀ(a − ã)‖ + ε_M ‖ã‖₁
//! σ² − σ̃² = kᵀ(K̃⁻¹ − K̂⁻¹)k − 2ψᵀK̃⁻¹k + ψᵀK̃⁻¹ψ   (+ k(x,x) − k̃(x,x))
//!         ≤ V ‖LᵀK̃⁻¹L − I‖ + 2 ε_M √V Σ_i ‖(K̃⁻¹L)_i‖ + ε_M² Σ_ij |K̃⁻¹_ij| (+ ε_own)
//! ```
//!
//! and |σ − σ̃| ≤ |σ² − σ̃²|^½ as in the paper, with σ̃ = max(σ̃², 0)^½. ε_own bounds |k(x, x) − k̃(x, x)|, which is 0 for
//! stationary kernels.
//!
//! **Rounding: the numbers of this module are estimates, not proofs.** The kernel error ε_M is proven with rounding
//! included. The inequalities above hold between real numbers, but they are *evaluated in floating point* without directed
//! rounding: K̃⁻¹ and a carry a relative error of about N · 2⁻⁵² · cond, so an estimate can be too small by that share of
//! itself, plus the rounding of μ and σ². A relative 10⁻⁶ covers condition numbers up to about 10⁸.
//! With a larger condition number an estimate can be wrong altogether: two inputs 7 · 10⁻⁹ apart under a noise of 10⁻²⁰ have an
//! estimate of 0.77 and a real error of 0.99.

use faer::Mat;
use fathom_gp::{Kernel, Posterior, PwlKernel, PwlPosterior, Result, Spectrum};
use serde::Serialize;

/// A bound of |μ(x) − μ̃(x)| and |σ(x) − σ̃(x)|, uniform over the box, evaluated in floating point. It is not a proof: the
/// module's head says by how much rounding can make it too small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorEstimate {
    /// The estimate of the mean's error.
    pub mean: f64,
    /// The estimate of the deviation's error.
    pub deviation: f64,
}

impl ErrorEstimate {
    /// The estimate of the error of the LCB μ − κσ.
    pub fn lcb(self, kappa: f64) -> f64 {
        self.mean + kappa * self.deviation
    }
}

/// C_μ and C_σ of Theorem 4.3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// C_μ = σ_ε⁻⁴ σ_max².
    pub mu: f64,
    /// C_σ = σ_ε⁻² σ_max².
    pub sigma: f64,
}

impl Constants {
    /// The constants from the noise variance σ_ε² and the upper bound σ_max² of the kernel variance.
    pub fn new(noise: f64, largest_variance: f64) -> Self {
        Self { mu: largest_variance / (noise * noise), sigma: largest_variance / noise }
    }

    /// Theorem 4.3 as printed, for outputs in [0, 1].
    pub fn theorem_4_3(self, n: usize, epsilon: f64) -> ErrorEstimate {
        let n = n as f64;
        ErrorEstimate { mean: self.mu * n * n * epsilon, deviation: self.sigma * n * epsilon.sqrt() }
    }

    /// The approximation's share of the regret bound at iteration t: 2 C_μ t² ε + 4 C_σ β_t^½ t ε^½ (Theorem 4.4).
    pub fn added_regret(self, t: usize, beta: f64, epsilon: f64) -> f64 {
        let t = t as f64;
        2.0 * self.mu * t * t * epsilon + 4.0 * self.sigma * beta.sqrt() * t * epsilon.sqrt()
    }

    /// Theorem 4.4's bound on the regret at iteration t: 2 β_t^½ σ_{t−1}(x_t) + 1/t² + the approximation's share.
    pub fn theorem_4_4(self, t: usize, beta: f64, deviation: f64, epsilon: f64) -> f64 {
        2.0 * beta.sqrt() * deviation + 1.0 / (t as f64).powi(2) + self.added_regret(t, beta, epsilon)
    }

    /// C_2 of Lemma 4.5: Σ_t (1/t² + the approximation's share), for β_t and ε_{M_t} of t = 1, 2, ….
    pub fn c2(self, betas_and_epsilons: &[(f64, f64)]) -> f64 {
        let term = |(t, (beta, epsilon)): (usize, &(f64, f64))| {
            1.0 / (t as f64).powi(2) + self.added_regret(t, *beta, *epsilon)
        };
        (1..).zip(betas_and_epsilons).map(term).sum()
    }
}

/// Section 4.3 in numbers, for one model and its approximation. All of them are evaluated in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// |μ − μ̃| is at most this, by the actual matrices.
    pub mean_error: f64,
    /// |σ − σ̃| is at most this, by the actual matrices.
    pub deviation_error: f64,
    /// C_μ N² ε_M of Theorem 4.3, for outputs in [0, 1].
    pub printed_mean_error: f64,
    /// C_σ N ε_M^½ of Theorem 4.3.
    pub printed_deviation_error: f64,
    /// C_μ, with the largest prior variance for σ_max².
    pub c_mu: f64,
    /// C_σ, with the largest prior variance for σ_max².
    pub c_sigma: f64,
    /// ½ log det(I + σ_ε⁻² K), which γ_T bounds.
    pub information_gain: f64,
}

impl Figures {
    /// The figures of an approximated posterior.
    pub fn new(approximate: &PwlPosterior) -> Result<Self> {
        let (posterior, pwl) = (approximate.exact(), approximate.pwl());
        let ErrorEstimate { mean, deviation } = estimate_a_posteriori(approximate)?;
        let constants = Constants::new(posterior.model().noise, pwl.largest_variance());
        let printed = constants.theorem_4_3(posterior.y().len(), pwl.error());
        Ok(Self {
            mean_error: mean,
            deviation_error: deviation,
            printed_mean_error: printed.mean,
            printed_deviation_error: printed.deviation,
            c_mu: constants.mu,
            c_sigma: constants.sigma,
            information_gain: information_gain(posterior),
        })
    }

    /// The estimates from the actual matrices.
    pub fn estimate(&self) -> ErrorEstimate {
        ErrorEstimate { mean: self.mean_error, deviation: self.deviation_error }
    }
}

/// C_1 of Lemma 4.5, 8 / log(1 + σ⁻²). The paper prints σ_f² for σ²; in the source (Srinivas et al., 2012) σ² is the noise
/// variance. The caller chooses.
pub fn c1(variance: f64) -> f64 {
    8.0 / variance.recip().ln_1p()
}

/// Lemma 4.5: with probability 1 − δ, the cumulative regret R_T ≤ √(C_1 T β_T γ_T) + C_2.
pub fn lemma_4_5(c1: f64, rounds: usize, beta: f64, information_gain: f64, c2: f64) -> f64 {
    (c1 * rounds as f64 * beta * information_gain).sqrt() + c2
}

/// The information gained by the observations of a posterior, ½ log det(I + σ_ε⁻² K); γ_T is its maximum.
pub fn information_gain(posterior: &Posterior) -> f64 {
    let n = posterior.y().len() as f64;
    0.5 * (posterior.factor().log_determinant() - n * posterior.model().noise.ln())
}

/// The schedule of Lemma 4.5: ε_{M_t} = scale / t^(4 + exponent), under which the regret keeps its order, and the
/// number of segments M_t that a kernel needs for that error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentSchedule {
    /// ε at t = 1, for a kernel of unit variance.
    pub scale: f64,
    /// The lemma's ε > 0.
    pub exponent: f64,
}

impl SegmentSchedule {
    /// ε_{M_t}.
    pub fn epsilon(self, t: usize) -> f64 {
        self.scale / (t as f64).powf(4.0 + self.exponent)
    }

    /// The piecewise-linear kernel with that error; its number of segments is M_t.
    pub fn kernel(self, kernel: Kernel, range: (f64, f64), t: usize) -> Result<PwlKernel> {
        PwlKernel::with_error(kernel, range, self.epsilon(t))
    }
}

/// The estimate from the appendix's inequalities, with the actual matrix norms and no term dropped. It is evaluated in floating
/// point and not proven; the module's head says with what error.
pub fn estimate_by_norms(approximate: &PwlPosterior) -> Result<ErrorEstimate> {
    let (posterior, pwl) = (approximate.exact(), approximate.pwl());
    let (model, n) = (posterior.model(), posterior.y().len() as f64);
    let (epsilon, variance) = (pwl.error(), pwl.largest_variance());
    let norm_y = posterior.y().iter().map(|y| (y - model.mean).powi(2)).sum::<f64>().sqrt();
    let noise = model.noise + posterior.factor().jitter();
    let gram = model.covariance.gram(posterior.x(), noise);
    let inverse = Spectrum::new(&gram)?.least_at_least(noise)?.recip();
    let inverse_pwl = Spectrum::new(approximate.inverse())?.norm();
    // The repair is part of the difference between the two matrices.
    let difference = &gram - approximate.spectrum().map(|value| value);
    let psi_matrix = Spectrum::new(&difference)?.norm();
    let (psi, cross) = (n.sqrt() * epsilon, n.sqrt() * (variance + epsilon));
    let mean = (cross * inverse * psi_matrix * inverse_pwl + psi * inverse) * norm_y;
    let variance = cross * inverse * psi_matrix * inverse_pwl * cross
        + 2.0 * cross * inverse * psi
        + inverse * psi * psi
        + pwl.own_error();
    Ok(ErrorEstimate { mean, deviation: variance.sqrt() })
}

/// The estimate from the actual matrices. It is evaluated in floating point and not proven; the module's head says with what
/// error.
pub fn estimate_a_posteriori(approximate: &PwlPosterior) -> Result<ErrorEstimate> {
    let (posterior, pwl) = (approximate.exact(), approximate.pwl());
    let n = posterior.y().len();
    let (epsilon, variance) = (pwl.error(), pwl.largest_variance());
    let root_v = variance.sqrt();
    let lower = posterior.factor().to_lower();

    let difference: Vec<f64> = posterior.weights().iter().zip(approximate.weights()).map(|(a, b)| a - b).collect();
    let column = |j: usize| (j..n).map(|i| lower[(i, j)] * difference[i]).sum::<f64>();
    let rkhs = (0..n).map(|j| column(j).powi(2)).sum::<f64>().sqrt();
    let mean = root_v * rkhs + epsilon * approximate.weights().iter().map(|a| a.abs()).sum::<f64>();

    let inverse = approximate.inverse();
    let solved = inverse * &lower;
    let coupling = lower.transpose() * &solved - Mat::<f64>::identity(n, n);
    let row_norm = |i: usize| (0..n).map(|j| solved[(i, j)].powi(2)).sum::<f64>().sqrt();
    let rows: f64 = (0..n).map(row_norm).sum();
    let entries: f64 = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|at| inverse[at].abs()).sum();
    let variance = variance * Spectrum::new(&coupling)?.norm()
        + 2.0 * epsilon * root_v * rows
        + epsilon * epsilon * entries
        + pwl.own_error();
    Ok(ErrorEstimate { mean, deviation: variance.sqrt() })
}
