//! The engine that solves: the certified search, or a solver, for which the program is written out.

use super::settings::PkSettings;
use crate::encode::Program;
use crate::error::Result;
use fathom_global::Problem;
use fathom_global::Region;
use fathom_global::{BoundBy, Status};
use fathom_global::{Limits, Stop, minimise, minimise_with_proof};
use fathom_gp::{Criterion, Posterior, PwlPosterior};
use fathom_miqp::{Outcome, Solver};
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
pub(super) struct Task<'t> {
    pub approximate: &'t PwlPosterior,
    pub criterion: Criterion,
    pub region: &'t Region,
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
    /// Whether the certified search serves: for confidence bounds, generalised or not, mean and deviation, with all kernels.
    pub fn is_embeddable(_: &Posterior, criterion: Criterion) -> bool {
        matches!(criterion, Criterion::Lcb { .. } | Criterion::Glcb { .. } | Criterion::Mean | Criterion::Deviation)
    }

    /// Solves Eq. (5), from the best start if the engine takes one; a solver needs its program.
    pub(super) fn full(
        &self,
        task: &Task<'_>,
        program: Option<&Program<'_>>,
        settings: &PkSettings,
        start: Option<&[f64]>,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Solved> {
        match (self, program) {
            (Self::Embedded, _) | (Self::Solver(_), None) => embedded(task, task.criterion, settings, time, stop),
            (Self::Solver(solver), Some(program)) => {
                let mut run = settings.solver(time, start.map(|x| program.lift(x)));
                run.log.clone_from(&settings.log);
                Ok(Solved::by_solver(program, solver.solve(program.model(), &run, stop)?))
            }
        }
    }

    /// Solves the sub-problem without (5c), the mean alone.
    pub(super) fn sub(
        &self,
        task: &Task<'_>,
        settings: &PkSettings,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Solved> {
        match self {
            Self::Embedded => embedded(task, Criterion::Mean, settings, time, stop),
            Self::Solver(solver) => {
                let program = Program::sub(task.approximate, task.region)?;
                let run = settings.solver(time, None);
                Ok(Solved::by_solver(&program, solver.solve(program.model(), &run, stop)?))
            }
        }
    }
}

fn embedded(
    task: &Task<'_>,
    criterion: Criterion,
    settings: &PkSettings,
    time: Option<Duration>,
    stop: &Stop,
) -> Result<Solved> {
    let negative = settings.treatment.negative();
    let problem = Problem::piecewise_linear(task.approximate, criterion, task.region.clone(), negative)?;
    let limits = Limits {
        gap: settings.gap,
        relative_gap: settings.relative_gap,
        time,
        threads: settings.threads,
        seed: settings.seed,
        pool: settings.pool,
        ..Limits::default()
    };
    let is_full = criterion == task.criterion;
    let (certificate, proof) = match settings.proof && is_full {
        true => minimise_with_proof(&problem, &limits, stop, |_| {})?,
        false => (minimise(&problem, &limits, stop, |_| {})?, None),
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

impl Solved {
    fn by_solver(program: &Program<'_>, outcome: Outcome) -> Self {
        Self {
            bound_by: BoundBy::ExternalSolver,
            ending: match outcome.status {
                fathom_miqp::Status::TimeLimit => Ending::With(Status::TimeLimit),
                fathom_miqp::Status::OtherLimit => Ending::With(Status::NodeLimit),
                fathom_miqp::Status::Interrupted => Ending::With(Status::Interrupted),
                // The solver's values close the gap, but ours do not.
                fathom_miqp::Status::Optimal => Ending::With(Status::Unconfirmed),
                fathom_miqp::Status::Infeasible => Ending::Infeasible,
                fathom_miqp::Status::Unbounded | fathom_miqp::Status::InfeasibleOrUnbounded => Ending::Unbounded,
            },
            claimed_value: outcome.claimed_value,
            claimed_bound: outcome.claimed_bound,
            points: outcome.points.iter().map(|point| program.x(&point.values).to_vec()).collect(),
            nodes: outcome.nodes,
            seconds: outcome.seconds,
            solver: outcome.solver,
            proof: None,
        }
    }
}
