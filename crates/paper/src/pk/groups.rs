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
use super::engine::Engine;
use super::linearisation::linearise;
use super::outcome::GroupsOutcome;
use super::polish::polish;
use crate::error::{Error, Result};
use fathom_global::Certificate;
use fathom_global::Incumbent;
use fathom_global::Problem;
use fathom_global::Region;
use fathom_global::{Limits, Stop, minimise};
use fathom_gp::{Acquisition, Criterion, Posterior};
use std::thread;

impl PkMiqp<'_> {
    /// One run of Algorithm 1 on a fitted additive model, group by group, by the certified search.
    pub fn minimise_groups(
        &self,
        posterior: &Posterior,
        criterion: Criterion,
        region: &Region,
        stop: &Stop,
    ) -> Result<GroupsOutcome> {
        if !matches!(self.engine, Engine::Embedded) {
            return Err(fathom_global::Error::Unsupported {
                what: "a solver for groups alone; leave it to the certified search",
            }
            .into());
        }
        let settings = self.settings;
        let clock = Clock::new(settings.time);
        let approximate = linearise(posterior, region, settings.breakpoints, settings.treatment)?;
        let terms = posterior.model().covariance.terms();
        let limits = Limits {
            gap: settings.gap / terms.len() as f64,
            relative_gap: settings.relative_gap,
            time: clock.left(settings.full_time),
            threads: 1,
            seed: settings.seed,
            ..Limits::default()
        };
        let alone = |group: usize| -> Result<Certificate> {
            let own = own_region(region, terms[group].inputs())?;
            let negative = settings.treatment.negative();
            let problem = Problem::piecewise_linear_group(&approximate, criterion, own, negative, group)?;
            Ok(minimise(&problem, &limits, stop, |_| {})?)
        };
        let certificates = thread::scope(|scope| -> Result<Vec<Certificate>> {
            let running: Vec<_> = (0..terms.len()).map(|group| scope.spawn(move || alone(group))).collect();
            running.into_iter().map(|thread| thread.join().expect("a group's search does not panic")).collect()
        })?;
        let mut x = region.lower().to_vec();
        for (term, certificate) in terms.iter().zip(&certificates) {
            if certificate.x.is_empty() {
                return Err(Error::NoFeasiblePoint { solver: "Fathom".into() });
            }
            term.inputs().iter().for_each(|input| x[*input] = certificate.x[*input]);
        }
        let mut acquisition = Acquisition::new(posterior, criterion)?;
        let joined = Incumbent::evaluate(&mut acquisition, x);
        let polished = polish(&mut acquisition, region, joined.clone(), settings.polish, clock.left(None), stop)?;
        Ok(GroupsOutcome { x: polished.x, value: polished.value, before_polishing: joined.value, groups: certificates })
    }
}

/// The region of one group's inputs; all other inputs stay at their lower ends.
fn own_region(region: &Region, inputs: &[usize]) -> Result<Region> {
    let is_own = |j: usize| inputs.contains(&j);
    let side = |j: usize| (region.lower()[j], if is_own(j) { region.upper()[j] } else { region.lower()[j] });
    let whole: Vec<usize> = (0..region.dim()).filter(|j| is_own(*j) && region.integer()[*j]).collect();
    let mut own = Region::new(&(0..region.dim()).map(side).collect::<Vec<_>>())?.with_integers(&whole)?;
    for row in region.rows() {
        let pairs = row.quadratic().iter().flat_map(|(j, k, _)| [*j, *k]);
        let variables: Vec<usize> = row.linear().iter().map(|(j, _)| *j).chain(pairs).collect();
        if variables.iter().all(|j| is_own(*j)) {
            own = own.with_row(row.clone())?;
        } else if variables.iter().any(|j| is_own(*j)) {
            return Err(fathom_global::Error::Unsupported {
                what: "a constraint on inputs of several groups, group by group",
            }
            .into());
        }
    }
    Ok(own)
}
