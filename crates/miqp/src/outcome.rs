//! A solver's answer, with points that we evaluate.
//!
//! An outcome has two kinds of numbers. `claimed_value` and `claimed_bound` are the solver's claims, computed in its own
//! arithmetic with its own tolerances. Our model recomputes the values and violations of [`Point`]s.

use crate::error::Result;
use crate::model::Model;
use crate::violation::Violation;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The solver's two bounds met within the gap.
    Optimal,
    /// The solver claims that no point is feasible.
    Infeasible,
    /// The solver claims that there is no lower bound.
    Unbounded,
    /// The model is infeasible or unbounded; presolving did not find out which.
    InfeasibleOrUnbounded,
    /// The time limit was reached.
    TimeLimit,
    /// The node limit was reached.
    NodeLimit,
    /// The memory limit was reached, or there was no more memory.
    MemoryLimit,
    /// Numerical trouble stopped the solver.
    Numerical,
    /// Another limit (iterations, solutions, work) of the solver's own parameters was reached.
    OtherLimit,
    /// The solver was asked to stop.
    Interrupted,
}

/// A point that a solver returned, which we evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The coordinates, in the order of the model's variables.
    pub values: Vec<f64>,
    /// The model's objective at the point.
    pub objective: f64,
    /// The requirements that the point violates by more than the feasibility tolerance.
    pub violations: Vec<Violation>,
}

impl Point {
    pub(crate) fn evaluate(model: &Model, values: Vec<f64>, tolerance: f64) -> Result<Self> {
        let objective = model.objective_at(&values)?;
        let violations = model.violations(&values, tolerance)?;
        Ok(Self { values, objective, violations })
    }

    /// The largest violation; NaN counts as the largest of all.
    pub fn worst(&self) -> Option<&Violation> {
        let size = |violation: &Violation| if violation.amount.is_nan() { f64::INFINITY } else { violation.amount };
        self.violations.iter().max_by(|one, other| size(one).total_cmp(&size(other)))
    }
}

/// A solver's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The solver and its version.
    pub solver: String,
    /// Why the solver stopped.
    pub status: Status,
    /// The objective of the solver's best point, as the solver computes it.
    pub claimed_value: Option<f64>,
    /// The solver's lower bound of the objective: a claim of the solver, not a proof.
    pub claimed_bound: Option<f64>,
    /// The points, lowest recomputed objective first; a point with violations can be lower than any feasible point.
    pub points: Vec<Point>,
    /// The number of branch-and-bound nodes.
    pub nodes: Option<u64>,
    /// The wall-clock seconds from start to end of the solver's process; writing the model comes before.
    pub seconds: f64,
}

/// The content of a solver's files, before we check it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub solver: String,
    pub status: Status,
    pub claimed_value: Option<f64>,
    pub claimed_bound: Option<f64>,
    /// The points, in the variables of the model that was written.
    pub points: Vec<Vec<f64>>,
    pub nodes: Option<u64>,
}

impl Answer {
    /// The answer of a solver that ended with `status` before it had an answer.
    pub fn none(solver: &str, status: Status) -> Self {
        Self {
            solver: solver.to_string(),
            status,
            claimed_value: None,
            claimed_bound: None,
            points: Vec::new(),
            nodes: None,
        }
    }
}
