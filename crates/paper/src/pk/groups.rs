//! The paper's Algorithm 1 for additive models: each group of inputs alone, all at the same time.
//!
//! ```text
//! x⁽ᵍ⁾ = argmin μ̃_g − κσ̃_g over the inputs of group g        x = (x⁽¹⁾, …), polished on the whole true function
//! ```
//!
//! The mean of the whole is the sum of the groups' means, but the deviation of the whole is not the sum of the groups'
//! deviations. So each x⁽ᵍ⁾ is the certified minimum of its own function, and nothing is proven of the whole.

use super::PkMiqp;
use super::clock::Clock;
use super::engine::Task;
use super::linearisation::linearise;
use super::outcome::GroupsOutcome;
use super::settings::{PkSettings, PolishFrom};
use super::solution::Solution;
use crate::encode::group_region;
use crate::error::{Error, NoPoint, Result};
use fathom_global::{Incumbent, Progress, Region, Status, Stop, spare_memory};
use fathom_gp::{Acquisition, Criterion, Posterior, PwlKernel};
use std::thread;

impl PkMiqp<'_> {
    /// One run of Algorithm 1 on a fitted additive model, group by group. `report` receives the progress of the search on the
    /// true function.
    pub fn minimise_groups(
        &self,
        posterior: &Posterior,
        criterion: Criterion,
        region: &Region,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<GroupsOutcome> {
        let clock = Clock::new(self.settings);
        let approximate = linearise(posterior, region, self.settings.breakpoints, self.settings.treatment)?;
        let terms = posterior.model().covariance.terms();
        // Each group has its share of the gap and of the memory, and its own thread.
        let memory = self.settings.memory.unwrap_or_else(spare_memory);
        let own = PkSettings {
            gap: self.settings.gap / terms.len() as f64,
            memory: Some((memory / terms.len() as u64).max(1)),
            threads: 1,
            proof: false,
            ..self.settings.clone()
        };
        let alone = |group: usize| -> Result<Solution> {
            let region = group_region::of(region, terms[group].inputs())?;
            let task = Task { approximate: &approximate, criterion, region: &region, group: Some(group) };
            PkMiqp { engine: self.engine, settings: &own }.solve(&task, &clock, stop, |_| {})
        };
        let solutions = thread::scope(|scope| -> Result<Vec<Solution>> {
            let alone = &alone;
            let running: Vec<_> = (0..terms.len()).map(|group| scope.spawn(move || alone(group))).collect();
            running.into_iter().map(|thread| thread.join().expect("a group's run does not panic")).collect()
        })?;
        let solver = solutions[0].run.solver.clone();
        if solutions.iter().any(|solution| solution.pool.is_empty()) {
            let is_empty = |solution: &Solution| solution.certificate.status == Status::Infeasible;
            let why = if solutions.iter().any(is_empty) { NoPoint::Claimed } else { NoPoint::Limit };
            return Err(Error::NoFeasiblePoint { solver, why });
        }
        let mut acquisition = Acquisition::new(posterior, criterion)?;
        let inputs: Vec<&[usize]> = terms.iter().map(fathom_gp::Term::inputs).collect();
        let mut joined = joined(&mut acquisition, region, &inputs, &solutions);
        if self.settings.polish_from == PolishFrom::Pool {
            joined = improved(&mut acquisition, joined, &inputs, &solutions);
        }
        let polished = self.polished(&mut acquisition, region, &[joined], &clock, stop)?;
        Ok(GroupsOutcome {
            x: polished.end.x,
            value: polished.end.value,
            before_polishing: polished.before,
            searched: self.searched_truth(posterior, criterion, region, &clock, stop, report)?,
            groups: solutions.into_iter().map(|solution| solution.certificate).collect(),
            settings: self.settings.asked(),
            solver,
            segments: approximate.pwl().kernels().iter().map(PwlKernel::segments).sum(),
            kernel_error: approximate.pwl().error(),
        })
    }
}

/// The groups' minimisers together.
fn joined(
    acquisition: &mut Acquisition<'_>,
    region: &Region,
    inputs: &[&[usize]],
    solutions: &[Solution],
) -> Incumbent {
    let mut x = region.lower().to_vec();
    for (own, solution) in inputs.iter().zip(solutions) {
        x = with(&x, own, &solution.certificate.x);
    }
    Incumbent::evaluate(acquisition, x)
}

/// Group by group, the point of its pool with which the whole has the lowest true value.
fn improved(
    acquisition: &mut Acquisition<'_>,
    mut best: Incumbent,
    inputs: &[&[usize]],
    solutions: &[Solution],
) -> Incumbent {
    for (own, solution) in inputs.iter().zip(solutions) {
        for candidate in &solution.pool {
            let other = Incumbent::evaluate(acquisition, with(&best.x, own, &candidate.x));
            if other.value < best.value {
                best = other;
            }
        }
    }
    best
}

/// `x`, with some inputs of another point.
fn with(x: &[f64], inputs: &[usize], from: &[f64]) -> Vec<f64> {
    let mut x = x.to_vec();
    inputs.iter().for_each(|input| x[*input] = from[*input]);
    x
}
