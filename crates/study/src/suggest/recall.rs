//! A suggestion made again: its problem as it was posed, and its search with a proof.
//!
//! The search depends on the problem, the gaps and the seed alone, so it comes to the same tree again. A search that time cut
//! short did not end between two batches, so a search of as many boxes may prove a little more than it did; the proof claims
//! what the certificate claims.

use super::apart::Apart;
use super::minimum::{ENUMERATION, without};
use super::observed::encoded;
use super::surrogate::{MOST_TIMES, Surrogate, last_fit};
use crate::assurance::Assurance;
use crate::basis::{Basis, Fitted, Minimised, ScaledBy, SearchedBy, Seen, WarpedBy};
use crate::definition::{Definition, Goal};
use crate::error::{Error, Result};
use crate::later::Later;
use crate::strategy::{MeanName, NoiseName, WarpName};
use crate::trial::{Origin, State, Trial};
use crate::value::Value;
use crate::values::Values;
use crate::verification::{Scope, TrialProof};
use crate::watch::{Stage, Watch};
use fathom_global::{Certificate, Limits, MOST_INPUTS, Problem, Region, Row, Status, minimise_with_proof};
use fathom_gp::{Kernel, NegativeVariance, PwlAcquisition, PwlPosterior};
use fathom_method::Method;
use fathom_paper::{PkSettings, linearise};
use fathom_proof::{Conclusion, KernelFields, Proof, Statement};
use std::borrow::Cow;

/// Numbers that two machines compute differ by less than this, relative to their size.
const SAME: f64 = 1e-12;

/// Two values of the same piecewise-linear function differ by less than this, relative to 1 and their size.
const SAME_FUNCTION: f64 = 1e-6;

/// How often the boxes of a search that was cut short are doubled until it proves as much.
const DOUBLINGS: usize = 6;

/// The share of the gap by which a bound may be missed; the checker decides whether the claim holds all the same.
const MISSED: f64 = 0.01;

/// What the error names if the watch is over first.
const MADE: &str = "the proof was made again";

/// A suggestion in the light of what was known when it was made.
pub(crate) struct Recall<'a> {
    /// The study, with the defaults of the version that made the suggestion.
    pub(super) definition: Cow<'a, Definition>,
    pub(super) trial: &'a Trial,
    pub(super) basis: &'a Basis,
    /// Earlier trials as they were then.
    pub(super) known: Vec<Trial>,
}

/// The problem: a model and a region.
pub(super) struct Posed {
    pub surrogate: Surrogate,
    pub region: Region,
}

/// The search whose bound is the highest that is known: that of the ask, or a longer one.
struct Strongest<'a> {
    gap: f64,
    relative_gap: f64,
    lower_bound: Option<f64>,
    cut_after: Option<u64>,
    apart_from: &'a [u64],
    is_later: bool,
}

impl<'a> Recall<'a> {
    /// The suggestion of trial `id`; an error if the trial has no proof, or if the study is not as it was.
    pub fn new(definition: &'a Definition, trials: &'a [Trial], id: u64) -> Result<Self> {
        let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let Some(trial) = place.and_then(|place| trials.get(place)) else {
            return Err(Error::NoSuchTrial { study: definition.name.clone(), id });
        };
        let basis = basis(definition, trial)?;
        let known = known(&trials[..id as usize], basis)?;
        let definition = match basis.defaults {
            0 => Cow::Owned(definition.before()?),
            _ => Cow::Borrowed(definition),
        };
        let recall = Self { definition, trial, basis, known };
        recall.check_strategy()?;
        recall.check_point()?;
        Ok(recall)
    }

    /// The trial.
    pub fn trial(&self) -> &'a Trial {
        self.trial
    }

    fn different<T>(&self, what: String) -> Result<T> {
        Err(Error::Different { id: self.trial.id, what })
    }

    /// Whether the strategy leads to the stored model and function.
    fn check_strategy(&self) -> Result<()> {
        let Definition { space, strategy, .. } = &*self.definition;
        let Basis { model, function, .. } = self.basis;
        let changed = |key: &str, then: String, now: String| {
            self.different(format!("`{key}` of the strategy was {then} then, and is {now} now"))
        };
        if model.kernel != strategy.kernel {
            return changed("kernel", model.kernel.to_string(), strategy.kernel.to_string());
        }
        let (then, now) = (fields(model.unit_kernel()?), fields(strategy.unit_kernel()?));
        for (key, then, now) in [
            ("alpha", then.alpha, now.alpha),
            ("degree", then.degree.map(f64::from), now.degree.map(f64::from)),
            ("offset", then.offset, now.offset),
        ] {
            // A fit goes through logarithms, so what it keeps may come back with other last bits.
            if then.zip(now).is_some_and(|(then, now)| !is_close(then, now)) {
                return changed(key, shown(then), shown(now));
            }
        }
        let covariance = strategy.covariance(space)?;
        let groups = |inputs: Vec<&[usize]>| format!("{inputs:?}");
        let then = groups(model.terms.iter().map(|term| &term.inputs[..]).collect());
        let now = groups(covariance.terms().iter().map(fathom_gp::Term::inputs).collect());
        if then != now {
            return changed("groups", format!("{then} in coordinates"), now);
        }
        if !strategy.ard && !self.has_one_lengthscale() {
            return changed("ard", "true".into(), "false".into());
        }
        if let NoiseName::Fixed(noise) = strategy.noise
            && noise != model.noise
        {
            return changed("noise", model.noise.to_string(), noise.to_string());
        }
        if let MeanName::Fixed(mean) = strategy.mean
            && mean != model.mean
        {
            return changed("mean", model.mean.to_string(), mean.to_string());
        }
        if self.basis.warp.is_some() != (strategy.warp == WarpName::Log) {
            let name = |is_warped: bool| if is_warped { "log" } else { "none" }.to_owned();
            return changed("warp", name(self.basis.warp.is_some()), name(strategy.warp == WarpName::Log));
        }
        if !strategy.acquisition.names().contains(&function.name) {
            return changed("acquisition", function.name.to_string(), strategy.acquisition.to_string());
        }
        Ok(())
    }

    /// Whether each term has the same lengthscale in all directions of the unit cube.
    fn has_one_lengthscale(&self) -> bool {
        let widths = self.definition.space.widths();
        self.basis.model.terms.iter().all(|term| {
            let mut scales = term.inputs.iter().zip(&term.lengthscales).map(|(input, l)| l / widths[*input]);
            let first = scales.next().unwrap_or(1.0);
            scales.all(|scale| is_close(scale, first))
        })
    }

    /// Whether the trial's point is the one that was found.
    fn check_point(&self) -> Result<()> {
        if self.x().len() != self.definition.space.dim() {
            return self.different("its certificate is about a point of another dimension".into());
        }
        let found = self.definition.space.decode(self.x());
        for (name, found) in &found {
            let is_same = match (found, self.trial.asked_point().get(name)) {
                (Value::Float(found), Some(value)) => value.as_f64().is_some_and(|value| is_close(*found, value)),
                (found, value) => Some(found) == value,
            };
            if !is_same {
                let now = self.trial.asked_point().get(name).map_or("missing".into(), Value::to_string);
                return self.different(format!("`{name}` of its point was {found} then, and is {now} now"));
            }
        }
        Ok(())
    }

    /// The search that proved most.
    fn strongest(&self) -> Strongest<'_> {
        let Basis { search, apart_from, .. } = self.basis;
        let suggestion = &self.trial.suggestion;
        let first = suggestion.certificate.as_ref().and_then(|certificate| certificate.lower_bound);
        let stronger = suggestion.later.as_deref().filter(|later| later.certificate.lower_bound > first);
        match stronger {
            Some(Later { certificate, cut_after, apart_from, .. }) => Strongest {
                gap: certificate.settings.gap,
                relative_gap: certificate.settings.relative_gap,
                lower_bound: certificate.lower_bound,
                cut_after: *cut_after,
                apart_from,
                is_later: true,
            },
            None => Strongest {
                gap: search.gap,
                relative_gap: search.relative_gap,
                lower_bound: first,
                cut_after: search.cut_after,
                apart_from,
                is_later: false,
            },
        }
    }

    /// `Ok` if there is something to prove again.
    fn check_bound(&self) -> Result<()> {
        let has_certificate = self.trial.suggestion.certificate.is_some();
        match self.strongest().lower_bound {
            None if has_certificate => {
                let reason = "a limit cut the search short before anything was proven".into();
                Err(Error::NoProof { id: self.trial.id, reason })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The point in the search's coordinates.
    pub(super) fn x(&self) -> &[f64] {
        self.trial.suggestion.certificate.as_ref().map_or(&self.basis.x, |certificate| &certificate.x)
    }

    fn scope(&self) -> Scope {
        match (self.trial.suggestion.method.as_deref(), &self.trial.suggestion.certificate) {
            (_, Some(_)) => Scope::Minimum,
            (_, None) if self.strongest().is_later => Scope::Minimum,
            (Some("pk"), None) => Scope::PiecewiseLinear,
            (_, None) => Scope::BestLeft,
        }
    }

    /// The points that the suggestion had to keep apart from.
    pub(super) fn apart(&self) -> Apart<'_> {
        let space = &self.definition.space;
        Apart::new(space, &self.known, encoded(space, &self.known), self.basis.apart_by)
    }

    /// The problem under the stored hyperparameters, without balls around the trials `apart_from`.
    pub(super) fn posed(&self, apart_from: &[u64]) -> Result<Posed> {
        let space = &self.definition.space;
        let Basis { model, function, warp, scaling, believed, .. } = self.basis;
        let mut surrogate = Surrogate::recalled(&self.definition, &self.known, model)?;
        if let Some((then, now)) = warp.zip(surrogate.warp().map(WarpedBy::new))
            && !(is_close(then.centre, now.centre) && is_close(then.width, now.width))
        {
            let shown = |by: &WarpedBy| format!("around {} by {}", by.centre, by.width);
            return self.different(format!("costs were warped {} then, and are {} now", shown(&then), shown(&now)));
        }
        let now = ScaledBy::new(surrogate.scaling());
        if !(is_close(now.origin, scaling.origin) && is_close(now.width, scaling.width)) {
            let shown = |by: &ScaledBy| format!("(cost − {}) / {}", by.origin, by.width);
            return self.different(format!(
                "costs were scaled by {} then, and are by {} now",
                shown(scaling),
                shown(&now)
            ));
        }
        for Seen { id, value, times, .. } in believed {
            let x = space.encode(&self.known[*id as usize - 1].point);
            let value = value.unwrap_or(f64::NAN);
            surrogate.observe(&x, value, *times)?;
            if self.basis.is_best_believed {
                surrogate.improve_on(value)?;
            }
        }
        let now = Minimised::new(surrogate.criterion);
        if now.name != function.name {
            return self
                .different(format!("its step minimised {} then, and minimises {} now", function.name, now.name));
        }
        for (what, then, now) in [
            ("κ", function.kappa, now.kappa),
            ("the value to improve on", function.best, now.best),
            ("`rho`", function.rho, now.rho),
            ("`imprecision`", function.imprecision, now.imprecision),
        ] {
            if then.is_some() != now.is_some() || then.zip(now).is_some_and(|(then, now)| !is_close(then, now)) {
                return self.different(format!("{what} was {} then, and is {} now", shown(then), shown(now)));
            }
        }
        surrogate.criterion = function.criterion(surrogate.criterion);
        let apart = self.apart();
        let mut balls: Vec<Row> = Vec::new();
        for id in apart_from {
            match apart.ball(*id)? {
                Some(ball) => balls.push(ball),
                None => return self.different(format!("it is to keep away from trial {id}, which is no earlier one")),
            }
        }
        Ok(Posed { surrogate, region: without(space, &balls)? })
    }

    /// What was minimised, and over which region.
    pub fn statement(&self) -> Result<Statement> {
        self.check_bound()?;
        let Posed { surrogate, region } = self.posed(self.strongest().apart_from)?;
        let (posterior, criterion) = (&surrogate.posterior, surrogate.criterion);
        let statement = match self.scope() {
            Scope::Minimum | Scope::BestLeft => Problem::new(posterior, criterion, region)?.statement(),
            Scope::PiecewiseLinear => {
                let (approximate, negative) = self.linearised(&surrogate, &region)?;
                Problem::piecewise_linear(&approximate, criterion, region, negative)?.statement()
            }
        };
        Ok(Statement { name: self.name(), ..statement })
    }

    /// The posterior under the piecewise-linear kernel of the strategy.
    fn linearised(&self, surrogate: &Surrogate, region: &Region) -> Result<(PwlPosterior, NegativeVariance)> {
        let pk = &self.definition.strategy.pk;
        let (breakpoints, treatment) = (pk.breakpoints(surrogate.round)?, pk.treatment());
        let approximate = linearise(&surrogate.posterior, region, breakpoints, treatment)?;
        if let Some(then) = &self.trial.suggestion.piecewise_linear {
            let now = PwlAcquisition::new(&approximate, surrogate.criterion, treatment.negative())?.value(&then.x);
            // A program and the search evaluate the function in different ways, which the weights amplify.
            if (then.value - now).abs() > SAME_FUNCTION * (1.0 + now.abs()) {
                let what =
                    format!("the piecewise-linear function was {} at its minimum then, and is {now} now", then.value);
                return self.different(what + ": `pk` of the strategy has changed");
            }
        }
        Ok((approximate, treatment.negative()))
    }

    fn name(&self) -> String {
        format!("{}, trial {}", self.definition.name, self.trial.id)
    }

    /// The search made again, with its proof. A watch that is over leaves no proof.
    pub fn proof(&self, watch: &mut Watch<'_>) -> Result<TrialProof> {
        self.check_bound()?;
        let Posed { surrogate, region } = self.posed(self.strongest().apart_from)?;
        let (posterior, criterion, scope) = (&surrogate.posterior, surrogate.criterion, self.scope());
        let pool = self.definition.strategy.pk.pool.unwrap_or_else(|| PkSettings::default().pool);
        let x = self.x();
        let (mut proof, value) = match scope {
            Scope::Minimum | Scope::BestLeft => {
                let problem = Problem::new(posterior, criterion, region)?;
                (self.searched(&problem, 0, watch)?, problem.acquisition().clone().value(x))
            }
            Scope::PiecewiseLinear => {
                let (approximate, negative) = self.linearised(&surrogate, &region)?;
                let problem = Problem::piecewise_linear(&approximate, criterion, region, negative)?;
                let mut function = PwlAcquisition::new(&approximate, criterion, negative)?;
                (self.searched(&problem, pool, watch)?, function.value(x))
            }
        };
        let point = Some(x.to_vec());
        let Strongest { lower_bound, is_later, .. } = self.strongest();
        proof.claim = match &self.trial.suggestion.certificate {
            Some(Certificate { value, .. }) => Conclusion { point, value: Some(*value), lower_bound },
            None if is_later => Conclusion { point, value: Some(value), lower_bound },
            // The published treatment leaves points out, the polished one perhaps among them.
            None if !value.is_finite() => Conclusion { point: None, value: None, ..proof.claim },
            None => Conclusion { point, value: Some(value), lower_bound: proof.claim.lower_bound },
        };
        proof.statement.name = self.name();
        let distance = self.distance_of_fit(watch)?;
        let reasons = self.reasons(&proof, scope, distance);
        Ok(TrialProof { id: self.trial.id, proof, scope, is_fit_reproduced: distance == Some(0.0), reasons })
    }

    /// By how much hyperparameters that are fitted again differ from the stored ones; `None` if their fit was cut short, because
    /// no fit comes to them again.
    fn distance_of_fit(&self, watch: &mut Watch<'_>) -> Result<Option<f64>> {
        let space = &self.definition.space;
        if self.basis.is_fit_cut {
            return Ok(None);
        }
        let (strategy, known) = (&self.definition.strategy, &self.known);
        let fitted =
            Surrogate::fitted(&self.definition, strategy, known, &encoded(space, known), self.earlier(), watch)?;
        if fitted.is_fit_cut {
            return Err(watch.ended(MADE));
        }
        Ok(Some(Fitted::new(fitted.posterior.model()).distance(&self.basis.model)))
    }

    /// The hyperparameters from which the fit started: versions before 0.2 began each fit anew.
    fn earlier(&self) -> Option<&Fitted> {
        if self.basis.defaults == 0 { None } else { last_fit(&self.known) }
    }

    /// The proof of a search that reaches the bound of the certificate, if there is one.
    fn searched(&self, problem: &Problem<'_>, pool: usize, watch: &mut Watch<'_>) -> Result<Proof> {
        let SearchedBy { seed, .. } = self.basis.search;
        let Strongest { gap, relative_gap, lower_bound: claimed, cut_after, .. } = self.strongest();
        let certificate = self.trial.suggestion.certificate.as_ref();
        let value = certificate.map_or(0.0, |certificate| certificate.value);
        let needed = claimed.map(|bound| bound - MISSED * gap.max(relative_gap * value.abs()) - SAME * bound.abs());
        let mut limits = Limits {
            gap,
            relative_gap,
            time: watch.left(),
            nodes: cut_after.unwrap_or(u64::MAX),
            threads: self.definition.strategy.threads,
            seed,
            pool,
            memory: None,
        };
        let mut doublings = 0;
        loop {
            limits.time = watch.left();
            watch.tell(Stage::Proof, None);
            let stop = watch.stop();
            let report = |progress| watch.tell(Stage::Proof, Some(progress));
            let (found, proof) = minimise_with_proof(problem, &limits, stop, report)?;
            let is_reached = needed.is_none_or(|needed| found.lower_bound.is_some_and(|bound| bound >= needed));
            if let (true, Some(proof)) = (is_reached, proof) {
                return Ok(proof);
            }
            if matches!(found.status, Status::Interrupted | Status::TimeLimit) {
                return Err(watch.ended(MADE));
            }
            if found.status != Status::NodeLimit || doublings == DOUBLINGS {
                let bound = found.lower_bound.map_or("nothing".into(), |bound| format!("the bound {bound}"));
                let claimed = claimed.map_or("a bound".into(), |bound| format!("the bound {bound}"));
                return self.different(format!("its certificate has {claimed}, and the search proves {bound} again"));
            }
            doublings += 1;
            limits.nodes = limits.nodes.saturating_mul(2).max(64);
        }
    }

    fn reasons(&self, proof: &Proof, scope: Scope, distance: Option<f64>) -> Vec<String> {
        let mut region = format!("Its region is the study's space: {}", self.definition.space);
        let apart_from = self.strongest().apart_from;
        if !apart_from.is_empty() {
            let ids: Vec<String> = apart_from.iter().map(u64::to_string).collect();
            region += &format!("; small balls around points tried before are left out (trials {})", ids.join(", "));
        }
        let function = match self.basis.function {
            Minimised { name, kappa: Some(kappa), rho: Some(rho), imprecision: Some(imprecision), .. } => {
                format!("{name} with κ = {kappa}, ρ = {rho} and imprecision {imprecision}")
            }
            Minimised { name, kappa: Some(kappa), .. } => format!("{name} with κ = {kappa}"),
            Minimised { name, best: Some(best), .. } => format!("{name} over the scaled cost {best}"),
            Minimised { name, .. } => name.to_string(),
        };
        let kernel = match scope {
            Scope::Minimum | Scope::BestLeft => "",
            Scope::PiecewiseLinear => {
                ", under the paper's piecewise-linear kernel; nothing is proven of the true function"
            }
        };
        let fit = match distance {
            None => "their fit was cut short, and the proof is about what it had come to".to_owned(),
            Some(0.0) => "fitted again, they are equal".to_owned(),
            Some(distance) => format!(
                "fitted again on this machine, they differ by up to {distance:.0e} of their size, and the proof is about \
                 the stored ones"
            ),
        };
        vec![
            format!("Its data are {}.", self.data(proof.statement.y.len())),
            format!("{region}; {}.", self.definition.space.coordinates().join(", ")),
            format!("Its function is the strategy's: {function}{kernel}."),
            format!("Its hyperparameters are those that were stored with the trial; {fit}."),
            format!("Its point is the trial's{}.", self.ending(scope)),
        ]
    }

    fn data(&self, count: usize) -> String {
        let of = |state: State| self.known.iter().filter(|trial| trial.state == state).count();
        let (complete, failed, pending) = (of(State::Complete), of(State::Failed), of(State::Pending));
        let mut parts = vec![format!("{complete} told")];
        if failed > 0 {
            parts.push(format!("{failed} failed and taken at the worst value"));
        }
        if pending > 0 {
            let times = self.basis.believed.iter().map(|seen| seen.times).max().filter(|times| *times > 1);
            let times = times.map_or(String::new(), |times| format!(", up to {times} times each because of the noise"));
            parts.push(format!("{pending} pending and taken at the posterior mean{times}"));
        }
        let more: usize = self.basis.believed.iter().map(|seen| seen.times as usize - 1).sum();
        let merged = match self.known.len() - (count - more).min(self.known.len()) {
            0 => "",
            _ if self.known.len() > self.definition.strategy.model_size => {
                ", of which the best, the latest and a sample are in the model"
            }
            _ => ", repeated points averaged",
        };
        let trials = format!("trials 1 to {} as they were then: {}{merged}", self.known.len(), parts.join(", "));
        format!("{trials}; {}", self.scaling())
    }

    /// How y of the statement comes from values.
    fn scaling(&self) -> String {
        let ScaledBy { origin, width } = self.basis.scaling;
        let value = match self.definition.goal {
            Goal::Minimise => "value",
            Goal::Maximise => "−value",
        };
        let scaled =
            |what: &str, origin: f64, width: f64| format!("({what} − {origin}) / {width}").replace("− -", "+ ");
        match self.basis.warp {
            None => format!("y = {}", scaled(value, origin, width)),
            Some(WarpedBy { centre, width: unit }) => format!(
                "y = {}, where z is u = {} if that is not positive, and log(1 + u) otherwise",
                scaled("z", origin, width),
                scaled(value, centre, unit)
            ),
        }
    }

    fn ending(&self, scope: Scope) -> String {
        let Strongest { cut_after, is_later, .. } = self.strongest();
        let cut = match cut_after {
            Some(boxes) => {
                format!("; a limit cut the search short after {boxes} boxes, and the proof is of what it had proven")
            }
            None => String::new(),
        };
        match scope {
            Scope::Minimum if is_later => {
                let better = match self.trial.suggestion.assurance() {
                    Assurance::Better { by, .. } => {
                        format!("; that search also found a point that is better by {by:.1e}")
                    }
                    Assurance::None | Assurance::Proven { .. } | Assurance::CutShort { .. } => String::new(),
                };
                format!(", and its bound is that of the longer search after the trial was handed out{cut}{better}")
            }
            Scope::Minimum => format!(", and its bound is that of the trial's certificate{cut}"),
            Scope::BestLeft if self.basis.search.cut_after.is_some() => {
                format!(", the best one of a sample, as the search had met no point{cut}")
            }
            Scope::BestLeft => {
                ", the best one left of a finite space; points tried before have values down to the bound".into()
            }
            Scope::PiecewiseLinear => format!(
                ", which was polished on the true function and need not be the minimum of the piecewise-linear one{cut}"
            ),
        }
    }
}

/// What a trial's suggestion rests on; an error if nothing was proven of it.
fn basis<'a>(definition: &Definition, trial: &'a Trial) -> Result<&'a Basis> {
    let none = |reason: String| Err(Error::NoProof { id: trial.id, reason });
    let suggestion = &trial.suggestion;
    match suggestion.origin {
        Origin::Design => return none("it belongs to the initial design, which no model chose".into()),
        Origin::Import => return none("it was added from outside, and no model chose it".into()),
        Origin::Model => {}
    }
    match suggestion.method.as_deref() {
        Some("certified" | "pk" | ENUMERATION) => {}
        Some("pk-groups") if suggestion.certificate.is_some() => {}
        Some("pk-groups") => {
            return none("pk-groups minimises group by group, and nothing is proven of the whole".into());
        }
        Some(method) if method == Method::Wide.name() => {
            return none(format!("a local search chose it: nothing is proven beyond {MOST_INPUTS} coordinates"));
        }
        Some(method) => return none(format!("{method} chose it, a local method, which proves nothing")),
        None => return none("the store does not say how it was chosen".into()),
    }
    let Some(basis) = suggestion.basis.as_deref() else {
        return none("an earlier version of Fathom chose it and did not keep the model".into());
    };
    if definition.space.dim() > MOST_INPUTS {
        return none(format!("the certified search has room for {MOST_INPUTS} coordinates"));
    }
    Ok(basis)
}

/// The trials before the last one of `trials` as its suggestion saw them; an error if one has changed since.
fn known(trials: &[Trial], basis: &Basis) -> Result<Vec<Trial>> {
    let Some((last, earlier)) = trials.split_last() else { return Ok(Vec::new()) };
    let different = |what: String| Error::Different { id: last.id, what };
    let told = Seen::listed(trials);
    let as_then = |trial: &Trial| {
        let trial = &trial.as_of(basis.changes);
        if trial.state == State::Withdrawn {
            return Ok(trial.clone());
        }
        if let Some(seen) = told.get(&trial.id) {
            return seen.difference(trial, true).map_or_else(|| Ok(trial.clone()), |what| Err(different(what)));
        }
        if trial.is_cancelled_as_of(basis.changes) {
            return Ok(Trial { state: State::Cancelled, values: Values::default(), ..trial.clone() });
        }
        let Some(seen) = basis.believed.iter().find(|seen| seen.id == trial.id) else {
            return Err(different(format!("nothing says what was known of trial {} then", trial.id)));
        };
        match seen.difference(trial, false) {
            Some(what) => Err(different(what)),
            None => Ok(Trial { state: State::Pending, values: Values::default(), ..trial.clone() }),
        }
    };
    let known: Vec<Trial> = earlier.iter().map(as_then).collect::<Result<_>>()?;
    let is_earlier = |seen: &Seen| seen.id >= 1 && seen.id < last.id && seen.value.is_some_and(f64::is_finite);
    if let Some(Seen { id, times, .. }) = basis.believed.iter().find(|seen| !(1..=MOST_TIMES).contains(&seen.times)) {
        return Err(different(format!("it believes in trial {id} {times} times, and {MOST_TIMES} are the most")));
    }
    match basis.believed.iter().find(|seen| !is_earlier(seen)) {
        Some(seen) => Err(different(format!("it believes something of trial {}, which is no earlier one", seen.id))),
        None => Ok(known),
    }
}

/// The fields that a kernel has.
fn fields(kernel: Kernel) -> KernelFields {
    kernel.stated().into_fields().1
}

fn shown(number: Option<f64>) -> String {
    number.map_or("missing".into(), |number| number.to_string())
}

/// Whether two numbers are the same up to the differences between machines.
fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= SAME * a.abs().max(b.abs())
}
