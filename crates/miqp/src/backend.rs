//! Solvers behind one trait. Each runs in a process of its own (`child`), fed with files (`workplace`).
//!
//! A solver implements [`Backend`]: write the files, say what to run, read the answer. Everything that is the same for
//! all of them, from checking the settings to evaluating the points, is done here once, so that no solver's answer can
//! get around it.

mod child;
mod gurobi;
mod locate;
mod scip;
mod workplace;

pub use gurobi::Gurobi;
pub use scip::{Host, Scip, scip_worker};

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::expansion::{Encoding, Expansion};
use crate::model::Model;
use crate::outcome::{Answer, Outcome, Point};
use crate::settings::Settings;
use child::{Ending, Task};
use std::sync::atomic::AtomicBool;
use workplace::Workplace;

/// Asks a running solver to stop; share it with whoever may want to.
pub type Stop = AtomicBool;

/// Something that minimises models.
pub trait Solver: Send + Sync {
    /// The solver's name.
    fn name(&self) -> &'static str;

    /// The best that it finds within the settings. Every returned point has been evaluated by `model` itself.
    fn solve(&self, model: &Model, settings: &Settings, stop: &Stop) -> Result<Outcome>;
}

/// What is particular to one solver.
trait Backend: Send + Sync {
    const NAME: &'static str;

    /// What it reads, given how piecewise-linear functions shall be written out.
    fn dialect(&self, encoding: Option<Encoding>) -> Dialect;

    /// Writes its settings, the start and whatever else it needs beside `model.lp`, and says what to run.
    fn prepare(&self, job: &Job<'_>) -> Result<Task>;

    /// Reads what it left behind.
    fn answer(&self, job: &Job<'_>) -> Result<Answer>;
}

/// One model on its way through a solver.
struct Job<'a> {
    /// As written: where the dialect has no piecewise-linear functions, without them.
    model: &'a Model,
    /// In the variables of `model`.
    start: Option<Vec<f64>>,
    settings: &'a Settings,
    workplace: &'a Workplace,
}

impl Job<'_> {
    /// An answer that cannot be used.
    fn garbled(&self, solver: &'static str, reason: impl Into<String>) -> Error {
        Error::Garbled { solver, reason: reason.into(), log: self.workplace.log_tail() }
    }
}

/// The model file in the workplace.
const MODEL: &str = "model.lp";

impl<B: Backend> Solver for B {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn solve(&self, model: &Model, settings: &Settings, stop: &Stop) -> Result<Outcome> {
        settings.validated()?;
        settings.start.as_deref().map_or(Ok(()), |start| model.check_length(start))?;
        let dialect = self.dialect(settings.encoding);
        let expansion = match dialect {
            Dialect::Common(encoding) => Some(model.expanded(encoding)?),
            Dialect::Gurobi => None,
        };
        let written = expansion.as_ref().map_or(model, Expansion::model);
        let lift = |start: &Vec<f64>| expansion.as_ref().map_or(start.clone(), |expansion| expansion.lift(start));

        let workplace = Workplace::new(settings)?;
        let job = Job { model: written, start: settings.start.as_ref().map(lift), settings, workplace: &workplace };
        written.write_lp(workplace.create(MODEL)?, dialect)?;
        let task = self.prepare(&job)?;
        let (ending, seconds) = child::run(B::NAME, &task, &workplace, settings, stop)?;
        let answer = match ending {
            Ending::Done => self.answer(&job)?,
            Ending::Stopped => Answer::interrupted(B::NAME),
        };

        let restrict = |x| match &expansion {
            Some(expansion) => expansion.restrict(x),
            None => x,
        };
        let points = answer.points.into_iter().take(settings.pool);
        let evaluated = points.map(|x| Point::evaluate(model, restrict(x), settings.feasibility));
        let mut points = evaluated.collect::<Result<Vec<_>>>()?;
        // Solvers order them by values of their own, which include slack in auxiliary columns.
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
