//! One program solved: the start, the solve, and the certificate of the piecewise-linear function.

use super::PkMiqp;
use super::candidates::{Candidate, Function};
use super::clock::Clock;
use super::engine::{Ending, Engine, Solved, Task, searched, solved};
use super::settings::{PkSettings, Treatment, WarmStart};
use crate::encode::Program;
use crate::error::{Error, NoPoint, Result};
use fathom_global::{BoundBy, Certificate, Claim, Progress, Repairs, Status, Stop, Version};
use fathom_gp::{Acquisition, Criterion, PwlAcquisition};
use fathom_miqp::Solver;
use fathom_proof::Proof;

/// How far a value may lie below a solver's bound before the bound counts as false, relative to 1 + |value|. The
/// solver's tolerances, amplified by the weights, cause smaller differences.
const BOUND_SLACK: f64 = 1e-5;

/// Most boxes of the search that finds a solver's start.
const START_BOXES: u64 = 2000;

/// A task solved.
pub(super) struct Solution {
    /// The certificate of the piecewise-linear function.
    pub certificate: Certificate,
    /// P_full, and what else may be polished.
    pub pool: Vec<Candidate>,
    pub run: Run,
}

/// How a task was solved.
pub(super) struct Run {
    pub solver: String,
    pub claimed_value: Option<f64>,
    pub sub_seconds: Option<f64>,
    pub full_seconds: f64,
    pub sub_points: usize,
    pub full_points: usize,
    pub proof: Option<Proof>,
}

/// Points to start from.
#[derive(Default)]
struct Start {
    points: Vec<Candidate>,
    /// How many of them come from the search or the sub-problem.
    found: usize,
    seconds: Option<f64>,
}

impl PkMiqp<'_> {
    /// The points of P_full and the certificate of the piecewise-linear function.
    pub(super) fn solve(
        &self,
        task: &Task<'_>,
        clock: &Clock,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Solution> {
        let settings = self.settings;
        // The certified search needs no program, so it also accepts numbers that a program cannot have.
        let (start, full, mut pool) = match self.engine {
            Engine::Embedded => {
                let mut function = of_search(task, settings)?;
                let limits = (clock.for_program(settings.full_time), settings.nodes);
                let full = searched(task, settings, limits, settings.proof, stop, report)?;
                let pool = Candidate::all(&mut function, task.region, &full.points);
                (Start::default(), full, pool)
            }
            Engine::Solver(solver) => {
                let program = task.program(settings)?;
                let mut function = of_program(&program);
                let start = self.start(solver, task, &mut function, clock, stop)?;
                let lifted = Candidate::best(&start.points).map(|candidate| program.lift(&candidate.x));
                let mut run = settings.solver(clock.for_program(settings.full_time), lifted);
                run.log.clone_from(&settings.log);
                let full = solved(solver, &program, &run, stop)?;
                let pool = Candidate::all(&mut function, task.region, &full.points);
                (start, full, pool)
            }
        };
        let full_points = pool.len();
        if pool.is_empty() || settings.warm_start == WarmStart::Search {
            pool.extend(start.points);
        }
        let certificate = self.certificate(task, &full, Candidate::best(&pool), clock)?;
        let run = Run {
            solver: full.solver,
            claimed_value: full.claimed_value,
            sub_seconds: start.seconds,
            full_seconds: full.seconds,
            sub_points: start.found,
            full_points,
            proof: full.proof,
        };
        Ok(Solution { certificate, pool, run })
    }

    /// Points from which a solver may start.
    fn start(
        &self,
        solver: &dyn Solver,
        task: &Task<'_>,
        function: &mut Function<'_>,
        clock: &Clock,
        stop: &Stop,
    ) -> Result<Start> {
        let (settings, time) = (self.settings, clock.share(self.settings.sub_time));
        let found = match settings.warm_start {
            WarmStart::None => return Ok(Start::default()),
            WarmStart::Search => searched(task, settings, (time, Some(START_BOXES)), false, stop, |_| {})?,
            WarmStart::SubProblem => {
                let program = Task { criterion: Criterion::Mean, ..*task }.program(settings)?;
                solved(solver, &program, &settings.solver(time, None), stop)?
            }
        };
        let mut points = Candidate::all(function, task.region, &found.points);
        let count = points.len();
        if settings.warm_start == WarmStart::SubProblem {
            points.extend(Candidate::random(function, task.region, settings.random, settings.seed));
        }
        Ok(Start { points, found: count, seconds: Some(found.seconds) })
    }

    /// What is known about the piecewise-linear function, with `best` as its lowest known point.
    fn certificate(
        &self,
        task: &Task<'_>,
        full: &Solved,
        best: Option<&Candidate>,
        clock: &Clock,
    ) -> Result<Certificate> {
        let settings = self.settings;
        let (x, value, lower_bound, status) = match best {
            Some(best) => {
                let lower_bound = believable(full, best.value)?;
                let status = self.status(full, lower_bound.map(|lower| best.value - lower), best.value);
                (best.x.clone(), best.value, lower_bound, status)
            }
            None => (Vec::new(), f64::INFINITY, None, self.without_a_point(full)?),
        };
        let gap = Certificate::difference(value, lower_bound);
        let exact = task.approximate.exact();
        Ok(Certificate {
            version: Version,
            claim: Claim::PiecewiseLinear { criterion: task.criterion.name(), bound_by: full.bound_by },
            relative_gap: Certificate::relative(gap, value),
            status,
            x,
            value,
            lower_bound,
            gap,
            // A solver that does not count nodes reports none.
            nodes: full.nodes.unwrap_or_default(),
            seconds: clock.seconds(),
            seed: settings.seed,
            settings: settings.asked(),
            repairs: Repairs { jitter: exact.factor().jitter(), shift: task.approximate.shift().unwrap_or_default() },
            pool: Vec::new(),
        })
    }

    fn status(&self, full: &Solved, gap: Option<f64>, value: f64) -> Status {
        let allowed = self.settings.gap.max(self.settings.relative_gap * value.abs());
        // The comparison leaves room for the solver's rounding.
        let closed = gap.is_some_and(|gap| gap <= allowed * (1.0 + 1e-6) + 1e-9);
        match full.ending {
            _ if closed => Status::Optimal,
            Ending::With(Status::Optimal) | Ending::Infeasible | Ending::Unbounded => Status::Unconfirmed,
            Ending::With(status) => status,
        }
    }

    /// The status of a run that met no point: only a proof that the region itself is empty is an answer.
    fn without_a_point(&self, full: &Solved) -> Result<Status> {
        let why = match (full.ending, full.bound_by, self.settings.treatment) {
            (Ending::Infeasible, BoundBy::Proof, Treatment::KeepAll) => return Ok(Status::Infeasible),
            (_, _, Treatment::Published) => NoPoint::Treatment,
            (Ending::Infeasible | Ending::Unbounded, _, Treatment::KeepAll) => NoPoint::Claimed,
            (Ending::With(_), _, Treatment::KeepAll) => NoPoint::Limit,
        };
        Err(Error::NoFeasiblePoint { solver: full.solver.clone(), why })
    }
}

/// The function of a program.
fn of_program<'f>(program: &'f Program<'f>) -> Function<'f> {
    Box::new(|x| program.keeps(x).then(|| program.value(x)))
}

/// The function that the search minimises.
fn of_search<'f>(task: &Task<'f>, settings: &PkSettings) -> Result<Function<'f>> {
    if matches!(task.criterion, Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. }) {
        return Err(Error::NotQuadratic { criterion: task.criterion.name() });
    }
    if task.is_exact() {
        let mut function = Acquisition::new(task.approximate.exact(), task.criterion)?;
        return Ok(Box::new(move |x| Some(function.value(x)).filter(|value| value.is_finite())));
    }
    let mut function = PwlAcquisition::new(task.approximate, task.criterion, settings.treatment.negative())?;
    if let Some(group) = task.group {
        function = function.of_group(group);
    }
    Ok(Box::new(move |x| Some(function.value(x)).filter(|value| value.is_finite())))
}

/// The solver's bound, unless our own point at `value` shows that it is false.
fn believable(full: &Solved, value: f64) -> Result<Option<f64>> {
    let wrong = |claim: String| Err(Error::FalseClaim { solver: full.solver.clone(), claim, value });
    match full.ending {
        Ending::Infeasible => return wrong("no point is feasible".into()),
        Ending::Unbounded => return wrong("there is no lower bound or no feasible point".into()),
        Ending::With(_) => {}
    }
    match full.claimed_bound {
        Some(bound) if bound > value + BOUND_SLACK * (1.0 + value.abs()) => wrong(format!("no value is below {bound}")),
        Some(bound) => Ok(Some(bound.min(value))),
        None => Ok(None),
    }
}
