//! The minimum of a surrogate's acquisition function, by the strategy's optimiser, away from points that were tried.

use super::Surrogate;
use crate::design::{self, is_same};
use crate::error::{Error, Result};
use crate::space::Space;
use crate::strategy::Strategy;
use crate::watch::{Stage, Watch};
use fathom_global::{Certificate, Region, Row, Status};
use fathom_gp::Acquisition;
use fathom_method::{Answer, Detour, Method, Settings, minimise};
use fathom_miqp::Solver;
use fathom_paper::{Engine, baselines};

/// The radius of balls in the unit cube around points tried: more than the resolution at which a model tells points apart,
/// and less than half a step of the finest integer.
const RADIUS: f64 = 1e-3;

/// Balls set up before giving up.
const MOST_BALLS: usize = 50;

/// The name, among methods, of taking the best of listed points.
pub(crate) const ENUMERATION: &str = "enumeration";

/// What a search for minima needs.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub space: &'a Space,
    pub strategy: &'a Strategy,
    pub seed: u64,
    /// The solver of the paper's program.
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

impl Minimum {
    /// What was proven of the minimum, if anything was.
    pub fn lower_bound(&self) -> Option<f64> {
        self.certificate.as_ref()?.lower_bound
    }
}

impl Search<'_> {
    /// The minimum over the space without `balls`, from as much of the search as the watch allows.
    pub fn minimum(
        &self,
        surrogate: &Surrogate,
        balls: &[Row],
        stage: Stage,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let region = without(self.space, balls)?;
        let mut method = self.strategy.optimiser.clone();
        if method == Method::PkGroups && !balls.is_empty() {
            // A ball joins the inputs of all groups, so the paper's way by groups ends there.
            method = Method::Local(baselines::Method::ALL[0].clone());
        }
        let settings = Settings {
            method,
            gap: Some(surrogate.gap),
            relative_gap: Some(surrogate.relative_gap),
            time: watch.left(),
            nodes: self.strategy.node_limit,
            threads: self.strategy.threads,
            seed: self.seed,
            engine: self.solver.map_or(Engine::Embedded, Engine::Solver),
            ..Settings::default()
        };
        watch.tell(stage, None);
        let (stop, report) = (watch.stop(), |progress| watch.tell(stage, Some(progress)));
        let answer = minimise(&surrogate.posterior, surrogate.criterion, &region, &settings, stop, report)?;
        self.taken_over(surrogate, &region, &settings.method, answer, watch)
    }

    /// What an answer means for the study.
    fn taken_over(
        &self,
        surrogate: &Surrogate,
        region: &Region,
        method: &Method,
        answer: Answer,
        watch: &Watch<'_>,
    ) -> Result<Minimum> {
        let Answer { mut certificate, detour, .. } = answer;
        if certificate.status == Status::Infeasible {
            let reason = format!("proven by branch and bound, {} boxes", certificate.nodes);
            return Err(Error::Infeasible { reason });
        }
        // A certificate of the piecewise-linear function is no certificate of the true one.
        let cut_after = match &detour {
            None => cut_after(&certificate),
            Some(Detour::Pk(outcome)) => cut_after(&outcome.certificate),
            Some(Detour::Groups(_)) => None,
        };
        let is_certified = *method == Method::Certified;
        if certificate.x.is_empty() {
            if !is_certified && !watch.is_over() {
                let reason = format!("{method} ended at a point that breaks a constraint");
                return Err(Error::BadStrategy { key: "optimiser", reason });
            }
            // Time ran out before any point of the region was reached.
            let best = best_of(surrogate, design::sample_of(self.space, region, self.seed)).ok_or(Error::NoNewPoint)?;
            return Ok(Minimum { cut_after: cut_after.filter(|_| is_certified), ..best });
        }
        // The limit that was asked for counts: the time that an ask had left by then depends on the machine.
        certificate.settings.time_limit = Some(self.strategy.time_limit.as_secs_f64());
        let (x, value) = (certificate.x.clone(), certificate.value);
        let cut_after = cut_after.filter(|_| method.proves());
        let certificate = is_certified.then_some(certificate);
        Ok(Minimum { x, value, certificate, method: method.name(), apart_from: Vec::new(), cut_after })
    }

    /// `minimum` if it is a new point, else the best one outside balls around the points tried.
    pub fn away_from(
        &self,
        taken: &[Vec<f64>],
        minimum: Minimum,
        surrogate: &Surrogate,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let space = self.space;
        let twin = |x: &[f64]| taken.iter().position(|other| is_same(space, x, other));
        let Some(mut centre) = twin(&minimum.x) else { return Ok(minimum) };
        if let Some(points) = space.points() {
            return best_left(surrogate, space, points.iter().map(|point| space.encode(point)).collect(), taken);
        }
        let (mut balls, mut apart_from) = (Vec::new(), Vec::new());
        for _ in 0..MOST_BALLS {
            balls.push(ball(space, &taken[centre])?);
            // Trials are numbered from 1.
            apart_from.push(centre as u64 + 1);
            let found = match self.minimum(surrogate, &balls, Stage::Search, watch) {
                // The balls leave no point.
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
}

/// The ball that is left out around a point tried.
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
fn best_left(surrogate: &Surrogate, space: &Space, points: Vec<Vec<f64>>, taken: &[Vec<f64>]) -> Result<Minimum> {
    let count = points.len();
    let left = points.into_iter().filter(|x| !taken.iter().any(|other| is_same(space, x, other)));
    best_of(surrogate, left).ok_or(Error::Exhausted { points: count })
}

/// The best of some points.
fn best_of(surrogate: &Surrogate, points: impl IntoIterator<Item = Vec<f64>>) -> Option<Minimum> {
    let mut acquisition = Acquisition::new(&surrogate.posterior, surrogate.criterion).ok()?;
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
