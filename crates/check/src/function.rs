//! A proof's function in interval arithmetic, for comparison with other bounds.

use crate::interval::Interval;
use crate::model::Model;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{Proof, StatedNegative};

/// The function of a proof's statement.
#[derive(Debug)]
pub struct Function<'p>(Model<'p>);

impl<'p> Function<'p> {
    /// The function of a proof with a valid statement and valid pieces. The claim and the boxes are not checked.
    pub fn new(proof: &'p Proof) -> Result<Self, Rejection> {
        if let Err(fault) = proof.statement.check() {
            return refuse("the statement", fault.to_string());
        }
        Ok(Self(Model::new(proof)?))
    }

    /// A lower and an upper bound of the function at a point; both are infinite if nothing is known, or if the point does not
    /// count.
    pub fn value(&self, x: &[f64]) -> (f64, f64) {
        ends(self.0.value(x).value)
    }

    /// The same bounds for each piece that counts at the point. A piece with κ > 0 does not count if the variance may be
    /// negative.
    pub fn pieces(&self, x: &[f64]) -> Vec<Option<(f64, f64)>> {
        let values = self.0.value(x);
        let may_be_negative = self.0.statement.is_piecewise_linear() && !(values.variance.low() >= 0.0);
        let excluded = self.0.statement.negative_variance == Some(StatedNegative::Excluded);
        let counts = |kappa: f64| !may_be_negative || (kappa == 0.0 && !excluded);
        let pieces = self.0.pieces.iter().zip(values.pieces);
        pieces.map(|(piece, value)| counts(piece.kappa).then(|| ends(value))).collect()
    }
}

fn ends(set: Interval) -> (f64, f64) {
    (set.low(), set.high())
}
