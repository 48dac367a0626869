//! One round of a node: a box, the target of its bounds, and what the bounds share.

use super::best::Best;
use super::centre::Centre;
use super::evidence::NodeRecord;
use super::relaxation::Relaxation;
use super::row_multipliers::RowMultipliers;
use super::scaled_box::ScaledBox;
use super::target::Target;
use crate::level::Shortfall;
use crate::problem::{Piece, Problem, Tables};
use crate::region::Vector;
use std::fmt;

/// A kind of bound.
pub(crate) trait Bound: fmt::Debug + Send {
    /// Whether the bound is worth its cost on this box, given the bounds offered before.
    fn applies(&self, round: &Round<'_>, best: &Best) -> bool;

    /// Offers `best` a minorant of the function on the box, with its reason and its shortfall; several, if each
    /// improves the next.
    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best);
}

/// What all bounds of a box work with.
pub(crate) struct Round<'r> {
    pub problem: &'r Problem<'r>,
    /// The Gaussian process that is bounded.
    pub tables: &'r Tables,
    /// The piece of the function that is bounded.
    pub piece: &'r Piece,
    pub target: Target,
    pub on: ScaledBox,
    /// The box in the user's coordinates.
    pub lower: &'r [f64],
    pub upper: &'r [f64],
    pub relaxation: &'r mut Relaxation,
    pub rows: &'r mut RowMultipliers,
    pub centre: &'r mut Centre,
    /// The record for the proof, if a proof is recorded.
    pub record: Option<&'r mut NodeRecord>,
    /// Whether there is no time left.
    pub late: &'r dyn Fn() -> bool,
}

impl Round<'_> {
    /// The shortfall of a multiplier of this energy on this box.
    pub fn shortfall(&self, energy: f64) -> Shortfall {
        Shortfall::Multiplier { energy, variance: self.relaxation.prior.most() }
    }

    /// Makes the minorant that `best` has postponed, unless a better one is known.
    pub fn settle(&mut self, best: &mut Best) {
        best.settle(self.rows, &self.target, (self.lower, self.upper));
    }

    /// The value of the relaxation's quadratic at a low point, found from `start`, and that point: no minorant is higher.
    /// Rows can lift a minorant to any height.
    pub fn ceiling(&self, start: Vector) -> (f64, Vector) {
        if !self.problem.region().rows().is_empty() {
            return (f64::INFINITY, start);
        }
        let low_point = self.relaxation.quadratic.low_point(start);
        (self.relaxation.quadratic.at(&low_point), low_point)
    }

    /// A point at which the relaxation is low, near the minimum `at` of its minorant; the minorant takes the rows into account.
    pub fn low_point(&self, at: Vector) -> Vector {
        let free = self.problem.region().rows().is_empty();
        if free { self.relaxation.quadratic.low_point(at) } else { at }
    }
}
