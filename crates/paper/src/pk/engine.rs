//! The engine that solves: the certified search, or a solver, for which the program is written out.

use super::settings::PkSettings;
use crate::encode::Program;
use crate::error::Result;
use fathom_global::Problem;
use fathom_global::{BoundBy, Status};
use fathom_global::{Limits, Progress, Stop, minimise, minimise_with_proof};
use fathom_global::{MOST_INPUTS, Region};
use fathom_gp::{Criterion, Kernel, PwlPosterior};
use fathom_miqp::Solver;
use fathom_proof::Proof;
use std::time::Duration;

/// The engine that minimises the piecewise-linear function.
#[derive(Clone, Copy)]
pub enum Engine<'s> {
    /// The certified search, on the function itself. It needs no program, and its bound is proven.
    Embedded,
    /// A solver, on the program. Its bound is only its claim.
    Solver(&'s dyn Solver),
}

impl<'s> From<&'s dyn Solver> for Engine<'s> {
    fn from(solver: &'s dyn Solver) -> Self {
        Self::Solver(solver)
    }
}

impl<'s, S: Solver> From<&'s S> for Engine<'s> {
    fn from(solver: &'s S) -> Self {
        Self::Solver(solver)
    }
}

/// The function to minimise, and its region.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    pub approximate: &'t PwlPosterior,
    pub criterion: Criterion,
    pub region: &'t Region,
    /// The one term of an additive model that counts; none if all count.
    pub group: Option<usize>,
}

impl<'t> Task<'t> {
    /// Eq. (5) for a solver.
    pub fn program(&self, settings: &PkSettings) -> Result<Program<'t>> {
        let negative = settings.treatment.negative();
        match self.group {
            None => Program::full(self.approximate, self.criterion, self.region, negative),
            Some(group) => Program::group(self.approximate, self.criterion, self.region, negative, group),
        }
    }

    /// Whether k̃ is k: linear kernels have nothing to approximate, so α̃ is α. The certified search is at its best there.
    pub fn is_exact(&self) -> bool {
        let terms = self.approximate.pwl().covariance().terms();
        self.group.is_none() && terms.iter().all(|term| matches!(term.kernel(), Kernel::Linear { .. }))
    }

    fn problem(&self, settings: &PkSettings) -> Result<Problem<'t>> {
        let (negative, region) = (settings.treatment.negative(), self.region.clone());
        Ok(match self.group {
            None if self.is_exact() => Problem::new(self.approximate.exact(), self.criterion, region)?,
            None => Problem::piecewise_linear(self.approximate, self.criterion, region, negative)?,
            Some(group) => Problem::piecewise_linear_group(self.approximate, self.criterion, region, negative, group)?,
        })
    }
}

/// The result of an engine.
pub(super) struct Solved {
    pub solver: String,
    pub bound_by: BoundBy,
    /// Why the engine ended, if the gap is not closed.
    pub ending: Ending,
    pub claimed_value: Option<f64>,
    pub claimed_bound: Option<f64>,
    /// Points x, in the region or almost.
    pub points: Vec<Vec<f64>>,
    pub nodes: Option<u64>,
    pub seconds: f64,
    pub proof: Option<Proof>,
}

/// How an engine ended, by its own account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It ended with this status, unless the gap is closed.
    With(Status),
    /// It claims that no point is feasible.
    Infeasible,
    /// It claims that there is no lower bound, or no feasible point.
    Unbounded,
}

impl Engine<'_> {
    /// Whether the certified search takes a problem of so many inputs; it takes all else that the program can state.
    pub fn is_embeddable(inputs: usize) -> bool {
        inputs <= MOST_INPUTS
    }
}

/// The certified search on a task, with this much time and at most so many boxes.
pub(super) fn searched(
    task: &Task<'_>,
    settings: &PkSettings,
    (time, nodes): (Option<Duration>, Option<u64>),
    proof: bool,
    stop: &Stop,
    report: impl FnMut(Progress),
) -> Result<Solved> {
    let problem = task.problem(settings)?;
    let limits = Limits { time, nodes: nodes.unwrap_or(u64::MAX), pool: settings.pool, ..settings.limits() };
    let (certificate, proof) = match proof && task.group.is_none() {
        true => minimise_with_proof(&problem, &limits, stop, report)?,
        false => (minimise(&problem, &limits, stop, report)?, None),
    };
    let is_empty = certificate.status == Status::Infeasible;
    let ending = if is_empty { Ending::Infeasible } else { Ending::With(certificate.status) };
    Ok(Solved {
        solver: "Fathom".into(),
        bound_by: BoundBy::Proof,
        ending,
        claimed_value: Some(certificate.value).filter(|value| value.is_finite()),
        claimed_bound: certificate.lower_bound,
        points: certificate.pool.into_iter().map(|point| point.x).collect(),
        nodes: Some(certificate.nodes),
        seconds: certificate.seconds,
        proof,
    })
}

/// A solver on a program.
pub(super) fn solved(
    solver: &dyn Solver,
    program: &Program<'_>,
    run: &fathom_miqp::Settings,
    stop: &Stop,
) -> Result<Solved> {
    let outcome = solver.solve(program.model(), run, stop)?;
    Ok(Solved {
        bound_by: BoundBy::ExternalSolver,
        ending: ending(outcome.status),
        claimed_value: outcome.claimed_value,
        claimed_bound: outcome.claimed_bound,
        points: outcome.points.iter().map(|point| program.x(&point.values).to_vec()).collect(),
        nodes: outcome.nodes,
        seconds: outcome.seconds,
        solver: outcome.solver,
        proof: None,
    })
}

fn ending(status: fathom_miqp::Status) -> Ending {
    match status {
        fathom_miqp::Status::TimeLimit => Ending::With(Status::TimeLimit),
        fathom_miqp::Status::NodeLimit => Ending::With(Status::NodeLimit),
        fathom_miqp::Status::MemoryLimit => Ending::With(Status::MemoryLimit),
        fathom_miqp::Status::OtherLimit | fathom_miqp::Status::Numerical => Ending::With(Status::SolverLimit),
        fathom_miqp::Status::Interrupted => Ending::With(Status::Interrupted),
        // The solver's values close the gap, but ours do not.
        fathom_miqp::Status::Optimal => Ending::With(Status::Unconfirmed),
        fathom_miqp::Status::Infeasible => Ending::Infeasible,
        fathom_miqp::Status::Unbounded | fathom_miqp::Status::InfeasibleOrUnbounded => Ending::Unbounded,
    }
}
