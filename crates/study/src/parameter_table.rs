//! A parameter as a study file has it: a table of keys.

use crate::error::Error;
use crate::grid::Grid;
use crate::kind::Kind;
use crate::listed::Listed;
use crate::value::Value;
use serde::Deserialize;

#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum TypeName {
    Float,
    Integer,
    Boolean,
    Categorical,
    Fixed,
}

#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ScaleName {
    Linear,
    Log,
}

/// The keys of one parameter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterTable {
    r#type: TypeName,
    low: Option<f64>,
    high: Option<f64>,
    step: Option<f64>,
    values: Option<Vec<Value>>,
    scale: Option<ScaleName>,
    choices: Option<Vec<Value>>,
    ordered: Option<bool>,
    value: Option<Value>,
}

impl ParameterTable {
    /// What the parameter called `name` ranges over.
    pub fn kind(&self, name: &str) -> Result<Kind, Error> {
        let kind = match self.r#type {
            TypeName::Float => self.float(),
            TypeName::Integer => self.integer(),
            TypeName::Boolean => self.only(&[], "a boolean").map(|()| Kind::boolean()),
            TypeName::Categorical => self.categorical(),
            TypeName::Fixed => self.only(&["value"], "a fixed parameter").and_then(|()| {
                let value = self.value.clone().ok_or("`value` is missing")?;
                Ok(Kind::Fixed { value })
            }),
        };
        kind.map_err(|reason| Error::BadParameter { name: name.to_owned(), reason })
    }

    /// An error if a key is given that is none of these.
    fn only(&self, keys: &[&str], of: &str) -> Result<(), String> {
        let given = [
            ("low", self.low.is_some()),
            ("high", self.high.is_some()),
            ("step", self.step.is_some()),
            ("values", self.values.is_some()),
            ("choices", self.choices.is_some()),
            ("ordered", self.ordered.is_some()),
            ("value", self.value.is_some()),
            ("scale", self.scale.is_some()),
        ];
        match given.iter().find(|(key, is_given)| *is_given && !keys.contains(key)) {
            Some((key, _)) => Err(format!("`{key}` means nothing for {of}")),
            None => Ok(()),
        }
    }

    fn is_log(&self) -> bool {
        self.scale == Some(ScaleName::Log)
    }

    fn ends(&self) -> Result<(f64, f64), String> {
        match (self.low, self.high) {
            (Some(low), Some(high)) => Ok((low, high)),
            (None, _) => Err("`low` is missing".into()),
            (_, None) => Err("`high` is missing".into()),
        }
    }

    fn float(&self) -> Result<Kind, String> {
        if let Some(values) = &self.values {
            self.only(&["values", "scale"], "a float with a list of values")?;
            return self.listed(values, |number| Some(Value::Float(number)));
        }
        self.only(&["low", "high", "step", "scale"], "a float")?;
        let ((low, high), log) = (self.ends()?, self.is_log());
        match self.step {
            None => Ok(Kind::Float { low, high, log }),
            Some(step) => {
                let grid = Grid::new(low, high, step, false)?;
                if !log {
                    return Ok(Kind::Grid(grid));
                }
                let most = i64::try_from(crate::listed::MOST_LISTED).unwrap_or(i64::MAX);
                let values = (0..=grid.steps().min(most)).map(|steps| grid.value(steps)).collect();
                Listed::new(values, true).map(Kind::Listed)
            }
        }
    }

    fn integer(&self) -> Result<Kind, String> {
        let whole = |number: f64| number == number.round() && number.abs() <= 2_f64.powi(50);
        if let Some(values) = &self.values {
            self.only(&["values", "scale"], "an integer with a list of values")?;
            return self.listed(values, |number| whole(number).then_some(Value::Integer(number as i64)));
        }
        self.only(&["low", "high", "step", "scale"], "an integer")?;
        let (low, high) = self.ends()?;
        if ![low, high].into_iter().all(|end| end == end.round() && end.abs() <= 2_f64.powi(60)) {
            return Err("`low` and `high` of an integer are whole numbers".into());
        }
        let step = self.step.unwrap_or(1.0);
        // A grid finds every fault of a step; without one the ends are what may be wrong.
        let grid = if self.step.is_some() { Some(Grid::new(low, high, step, true)?) } else { None };
        match (self.is_log(), grid) {
            (false, None) => Ok(Kind::Integer { low: low as i64, high: high as i64 }),
            (false, Some(grid)) => Ok(Kind::Grid(grid)),
            (true, _) if low < 1.0 => Err(format!("a log scale needs a positive lower end, not {low}")),
            (true, _) if low >= high => Err(format!("{low} to {high} is no range; for one value use type = \"fixed\"")),
            (true, _) => Listed::log_range(low as i64, high as i64, step as i64).map(Kind::Listed),
        }
    }

    fn listed(&self, values: &[Value], typed: impl Fn(f64) -> Option<Value>) -> Result<Kind, String> {
        let number = |value: &Value| match value {
            Value::Integer(_) | Value::Float(_) => value.as_f64().and_then(&typed),
            Value::Boolean(_) | Value::Text(_) => None,
        };
        let read = |value: &Value| {
            number(value).ok_or_else(|| match value {
                Value::Float(_) => format!("{value} is no whole number"),
                Value::Integer(_) => format!("{value} is too large"),
                Value::Boolean(_) | Value::Text(_) => {
                    format!(
                        "`{value}` in `values` is no number; for names use type = \"categorical\" and choices = […]"
                    )
                }
            })
        };
        Listed::new(values.iter().map(read).collect::<Result<_, _>>()?, self.is_log()).map(Kind::Listed)
    }

    fn categorical(&self) -> Result<Kind, String> {
        self.only(&["choices", "ordered"], "a categorical")?;
        let choices = self.choices.clone().ok_or("`choices` is missing")?;
        let is_boolean = choices.len() == 2 && choices.contains(&true.into()) && choices.contains(&false.into());
        Ok(match (is_boolean, self.ordered) {
            (true, _) => Kind::boolean(),
            (false, Some(true)) => Kind::Ordered { choices },
            (false, Some(false) | None) => Kind::Categorical { choices },
        })
    }
}
