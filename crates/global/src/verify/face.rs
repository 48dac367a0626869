//! The confidence bounds that a function is made of: what the statement says of them is checked against its acquisition.

use super::function::{Function, sizes};
use super::{Rejection, refuse};
use crate::interval::{Interval, dot};
use crate::proof::{StatedAcquisition, StatedFace, StatedNegative};

/// A stated face, with the residual ρ = y − mean − K̂ã of its weights bounded.
#[derive(Debug)]
pub(super) struct Face<'s> {
    pub mean: f64,
    pub kappa: f64,
    pub weights: &'s [f64],
    /// Each |ρ_i|, and ρᵀK̂⁻¹ρ.
    pub residual: f64,
    pub residual_energy: Interval,
    /// An upper bound of ãᵀKã.
    pub norm_square: Interval,
    /// An upper bound of kᵀK̂⁻¹k / k(x, x) where the face counts.
    pub reach: Interval,
}

impl<'s> Face<'s> {
    /// The faces of a function, and how much further their prior means are apart than they need to be.
    pub fn all(function: &Function<'s>) -> Result<(Vec<Self>, f64), Rejection> {
        let statement = function.statement;
        let parameters: &[f64] = match &statement.acquisition {
            StatedAcquisition::Mean | StatedAcquisition::Deviation => &[],
            StatedAcquisition::Lcb { kappa } => &[*kappa],
            StatedAcquisition::Glcb { kappa, rho, imprecision } => &[*kappa, *rho, *imprecision],
            StatedAcquisition::Ei { best } | StatedAcquisition::LogEi { best } | StatedAcquisition::Pi { best } => {
                &[best.abs()]
            }
        };
        if !parameters.iter().all(|value| *value >= 0.0 && value.is_finite()) {
            return refuse("the statement", "a parameter of its acquisition is out of its domain".into());
        }
        let faces: Vec<Self> = statement.faces.iter().map(|stated| Self::new(function, stated)).collect();
        if function.is_piecewise_linear() {
            return match piecewise_linear(function, &faces) {
                true => Ok((faces, 0.0)),
                false => refuse("the statement", "its faces are not those of its acquisition".into()),
            };
        }
        let is = |face: &Self, mean: f64, kappa: f64| face.mean == mean && face.kappa == kappa;
        let mut excess = 0.0;
        let fit = match (&statement.acquisition, &faces[..]) {
            (StatedAcquisition::Lcb { kappa }, [face]) => is(face, statement.mean, *kappa),
            (StatedAcquisition::Deviation, [face]) => is(face, 0.0, 1.0) && face.weights.iter().all(|a| *a == 0.0),
            (StatedAcquisition::Glcb { kappa, rho, imprecision }, [low, high]) => {
                let width = width(function, low, *rho, *imprecision);
                let mean = Interval::point(statement.mean);
                let reach = [mean - Interval::point(low.mean), Interval::point(high.mean) - mean];
                excess = reach[0].high.max(reach[1].high) - width.low;
                low.kappa == *kappa && high.kappa == *kappa && reach.iter().all(|reach| reach.low >= width.high)
            }
            (
                StatedAcquisition::Mean
                | StatedAcquisition::Ei { .. }
                | StatedAcquisition::LogEi { .. }
                | StatedAcquisition::Pi { .. },
                [face],
            ) => is(face, statement.mean, 0.0),
            _ => false,
        };
        if fit {
            Ok((faces, excess))
        } else {
            refuse("the statement", "its faces are not those of its acquisition".into())
        }
    }

    fn new(function: &Function<'s>, stated: &'s StatedFace) -> Self {
        let (statement, StatedFace { mean, kappa, weights }) = (function.statement, stated);
        let mut face = Self {
            mean: *mean,
            kappa: *kappa,
            weights,
            residual: 0.0,
            residual_energy: Interval::ZERO,
            norm_square: Interval::ZERO,
            // A face without a deviation counts everywhere; one with it only where the variance is not negative.
            reach: if function.is_piecewise_linear() && *kappa == 0.0 {
                function.reach_anywhere()
            } else {
                Interval::ONE
            },
        };
        // −σ has no mean whose weights could be off.
        if statement.acquisition == StatedAcquisition::Deviation {
            return face;
        }
        let target: Vec<Interval> = statement.y.iter().map(|y| Interval::point(*y) - Interval::point(*mean)).collect();
        (face.residual, face.residual_energy) = function.residual(weights, &target);
        let fitted: Interval = target.iter().zip(weights).map(|(y, a)| *y * *a).sum();
        face.norm_square = fitted + Interval::around(0.0, face.residual * sizes(weights));
        face
    }
}

/// Whether these are the faces of a function under a piecewise-linear kernel: with the deviation, and without it for points
/// where the variance is negative, if they count.
fn piecewise_linear(function: &Function<'_>, faces: &[Face<'_>]) -> bool {
    let statement = function.statement;
    let (mean, kappa) = match statement.acquisition {
        StatedAcquisition::Lcb { kappa } => (Some(statement.mean), kappa),
        StatedAcquisition::Mean => (Some(statement.mean), 0.0),
        StatedAcquisition::Deviation => (None, 1.0),
        StatedAcquisition::Glcb { .. }
        | StatedAcquisition::Ei { .. }
        | StatedAcquisition::LogEi { .. }
        | StatedAcquisition::Pi { .. } => return false,
    };
    let is = |face: &Face<'_>, kappa: f64| {
        let own = match mean {
            Some(mean) => face.mean == mean,
            None => face.mean == 0.0 && face.weights.iter().all(|a| *a == 0.0),
        };
        own && face.kappa == kappa
    };
    match (statement.negative_variance, faces) {
        (Some(_), [face]) if kappa == 0.0 => is(face, 0.0),
        (Some(StatedNegative::Clamped), [inside, beyond]) => is(inside, kappa) && is(beyond, 0.0),
        (Some(StatedNegative::Excluded), [inside]) => is(inside, kappa),
        _ => false,
    }
}

/// w = ρ c/S max(2, 1 + |1ᵀa|/(c + S)), S = 1ᵀK̂⁻¹1, a = K̂⁻¹(y − m), from the weights a' of another prior mean m':
/// a = a' − (m − m') K̂⁻¹1.
fn width(function: &Function<'_>, other: &Face<'_>, rho: f64, imprecision: f64) -> Interval {
    let ones = vec![1.0; function.statement.y.len()];
    let solved = function.solve_closely(&ones);
    let (residual, energy) = function.residual(&solved, &vec![Interval::ONE; ones.len()]);
    // 1ᵀK̂⁻¹1 = 1ᵀs + sᵀr + rᵀK̂⁻¹r with r = 1 − K̂s.
    let rest = Interval { low: 0.0, high: energy.high };
    let sum = dot(&ones, &solved) + Interval::around(0.0, residual * sizes(&solved)) + rest;
    let drift = (sum * other.residual_energy).sqrt().high;
    let moved = Interval::point(function.statement.mean) - Interval::point(other.mean);
    let weighted = (dot(&ones, other.weights) + Interval::around(0.0, drift) - moved * sum).abs();
    let outer = Interval::ONE + weighted / (Interval::point(imprecision) + sum);
    let factor = Interval { low: outer.low.max(2.0), high: outer.high.max(2.0) };
    Interval::point(rho) * Interval::point(imprecision) / sum * factor
}
