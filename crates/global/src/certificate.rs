//! What was proven, and how; as JSON by docs/reference/certificate.md.

mod claim;
mod json;

pub use claim::{BoundBy, Claim};
pub use json::Version;

use crate::limits::Limits;
use crate::problem::Incumbent;
use serde::{Deserialize, Serialize};

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The value is within the requested gap of the lower bound.
    Optimal,
    /// The time ran out first.
    TimeLimit,
    /// The node limit was reached first.
    NodeLimit,
    /// A local method used up its iterations before it came to rest; nothing is proven.
    IterationLimit,
    /// The caller asked to stop.
    Interrupted,
    /// The region has no points; that is proven too.
    Infeasible,
    /// A local method came to rest, alone or as the last step of the paper's method; nothing is proven.
    Local,
    /// What is left cannot be split: the requested gap is finer than floating point resolves.
    Exhausted,
    /// The solver of a piecewise-linear problem closed the gap by its own values, but not by our evaluation of its points.
    Unconfirmed,
    /// The open boxes filled the memory that the search may use.
    MemoryLimit,
    /// A limit of the solver's own, or numerical trouble, ended the solver of a piecewise-linear problem.
    SolverLimit,
}

impl Status {
    /// The status as files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::TimeLimit => "time_limit",
            Self::NodeLimit => "node_limit",
            Self::IterationLimit => "iteration_limit",
            Self::Interrupted => "interrupted",
            Self::Infeasible => "infeasible",
            Self::Local => "local",
            Self::Exhausted => "exhausted",
            Self::Unconfirmed => "unconfirmed",
            Self::MemoryLimit => "memory_limit",
            Self::SolverLimit => "solver_limit",
        }
    }
}

/// The best point found, what was proven about it, if anything, and how it was found.
///
/// [`Certificate::to_json`] and [`Certificate::from_json`] keep every bit and refuse what is no certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of the format.
    pub version: Version,
    /// The function that `value` and `lower_bound` are about.
    pub claim: Claim,
    /// The point; empty if no point of the region is known.
    pub x: Vec<f64>,
    /// The acquisition function there, as evaluated by us; ∞ without a point, in JSON `null`.
    #[serde(serialize_with = "json::finite_or_null", deserialize_with = "json::null_is_infinite")]
    pub value: f64,
    /// No point of the region has a smaller value; `claim` says on whose word. `None` if nothing was proven.
    #[serde(deserialize_with = "json::present")]
    pub lower_bound: Option<f64>,
    /// `value − lower_bound`, if both are known.
    #[serde(deserialize_with = "json::present")]
    pub gap: Option<f64>,
    /// `gap / |value|`; `None` also if the value is zero.
    #[serde(deserialize_with = "json::present")]
    pub relative_gap: Option<f64>,
    /// Why the search ended.
    pub status: Status,
    /// Boxes bounded.
    pub nodes: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The seed of the first samples.
    pub seed: u64,
    /// What the search was asked for.
    pub settings: Settings,
    /// What had to be changed to make the numbers work; part of the certified function.
    pub repairs: Repairs,
    /// The best distinct local minima that were met, best first, if the caller asked for them; the first is the point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pool: Vec<Incumbent>,
}

impl Certificate {
    /// `value − bound`, if both are known.
    pub fn difference(value: f64, bound: Option<f64>) -> Option<f64> {
        bound.map(|bound| value - bound).filter(|gap| gap.is_finite())
    }

    /// Puts another point with its value in the place of the point. The pool, which began with the point, goes.
    pub fn place(&mut self, x: Vec<f64>, value: f64) {
        (self.x, self.value) = (x, value);
        self.pool.clear();
        self.gap = Self::difference(value, self.lower_bound);
        self.relative_gap = Self::relative(self.gap, value);
    }

    /// `gap / |value|`, if that is a number.
    pub fn relative(gap: Option<f64>, value: f64) -> Option<f64> {
        gap.map(|gap| gap / value.abs()).filter(|ratio| ratio.is_finite())
    }
}

/// What a search was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The absolute gap at which the value counts as optimal.
    pub gap: f64,
    /// The gap relative to |value|; the larger allowance counts.
    pub relative_gap: f64,
    /// Wall-clock seconds; `None` without a limit.
    #[serde(deserialize_with = "json::present")]
    pub time_limit: Option<f64>,
    /// Most boxes to bound; `None` without a limit.
    #[serde(deserialize_with = "json::present")]
    pub node_limit: Option<u64>,
    /// Threads; only the seconds depend on them.
    pub threads: usize,
}

impl From<&Limits> for Settings {
    fn from(limits: &Limits) -> Self {
        Self {
            gap: limits.gap,
            relative_gap: limits.relative_gap,
            time_limit: limits.time.map(|time| time.as_secs_f64()),
            node_limit: (limits.nodes < u64::MAX).then_some(limits.nodes),
            threads: limits.threads,
        }
    }
}

/// What had to be changed to make the numbers work.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Repairs {
    /// What was added to the diagonal of the covariance matrix, 0 in general.
    pub jitter: f64,
    /// What else was added to the diagonal of the piecewise-linear matrix, which need not be positive definite.
    #[serde(default, skip_serializing_if = "json::is_zero")]
    pub shift: f64,
}
