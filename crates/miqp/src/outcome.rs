//! What a solver answered, and what we make of it.
//!
//! Two kinds of numbers stand here side by side. `claimed_value` and `claimed_bound` are the solver's word: computed in
//! its own arithmetic, with its own tolerances. Values and violations of [`Point`]s are recomputed by our model.

use crate::error::Result;
use crate::model::Model;
use crate::violation::Violation;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its two bounds met within the gap.
    Optimal,
    /// It claims that no point is feasible.
    Infeasible,
    /// It claims that there is no lower bound.
    Unbounded,
    /// One of the two; presolving did not find out which.
    InfeasibleOrUnbounded,
    /// The time was up.
    TimeLimit,
    /// A limit of its own (nodes, memory, solutions) was reached, or numbers kept it from going on.
    OtherLimit,
    /// It was asked to stop.
    Interrupted,
}

/// A point that a solver returned, evaluated by us.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its coordinates, in the order of the model's variables.
    pub values: Vec<f64>,
    /// The model's objective there.
    pub objective: f64,
    /// What it violates by more than the feasibility tolerance.
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
    /// Why it stopped.
    pub status: Status,
    /// The objective of its best point, as the solver computes it.
    pub claimed_value: Option<f64>,
    /// Its lower bound of the objective: the solver's claim, not a proof of ours.
    pub claimed_bound: Option<f64>,
    /// Its points, lowest recomputed objective first; a point with violations can be lower than any feasible one.
    pub points: Vec<Point>,
    /// Branch-and-bound nodes.
    pub nodes: Option<u64>,
    /// Wall-clock seconds from start to end of its process.
    pub seconds: f64,
}

/// What was read from a solver's files, before any of it is believed.
#[derive(Debug)]
pub(crate) struct Answer {
    pub solver: String,
    pub status: Status,
    pub claimed_value: Option<f64>,
    pub claimed_bound: Option<f64>,
    /// In the variables of the model that was written.
    pub points: Vec<Vec<f64>>,
    pub nodes: Option<u64>,
}

impl Answer {
    /// Of a solver that was stopped before it had anything to say.
    pub fn interrupted(solver: &str) -> Self {
        Self {
            solver: solver.to_string(),
            status: Status::Interrupted,
            claimed_value: None,
            claimed_bound: None,
            points: Vec::new(),
            nodes: None,
        }
    }
}
