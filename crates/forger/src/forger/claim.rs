//! Forgeries of the claim: a bound, a point and its value.

use super::{Forger, STRANGE};
use crate::truth::Truth;
use fathom_proof::{Conclusion, End, Proof};
use rand::RngExt as _;

impl Forger {
    /// Raises the claim too high: by very little, by far, or beyond all numbers.
    pub(super) fn raise(&mut self, proof: &mut Proof) {
        let Truth::Between(lower, upper) = self.truth else {
            proof.claim.lower_bound = Some(self.number(1.0));
            return;
        };
        let scale = upper.abs() + 1e-3;
        let claim = match self.rng.random_range(0..12) {
            0..=4 => upper + scale * self.decades(-11.0, 1.0),
            5 => upper + scale * self.decades(-12.0, 300.0),
            6 => upper + 0.5 * (upper - lower) + 1e-6 * scale,
            7 => f64::MAX,
            8 => self.number(upper).abs(),
            9 => upper + scale * 0.1,
            10 => 0.0,
            _ => STRANGE[self.rng.random_range(0..STRANGE.len())],
        };
        proof.claim.lower_bound = Some(claim);
        // A claim above its own value is refused at once.
        match self.rng.random_range(0..10) {
            0 => {}
            1 => proof.claim.value = proof.claim.value.map(|_| claim),
            _ => (proof.claim.point, proof.claim.value) = (None, None),
        }
    }

    pub(super) fn point(&mut self, proof: &mut Proof) {
        let bounds = proof.statement.bounds.clone();
        let value = match self.truth {
            Truth::Between(_, upper) => upper,
            Truth::Empty | Truth::Unknown => 0.0,
        };
        let mut point: Vec<f64> = match &proof.claim.point {
            Some(point) if self.chance(0.5) => point.clone(),
            Some(_) | None => bounds.iter().map(|(low, high)| low + self.rng.random::<f64>() * (high - low)).collect(),
        };
        if self.chance(0.7) {
            let j = self.rng.random_range(0..point.len());
            point[j] = if self.chance(0.5) { self.number(point[j]) } else { point[j] + self.decades(-12.0, -1.0) };
        }
        let value = match self.rng.random_range(0..4) {
            0 => value * (1.0 - self.decades(-9.0, 2.0)),
            1 => value - self.decades(-9.0, 2.0),
            2 => self.number(value),
            _ => value,
        };
        let old = proof.claim.lower_bound.filter(|bound| *bound <= value);
        proof.claim = Conclusion { point: Some(point), value: Some(value), lower_bound: old.or(Some(value)) };
    }

    pub(super) fn no_points(&mut self, proof: &mut Proof) {
        proof.claim = Conclusion { point: None, value: None, lower_bound: None };
        for at in 0..proof.records.len() {
            if matches!(proof.records[at].end, End::Closed(_)) && self.chance(0.8) {
                let end = if self.chance(0.8) { End::Empty { row: self.row(proof) } } else { End::Inherited };
                proof.records[at].end = end;
            }
        }
        if self.chance(0.3) {
            self.cuts_anew(proof);
        }
    }
}
