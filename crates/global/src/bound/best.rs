//! The best bound of a box so far.

use super::evidence::MultiplierId;
use super::lower::Lower;
use super::multiplier::Multiplier;
use super::quadratic::Quadratic;
use super::row_multipliers::RowMultipliers;
use super::separable::Separable;
use super::target::Target;
use crate::level::Shortfall;
use crate::problem::Problem;
use crate::region::{MOST_INPUTS, Vector};
use fathom_proof::Reason;

/// A bound of a box, before it is compared with any other.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub reason: Reason<MultiplierId>,
    /// The bound of the function, or of the piece, on the box.
    pub bound: f64,
    /// The minorant whose least value is the bound, in the coordinates of the box.
    pub minorant: Separable,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// A quadratic below the function that cannot close the box. Its minorant is made only if nothing better comes.
#[derive(Debug)]
struct Postponed {
    quadratic: Quadratic,
    reason: Reason<MultiplierId>,
    shortfall: Shortfall,
    /// No minorant of the quadratic is higher.
    ceiling: f64,
}

/// The best bound of the present box, and what its children start from.
#[derive(Debug)]
pub(crate) struct Best {
    pub minorant: Separable,
    pub reason: Reason<MultiplierId>,
    shortfall: Shortfall,
    /// The best multiplier; the children start from it.
    pub multiplier: Multiplier,
    postponed: Postponed,
    /// Whether a bound of higher order is as good as in exact arithmetic, so that another multiplier is not worth its
    /// cost.
    pub is_sharp: bool,
    /// A point of the cube at which the last relaxation is low.
    pub low_point: Vector,
    /// Memory for a minorant.
    spare: Separable,
    /// Every bound that was found for the node, if the caller asked for them.
    pub offers: Option<Vec<Offer>>,
}

impl Best {
    pub fn new(problem: &Problem<'_>) -> Self {
        let tables = problem.objective();
        Self {
            minorant: Separable::zero(),
            reason: Reason::Multiplier(tables.order, MultiplierId::Known(0)),
            shortfall: Shortfall::Multiplier { energy: 0.0, variance: tables.variance },
            multiplier: Multiplier::zero(tables.size()),
            postponed: Postponed {
                quadratic: Quadratic::zero(tables.dim()),
                reason: Reason::Multiplier(tables.order, MultiplierId::Known(0)),
                shortfall: Shortfall::Multiplier { energy: 0.0, variance: tables.variance },
                ceiling: f64::NEG_INFINITY,
            },
            is_sharp: false,
            low_point: [0.0; MOST_INPUTS],
            spare: Separable::zero(),
            offers: None,
        }
    }

    /// Prepares for the first bound of a box.
    pub fn begin(&mut self, problem: &Problem<'_>) {
        self.minorant.value = f64::NEG_INFINITY;
        self.reason = Reason::Multiplier(problem.objective().order, self.multiplier.id);
        self.is_sharp = false;
        self.postponed.ceiling = f64::NEG_INFINITY;
    }

    /// Keeps a quadratic none of whose minorants is above `ceiling`, until [`Self::settle`] asks for its minorant.
    pub fn postpone(
        &mut self,
        quadratic: &Quadratic,
        reason: Reason<MultiplierId>,
        shortfall: Shortfall,
        ceiling: f64,
    ) {
        self.postponed.quadratic.copy_from(quadratic);
        self.postponed.reason = reason;
        self.postponed.shortfall = shortfall;
        self.postponed.ceiling = ceiling;
    }

    /// The highest that a bound of the box can be, as far as it was looked at.
    pub fn ceiling(&self) -> f64 {
        self.postponed.ceiling.max(self.minorant.value)
    }

    /// Makes the postponed minorant, unless a better one is known. `lower` and `upper` are the box.
    pub fn settle(&mut self, rows: &mut RowMultipliers, target: &Target, (lower, upper): (&[f64], &[f64])) {
        if self.postponed.ceiling > self.minorant.value {
            let mut offered = std::mem::replace(&mut self.spare, Separable::zero());
            rows.minorant(&self.postponed.quadratic, target.height, &mut offered);
            let (reason, shortfall) = (self.postponed.reason, self.postponed.shortfall);
            self.consider(&offered, reason, shortfall, target, (lower, upper));
            self.spare = offered;
        }
        self.postponed.ceiling = f64::NEG_INFINITY;
    }

    /// Keeps an offer if it is better than the best so far. `lower` and `upper` are the box.
    pub fn consider(
        &mut self,
        offered: &Separable,
        reason: Reason<MultiplierId>,
        shortfall: Shortfall,
        target: &Target,
        (lower, upper): (&[f64], &[f64]),
    ) {
        if let Some(offers) = &mut self.offers {
            let bound = target.value(offered.value, &shortfall);
            let (lower, upper, minorant) = (lower.to_vec(), upper.to_vec(), offered.clone());
            offers.push(Offer { reason, bound, minorant, lower, upper });
        }
        if offered.value > self.minorant.value {
            self.minorant.clone_from(offered);
            self.reason = reason;
            self.shortfall = shortfall;
        }
    }

    /// Whether the best bound closes the box.
    pub fn reaches(&self, target: &Target) -> bool {
        self.minorant.value >= target.height
    }

    /// Whether nothing was proven: some numbers were too large for floating point.
    pub fn is_unknown(&self) -> bool {
        self.minorant.value == f64::NEG_INFINITY
    }

    /// The proven bound of the function.
    pub fn bound(&self, target: &Target) -> Lower {
        target.bound(self.minorant.value, &self.shortfall)
    }
}
