//! Which function is certified.

use fathom_gp::Criterion;
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

/// The names of the criteria, without their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionName {
    /// Lower confidence bound.
    Lcb,
    /// Posterior mean.
    Mean,
    /// Negative posterior deviation.
    Deviation,
    /// Generalised lower confidence bound.
    Glcb,
    /// Expected improvement.
    Ei,
    /// Logarithm of the expected improvement.
    LogEi,
    /// Probability of improvement.
    Pi,
}

impl CriterionName {
    /// As files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lcb => "lcb",
            Self::Mean => "mean",
            Self::Deviation => "deviation",
            Self::Glcb => "glcb",
            Self::Ei => "ei",
            Self::LogEi => "log_ei",
            Self::Pi => "pi",
        }
    }
}

impl From<Criterion> for CriterionName {
    fn from(criterion: Criterion) -> Self {
        match criterion {
            Criterion::Lcb { .. } => Self::Lcb,
            Criterion::Mean => Self::Mean,
            Criterion::Deviation => Self::Deviation,
            Criterion::Glcb { .. } => Self::Glcb,
            Criterion::Ei { .. } => Self::Ei,
            Criterion::LogEi { .. } => Self::LogEi,
            Criterion::Pi { .. } => Self::Pi,
        }
    }
}
