//! Forgeries of what a bound rests on: multipliers, weights, reasons, and the vectors of minorants.

use super::Forger;
use crate::records;
use fathom_proof::{Evidence, Order, Proof, Reason};
use rand::RngExt as _;

impl Forger {
    /// The evidence of some box, perhaps changed.
    pub(super) fn borrowed(&mut self, proof: &Proof) -> Evidence {
        let all: Vec<&Evidence> = proof.records.iter().flat_map(records::evidence).collect();
        let (dim, rows) = (proof.statement.dim(), proof.statement.rows.len());
        let mut evidence = match all.is_empty() {
            true => Evidence {
                reason: Reason::Moving(Order::Two, 1.0),
                shift: vec![0.0; dim],
                at: vec![0.0; dim],
                duals: vec![0.0; rows],
            },
            false => all[self.rng.random_range(0..all.len())].clone(),
        };
        if self.chance(0.5) {
            evidence.reason = self.reason(evidence.reason, proof.multipliers.len());
        }
        if self.chance(0.2) {
            evidence.shift.iter_mut().chain(&mut evidence.at).for_each(|value| *value = self.number(*value));
        }
        evidence
    }

    pub(super) fn multipliers(&mut self, proof: &mut Proof) {
        let all = self.chance(0.5);
        for g in &mut proof.multipliers {
            if all || self.chance(0.3) {
                self.entries(g);
            }
        }
    }

    pub(super) fn weights(&mut self, proof: &mut Proof) {
        for piece in &mut proof.pieces {
            self.entries(&mut piece.weights);
        }
        // Tilted evidence compares weights and multipliers.
        let weights = proof.pieces.first().map(|piece| piece.weights.clone());
        if let (Some(weights), true) = (weights, self.chance(0.3)) {
            proof.multipliers.iter_mut().for_each(|g| g.clone_from(&weights));
        }
    }

    pub(super) fn piece_means(&mut self, proof: &mut Proof) {
        let count = proof.pieces.len();
        if count == 0 {
            return;
        }
        let chosen = self.rng.random_range(0..count);
        proof.pieces[chosen].mean = self.number(proof.pieces[chosen].mean);
        if count == 2 && self.chance(0.5) {
            let means = [proof.pieces[1].mean, proof.pieces[0].mean];
            (proof.pieces[0].mean, proof.pieces[1].mean) = (means[0], means[1]);
        }
    }

    pub(super) fn eigenvalue(&mut self, proof: &mut Proof) {
        let old = proof.least_eigenvalue.unwrap_or(1.0);
        let new = if self.chance(0.5) { old * self.decades(-1.0, 3.0) } else { self.number(old) };
        proof.least_eigenvalue = if self.chance(0.1) { None } else { Some(new) };
    }

    pub(super) fn pieces(&mut self, proof: &mut Proof) {
        match (self.rng.random_range(0..3), proof.pieces.len()) {
            (0, 2) => {
                proof.pieces.swap(0, 1);
            }
            (1, 2) => {
                proof.pieces.truncate(1);
            }
            (_, 2) if proof.records.len() > 1 => proof.records.swap(0, 1),
            (0, 4) => proof.pieces.swap(0, 3),
            (1, 4) => proof.pieces.truncate(2),
            (0, 1) => proof.pieces.push(proof.pieces[0].clone()),
            (1, _) => proof.pieces.clear(),
            (_, _) => self.piece_means(proof),
        }
    }

    pub(super) fn reason(&mut self, old: Reason, multipliers: usize) -> Reason {
        let order = if self.chance(0.5) { Order::Two } else { Order::Three };
        let index = self.rng.random_range(0..=multipliers);
        match self.rng.random_range(0..6) {
            0 => Reason::Multiplier(order, index),
            1 | 2 => Reason::Tilted(order, index, self.number(1.0)),
            3 => Reason::Moving(order, self.number(1.0)),
            4 => Reason::Taylor { guess: self.number(0.5), kappa: self.number(2.0) },
            _ => match old {
                Reason::Multiplier(_, at) => Reason::Multiplier(order, at),
                Reason::Tilted(_, at, tau) => Reason::Tilted(order, at, tau),
                Reason::Moving(_, weight) => Reason::Moving(order, weight),
                Reason::Taylor { guess, kappa } => Reason::Taylor { guess, kappa },
            },
        }
    }

    /// Changes some evidence, or all of it.
    pub(super) fn each(&mut self, proof: &mut Proof, mut change: impl FnMut(&mut Self, &mut Evidence)) {
        let all = self.chance(0.6);
        for record in &mut proof.records {
            for evidence in records::evidence_mut(record) {
                if all || self.chance(0.2) {
                    change(self, evidence);
                }
            }
        }
    }

    pub(super) fn reasons(&mut self, proof: &mut Proof) {
        let (count, one) = (proof.multipliers.len(), self.chance(0.5));
        let same = self.reason(Reason::Moving(Order::Two, 1.0), count);
        self.each(proof, |forger, evidence| {
            evidence.reason = if one { same } else { forger.reason(evidence.reason, count) };
        });
    }

    pub(super) fn parameters(&mut self, proof: &mut Proof) {
        let same = self.chance(0.5).then(|| self.number(1.0));
        self.each(proof, |forger, evidence| {
            let mut new = |old: f64| same.unwrap_or_else(|| forger.number(old));
            evidence.reason = match evidence.reason {
                Reason::Multiplier(order, at) => Reason::Tilted(order, at, new(1.0)),
                Reason::Tilted(order, at, tau) => Reason::Tilted(order, at, new(tau)),
                Reason::Moving(order, weight) => Reason::Moving(order, new(weight)),
                Reason::Taylor { guess, kappa } => {
                    let guess = new(guess);
                    Reason::Taylor { guess, kappa: if same.is_some() { kappa } else { forger.number(kappa) } }
                }
            };
        });
    }

    pub(super) fn vectors(&mut self, proof: &mut Proof, of: fn(&mut Evidence) -> &mut Vec<f64>) {
        let same = self.chance(0.4).then(|| self.number(1.0));
        self.each(proof, |forger, evidence| {
            let values = of(evidence);
            match same {
                Some(same) => values.iter_mut().for_each(|value| *value = same),
                None => forger.entries(values),
            }
        });
    }

    /// Changes the lengths of vectors, which shifts everything that follows in the file.
    pub(super) fn lengths(&mut self, proof: &mut Proof) {
        let way = self.rng.random_range(0..5);
        let value = self.number(0.0);
        match way {
            0 => self.each(proof, |_, evidence| evidence.shift.push(value)),
            1 => self.each(proof, |_, evidence| evidence.at.clear()),
            2 => self.each(proof, |_, evidence| {
                evidence.duals.pop();
            }),
            3 => proof.multipliers.iter_mut().for_each(|g| g.push(value)),
            _ => proof.pieces.iter_mut().for_each(|piece| piece.weights.push(value)),
        }
    }
}
