//! The confidence bounds that a function is made of (docs/method.md, Lemmas 1.1 and 1.2). Which ones they are follows from the
//! statement; weights, and the prior means of the generalised LCB, are suggestions.

use super::Model;
use crate::interval::{Interval, absolute_sum, dot};
use crate::verdict::{Rejection, refuse};
use fathom_proof::{Piece as Suggested, StatedAcquisition, StatedNegative};

/// μ − κσ under a prior mean, with bounds of the residual ρ = y − mean − K̂ã of the suggested weights ã.
#[derive(Debug)]
pub(crate) struct Piece<'s> {
    pub mean: f64,
    pub kappa: f64,
    pub weights: &'s [f64],
    /// An upper bound of every |ρ_i|.
    pub residual: Interval,
    /// An upper bound of ρᵀK̂⁻¹ρ.
    pub residual_energy: Interval,
    /// An upper bound of ãᵀKã.
    pub norm_square: Interval,
    /// An upper bound of kᵀK̂⁻¹k / k(x, x) at the points at which the piece counts.
    pub explained_share: Interval,
    /// The number that stands for k(x, x) if the piece counts at points with a negative variance, too.
    pub prior: Option<Interval>,
}

impl<'s> Piece<'s> {
    /// The pieces of a function, and how much further apart their prior means are than they must be.
    pub fn all(model: &Model<'s>, suggested: &'s [Suggested]) -> Result<(Vec<Self>, Interval), Rejection> {
        let statement = model.statement;
        let kappas: Vec<f64> = match (statement.acquisition, statement.negative_variance) {
            (StatedAcquisition::Lcb { kappa }, None | Some(StatedNegative::Excluded)) => vec![kappa],
            // A variance that counts as 0 needs a second piece, with κ = 0.
            (StatedAcquisition::Lcb { kappa }, Some(StatedNegative::Clamped)) if kappa > 0.0 => vec![kappa, 0.0],
            (StatedAcquisition::Lcb { .. }, Some(StatedNegative::Clamped)) => vec![0.0],
            (StatedAcquisition::Deviation, None | Some(StatedNegative::Excluded)) => vec![1.0],
            (StatedAcquisition::Deviation, Some(StatedNegative::Clamped)) => vec![1.0, 0.0],
            (StatedAcquisition::Glcb { kappa, .. }, Some(StatedNegative::Clamped)) if kappa > 0.0 => {
                vec![kappa, kappa, 0.0, 0.0]
            }
            (StatedAcquisition::Glcb { kappa, .. }, _) => vec![kappa, kappa],
            (
                StatedAcquisition::Mean
                | StatedAcquisition::Ei { .. }
                | StatedAcquisition::LogEi { .. }
                | StatedAcquisition::Pi { .. },
                _,
            ) => vec![0.0],
        };
        let is_sized = |piece: &Suggested| piece.weights.len() == statement.y.len();
        if suggested.len() != kappas.len() || !suggested.iter().all(is_sized) {
            return refuse(
                "the pieces",
                "they are not those of the acquisition function, or have the wrong number of weights",
            );
        }
        let pieces: Vec<Self> =
            suggested.iter().zip(kappas).map(|(piece, kappa)| Self::new(model, piece, kappa)).collect();
        if let StatedAcquisition::Glcb { rho, imprecision, .. } = statement.acquisition {
            let width = width(model, &pieces[0], rho, imprecision);
            let mean = Interval::point(statement.mean);
            // Low and high prior means take turns.
            let distance = |(at, piece): (usize, &Self)| match at % 2 {
                0 => mean - Interval::point(piece.mean),
                _ => Interval::point(piece.mean) - mean,
            };
            let distances: Vec<Interval> = pieces.iter().enumerate().map(distance).collect();
            if !distances.iter().all(|distance| (*distance - width).low() >= 0.0) {
                return refuse("the pieces", "their prior means are not as far apart as the imprecision asks for");
            }
            let excess = (Interval::largest(distances) - width).positive_part().upper();
            return Ok((pieces, excess));
        }
        // −σ has no mean and no weights.
        let is_deviation = statement.acquisition == StatedAcquisition::Deviation;
        let mean = if is_deviation { 0.0 } else { statement.mean };
        let is_weightless = |piece: &Self| piece.weights.iter().all(|weight| *weight == 0.0);
        match pieces.iter().all(|piece| piece.mean == mean && (!is_deviation || is_weightless(piece))) {
            true => Ok((pieces, Interval::ZERO)),
            false => refuse("the pieces", "their prior mean or weights are not those of the acquisition function"),
        }
    }

    fn new(model: &Model<'s>, suggested: &'s Suggested, kappa: f64) -> Self {
        let statement = model.statement;
        let Suggested { mean, weights } = suggested;
        // A piece with κ = 0 counts everywhere, a piece with κ > 0 only at points whose variance is not negative.
        let prior = (statement.is_piecewise_linear() && kappa == 0.0).then(|| model.largest_cross());
        let explained_share = prior.map_or(Interval::ONE, |prior| model.largest_explained_share(prior));
        let target: Vec<Interval> = match statement.acquisition {
            // −σ has no mean.
            StatedAcquisition::Deviation => vec![Interval::ZERO; statement.y.len()],
            StatedAcquisition::Mean
            | StatedAcquisition::Lcb { .. }
            | StatedAcquisition::Glcb { .. }
            | StatedAcquisition::Ei { .. }
            | StatedAcquisition::LogEi { .. }
            | StatedAcquisition::Pi { .. } => {
                statement.y.iter().map(|y| Interval::point(*y) - Interval::point(*mean)).collect()
            }
        };
        let (residual, residual_energy) = model.residual(weights, &target);
        let fitted: Interval = target.iter().zip(weights).map(|(y, a)| *y * *a).sum();
        let norm_square = fitted + (residual * absolute_sum(weights)).give_or_take();
        Self { mean: *mean, kappa, weights, residual, residual_energy, norm_square, explained_share, prior }
    }
}

/// w = ρ c/S max(2, 1 + |1ᵀa|/(c + S)), S = 1ᵀK̂⁻¹1, a = K̂⁻¹(y − m), from the weights a' of another prior mean m':
/// a = a' − (m − m') K̂⁻¹1.
fn width(model: &Model<'_>, other: &Piece<'_>, rho: f64, imprecision: f64) -> Interval {
    let ones = vec![1.0; model.statement.y.len()];
    let solved = model.solve_closely(&ones);
    let (residual, energy) = model.residual(&solved, &vec![Interval::ONE; ones.len()]);
    // 1ᵀK̂⁻¹1 = 1ᵀs + sᵀr + rᵀK̂⁻¹r with r = 1 − K̂s.
    let rest = energy.hull(Interval::ZERO);
    let sum = dot(&ones, &solved) + (residual * absolute_sum(&solved)).give_or_take() + rest;
    let drift = (sum * other.residual_energy).sqrt();
    let moved = Interval::point(model.statement.mean) - Interval::point(other.mean);
    let weighted = (dot(&ones, other.weights) + drift.give_or_take() - moved * sum).abs();
    let outer = Interval::ONE + weighted / (Interval::point(imprecision) + sum);
    Interval::point(rho) * Interval::point(imprecision) / sum * outer.max(Interval::point(2.0))
}
