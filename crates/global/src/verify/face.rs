//! The confidence bounds that a function is made of: what the statement says of them is checked against its acquisition.

use super::function::{Function, sizes};
use super::{Rejection, refuse};
use crate::interval::{Interval, dot};
use crate::proof::{StatedAcquisition, StatedFace};

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

/// w = ρ c/S max(2, 1 + |1ᵀa|/(c + S)), S = 1ᵀK̂⁻¹1, a = K̂⁻¹(y − m), from the weights a' of another prior mean m':
/// a = a' − (m − m') K̂⁻¹1.
fn width(function: &Function<'_>, other: &Face<'_>, rho: f64, imprecision: f64) -> Interval {
    let ones = vec![1.0; function.statement.y.len()];
    let solved = function.solve(&ones);
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
