//! The minimum of a surrogate's acquisition function, by the strategy's optimiser, away from points that were tried.

use super::Surrogate;
use super::apart::Apart;
use super::budget::Budget;
use crate::design::{self, is_same};
use crate::error::{Error, Result};
use crate::space::Space;
use crate::strategy::Strategy;
use crate::watch::{Stage, Watch};
use fathom_global::{Certificate, Region, Row, Status};
use fathom_gp::Acquisition;
use fathom_method::{Answer, Detour, Found, Method, Settings, minimise};
use fathom_paper::PkSettings;

/// Balls set up before giving up.
pub(crate) const MOST_BALLS: usize = 50;

/// The name, among methods, of taking the best of listed points.
pub(crate) const ENUMERATION: &str = "enumeration";

/// What a search for minima needs.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub space: &'a Space,
    pub strategy: &'a Strategy,
    pub seed: u64,
    /// Who solves the paper's program.
    pub found: &'a Found,
    /// The boxes that the certified search may bound, if the ask is to be short.
    pub budget: Option<&'a Budget>,
}

/// A point, its value, and what was proven about it, if anything was.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    pub value: f64,
    pub certificate: Option<Certificate>,
    /// What is known about the piecewise-linear function, and who solved its program.
    pub piecewise_linear: Option<Certificate>,
    pub solver: Option<String>,
    pub method: &'static str,
    /// Trials around which a ball was left out.
    pub apart_from: Vec<u64>,
    /// The boxes bounded when a limit ended the search, if one did, and which limit that was.
    pub cut_after: Option<u64>,
    pub cut_by: Option<Status>,
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
        let method = match self.strategy.method(self.space) {
            // The bound of what can be gained is the certified search's own.
            _ if stage == Stage::Bound => Method::Certified,
            // A ball joins the inputs of all groups, so the paper's way by groups ends there.
            Method::PkGroups if !balls.is_empty() => Method::Pk,
            method @ (Method::Certified | Method::Pk | Method::PkGroups | Method::Wide | Method::Local(_)) => method,
        };
        let pk = match method {
            Method::Pk | Method::PkGroups => self.strategy.pk.settings(surrogate.round, self.found)?,
            Method::Certified | Method::Wide | Method::Local(_) => PkSettings::default(),
        };
        let settings = Settings {
            method,
            gap: Some(surrogate.gap),
            relative_gap: Some(surrogate.relative_gap),
            time: watch.left(),
            nodes: self.strategy.node_limit.into_iter().chain(self.budget.map(Budget::boxes)).min(),
            threads: self.strategy.threads,
            seed: self.seed,
            memory: self.strategy.memory_limit,
            engine: self.found.engine(),
            pk,
            ..Settings::default()
        };
        watch.tell(stage, None);
        let (stop, report) = (watch.stop(), |progress| watch.tell(stage, Some(progress)));
        let answer = minimise(&surrogate.posterior, surrogate.criterion, &region, &settings, stop, report)?;
        if let Some(budget) = self.budget {
            budget.spend(answer.certificate.nodes);
        }
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
        // The search that the certificate rests on: of the true function, or, if there was none, of the piecewise-linear one.
        let cut = match &detour {
            None => cut(&certificate),
            Some(Detour::Pk(outcome)) => cut(outcome.searched.as_ref().unwrap_or(&outcome.certificate)),
            Some(Detour::Groups(outcome)) => outcome.searched.as_ref().and_then(cut),
        };
        let (piecewise_linear, solver) = match detour {
            Some(Detour::Pk(outcome)) => (Some(outcome.certificate), Some(outcome.solver)),
            Some(Detour::Groups(outcome)) => (None, Some(outcome.solver)),
            None => (None, None),
        };
        let is_certified = *method == Method::Certified || certificate.lower_bound.is_some();
        if certificate.x.is_empty() {
            if !is_certified && *method != Method::Wide && !watch.is_over() {
                let reason = format!("{method} ended at a point that breaks a constraint");
                return Err(Error::BadStrategy { key: "optimiser", reason });
            }
            // Time ran out before any point of the region was reached.
            let best = best_of(surrogate, design::sample_of(self.space, region, self.seed)).ok_or(Error::NoNewPoint)?;
            let (cut_after, cut_by) = cut.filter(|_| is_certified).unzip();
            return Ok(Minimum { cut_after, cut_by, ..best });
        }
        // The limit that was asked for counts: the time that an ask had left by then depends on the machine.
        let limit = self.budget.map_or(self.strategy.time_limit, |budget| budget.patience);
        certificate.settings.time_limit = Some(limit.as_secs_f64());
        let (x, value) = (certificate.x.clone(), certificate.value);
        let (cut_after, cut_by) = cut.filter(|_| method.proves() || is_certified).unzip();
        let certificate = is_certified.then_some(certificate);
        let (method, apart_from) = (method.name(), Vec::new());
        Ok(Minimum { x, value, certificate, piecewise_linear, solver, method, apart_from, cut_after, cut_by })
    }

    /// `minimum` if it is a new point, else the best one outside balls around the points that it was too near to.
    pub fn away_from(
        &self,
        apart: &Apart<'_>,
        minimum: Minimum,
        surrogate: &Surrogate,
        watch: &mut Watch<'_>,
    ) -> Result<Minimum> {
        let space = self.space;
        let Some(mut centre) = apart.near(&minimum.x) else { return Ok(minimum) };
        if let Some(points) = space.points() {
            return best_left(
                surrogate,
                space,
                points.iter().map(|point| space.encode(point)).collect(),
                apart.taken(),
            );
        }
        let (mut balls, mut apart_from) = (Vec::new(), Vec::new());
        for _ in 0..MOST_BALLS {
            balls.extend(apart.ball(centre)?);
            apart_from.push(centre);
            let found = match self.minimum(surrogate, &balls, Stage::Search, watch) {
                // The balls leave no point.
                Err(Error::Infeasible { .. }) => return Err(Error::NoNewPoint),
                found => found?,
            };
            match apart.near(&found.x) {
                None => return Ok(Minimum { apart_from, ..found }),
                Some(next) => centre = next,
            }
        }
        Err(Error::NoNewPoint)
    }
}

/// The space without `balls`.
pub(crate) fn without(space: &Space, balls: &[Row]) -> Result<Region> {
    balls.iter().try_fold(space.region().clone(), |region, ball| Ok(region.with_row(ball.clone())?))
}

/// The boxes of a search that a limit ended, and the limit.
pub(crate) fn cut(certificate: &Certificate) -> Option<(u64, Status)> {
    match certificate.status {
        status @ (Status::TimeLimit | Status::NodeLimit | Status::Interrupted | Status::MemoryLimit) => {
            Some((certificate.nodes, status))
        }
        Status::Optimal
        | Status::Infeasible
        | Status::Exhausted
        | Status::Local
        | Status::IterationLimit
        | Status::SolverLimit
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
    Some(Minimum {
        x,
        value,
        certificate: None,
        piecewise_linear: None,
        solver: None,
        method: ENUMERATION,
        apart_from: Vec::new(),
        cut_after: None,
        cut_by: None,
    })
}
