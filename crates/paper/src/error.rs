//! What can go wrong with the paper's method.

use fathom_global::CriterionName;
use std::sync::Arc;

/// A run of the paper's method or of a baseline that failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A mistake in the problem.
    #[error(transparent)]
    Problem(#[from] fathom_global::Error),
    /// An unknown local method.
    #[error("there is no method `{name}`: use multistart, l-bfgs-b, nelder-mead, cobyla, slsqp or trust-constr")]
    UnknownMethod {
        /// The name.
        name: String,
    },
    /// An unknown test function.
    #[error("there is no test function `{name}`: use {}", .known.join(", "))]
    UnknownFunction {
        /// The name.
        name: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// A model or a solver of the paper's program that failed.
    #[error(transparent)]
    Program(#[from] Failure),
    /// A criterion for which the paper's program has no rows.
    #[error("{criterion} is neither linear nor quadratic in mean and deviation: use lcb, mean, deviation or glcb")]
    NotQuadratic {
        /// The criterion.
        criterion: CriterionName,
    },
    /// A setting of the method that does not fit the others.
    #[error("`{key}`: {reason}")]
    BadOption {
        /// The setting's name.
        key: &'static str,
        /// What is wrong, and the way out.
        reason: String,
    },
    /// Group by group, without groups.
    #[error("the model has one group of inputs, so nothing can be minimised group by group: use the method `pk`")]
    OneGroup,
    /// A region beyond the box of the piecewise-linear kernel.
    #[error("side {side} of the region reaches beyond [{lower}, {upper}], for which the kernel was approximated")]
    OutsideApproximation {
        /// Index of the side, from 0.
        side: usize,
        /// Lower end of the approximation's box.
        lower: f64,
        /// Upper end of the approximation's box.
        upper: f64,
    },
    /// No feasible point was found, by a solver or at random.
    #[error("{solver} met no feasible point: {why}")]
    NoFeasiblePoint {
        /// The solver.
        solver: String,
        /// Why there may be none.
        why: NoPoint,
    },
    /// A solver's claim that one of our points refutes.
    #[error(
        "{solver} claims that {claim}, but a feasible point has the value {value}: its tolerances may be too loose"
    )]
    FalseClaim {
        /// The solver.
        solver: String,
        /// The claim.
        claim: String,
        /// The value of a feasible point, as evaluated by us.
        value: f64,
    },
}

/// Why no feasible point is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPoint {
    /// The published treatment may have cut all points off, if there are any.
    #[error(
        "the published treatment cuts off every point with a negative variance, or no point satisfies the constraints; the \
         treatment `keep-all` tells which"
    )]
    Treatment,
    /// The solver claims that there is none.
    #[error("it claims that the constraints have none, without a proof; `--method certified` proves or refutes that")]
    Claimed,
    /// A limit came first.
    #[error("a limit ended it first; raise the limit, or use `--method certified`")]
    Limit,
}

/// An error of the program layer; shared, and equal to another with the same text.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub struct Failure(Arc<fathom_miqp::Error>);

impl Failure {
    /// The error itself.
    pub fn cause(&self) -> &fathom_miqp::Error {
        &self.0
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl From<fathom_miqp::Error> for Error {
    fn from(error: fathom_miqp::Error) -> Self {
        Self::Program(Failure(Arc::new(error)))
    }
}

impl From<fathom_gp::Error> for Error {
    fn from(error: fathom_gp::Error) -> Self {
        Self::Problem(error.into())
    }
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
