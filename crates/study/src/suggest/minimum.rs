//! The minimum of a landscape's acquisition function, by the strategy's optimiser, away from what was tried.

use super::Landscape;
use crate::design::{self, is_same};
use crate::error::{Error, Result};
use crate::space::Space;
use crate::strategy::{Optimiser, Strategy};
use fathom_global::{Certificate, Limits, Problem, Region, Row, Status, Stop, local, minimise};
use fathom_gp::Acquisition;

/// Balls in the unit cube around points tried; beyond the resolution at which a model tells points apart, and within
/// half a step of the finest integer.
const RADIUS: f64 = 1e-3;

/// Balls set up before giving up.
const MOST_BALLS: usize = 50;

/// A point, its value, and what was proven about it.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    pub value: f64,
    pub certificate: Option<Certificate>,
    pub method: &'static str,
}

impl Minimum {
    /// Over the space without `balls`.
    pub fn find(landscape: &Landscape, space: &Space, strategy: &Strategy, seed: u64, balls: &[Row]) -> Result<Self> {
        let mut region = space.region().clone();
        for ball in balls {
            region = region.with_row(ball.clone())?;
        }
        match &strategy.optimiser {
            Optimiser::Certified => certified(landscape, space, &region, strategy, seed),
            Optimiser::Local(method) => found(landscape, &region, method, strategy, seed),
        }
    }

    /// Itself where it is a new point that holds in the user's units, else the best one outside balls around the points
    /// tried.
    pub fn away_from(
        self,
        landscape: &Landscape,
        space: &Space,
        strategy: &Strategy,
        seed: u64,
        taken: &[Vec<f64>],
    ) -> Result<Self> {
        let twin = |x: &[f64]| taken.iter().find(|other| is_same(space, x, other)).cloned();
        let Some(mut centre) = twin(&self.x) else { return Ok(self) };
        if let Some(points) = space.points() {
            return best_left(landscape, space, points.iter().map(|point| space.encode(point)).collect(), taken);
        }
        let widths = space.widths();
        let radius = widths.iter().map(|width| 0.5 / width).fold(RADIUS, f64::min);
        let mut balls = Vec::new();
        for _ in 0..MOST_BALLS {
            balls.push(Row::outside_ball(&centre, &widths, radius)?);
            let found = match Self::find(landscape, space, strategy, seed, &balls) {
                // It is the balls that leave nothing.
                Err(Error::Infeasible { .. }) => return Err(Error::NoNewPoint),
                found => found?,
            };
            match twin(&found.x) {
                None => return Ok(found),
                Some(next) => centre = next,
            }
        }
        Err(Error::NoNewPoint)
    }
}

fn certified(landscape: &Landscape, space: &Space, region: &Region, strategy: &Strategy, seed: u64) -> Result<Minimum> {
    let problem = Problem::new(&landscape.posterior, landscape.criterion, region.clone())?;
    let limits = Limits {
        gap: landscape.gap,
        time: Some(strategy.time_limit),
        threads: strategy.threads,
        seed,
        ..Limits::default()
    };
    let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {})?;
    if certificate.status == Status::Infeasible {
        return Err(Error::Infeasible { reason: format!("proven by branch and bound, {} boxes", certificate.nodes) });
    }
    if certificate.x.is_empty() {
        // Time ran out before any point was reached.
        return best_of(landscape, design::sample_of(space, region, seed)).ok_or(Error::NoNewPoint);
    }
    let (x, value) = (certificate.x.clone(), certificate.value);
    Ok(Minimum { x, value, certificate: Some(certificate), method: "certified" })
}

fn found(
    landscape: &Landscape,
    region: &Region,
    method: &local::Method,
    strategy: &Strategy,
    seed: u64,
) -> Result<Minimum> {
    let settings = local::Settings { seed, time: Some(strategy.time_limit), ..local::Settings::default() };
    let mut acquisition = Acquisition::new(&landscape.posterior, landscape.criterion)?;
    let found = local::minimise(&mut acquisition, region, method, &settings, &Stop::new(false))?;
    if !found.feasible {
        let reason = format!("{method} ended at a point that breaks a constraint");
        return Err(Error::BadStrategy { key: "optimiser", reason });
    }
    Ok(Minimum { x: found.x, value: found.value, certificate: None, method: method.name() })
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
    Some(Minimum { x, value, certificate: None, method: "enumeration" })
}
