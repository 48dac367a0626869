//! The target of a bound of a box: the cutoff, or, for an improvement criterion, the mean that its level curve asks for
//! (docs/method.md, Theorem 4). A quadratic below the function, lifted by `lift`, closes the box if it reaches `height`.

use super::lower::Lower;
use crate::level::{Hull, Improvement, LevelCurve, Shortfall};
use crate::problem::Piece;
use crate::rounding;

/// What the bounds of one box have to reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// A bound that reaches this height closes the box.
    pub height: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Piece { kappa: f64 },
    Level { improvement: Improvement, curve: LevelCurve, range: (f64, f64), hull: Hull },
}

impl Target {
    /// The target for a piece that is the function.
    pub fn at_piece(piece: &Piece, cutoff: f64) -> Self {
        Self { height: cutoff, kind: Kind::Piece { kappa: piece.kappa } }
    }

    /// The target for a function of mean and deviation, on a box whose deviations lie in `range`.
    pub fn at_level(improvement: Improvement, curve: LevelCurve, range: (f64, f64)) -> Self {
        let hull = Hull::of(&curve);
        Self { height: improvement.best, kind: Kind::Level { improvement, curve, range, hull } }
    }

    /// The κ for which μ − κσ stands for the function if the deviation is `deviation`.
    pub fn kappa(&self, deviation: f64) -> f64 {
        match &self.kind {
            Kind::Piece { kappa } => *kappa,
            Kind::Level { curve, hull, .. } => hull.slope(curve, deviation),
        }
    }

    /// Whether a deviation can only raise the function or does not matter.
    pub fn ignores_deviation(&self) -> bool {
        match &self.kind {
            Kind::Piece { kappa } => *kappa == 0.0,
            Kind::Level { curve, .. } => curve.never_rises(),
        }
    }

    /// How fast the mean may fall with the deviation, if the function grows as the deviation falls.
    pub fn fall(&self) -> Option<f64> {
        match &self.kind {
            Kind::Piece { .. } => None,
            Kind::Level { curve, .. } => curve.fall(),
        }
    }

    /// Whether the function at this mean and deviation is below the target.
    pub fn is_missed(&self, mean: f64, deviation: f64) -> bool {
        match &self.kind {
            Kind::Piece { kappa } => mean - kappa * deviation < self.height,
            Kind::Level { curve, hull, .. } => mean < hull.height(curve, deviation),
        }
    }

    /// The ρ of a multiplier that is charged to the quadratic, rounded up.
    pub fn rho(&self, energy: f64) -> f64 {
        match &self.kind {
            Kind::Piece { kappa } => (kappa * kappa + energy).sqrt() * rounding::UP,
            Kind::Level { .. } => 0.0,
        }
    }

    /// How far −κσ may lie below −½wσ², if the quadratic is charged with σ² at the weight w.
    pub fn rest(&self, weight: f64) -> f64 {
        match &self.kind {
            Kind::Piece { kappa } => 0.5 * kappa * kappa / weight * rounding::UP,
            Kind::Level { .. } => 0.0,
        }
    }

    /// The number to add to the quadratic.
    pub fn lift(&self, shortfall: &Shortfall) -> f64 {
        match &self.kind {
            Kind::Piece { .. } => 0.0,
            Kind::Level { curve, range, .. } => self.height - curve.need(shortfall, *range),
        }
    }

    /// The bound of the function that the least value of a lifted minorant proves.
    pub fn bound(&self, value: f64, shortfall: &Shortfall) -> Lower {
        Lower::proven(self.value(value, shortfall))
    }

    /// The bound as a number; NaN if the minorant's least value is NaN.
    pub fn value(&self, value: f64, shortfall: &Shortfall) -> f64 {
        match &self.kind {
            Kind::Piece { .. } => value,
            Kind::Level { improvement, range, .. } => {
                let lift = self.lift(shortfall);
                // How much is lost if the lift is added and taken off again.
                let rounding = rounding::LIFT * (value.abs() + lift.abs());
                improvement.lowest(value - lift - rounding, shortfall, *range)
            }
        }
    }
}
