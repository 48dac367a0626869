//! PK-MIQP, the paper's Algorithm 1.
//!
//! ```text
//! k̃        ← piecewise linearisation                         `linearisation`
//! P_start  ← points to start from                            `warm_start`
//! P_full   ← solve (5), starting from the best of P_start
//! x        ← descent on the true acquisition function, from P_full        `polish`
//! ```
//!
//! The [`Engine`] solves: the certified search, on the function itself, or a [`Solver`](fathom_miqp::Solver), on the program.
//! In the paper P_start is P_sub ∪ P_rand, from the sub-problem without (5c) and at random. Here a solver starts by default
//! at a point that a short run of the certified search meets; the certified search itself needs no start. Each point is
//! evaluated again from its x alone.
//!
//! An outcome has two statements. The first is about the piecewise-linear function α̃: its best point, and a bound that the
//! search proves or that a solver claims. The second is about the true function α: the polished point, and a bound that the
//! certified search proves on α itself in the time that is left. For α there is also the paper's own way, an estimate,
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
mod solution;

pub use engine::Engine;
pub use linearisation::linearise;
pub use outcome::{GroupsOutcome, PkOutcome};
pub use settings::{Breakpoints, PkSettings, PolishFrom, Treatment, TrueBound, WarmStart};

use crate::error::Result;
use crate::theory;
use clock::Clock;
use engine::Task;
use fathom_global::{Certificate, Incumbent, Limits, Problem, Progress, Region, Stop};
use fathom_gp::{Acquisition, Criterion, Posterior};
use polish::polish;
use solution::Solution;

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

    /// One run of Algorithm 1 on a fitted posterior. `report` receives the progress of every search.
    pub fn minimise(
        &self,
        posterior: &Posterior,
        criterion: Criterion,
        region: &Region,
        stop: &Stop,
        mut report: impl FnMut(Progress),
    ) -> Result<PkOutcome> {
        let (clock, settings) = (Clock::new(self.settings), self.settings);
        let approximate = linearise(posterior, region, settings.breakpoints, settings.treatment)?;
        let task = Task { approximate: &approximate, criterion, region, group: None };
        let Solution { certificate, pool, run } = self.solve(&task, &clock, stop, &mut report)?;
        let mut acquisition = Acquisition::new(posterior, criterion)?;
        let evaluated = pool.into_iter().map(|candidate| Incumbent::evaluate(&mut acquisition, candidate.x));
        let mut pool: Vec<Incumbent> = evaluated.collect();
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        let polished = self.polished(&mut acquisition, region, &pool, &clock, stop)?;
        let theory = theory::Figures::new(&approximate)?;
        let error = transfer(criterion, theory.estimate(), settings.treatment);
        Ok(PkOutcome {
            x: polished.end.x,
            value: polished.end.value,
            before_polishing: polished.before,
            searched: self.searched_truth(posterior, criterion, region, &clock, stop, report)?,
            true_function_estimate: certificate.lower_bound.zip(error).map(|(lower, error)| lower - error),
            approximation_error: error,
            theory,
            certificate: Certificate { seconds: clock.seconds(), ..certificate },
            segments: approximate.pwl().kernels().iter().map(fathom_gp::PwlKernel::segments).sum(),
            kernel_error: approximate.pwl().error(),
            indefiniteness: approximate.indefiniteness(),
            solver: run.solver,
            claimed_value: run.claimed_value,
            sub_seconds: run.sub_seconds,
            full_seconds: run.full_seconds,
            sub_points: run.sub_points,
            full_points: run.full_points,
            pool,
            proof: run.proof,
        })
    }

    /// The lowest end of the descents from `points`, which are in the order of their values; without a point, none is reached.
    fn polished(
        &self,
        acquisition: &mut Acquisition<'_>,
        region: &Region,
        points: &[Incumbent],
        clock: &Clock,
        stop: &Stop,
    ) -> Result<Polished> {
        let nothing = Incumbent { x: Vec::new(), value: f64::INFINITY };
        let mut end = points.first().cloned().unwrap_or(nothing);
        let before = end.value;
        let count = match self.settings.polish_from {
            PolishFrom::Pool => points.len(),
            PolishFrom::Best => 1,
        };
        for start in &points[..count.min(points.len())] {
            let found = polish(acquisition, region, start.clone(), self.settings.polish, clock.left(None), stop)?;
            if found.value < end.value {
                end = found;
            }
        }
        Ok(Polished { before, end })
    }

    /// What the certified search proves about the true function in the time that is left; none if nobody asked, or if
    /// the search does not take the problem.
    fn searched_truth(
        &self,
        posterior: &Posterior,
        criterion: Criterion,
        region: &Region,
        clock: &Clock,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Option<Certificate>> {
        if self.settings.true_bound == TrueBound::Theorem {
            return Ok(None);
        }
        let Ok(problem) = Problem::new(posterior, criterion, region.clone()) else { return Ok(None) };
        let nodes = self.settings.nodes.unwrap_or(u64::MAX);
        let limits = Limits { time: clock.left(None), nodes, ..self.settings.limits() };
        Ok(Some(fathom_global::minimise(&problem, &limits, stop, report)?))
    }
}

/// A point and its true value before.
struct Polished {
    before: f64,
    end: Incumbent,
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
