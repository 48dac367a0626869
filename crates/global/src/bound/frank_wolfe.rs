//! A multiplier of the box's own, by a few Frank–Wolfe steps in the space of covariance vectors (docs/method.md, Lemma 2.4).
//!
//! Any g is valid; its energy is certified before the bound counts (Lemma 2.3).

use super::best::Best;
use super::centre::{Centre, inner};
use super::multiplier::{Energy, Multiplier};
use super::quadratic::Quadratic;
use super::round::{Bound, Round};
use super::separable::Separable;
use crate::level::Shortfall;
use crate::problem::Tables;
use crate::region::Vector;
use crate::rounding;
use fathom_gp::lanes::{axpy, dot, widest};
use fathom_gp::widest;
use fathom_proof::Reason;

/// The most Frank–Wolfe steps; further steps tighten the bound less than a branching does.
const STEPS: usize = 3;

/// The step whose bound promises most.
#[derive(Debug)]
struct Kept {
    multiplier: Multiplier,
    quadratic: Quadratic,
    /// The energy in closed form, and the lift for it.
    guess: f64,
    lift: f64,
    /// No minorant of the quadratic is higher.
    ceiling: f64,
    is_any: bool,
}

/// Memory of the steps.
#[derive(Debug)]
pub(super) struct FrankWolfe {
    trial: Multiplier,
    kept: Kept,
    energy: Energy,
    minorant: Separable,
    atom: Vec<f64>,
    atom_solved: Vec<f64>,
}

impl FrankWolfe {
    pub fn new(tables: &Tables) -> Self {
        let n = tables.size();
        Self {
            trial: Multiplier::zero(n),
            kept: Kept {
                multiplier: Multiplier::zero(n),
                quadratic: Quadratic::zero(tables.dim()),
                guess: 0.0,
                lift: 0.0,
                ceiling: f64::NEG_INFINITY,
                is_any: false,
            },
            energy: Energy::new(tables),
            minorant: Separable::zero(),
            atom: vec![0.0; tables.width()],
            atom_solved: vec![0.0; tables.width()],
        }
    }

    /// Chooses the best multiplier at the present mixture. Returns its mean, and its energy in closed form, which holds
    /// if covariances = K̂ · solved: a guess until the energy is certified.
    fn choose(&mut self, round: &Round<'_>, deviation: f64, kappa: f64) -> (f64, f64) {
        let Round { piece, centre, .. } = round;
        let mean = piece.offset + inner(&piece.weights, &centre.covariances[..piece.weights.len()]);
        let share = kappa / deviation;
        widest!(<'a> (
            g: &'a mut [f64] = &mut self.trial.g,
            weights: &'a [f64] = &piece.weights,
            solved: &'a [f64] = &centre.solved,
            share: f64 = share,
        ) {
            for ((g, a), eta) in g.iter_mut().zip(weights).zip(solved) {
                *g = a + share * eta;
            }
        });
        let guess = (kappa / deviation).powi(2) * (centre.prior - deviation * deviation).max(0.0);
        (mean, guess)
    }

    /// Turns the last minorant, found for the guessed energy and its lift, into one for the certified energy of the
    /// multiplier that is kept. Returns the multiplier's shortfall.
    fn certify(&mut self, round: &mut Round<'_>) -> Shortfall {
        let Kept { guess, lift, .. } = self.kept;
        let energy = self.kept.multiplier.energy;
        let shortfall = round.shortfall(energy);
        let Round { tables, piece, target, relaxation, rows, .. } = round;
        let (before, rho, lifted) = (target.rho(guess), target.rho(energy), target.lift(&shortfall));
        let constant = if rho == 0.0 { Some(tables.variance) } else { relaxation.prior.as_constant() };
        if let Some(prior) = constant {
            let charge = (rho - before) * prior.sqrt();
            let rounding = rounding::SWAP * ((before + rho) * prior.sqrt() + lift.abs() + lifted.abs());
            let correction = lifted - lift - charge - rounding;
            self.minorant.constant += correction;
            self.minorant.value += correction;
        } else {
            relaxation.bound(tables, piece.offset, &self.kept.multiplier.g, rho);
            rows.minorant(&relaxation.quadratic, target.height, &mut self.minorant);
        }
        shortfall
    }

    /// Keeps the trial multiplier and its quadratic as the best so far.
    fn keep(&mut self, quadratic: &Quadratic, guess: f64, lift: f64, ceiling: f64) {
        self.kept.multiplier.copy_from(&self.trial);
        self.kept.quadratic.copy_from(quadratic);
        (self.kept.guess, self.kept.lift, self.kept.ceiling, self.kept.is_any) = (guess, lift, ceiling, true);
    }

    /// Makes the minorant of the multiplier that is kept, and offers it.
    fn settle(&mut self, round: &mut Round<'_>, best: &mut Best) {
        if !std::mem::replace(&mut self.kept.is_any, false) {
            return;
        }
        round.rows.minorant(&self.kept.quadratic, round.target.height, &mut self.minorant);
        if !(self.minorant.value > best.minorant.value) {
            return;
        }
        let multiplier = &mut self.kept.multiplier;
        multiplier.energy = self.energy.of(round.tables, round.piece, &multiplier.g);
        if let Some(record) = &mut round.record {
            multiplier.id = record.add(&multiplier.g);
        }
        let shortfall = self.certify(round);
        best.multiplier.copy_from(&self.kept.multiplier);
        let reason = Reason::Multiplier(round.tables.order, self.kept.multiplier.id);
        best.consider(&self.minorant, reason, shortfall, &round.target, (round.lower, round.upper));
    }

    /// One step towards the atom of the multiplier `g` at a point; false if it leads nowhere.
    fn mix(&mut self, round: &mut Round<'_>, g: &[f64], low_point: &Vector, kappa: f64) -> bool {
        let Round { tables, piece, relaxation, centre, .. } = round;
        relaxation.atom(tables, g, low_point, &mut self.atom[..g.len()]);
        tables.inverse.multiply(&self.atom, &mut self.atom_solved);
        let prior = relaxation.prior.at(low_point);
        let (left, growth) = (centre.prior, prior - centre.prior);
        let [linear, explained, cross, square] = widest!(<'a> (
            weights: &'a [f64] = &piece.weights,
            centre: &'a Centre = centre,
            atom: &'a mut [f64] = &mut self.atom,
            solved: &'a mut [f64] = &mut self.atom_solved,
        ) -> [f64; 4] {
            axpy(-1.0, &centre.covariances, atom);
            axpy(-1.0, &centre.solved, solved);
            [
                dot(weights, &atom[..weights.len()]),
                dot(&centre.covariances, &centre.solved),
                dot(&centre.covariances, solved),
                dot(atom, solved),
            ]
        });
        let square = square.max(0.0);
        // From the mixture at t the value falls by linear + κ u / v, with u = t·square − ½rise and v² = variance + t·rise − t²·square.
        let (variance, rise) = (left - explained, growth - 2.0 * cross);
        let slope = |t: f64| {
            let v = (variance + t * (rise - t * square)).max(1e-12 * left).sqrt();
            linear + kappa * (t * square - 0.5 * rise) / v
        };
        if slope(0.0) >= 0.0 {
            return false;
        }
        let low = if slope(1.0) <= 0.0 {
            1.0
        } else {
            // u/v = −linear/κ, and v² = variance + rise²/4square − u²/square.
            let ratio = -linear / kappa;
            let most = variance + 0.25 * rise * rise / square;
            let u = ratio * (most / (1.0 + ratio * ratio / square)).sqrt();
            ((u + 0.5 * rise) / square).clamp(0.0, 1.0)
        };
        if !(low >= 1e-4) {
            return false;
        }
        widest(|| {
            axpy(low, &self.atom, &mut centre.covariances);
            axpy(low, &self.atom_solved, &mut centre.solved);
        });
        centre.prior += low * growth;
        true
    }
}

impl Bound for FrankWolfe {
    /// If the deviation does not count, the posterior mean's own weights are the best multiplier.
    fn applies(&self, round: &Round<'_>, best: &Best) -> bool {
        !best.is_sharp && !round.target.ignores_deviation() && !matches!(best.reason, Reason::Moving(..))
    }

    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best) {
        round.centre.look(round.tables, round.relaxation);
        self.trial.piece = best.multiplier.piece;
        self.kept.ceiling = best.ceiling();
        self.kept.is_any = false;
        let kappa = round.target.kappa(round.centre.posterior_deviation());
        // The first atom is that of the inherited multiplier, whose bound is known.
        self.mix(round, &best.multiplier.g, &best.low_point, kappa);
        for step in 0..STEPS {
            let deviation = round.centre.posterior_deviation();
            let kappa = round.target.kappa(deviation);
            let (mean, guess) = self.choose(round, deviation, kappa);
            let lift = round.target.lift(&round.shortfall(guess));
            let Round { tables, piece, target, relaxation, .. } = round;
            relaxation.bound(tables, piece.offset, &self.trial.g, target.rho(guess));
            relaxation.quadratic.constant += lift;
            let (ceiling, low_point) = round.ceiling(best.low_point);
            best.low_point = low_point;
            if ceiling > self.kept.ceiling {
                self.keep(&round.relaxation.quadratic, guess, lift, ceiling);
            }
            if ceiling >= round.target.height || best.offers.is_some() {
                self.settle(round, best);
                if best.reaches(&round.target) {
                    return;
                }
            }
            // No g lifts the bound above the relaxation's value at this mixture.
            let is_hopeless = round.target.is_missed(mean, deviation);
            if is_hopeless || step + 1 == STEPS || (round.late)() {
                break;
            }
            let trial = std::mem::take(&mut self.trial.g);
            let goes_on = self.mix(round, &trial, &best.low_point, kappa);
            self.trial.g = trial;
            if !goes_on {
                break;
            }
        }
        self.settle(round, best);
    }
}
