//! A proof: a statement, a claim about it, and the evidence.

use crate::statement::Statement;
use crate::tree::Record;
use serde::{Deserialize, Serialize};

/// A proof that can be written to a file and read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The problem: the question that the claim answers.
    pub statement: Statement,
    /// The claim.
    pub claim: Conclusion,
    /// A suggestion for each confidence bound of the function, in the order that `docs/reference/proof.md` gives.
    pub pieces: Vec<Piece>,
    /// A lower bound of the eigenvalues of K̂; needed if the kernels are piecewise linear, because K need not be a covariance
    /// matrix then.
    pub least_eigenvalue: Option<f64>,
    /// Vectors of N numbers that reasons name by index.
    pub multipliers: Vec<Vec<f64>>,
    /// The boxes: first the whole region once for each piece, then the halves of split boxes.
    pub records: Vec<Record>,
}

/// The claim about a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// The best point; none if no point is known.
    pub point: Option<Vec<f64>>,
    /// The function at the best point.
    pub value: Option<f64>,
    /// A lower bound of the function on the region. Without a bound, the claim is that the region has no points.
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
