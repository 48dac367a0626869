//! The settings of the paper's method by name. The names are the keys of `[strategy.pk]` in a study file, the options of
//! `fathom solve` and the keys of `pk` in Python; what is left out is the default, or the preset's.

use crate::{Error, Method, Result};
use fathom_gp::{Curvature, Posterior};
use fathom_miqp::{Encoding, Gurobi, Scip, Solver};
use fathom_paper::theory::SegmentSchedule;
use fathom_paper::{Breakpoints, Engine, PkSettings, PolishFrom, Treatment, TrueBound, WarmStart};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The error at which a schedule ends, as a part of the prior variance. A kernel has some 20,000 segments there; soon after,
/// rounding exceeds the error, and a study would end for no reason that its user could foresee.
const FINEST: f64 = 1e-9;

/// A configuration that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// That of the paper's Appendix B.
    Paper,
}

/// Who solves the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    /// The certified search if it takes the problem, else Gurobi, else SCIP.
    #[default]
    Auto,
    /// The certified search.
    Embedded,
    /// SCIP.
    Scip,
    /// Gurobi.
    Gurobi,
}

/// M: the paper's rule, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segments {
    /// 2D, D, 2D and 2D.
    Paper,
    /// So many for each kernel, in the paper's proportions.
    Count(usize),
}

/// Every setting of the paper's method that has a name of its own. Gaps, limits, threads and seed are those of all methods.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PkOptions {
    /// The configuration from which the other keys differ.
    pub preset: Option<Preset>,
    /// Who solves: `auto`, `embedded`, `scip` or `gurobi`.
    pub engine: Option<EngineName>,
    /// The solver's library, program or Python, if it is not found by itself.
    pub solver_path: Option<PathBuf>,
    /// M, the segments of each kernel: `paper` or a number.
    pub segments: Option<Segments>,
    /// ε_M to reach with the fewest segments, as a part of the largest prior variance in the region.
    pub kernel_error: Option<f64>,
    /// ε of Lemma 4.5: in round t the error to reach is `kernel_error` / t^(4 + ε), but not less than 1e-9.
    pub schedule: Option<f64>,
    /// t, for `schedule`; a study counts its rounds itself.
    pub round: Option<usize>,
    /// ε_k, the curvature of a kernel of unit variance up to which it counts as near-linear.
    pub threshold: Option<f64>,
    /// `keep-all` or `published`.
    pub treatment: Option<Treatment>,
    /// Whether each group of an additive model is minimised alone.
    pub group_by_group: Option<bool>,
    /// `search`, `sub-problem` or `none`.
    pub warm_start: Option<WarmStart>,
    /// The most time for the warm start.
    #[serde(deserialize_with = "time")]
    pub warm_start_time: Option<Duration>,
    /// The most time for the program.
    #[serde(deserialize_with = "time")]
    pub program_time: Option<Duration>,
    /// Size of P_rand.
    pub random_points: Option<usize>,
    /// Size of P_sub and P_full.
    pub pool: Option<usize>,
    /// Most steps of a descent on the true function.
    pub polish: Option<u64>,
    /// `pool` or `best`.
    pub polish_from: Option<PolishFrom>,
    /// `certified` or `theorem`.
    pub true_bound: Option<TrueBound>,
    /// How much a solver may violate a row.
    pub tolerance: Option<f64>,
    /// `binaries`, `sos2` or `logarithmic`.
    pub encoding: Option<Encoding>,
    /// The solver's own parameters by their own names.
    pub parameters: BTreeMap<String, Parameter>,
    /// File for the solver's log.
    pub solver_log: Option<PathBuf>,
}

/// The value of a solver's parameter, as the solver reads it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A switch.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl Parameter {
    fn text(&self) -> String {
        match self {
            Self::Switch(value) => value.to_string(),
            Self::Whole(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Word(value) => value.clone(),
        }
    }
}

/// An engine that was found.
pub enum Found {
    /// The certified search.
    Embedded,
    /// A solver.
    Solver(Box<dyn Solver>),
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embedded => "Fathom",
            Self::Solver(solver) => solver.name(),
        })
    }
}

impl Found {
    /// The engine, to be handed to a method.
    pub fn engine(&self) -> Engine<'_> {
        match self {
            Self::Embedded => Engine::Embedded,
            Self::Solver(solver) => Engine::Solver(solver.as_ref()),
        }
    }

    fn is_gurobi(&self) -> bool {
        matches!(self, Self::Solver(solver) if solver.name() == "Gurobi")
    }
}

impl PkOptions {
    /// The method that these options and the name `pk` stand for.
    pub fn method(&self, named: Method) -> Method {
        let is_by_group = named == Method::Pk && self.group_by_group == Some(true);
        if is_by_group { Method::PkGroups } else { named }
    }

    /// Refuses to go group by group through a model that is no sum.
    pub fn check_groups(&self, method: &Method, posterior: &Posterior) -> Result<()> {
        let is_one = posterior.model().covariance.terms().len() == 1;
        if *method == Method::PkGroups && is_one { Err(Error::OneGroup) } else { Ok(()) }
    }

    /// The settings in round `t`, if `found` solves.
    pub fn settings(&self, t: usize, found: &Found) -> Result<PkSettings> {
        let base = match self.preset {
            Some(Preset::Paper) => PkSettings::paper(),
            None => PkSettings::default(),
        };
        let mut parameters: Vec<(String, String)> = Vec::new();
        if self.preset == Some(Preset::Paper) && found.is_gurobi() {
            parameters.extend(PkSettings::PAPER_GUROBI.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        parameters.extend(self.parameters.iter().map(|(name, value)| (name.clone(), value.text())));
        let warm_start = self.warm_start();
        self.check_use(matches!(found, Found::Embedded), warm_start)?;
        Ok(PkSettings {
            breakpoints: self.breakpoints(self.round.unwrap_or(t))?,
            treatment: self.treatment.unwrap_or(base.treatment),
            warm_start,
            pool: self.pool.unwrap_or(base.pool),
            random: self.random_points.unwrap_or(base.random),
            sub_time: self.warm_start_time.or(base.sub_time),
            full_time: self.program_time.or(base.full_time),
            feasibility: self.tolerance.unwrap_or(base.feasibility),
            encoding: self.encoding.or(base.encoding),
            polish: self.polish.unwrap_or(base.polish),
            polish_from: self.polish_from.unwrap_or(base.polish_from),
            true_bound: self.true_bound.unwrap_or(base.true_bound),
            parameters,
            log: self.solver_log.clone(),
            ..base
        })
    }

    /// Refuses a key that would be passed over.
    fn check_use(&self, is_embedded: bool, warm_start: WarmStart) -> Result<()> {
        let of_solvers = [
            ("solver_path", self.solver_path.is_some()),
            ("warm_start", self.warm_start.is_some()),
            ("warm_start_time", self.warm_start_time.is_some()),
            ("random_points", self.random_points.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("encoding", self.encoding.is_some()),
            ("parameters", !self.parameters.is_empty()),
            ("solver_log", self.solver_log.is_some()),
        ];
        if let (true, Some((key, _))) = (is_embedded, of_solvers.iter().find(|(_, is_given)| *is_given)) {
            return Err(bad(key, "the certified search has no use for it: choose `engine` scip or gurobi"));
        }
        if self.random_points.is_some() && warm_start != WarmStart::SubProblem {
            return Err(bad(
                "random_points",
                "P_rand belongs to the paper's warm start: set `warm_start` to sub-problem",
            ));
        }
        if self.warm_start_time.is_some() && warm_start == WarmStart::None {
            return Err(bad("warm_start_time", "there is no warm start: leave it out"));
        }
        match self.round.is_some() && self.schedule.is_none() {
            true => Err(bad("round", "only `schedule` depends on it")),
            false => Ok(()),
        }
    }

    /// Where k̃ meets k in round `t`.
    pub fn breakpoints(&self, t: usize) -> Result<Breakpoints> {
        let Self { segments, kernel_error, schedule, threshold, .. } = *self;
        match (kernel_error, schedule) {
            (None, Some(_)) => Err(bad("schedule", "it divides `kernel_error`, which is missing")),
            (Some(_), _) if segments.is_some() => {
                Err(bad("kernel_error", "it decides the number of segments: leave `segments` out"))
            }
            (Some(_), _) if threshold.is_some() => {
                Err(bad("kernel_error", "it does not go by curvature: leave `threshold` out"))
            }
            (Some(scale), Some(exponent)) if exponent > 0.0 => {
                let error = SegmentSchedule { scale, exponent }.epsilon(t.max(1));
                Ok(Breakpoints::Error(error.max(FINEST.min(scale))))
            }
            (Some(_), Some(_)) => Err(bad("schedule", "Lemma 4.5 needs a positive number")),
            (Some(error), None) => Ok(Breakpoints::Error(error)),
            (None, None) => {
                let segments = match segments {
                    Some(Segments::Count(count)) => Some(count),
                    Some(Segments::Paper) | None => None,
                };
                Ok(match (segments, threshold) {
                    (None, None) => Breakpoints::Paper,
                    _ => Breakpoints::Curvature(Curvature { threshold, segments }),
                })
            }
        }
    }

    /// The treatment of an indefinite K̃.
    pub fn treatment(&self) -> Treatment {
        let base = if self.preset.is_some() { PkSettings::paper() } else { PkSettings::default() };
        self.treatment.unwrap_or(base.treatment)
    }

    /// What is said of the true function.
    pub fn true_bound(&self) -> TrueBound {
        let base = if self.preset.is_some() { PkSettings::paper() } else { PkSettings::default() };
        self.true_bound.unwrap_or(base.true_bound)
    }

    /// `Ok` if the keys fit each other, before any problem is known; `is_embeddable` if the certified search would take it.
    pub fn check(&self, is_embeddable: bool) -> Result<()> {
        self.breakpoints(self.round.unwrap_or(1))?;
        self.check_use(self.is_embedded(is_embeddable), self.warm_start())
    }

    /// Whether the certified search solves.
    fn is_embedded(&self, is_embeddable: bool) -> bool {
        match self.engine.unwrap_or_default() {
            EngineName::Embedded => true,
            EngineName::Auto => is_embeddable,
            EngineName::Scip | EngineName::Gurobi => false,
        }
    }

    /// The engine; with `auto` it is the certified search if that takes the problem.
    pub fn find(&self, is_embeddable: bool) -> Result<Found> {
        let scip = || -> Result<Box<dyn Solver>> {
            Ok(Box::new(match &self.solver_path {
                None => Scip::find()?,
                Some(path) => Scip::at(path)?,
            }))
        };
        let gurobi = || -> Result<Box<dyn Solver>> {
            Ok(Box::new(match &self.solver_path {
                None => Gurobi::find()?,
                Some(path) => Gurobi::at(path)?,
            }))
        };
        Ok(match self.engine.unwrap_or_default() {
            _ if self.is_embedded(is_embeddable) => Found::Embedded,
            EngineName::Scip => Found::Solver(scip()?),
            EngineName::Gurobi => Found::Solver(gurobi()?),
            EngineName::Auto | EngineName::Embedded => Found::Solver(gurobi().or_else(|_| scip())?),
        })
    }

    fn warm_start(&self) -> WarmStart {
        let base = if self.preset.is_some() { PkSettings::paper() } else { PkSettings::default() };
        self.warm_start.unwrap_or(base.warm_start)
    }
}

fn bad(key: &'static str, reason: &str) -> Error {
    Error::BadOption { key, reason: reason.to_owned() }
}

impl<'de> Deserialize<'de> for Segments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Count(usize),
            Word(String),
        }
        match Given::deserialize(deserializer) {
            Ok(Given::Count(count)) if count > 0 => Ok(Self::Count(count)),
            Ok(Given::Word(word)) if word == "paper" => Ok(Self::Paper),
            _ => Err(D::Error::custom("segments must be \"paper\" or a positive whole number")),
        }
    }
}

/// A time as people write it (`90s`, `5min`), or a number of seconds.
fn time<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Duration>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Seconds(f64),
        Text(String),
    }
    let (shown, found) = match Given::deserialize(deserializer)? {
        Given::Seconds(seconds) => (seconds.to_string(), Duration::try_from_secs_f64(seconds).ok()),
        Given::Text(text) => (text.clone(), humantime::parse_duration(&text).ok()),
    };
    found.map(Some).ok_or_else(|| D::Error::custom(format!("`{shown}` is no time: write 90s, 5min or 2h")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn options(keys: Value) -> PkOptions {
        serde_json::from_value(keys).unwrap()
    }

    /// A solver that is never run.
    struct Idle(&'static str);

    impl Solver for Idle {
        fn name(&self) -> &'static str {
            self.0
        }

        fn solve(
            &self,
            _: &fathom_miqp::Model,
            _: &fathom_miqp::Settings,
            _: &fathom_miqp::Stop,
        ) -> fathom_miqp::Result<fathom_miqp::Outcome> {
            unreachable!("nobody solves")
        }
    }

    fn solver(name: &'static str) -> Found {
        Found::Solver(Box::new(Idle(name)))
    }

    #[test]
    fn every_key_reaches_its_setting() {
        let keys = json!({
            "segments": 40, "threshold": 0.1, "treatment": "published", "warm_start": "sub-problem",
            "warm_start_time": "90s", "program_time": 5, "random_points": 3, "pool": 4, "polish": 7,
            "polish_from": "best", "true_bound": "theorem", "tolerance": 1e-6, "encoding": "sos2",
            "parameters": { "Cuts": 2, "heuristics/emphasis": "off" }, "solver_log": "a.log",
        });
        let found = options(keys).settings(1, &solver("SCIP")).unwrap();
        let curvature = Curvature { threshold: Some(0.1), segments: Some(40) };
        assert_eq!(
            found,
            PkSettings {
                breakpoints: Breakpoints::Curvature(curvature),
                treatment: Treatment::Published,
                warm_start: WarmStart::SubProblem,
                sub_time: Some(Duration::from_secs(90)),
                full_time: Some(Duration::from_secs(5)),
                random: 3,
                pool: 4,
                polish: 7,
                polish_from: PolishFrom::Best,
                true_bound: TrueBound::Theorem,
                feasibility: 1e-6,
                encoding: Some(Encoding::Sos2),
                parameters: [("Cuts", "2"), ("heuristics/emphasis", "off")].map(|(k, v)| (k.into(), v.into())).to_vec(),
                log: Some("a.log".into()),
                ..PkSettings::default()
            }
        );
        assert_eq!(options(json!({})).settings(9, &Found::Embedded).unwrap(), PkSettings::default());
    }

    #[test]
    fn the_papers_preset_is_appendix_b_and_other_keys_replace_it_one_by_one() {
        let paper = options(json!({ "preset": "paper" }));
        assert_eq!(paper.settings(1, &Found::Embedded).unwrap(), PkSettings::paper());
        let own = PkSettings::PAPER_GUROBI.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        assert_eq!(paper.settings(1, &solver("Gurobi")).unwrap().parameters, own);
        let keeping = options(json!({ "preset": "paper", "treatment": "keep-all" })).settings(1, &solver("SCIP"));
        let keeping = keeping.unwrap();
        assert_eq!(keeping, PkSettings { treatment: Treatment::KeepAll, ..PkSettings::paper() });
        assert_eq!((paper.treatment(), paper.true_bound()), (Treatment::Published, TrueBound::Theorem));
    }

    #[test]
    fn the_error_follows_the_schedule_of_lemma_4_5() {
        let scheduled = options(json!({ "kernel_error": 0.1, "schedule": 1.0 }));
        assert_eq!(scheduled.breakpoints(1).unwrap(), Breakpoints::Error(0.1));
        assert_eq!(scheduled.breakpoints(2).unwrap(), Breakpoints::Error(0.1 / 32.0));
        assert_eq!(scheduled.breakpoints(1000).unwrap(), Breakpoints::Error(FINEST), "a long study goes on");
        let finer = options(json!({ "kernel_error": 1e-10, "schedule": 1.0 }));
        assert_eq!(finer.breakpoints(9).unwrap(), Breakpoints::Error(1e-10), "what was asked for");
        let round = options(json!({ "kernel_error": 0.1, "schedule": 1.0, "round": 2 }));
        assert_eq!(round.settings(7, &Found::Embedded).unwrap().breakpoints, Breakpoints::Error(0.1 / 32.0));
    }

    #[test]
    fn what_would_be_passed_over_is_refused_by_its_key() {
        for (keys, is_embedded, key) in [
            (json!({ "schedule": 1.0 }), true, "schedule"),
            (json!({ "kernel_error": 0.1, "schedule": 0.0 }), true, "schedule"),
            (json!({ "kernel_error": 0.1, "segments": 3 }), true, "kernel_error"),
            (json!({ "kernel_error": 0.1, "threshold": 0.1 }), true, "kernel_error"),
            (json!({ "round": 3 }), true, "round"),
            (json!({ "warm_start": "search" }), true, "warm_start"),
            (json!({ "tolerance": 1e-6 }), true, "tolerance"),
            (json!({ "parameters": { "Cuts": 2 } }), true, "parameters"),
            (json!({ "solver_log": "a" }), true, "solver_log"),
            (json!({ "random_points": 3 }), false, "random_points"),
            (json!({ "warm_start": "none", "warm_start_time": "1s" }), false, "warm_start_time"),
        ] {
            let found = if is_embedded { Found::Embedded } else { solver("SCIP") };
            match options(keys.clone()).settings(1, &found) {
                Err(Error::BadOption { key: refused, .. }) => assert_eq!(refused, key, "{keys}"),
                other => panic!("{keys}: {other:?}"),
            }
        }
        for bad in [
            json!({ "segments": 0 }),
            json!({ "segments": "few" }),
            json!({ "engine": "cplex" }),
            json!({ "program_time": "soon" }),
            json!({ "program_time": -1 }),
            json!({ "backend": "scip" }),
        ] {
            assert!(serde_json::from_value::<PkOptions>(bad.clone()).is_err(), "{bad}");
        }
    }
}
