//! The minimum of a landscape's acquisition function, by the strategy's optimiser, away from what was tried.

use super::Landscape;
use crate::design::{self, is_same};
use crate::error::{Error, Result};
use crate::space::Space;
use crate::strategy::{Optimiser, Strategy};
use crate::watch::{Stage, Watch};
use fathom_global::{Certificate, Engine, Limits, PkMiqp, PkSettings, Problem, Region, Row, Status, local, minimise};
use fathom_gp::Acquisition;
use fathom_miqp::Solver;
use std::time::Duration;

/// Balls in the unit cube around points tried; beyond the resolution at which a model tells points apart, and within
/// half a step of the finest integer.
const RADIUS: f64 = 1e-3;

/// Balls set up before giving up.
const MOST_BALLS: usize = 50;

/// What is left at least, as the paper's method takes no limit of zero for one.
const LEAST: Duration = Duration::from_millis(1);

/// How the best of listed points is called among methods.
pub(crate) const ENUMERATION: &str = "enumeration";

/// With what minima are found.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub space: &'a Space,
    pub strategy: &'a Strategy,
    pub seed: u64,
    /// For the paper's program.
    pub solver: Option<&'a dyn Solver>,
}

/// A point, its value, and what was proven about it, if anything was.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    pub value: f64,
    pub certificate: Option<Certificate>,
    pub method: &'static str,
    /// Trials around which a ball was left out.
    pub apart_from: Vec<u64>,
    /// The boxes bounded when a limit ended the search, if one did.
    pub cut_after: Option<u64>,
}

impl Search<'_> {
    /// Over the space without `balls`, as far as the watch lets it come.
    pub fn minimum(
        &self,
        landscape: &Landscape,
        balls: &[Row],
        stage: Stage,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let region = without(self.space, balls)?;
        match &self.strategy.optimiser {
            Optimiser::Certified => self.certified(landscape, &region, stage, watch),
            Optimiser::Pk => self.programmed(landscape, &region, stage, watch),
            // A ball joins the inputs of all groups, so the paper's way ends there.
            Optimiser::PkGroups if !balls.is_empty() => self.found(landscape, &region, &local::Method::ALL[0], watch),
            Optimiser::PkGroups => self.programmed(landscape, &region, stage, watch),
            Optimiser::Local(method) => self.found(landscape, &region, method, watch),
        }
    }

    /// `minimum` where it is a new point, else the best one outside balls around the points tried.
    pub fn away_from(
        &self,
        taken: &[Vec<f64>],
        minimum: Minimum,
        landscape: &Landscape,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let space = self.space;
        let twin = |x: &[f64]| taken.iter().position(|other| is_same(space, x, other));
        let Some(mut centre) = twin(&minimum.x) else { return Ok(minimum) };
        if let Some(points) = space.points() {
            return best_left(landscape, space, points.iter().map(|point| space.encode(point)).collect(), taken);
        }
        let (mut balls, mut apart_from) = (Vec::new(), Vec::new());
        for _ in 0..MOST_BALLS {
            balls.push(ball(space, &taken[centre])?);
            // Trials are numbered from 1.
            apart_from.push(centre as u64 + 1);
            let found = match self.minimum(landscape, &balls, Stage::Search, watch) {
                // It is the balls that leave nothing.
                Err(Error::Infeasible { .. }) => return Err(Error::NoNewPoint),
                found => found?,
            };
            match twin(&found.x) {
                None => return Ok(Minimum { apart_from, ..found }),
                Some(next) => centre = next,
            }
        }
        Err(Error::NoNewPoint)
    }

    fn certified(
        &self,
        landscape: &Landscape,
        region: &Region,
        stage: Stage,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let problem = Problem::new(&landscape.posterior, landscape.criterion, region.clone())?;
        let limits = Limits {
            gap: landscape.gap,
            relative_gap: landscape.relative_gap,
            time: watch.left(),
            nodes: self.strategy.node_limit.unwrap_or(u64::MAX),
            threads: self.strategy.threads,
            seed: self.seed,
            ..Limits::default()
        };
        watch.tell(stage, None);
        let mut certificate = minimise(&problem, &limits, watch.stop(), |progress| watch.tell(stage, Some(progress)))?;
        // What was asked for: what an ask had left by then depends on the machine.
        certificate.settings.time_limit = Some(self.strategy.time_limit.as_secs_f64());
        if certificate.status == Status::Infeasible {
            let reason = format!("proven by branch and bound, {} boxes", certificate.nodes);
            return Err(Error::Infeasible { reason });
        }
        if certificate.x.is_empty() {
            // Time ran out before any point was reached.
            let best = best_of(landscape, design::sample_of(self.space, region, self.seed));
            let best = best.ok_or(Error::NoNewPoint)?;
            return Ok(Minimum { cut_after: cut_after(&certificate), ..best });
        }
        let (x, value) = (certificate.x.clone(), certificate.value);
        let (method, cut_after) = (self.strategy.optimiser.name(), cut_after(&certificate));
        Ok(Minimum { x, value, certificate: Some(certificate), method, apart_from: Vec::new(), cut_after })
    }

    /// By the paper's Algorithm 1. What is said of the piecewise-linear function is no certificate of the true one, and what
    /// Theorem 4.3 makes of it is an estimate.
    fn programmed(
        &self,
        landscape: &Landscape,
        region: &Region,
        stage: Stage,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        watch.tell(stage, None);
        let settings = PkSettings {
            gap: landscape.gap,
            time: watch.left().map(|left| left.max(LEAST)),
            sub_time: PkSettings::default().sub_time.map(|sub_time| watch.at_most(sub_time).max(LEAST)),
            threads: self.strategy.threads,
            seed: self.seed,
            ..PkSettings::default()
        };
        let method = PkMiqp::new(self.solver.map_or(Engine::Embedded, Engine::Solver), &settings)?;
        let (posterior, criterion, stop) = (&landscape.posterior, landscape.criterion, watch.stop());
        let (x, value, cut_after) = match self.strategy.optimiser {
            Optimiser::PkGroups => {
                let found = method.minimise_groups(posterior, criterion, region, stop)?;
                (found.x, found.value, None)
            }
            Optimiser::Pk | Optimiser::Certified | Optimiser::Local(_) => {
                let found = method.minimise(posterior, criterion, region, stop)?;
                (found.x, found.value, cut_after(&found.certificate))
            }
        };
        let (method, apart_from) = (self.strategy.optimiser.name(), Vec::new());
        Ok(Minimum { x, value, certificate: None, method, apart_from, cut_after })
    }

    fn found(
        &self,
        landscape: &Landscape,
        region: &Region,
        method: &local::Method,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        watch.tell(Stage::Search, None);
        let settings = local::Settings { seed: self.seed, time: watch.left(), ..local::Settings::default() };
        let mut acquisition = Acquisition::new(&landscape.posterior, landscape.criterion)?;
        let found = local::minimise(&mut acquisition, region, method, &settings, watch.stop())?;
        if !found.feasible && watch.is_over() {
            // It had no time to come to the feasible set.
            return best_of(landscape, design::sample_of(self.space, region, self.seed)).ok_or(Error::NoNewPoint);
        }
        if !found.feasible {
            let reason = format!("{method} ended at a point that breaks a constraint");
            return Err(Error::BadStrategy { key: "optimiser", reason });
        }
        let (x, value) = (found.x, found.value);
        Ok(Minimum { x, value, certificate: None, method: method.name(), apart_from: Vec::new(), cut_after: None })
    }
}

/// What is left out around a point tried.
pub(crate) fn ball(space: &Space, centre: &[f64]) -> Result<Row> {
    let widths = space.widths();
    let radius = widths.iter().map(|width| 0.5 / width).fold(RADIUS, f64::min);
    Ok(Row::outside_ball(centre, &widths, radius)?)
}

/// The space without `balls`.
pub(crate) fn without(space: &Space, balls: &[Row]) -> Result<Region> {
    balls.iter().try_fold(space.region().clone(), |region, ball| Ok(region.with_row(ball.clone())?))
}

/// The boxes of a search that a limit ended.
fn cut_after(certificate: &Certificate) -> Option<u64> {
    match certificate.status {
        Status::TimeLimit | Status::NodeLimit | Status::Interrupted | Status::MemoryLimit => Some(certificate.nodes),
        Status::Optimal
        | Status::Infeasible
        | Status::Exhausted
        | Status::Local
        | Status::IterationLimit
        | Status::Unconfirmed => None,
    }
}

/// The best of a finite space's points that are not taken.
fn best_left(landscape: &Landscape, space: &Space, points: Vec<Vec<f64>>, taken: &[Vec<f64>]) -> Result<Minimum> {
    let count = points.len();
    let left = points.into_iter().filter(|x| !taken.iter().any(|other| is_same(space, x, other)));
    best_of(landscape, left).ok_or(Error::Exhausted { points: count })
}

/// The best of some points.
fn best_of(landscape: &Landscape, points: impl IntoIterator<Item = Vec<f64>>) -> Option<Minimum> {
    let mut acquisition = Acquisition::new(&landscape.posterior, landscape.criterion).ok()?;
    let mut best: Option<(f64, Vec<f64>)> = None;
    for x in points {
        let value = acquisition.value(&x);
        if best.as_ref().is_none_or(|(least, _)| value < *least) {
            best = Some((value, x));
        }
    }
    let (value, x) = best?;
    Some(Minimum { x, value, certificate: None, method: ENUMERATION, apart_from: Vec::new(), cut_after: None })
}
