//! Solvers behind one trait. Each solver runs in its own process (`child`) and reads files (`work_directory`).
//!
//! A solver implements [`Backend`]: it writes the files, says what to run, and reads the answer. Everything that is the same
//! for all solvers, from checking the settings to evaluating the points, is done here once, so that no solver's answer can
//! avoid it.

mod child;
mod deadline;
mod gurobi;
mod locate;
mod scip;
mod work_directory;

pub use gurobi::Gurobi;
pub use scip::{Host, Scip, scip_worker};

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::expansion::{Encoding, Expansion};
use crate::model::Model;
use crate::outcome::{Answer, Outcome, Point, Status};
use crate::settings::Settings;
use child::{Ending, Task};
use deadline::Deadline;
use std::sync::atomic::AtomicBool;
use work_directory::WorkDirectory;

/// A flag that asks a running solver to stop; it can be shared between threads.
pub type Stop = AtomicBool;

/// A solver that minimises models.
pub trait Solver: Send + Sync {
    /// The solver's name.
    fn name(&self) -> &'static str;

    /// The best points that the solver finds within the settings. `model` has evaluated every returned point.
    fn solve(&self, model: &Model, settings: &Settings, stop: &Stop) -> Result<Outcome>;
}

/// The part of a solve that differs between solvers.
trait Backend: Send + Sync {
    const NAME: &'static str;

    /// The dialect that the solver reads, with this encoding of piecewise-linear functions.
    fn dialect(&self, encoding: Option<Encoding>) -> Dialect;

    /// Writes the settings, the start and all other files that the solver needs beside `model.lp`, and says what to run.
    fn prepare(&self, job: &Job<'_>) -> Result<Task>;

    /// Reads the solver's answer.
    fn answer(&self, job: &Job<'_>) -> Result<Answer>;

    /// The points that a solver wrote before it was killed, best first; none if the solver writes them at its end.
    fn points_so_far(&self, _job: &Job<'_>) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// A better word for the failure of a solver than the end of its log.
    fn explained(&self, _job: &Job<'_>, _log: &str) -> Option<Error> {
        None
    }
}

/// One model that a solver is to minimise.
struct Job<'a> {
    /// The model as written: without piecewise-linear functions if the dialect has none.
    model: &'a Model,
    /// The start, in the variables of `model`.
    start: Option<Vec<f64>>,
    settings: &'a Settings,
    /// When the solve must end.
    deadline: Option<Deadline>,
    work_directory: &'a WorkDirectory,
}

impl Job<'_> {
    /// The error for an answer that cannot be used.
    fn garbled(&self, solver: &'static str, reason: impl Into<String>) -> Error {
        Error::Garbled { solver, reason: reason.into(), log: self.work_directory.log_tail() }
    }
}

/// The model file in the work directory.
const MODEL: &str = "model.lp";

impl<B: Backend> Solver for B {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn solve(&self, model: &Model, settings: &Settings, stop: &Stop) -> Result<Outcome> {
        settings.validated()?;
        let deadline = settings.time_limit.map(Deadline::after);
        settings.start.as_deref().map_or(Ok(()), |start| model.check_length(start))?;
        let dialect = self.dialect(settings.encoding);
        let expansion = match dialect {
            Dialect::Common(encoding) => Some(model.expanded(encoding)?),
            Dialect::Gurobi => None,
        };
        let written = expansion.as_ref().map_or(model, Expansion::model);
        let lift = |start: &Vec<f64>| expansion.as_ref().map_or(start.clone(), |expansion| expansion.lift(start));

        let work_directory = WorkDirectory::new(settings)?;
        let job = Job {
            model: written,
            start: settings.start.as_ref().map(lift),
            settings,
            deadline,
            work_directory: &work_directory,
        };
        written.write_lp(work_directory.create(MODEL)?, dialect)?;
        let task = self.prepare(&job)?;
        let (answer, seconds) = run(self, &job, &task, stop).map_err(|error| explained(self, &job, error))?;

        let restrict = |x| match &expansion {
            Some(expansion) => expansion.restrict(x),
            None => x,
        };
        let points = answer.points.into_iter().take(settings.pool);
        let evaluated = points.map(|x| Point::evaluate(model, restrict(x), settings.feasibility));
        let mut points = evaluated.collect::<Result<Vec<_>>>()?;
        // Solvers order points by their own values, which include slack in auxiliary columns.
        points.sort_by(|one, other| one.objective.total_cmp(&other.objective));
        Ok(Outcome {
            solver: answer.solver,
            status: answer.status,
            claimed_value: answer.claimed_value,
            claimed_bound: answer.claimed_bound,
            points,
            nodes: answer.nodes,
            seconds,
        })
    }
}

/// Runs a solver and reads its answer; returns also how long its process took.
fn run<B: Backend>(backend: &B, job: &Job<'_>, task: &Task, stop: &Stop) -> Result<(Answer, f64)> {
    let Job { work_directory, deadline, settings, .. } = job;
    let (ending, seconds) = child::run(B::NAME, task, work_directory, *deadline, settings.grace, stop)?;
    let answer = match ending {
        Ending::Done => backend.answer(job)?,
        Ending::Interrupted => {
            let answer = backend.answer(job)?;
            // The interrupt was ours.
            let status = if answer.status == Status::Interrupted { Status::TimeLimit } else { answer.status };
            Answer { status, ..answer }
        }
        Ending::Stopped => Answer::none(B::NAME, Status::Interrupted),
        Ending::Late => Answer { points: backend.points_so_far(job), ..Answer::none(B::NAME, Status::TimeLimit) },
    };
    Ok((answer, seconds))
}

/// The error of a solver that failed, in better words if the solver has some.
fn explained<B: Backend>(backend: &B, job: &Job<'_>, error: Error) -> Error {
    if let Error::Crashed { log, .. } | Error::Garbled { log, .. } = &error {
        return backend.explained(job, log).unwrap_or(error);
    }
    error
}
