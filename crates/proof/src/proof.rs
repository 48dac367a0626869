//! A statement, what is claimed of it, and the evidence.

use crate::statement::Statement;
use crate::tree::Record;
use serde::{Deserialize, Serialize};

/// A proof that can be written to a file and read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The problem: the question that the claim answers.
    pub statement: Statement,
    /// What is claimed.
    pub claim: Conclusion,
    /// Help for each confidence bound that the function is made of, in the order that `docs/reference/proof.md` gives.
    pub pieces: Vec<Piece>,
    /// Of K̂, no eigenvalue is smaller; needed if the kernels are piecewise linear, so that K need not be a covariance.
    pub least_eigenvalue: Option<f64>,
    /// Vectors of N numbers that reasons refer to.
    pub multipliers: Vec<Vec<f64>>,
    /// First the whole region once for each piece, then the halves of split boxes.
    pub records: Vec<Record>,
}

/// What is claimed of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// The best point; none if none is known.
    pub point: Option<Vec<f64>>,
    /// The function there.
    pub value: Option<f64>,
    /// No point of the region has a smaller value. If there is no bound, the claim is that the region has no points at all.
    pub lower_bound: Option<f64>,
}

/// A confidence bound under its own prior mean. Both numbers are suggestions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The constant prior mean; 0 if only the deviation is sought.
    pub mean: f64,
    /// Approximately K̂⁻¹(y − mean); zero if only the deviation is sought.
    pub weights: Vec<f64>,
}
