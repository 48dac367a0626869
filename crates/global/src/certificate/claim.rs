//! Which function is certified.

use fathom_proof::CriterionName;
use serde::{Deserialize, Serialize};

/// The function whose minimum is certified, and the source of its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "function", rename_all = "snake_case")]
pub enum Claim {
    /// The true acquisition function.
    Acquisition {
        /// Which one.
        criterion: CriterionName,
    },
    /// The acquisition function under the piecewise-linear kernel.
    PiecewiseLinear {
        /// Which one.
        criterion: CriterionName,
        /// The source of the lower bound.
        bound_by: BoundBy,
    },
}

/// The source of a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundBy {
    /// The certified search, with a proof.
    Proof,
    /// An external solver, on its word: in its arithmetic, with its tolerances, without a proof.
    ExternalSolver,
}
