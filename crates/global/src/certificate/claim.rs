//! Which function is certified.

use fathom_proof::CriterionName;
use serde::{Deserialize, Serialize};

/// The function whose minimum is certified, and where its bound comes from.
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
        /// Who says that the lower bound is one.
        bound_by: BoundBy,
    },
}

/// Where a lower bound comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundBy {
    /// The certified search, with a proof.
    Proof,
    /// An external solver: its word, in its arithmetic and with its tolerances; no proof of ours.
    ExternalSolver,
}
