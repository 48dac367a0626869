//! PK-MIQP, the paper's Algorithm 1.
//!
//! ```text
//! k̃        ← piecewise linearisation                         `linearisation`
//! P_sub    ← solve the sub-problem of (5)                    a pool of points with low mean
//! P_rand   ← random feasible points
//! P_full   ← solve (5), starting from the best of P_sub ∪ P_rand
//! x⁰       = the point of P_full with the lowest true value
//! x        ← descent on the true acquisition function from x⁰        `polish`
//! ```
//!
//! The [`Engine`] solves: the certified search, on the function itself, or a [`Solver`](fathom_miqp::Solver), on the program. Each
//! point is evaluated again from its x alone. The search's bound is proven; a solver's bound is only the solver's claim. Both
//! bounds and the certificate are about the piecewise-linear function α̃. For the true α there is an estimate,
//!
//! ```text
//! min α ≥ min α̃ − Δ_μ − κ Δ_σ,     |μ − μ̃| ≤ Δ_μ and |σ − σ̃| ≤ Δ_σ in the whole box
//! ```
//!
//! with the a-posteriori form of Theorem 4.3 ([`theory::estimate_a_posteriori`]). Δ_μ and Δ_σ are evaluated in floating
//! point without directed rounding, so the right-hand side is not a proven bound and is never called a bound. The
//! published treatment loses points of the region, so no estimate follows from it.

mod candidates;
mod clock;
mod engine;
mod groups;
mod linearisation;
mod outcome;
mod polish;
mod settings;

pub use engine::Engine;
pub use linearisation::linearise;
pub use outcome::{GroupsOutcome, PkOutcome};
pub use settings::{Breakpoints, PkSettings, Treatment};

use crate::encode::Program;
use crate::error::{Error, Result};
use crate::theory;
use candidates::Candidate;
use clock::Clock;
use engine::{Ending, Solved, Task};
use fathom_global::Incumbent;
use fathom_global::Region;
use fathom_global::Stop;
use fathom_global::{Certificate, Claim, Repairs, Settings, Status, Version};
use fathom_gp::{Acquisition, Criterion, NegativeVariance, Posterior, PwlAcquisition, PwlPosterior};
use polish::polish;

/// How far a value may lie below a solver's bound before the bound counts as false, relative to 1 + |value|. The
/// solver's tolerances, amplified by the weights, cause smaller differences.
const BOUND_SLACK: f64 = 1e-5;

/// The paper's method, with the certified search or a solver.
#[derive(Clone, Copy)]
pub struct PkMiqp<'s> {
    engine: Engine<'s>,
    settings: &'s PkSettings,
}

impl<'s> PkMiqp<'s> {
    /// The method with this engine and these settings.
    pub fn new(engine: impl Into<Engine<'s>>, settings: &'s PkSettings) -> Result<Self> {
        settings.validated()?;
        Ok(Self { engine: engine.into(), settings })
    }

    /// One run of Algorithm 1 on a fitted posterior.
    pub fn minimise(
        &self,
        posterior: &Posterior,
        criterion: Criterion,
        region: &Region,
        stop: &Stop,
    ) -> Result<PkOutcome> {
        let clock = Clock::new(self.settings.time);
        let settings = self.settings;
        let mut acquisition = Acquisition::new(posterior, criterion)?;
        let approximate = linearise(posterior, region, settings.breakpoints, settings.treatment)?;
        let negative = settings.treatment.negative();
        // The certified search needs no program, so it also accepts numbers that a program cannot have.
        let program = match self.engine {
            Engine::Embedded => None,
            Engine::Solver(_) => Some(Program::full(&approximate, criterion, region, negative)?),
        };
        let mut function = function(program.as_ref(), &approximate, criterion, negative)?;

        let task = Task { approximate: &approximate, criterion, region };
        let sub_time = clock.share(settings.sub_time);
        let sub = settings.warm_start.then(|| self.engine.sub(&task, settings, sub_time, stop)).transpose()?;
        let mut starts = sub.as_ref().map_or_else(Vec::new, |sub| Candidate::all(&mut function, region, &sub.points));
        let sub_points = starts.len();
        if settings.warm_start {
            starts.extend(Candidate::random(&mut function, region, settings.random, settings.seed));
        }
        let start = Candidate::best(&starts).map(|candidate| &candidate.x[..]);

        let full_time = clock.left(settings.full_time);
        let full = self.engine.full(&task, program.as_ref(), settings, start, full_time, stop)?;
        let mut pool = Candidate::all(&mut function, region, &full.points);
        let full_points = pool.len();
        if pool.is_empty() {
            pool = starts;
        }
        let best =
            Candidate::best(&pool).cloned().ok_or_else(|| Error::NoFeasiblePoint { solver: full.solver.clone() })?;
        let lower_bound = believable(&full, best.value)?;

        let evaluated = pool.into_iter().map(|candidate| Incumbent::evaluate(&mut acquisition, candidate.x));
        let chosen = evaluated.min_by(|a, b| a.value.total_cmp(&b.value)).expect("it holds the best candidate");
        let polished = polish(&mut acquisition, region, chosen.clone(), settings.polish, clock.left(None), stop)?;

        let estimate = theory::estimate_a_posteriori(&approximate)?;
        let error = transfer(criterion, estimate, settings.treatment);
        let gap = lower_bound.map(|lower| best.value - lower);
        let certificate = Certificate {
            version: Version,
            claim: Claim::PiecewiseLinear { criterion: criterion.name(), bound_by: full.bound_by },
            relative_gap: Certificate::relative(gap, best.value),
            status: self.status(&full, gap, best.value),
            x: best.x,
            value: best.value,
            lower_bound,
            gap,
            // A solver that does not count nodes reports none.
            nodes: full.nodes.unwrap_or_default(),
            seconds: clock.seconds(),
            seed: settings.seed,
            settings: Settings {
                gap: settings.gap,
                relative_gap: settings.relative_gap,
                time_limit: settings.time.map(|time| time.as_secs_f64()),
                node_limit: None,
                threads: settings.threads,
            },
            repairs: Repairs { jitter: posterior.factor().jitter(), shift: approximate.shift().unwrap_or_default() },
            pool: Vec::new(),
        };
        Ok(PkOutcome {
            x: polished.x,
            value: polished.value,
            before_polishing: chosen.value,
            true_function_estimate: lower_bound.zip(error).map(|(lower, error)| lower - error),
            approximation_error: error,
            certificate,
            segments: approximate.pwl().kernels().iter().map(fathom_gp::PwlKernel::segments).sum(),
            indefiniteness: approximate.indefiniteness(),
            solver: full.solver,
            claimed_value: full.claimed_value,
            sub_seconds: sub.map(|outcome| outcome.seconds),
            full_seconds: full.seconds,
            sub_points,
            full_points,
            proof: full.proof,
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
}

/// The piecewise-linear function at x; `None` if x does not count.
type Function<'f> = Box<dyn FnMut(&[f64]) -> Option<f64> + 'f>;

/// The function of the program, or that of the search if there is no program.
fn function<'f>(
    program: Option<&'f Program<'f>>,
    approximate: &'f PwlPosterior,
    criterion: Criterion,
    negative: NegativeVariance,
) -> Result<Function<'f>> {
    Ok(match program {
        Some(program) => Box::new(|x| program.keeps(x).then(|| program.value(x))),
        None if matches!(criterion, Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. }) => {
            return Err(Error::NotQuadratic { criterion: criterion.name() });
        }
        None => {
            let mut function = PwlAcquisition::new(approximate, criterion, negative)?;
            Box::new(move |x| Some(function.value(x)).filter(|value| value.is_finite()))
        }
    })
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

/// An estimate of how far the true function can lie below the piecewise-linear one, if the theorem covers the criterion.
fn transfer(criterion: Criterion, estimate: theory::ErrorEstimate, treatment: Treatment) -> Option<f64> {
    match treatment {
        Treatment::KeepAll => {}
        Treatment::Published => return None,
    }
    match criterion {
        Criterion::Lcb { kappa } => Some(estimate.lcb(kappa)),
        Criterion::Mean => Some(estimate.mean),
        Criterion::Deviation => Some(estimate.deviation),
        Criterion::Glcb { .. } | Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => None,
    }
}
