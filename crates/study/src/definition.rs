//! The study file: what is varied, how the next point is chosen, what is evaluated, when the study ends. The file is TOML.
//! docs/guide/studies.md describes every key; an unknown key or a wrong type is an error that names its line.

use crate::address::Address;
use crate::error::{Error, Result};
use crate::parameter::Parameter;
use crate::parameter_table::ParameterTable;
use crate::space::Space;
use crate::strategy::{Defaults, Keys, Strategy, some_duration};
use crate::trial::Trial;
use fathom_global::MOST_INPUTS;
use fathom_method::{Found, Method};
use fathom_paper::{Engine, Function};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use toml::Spanned;

/// Which values are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Small ones.
    #[default]
    Minimise,
    /// Large ones.
    Maximise,
}

impl Goal {
    /// A value as a cost, of which less is better; or a cost as a value.
    pub fn cost(self, value: f64) -> f64 {
        match self {
            Self::Minimise => value,
            Self::Maximise => -value,
        }
    }

    /// The complete trial with the best value; the earliest of equals.
    pub fn best(self, trials: &[Trial]) -> Option<&Trial> {
        let cost = |trial: &Trial| trial.objective().map_or(f64::INFINITY, |value| self.cost(value));
        let finished = trials.iter().filter(|trial| trial.objective().is_some());
        finished.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.id.cmp(&b.id)))
    }
}

/// A study, as its file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name in the store.
    pub name: String,
    /// Which values are good.
    pub goal: Goal,
    /// Where the study is kept; `None` leaves that to the front end.
    pub store: Option<Address>,
    /// What is varied.
    pub space: Space,
    /// How the next point is chosen.
    pub strategy: Strategy,
    /// What is evaluated; `None` for ask and tell.
    pub evaluation: Option<Evaluation>,
    /// When the study ends.
    pub stopping: Stopping,
    /// Whether the same point always has the same value.
    pub deterministic: bool,
    /// The best value that there can be, if somebody knows it.
    pub best_possible: Option<f64>,
    is_named: bool,
    text: Text,
}

/// The file, which may hold the password of a store.
#[derive(Clone, PartialEq)]
struct Text(String);

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// What is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluation {
    /// A built-in test function.
    Function(Function),
    /// An external program.
    Command {
        /// Program and arguments; `{name}` stands for a parameter's value.
        words: Vec<String>,
        /// The most time for one run.
        timeout: Option<Duration>,
        /// Further runs if one fails.
        retries: u32,
    },
}

/// When a study ends: as soon as one of these rules is met.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stopping {
    /// After this many trials, finished or failed.
    pub trials: Option<u64>,
    /// Once no more than this can be gained under the model, in the user's units.
    pub gain: Option<f64>,
    /// After this much time.
    #[serde(deserialize_with = "some_duration")]
    pub time: Option<Duration>,
}

/// What is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rigour {
    /// Everything that is wrong, and every key that would have no effect.
    Full,
    /// What cannot be read. Earlier versions took keys that had no effect, and what they have stored must stay readable.
    Kept,
    /// The same, and keys that are not given have the defaults of versions before 0.2.
    Before,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<Spanned<String>>,
    #[serde(default)]
    goal: Goal,
    store: Option<String>,
    #[serde(default)]
    constraints: Vec<Spanned<String>>,
    deterministic: Option<bool>,
    best_possible: Option<Spanned<f64>>,
    parameters: Spanned<IndexMap<String, Spanned<ParameterTable>>>,
    #[serde(default)]
    strategy: Option<Spanned<Keys>>,
    evaluate: Option<Spanned<EvaluationTable>>,
    stop: Option<Spanned<Stopping>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluationTable {
    command: Option<Vec<String>>,
    function: Option<String>,
    #[serde(default, deserialize_with = "some_duration")]
    timeout: Option<Duration>,
    #[serde(default)]
    retries: u32,
}

impl Definition {
    /// Who solves the paper's program, if the strategy has one to solve.
    pub(crate) fn found(&self) -> Result<Found> {
        let Self { space, strategy, .. } = self;
        Ok(match strategy.optimiser {
            Method::Pk | Method::PkGroups => strategy.pk.find(Engine::is_embeddable(space.dim()))?,
            Method::Certified | Method::Wide | Method::Local(_) => Found::Embedded,
        })
    }

    /// Reads a study file.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text, Rigour::Full)
    }

    /// Reads a file that a store has kept.
    pub(crate) fn parse_kept(text: &str) -> Result<Self> {
        Self::read(text, Rigour::Kept)
    }

    /// The same study under the defaults of versions before 0.2.
    pub(crate) fn before(&self) -> Result<Self> {
        let strategy = Self::read(&self.text.0, Rigour::Before)?.strategy;
        Ok(Self { strategy, ..self.clone() })
    }

    fn read(text: &str, rigour: Rigour) -> Result<Self> {
        let file: File = toml::from_str(text)
            .map_err(|error: toml::de::Error| at(text, error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let is_named = file.name.is_some();
        let name = file.name.map_or_else(
            || Ok("study".to_owned()),
            |name| match name.get_ref().trim().is_empty() {
                true => Err(at(text, name.span(), "the name is empty".into())),
                false => Ok(name.get_ref().clone()),
            },
        )?;
        let mut parameters = Vec::new();
        for (name, table) in file.parameters.get_ref() {
            let parameter = table.get_ref().kind(name).and_then(|kind| Parameter::new(name, kind));
            parameters.push(parameter.map_err(|error| at(text, table.span(), error.to_string()))?);
        }
        let bare = Space::new(parameters, &[]);
        let mut space = bare.map_err(|error| at(text, file.parameters.span(), error.to_string()))?;
        for constraint in &file.constraints {
            let under = space.under(constraint.get_ref());
            space = under.map_err(|error| at(text, constraint.span(), error.to_string()))?;
        }
        let (keys, place) = match file.strategy {
            Some(keys) => (keys.get_ref().clone(), keys.span()),
            None => (Keys::default(), 0..0),
        };
        let is_function = file.evaluate.as_ref().is_some_and(|table| table.get_ref().function.is_some());
        let deterministic = file.deterministic.unwrap_or(is_function);
        let strategy = keys.strategy(match rigour {
            Rigour::Full | Rigour::Kept => Defaults::Now {
                is_exact: deterministic,
                trials: file.stop.as_ref().and_then(|stop| stop.get_ref().trials),
            },
            Rigour::Before => Defaults::Before,
        });
        let checked = match rigour {
            Rigour::Full => strategy.check(&space),
            Rigour::Kept | Rigour::Before => strategy.covariance(&space).map(|_| ()),
        };
        checked.map_err(|error| at(text, place, error.to_string()))?;
        let best_possible = file.best_possible.map(|limit| match limit.get_ref().is_finite() {
            true => Ok(*limit.get_ref()),
            false => {
                Err(at(text, limit.span(), "best_possible must be finite: leave it out if it is not known".into()))
            }
        });
        let best_possible = best_possible.transpose()?;
        let evaluation = match file.evaluate {
            None => None,
            Some(table) => {
                let place = table.span();
                let evaluation = table.into_inner().evaluation(&space, rigour);
                Some(evaluation.map_err(|reason| at(text, place, reason))?)
            }
        };
        let (stopping, place) = match file.stop {
            Some(stop) => (stop.get_ref().clone(), stop.span()),
            None => (Stopping::default(), 0..0),
        };
        stopping.check(&space, rigour).map_err(|reason| at(text, place, reason))?;
        let (goal, store) = (file.goal, file.store.as_ref().map(Address::from));
        Ok(Self {
            name,
            goal,
            store,
            space,
            strategy,
            evaluation,
            stopping,
            deterministic,
            best_possible,
            is_named,
            text: Text(text.to_owned()),
        })
    }

    /// The definition, called `name` if the file gives no name.
    #[must_use]
    pub fn or_named(mut self, name: &str) -> Self {
        if !self.is_named {
            name.clone_into(&mut self.name);
        }
        self
    }

    /// The file.
    pub fn text(&self) -> &str {
        &self.text.0
    }

    /// The first difference from `other` that matters to trials, if there is one.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        if self.goal != other.goal {
            return Some("goal");
        }
        (self.space != other.space).then_some("space")
    }
}

impl Stopping {
    fn check(&self, space: &Space, rigour: Rigour) -> std::result::Result<(), String> {
        let Some(gain) = self.gain else { return Ok(()) };
        if !(gain >= 0.0) {
            return Err("stop.gain must not be negative".into());
        }
        if rigour == Rigour::Full && space.dim() > MOST_INPUTS {
            return Err(format!(
                "stop.gain would never be met: nothing is proven beyond {MOST_INPUTS} coordinates, and the space has {}; leave it \
                 out",
                space.dim()
            ));
        }
        Ok(())
    }
}

impl EvaluationTable {
    fn evaluation(self, space: &Space, rigour: Rigour) -> std::result::Result<Evaluation, String> {
        match (self.command, self.function) {
            (Some(_), Some(_)) => Err("give `command` or `function`, not both".into()),
            (None, None) => Err("give `command` = [\"program\", \"argument\", …] or `function`".into()),
            (Some(words), None) => {
                if words.first().is_none_or(String::is_empty) {
                    return Err("`command` needs a program".into());
                }
                if let Some((one, other)) = same_variable(space).filter(|_| rigour == Rigour::Full) {
                    return Err(format!(
                        "`{one}` and `{other}` would reach the program as the same variable, {}: rename one of them",
                        variable(one)
                    ));
                }
                Ok(Evaluation::Command { words, timeout: self.timeout, retries: self.retries })
            }
            (None, Some(name)) => {
                let function: Function = name.parse().map_err(|error: fathom_paper::Error| error.to_string())?;
                match function.parameters().iter().find(|parameter| space.sides_of(parameter).is_none()) {
                    Some(missing) => Err(format!("{name} is a function of `{missing}`, which is no parameter")),
                    None if (self.timeout.is_some() || self.retries > 0) && rigour == Rigour::Full => {
                        Err("`timeout` and `retries` are for a `command`: a function is evaluated at once".into())
                    }
                    None => Ok(Evaluation::Function(function)),
                }
            }
        }
    }
}

/// The variable in which an evaluated program finds a parameter: what is no letter, digit or underscore becomes an underscore.
pub(crate) fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    format!("FATHOM_{}", name.chars().map(letter).collect::<String>())
}

/// Two parameters that have the same variable.
fn same_variable(space: &Space) -> Option<(&str, &str)> {
    let names: Vec<&str> = space.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    let twin = |at: usize| names[..at].iter().find(|other| variable(other) == variable(names[at]));
    (0..names.len()).find_map(|at| Some((*twin(at)?, names[at])))
}

/// An error at a place of the file.
fn at(text: &str, span: Range<usize>, message: String) -> Error {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    Error::File { line, column, message }
}
