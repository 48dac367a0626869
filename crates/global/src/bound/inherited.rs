//! The bound of the multiplier that the parent ended with (docs/method.md, Theorem 1).

use super::best::Best;
use super::round::{Bound, Round};
use super::separable::Separable;
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
        let Round { tables, piece, target, relaxation, rows, .. } = round;
        relaxation.bound(tables, piece.offset, &best.multiplier.g, target.rho(best.multiplier.energy));
        relaxation.quadratic.constant += target.lift(&shortfall);
        rows.minorant(&relaxation.quadratic, target.height, &mut self.minorant);
        best.inherited = self.minorant.value;
        let reason = Reason::Multiplier(tables.order, best.multiplier.id);
        best.consider(&self.minorant, reason, shortfall, target, (round.lower, round.upper));
        best.low_point = round.low_point(self.minorant.at);
    }
}
