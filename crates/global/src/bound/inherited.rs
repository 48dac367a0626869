//! The bound of the multiplier that the parent ended with (docs/method.md, Theorem 1).

use super::best::Best;
use super::round::{Bound, Round};
use super::separable::Separable;
use crate::region::MOST_INPUTS;
use fathom_proof::Reason;

/// The bound of the inherited multiplier; it costs almost nothing and often closes the box.
#[derive(Debug)]
pub(super) struct Inherited {
    minorant: Separable,
}

impl Inherited {
    pub fn new() -> Self {
        Self { minorant: Separable::zero() }
    }
}

impl Bound for Inherited {
    fn applies(&self, _: &Round<'_>, _: &Best) -> bool {
        true
    }

    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best) {
        let shortfall = round.shortfall(best.multiplier.energy);
        let Round { tables, piece, target, relaxation, .. } = round;
        relaxation.bound(tables, piece.offset, &best.multiplier.g, target.rho(best.multiplier.energy));
        relaxation.quadratic.constant += target.lift(&shortfall);
        let reason = Reason::Multiplier(tables.order, best.multiplier.id);
        let (ceiling, low_point) = round.ceiling([0.0; MOST_INPUTS]);
        best.low_point = low_point;
        if ceiling < round.target.height && best.offers.is_none() {
            best.postpone(&round.relaxation.quadratic, reason, shortfall, ceiling);
            return;
        }
        let Round { target, relaxation, rows, .. } = round;
        rows.minorant(&relaxation.quadratic, target.height, &mut self.minorant);
        best.consider(&self.minorant, reason, shortfall, target, (round.lower, round.upper));
        if ceiling == f64::INFINITY {
            best.low_point = self.minorant.at;
        }
    }
}
