//! A tilted multiplier, for a function that grows as the deviation falls (docs/method.md, Lemma 6.3).

use super::best::Best;
use super::evidence::MultiplierId;
use super::round::{Bound, Round};
use super::separable::Separable;
use crate::level::Shortfall;
use crate::problem::Tables;
use crate::rounding;
use fathom_proof::Reason;

/// Memory of the bound.
#[derive(Debug)]
pub(super) struct Tilted {
    g: Vec<f64>,
    minorant: Separable,
}

impl Tilted {
    pub fn new(tables: &Tables) -> Self {
        Self { g: vec![0.0; tables.size()], minorant: Separable::zero() }
    }
}

impl Bound for Tilted {
    fn applies(&self, round: &Round<'_>, _: &Best) -> bool {
        round.target.fall().is_some() && round.tables.is_stationary
    }

    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best) {
        let Some(fall) = round.target.fall() else { return };
        let Round { tables, piece, target, on, relaxation, rows, centre, .. } = round;
        let distance = on.largest_distance(tables);
        let tilt = fall / centre.deviation;
        centre.look_again(tables, relaxation);
        for ((g, a), eta) in self.g.iter_mut().zip(&piece.weights).zip(&centre.solved) {
            *g = a - tilt * eta;
        }
        let sizes: f64 = self.g.iter().chain(&piece.weights).map(|g| g.abs()).sum();
        let reach = relaxation.prior.most();
        // The errors of the solve, of the weights' own residual and of the rounding of g.
        let rounding = rounding::TILT * sizes;
        let spread = (tables.size() as f64 / tables.noise).sqrt() * tables.largest_entry() * rounding;
        let rest = tilt * centre.rest.sqrt() + piece.residual_energy.sqrt() + spread;
        // k(x, c) = k(x, x) − ½‖k(x, ·) − k(c, ·)‖².
        let gain = tilt * (tables.variance - 0.5 * distance * distance) * rounding::TILT_DOWN
            - reach.sqrt() * rest
            - reach * rounding;
        let shortfall = Shortfall::Tilted { slope: fall * rounding::TILT_UP };
        relaxation.bound(tables, piece.offset, &self.g, 0.0);
        relaxation.quadratic.constant += gain + target.lift(&shortfall);
        rows.minorant(&relaxation.quadratic, target.height, &mut self.minorant);
        if self.minorant.value > best.minorant.value {
            best.low_point = round.low_point(self.minorant.at);
            let id = round.record.as_mut().map_or(MultiplierId::Fresh(0), |record| record.add(&self.g));
            let reason = Reason::Tilted(round.tables.order, id, tilt);
            best.consider(&self.minorant, reason, shortfall, &round.target, (round.lower, round.upper));
        }
    }
}
