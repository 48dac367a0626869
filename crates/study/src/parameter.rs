//! One thing that is varied, and its coordinates in the search.
//!
//! The search works in coordinates of its own: a float runs over [0, 1] (its logarithm does if the scale is `log`),
//! an integer over 0, 1, …, high − low, a categorical parameter over the vertices of a cube, one coordinate per choice.
//! A fixed parameter has no coordinate. The model's unit cube is the same with integers divided by high − low.

use crate::error::{Error, Result};
use crate::value::Value;

/// A name and what it ranges over.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name: a letter or underscore, then letters, digits, underscores.
    pub name: String,
    /// What the parameter ranges over.
    pub kind: Kind,
}

/// What a parameter ranges over.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The numbers of an interval.
    Float {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Whether the search works on the logarithm.
        log: bool,
    },
    /// The whole numbers of an interval.
    Integer {
        /// Lower end.
        low: i64,
        /// Upper end.
        high: i64,
    },
    /// One of several choices, without order.
    Categorical {
        /// The choices, at least two.
        choices: Vec<String>,
    },
    /// Always the same value.
    Fixed {
        /// That value.
        value: Value,
    },
}

impl Parameter {
    /// A parameter, checked once.
    pub fn new(name: &str, kind: Kind) -> Result<Self> {
        let bad = |reason: &str| Err(Error::BadParameter { name: name.to_owned(), reason: reason.to_owned() });
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !(starts && letters.all(|c| c.is_alphanumeric() || c == '_')) {
            return bad("a name is a letter, then letters, digits or underscores, so that constraints can use it");
        }
        match &kind {
            Kind::Float { low, high, log } => {
                if !(low < high && (high - low).is_finite()) {
                    return bad(&format!("[{low}, {high}] is no interval; for one value use type = \"fixed\""));
                }
                if *log && *low <= 0.0 {
                    return bad(&format!("a log scale needs a positive lower end, not {low}"));
                }
            }
            Kind::Integer { low, high } => {
                if low >= high {
                    return bad(&format!("{low} to {high} is no range; for one value use type = \"fixed\""));
                }
                if low.unsigned_abs().max(high.unsigned_abs()) > 1 << 50 {
                    return bad("whole numbers beyond 2^50 have no exact coordinates");
                }
            }
            Kind::Categorical { choices } => {
                if choices.len() < 2 {
                    return bad("at least two choices are needed; for one value use type = \"fixed\"");
                }
                if let Some(twice) = choices.iter().enumerate().find(|(i, c)| choices[..*i].contains(c)) {
                    return bad(&format!("the choice \"{}\" appears twice", twice.1));
                }
            }
            Kind::Fixed { value } => {
                if value.as_f64().is_some_and(|value| !value.is_finite()) {
                    return bad("the value must be finite");
                }
            }
        }
        Ok(Self { name: name.to_owned(), kind })
    }

    /// How many coordinates the parameter has in the search.
    pub fn sides(&self) -> usize {
        match &self.kind {
            Kind::Float { .. } | Kind::Integer { .. } => 1,
            Kind::Categorical { choices } => choices.len(),
            Kind::Fixed { .. } => 0,
        }
    }

    /// The value as this parameter writes it: a float for 3, an integer for 3.0; an error for all else.
    pub fn canonical(&self, value: &Value) -> Result<Value> {
        let bad = |reason: String| Err(Error::BadValue { name: self.name.clone(), value: value.to_string(), reason });
        match (&self.kind, value.as_f64()) {
            (Kind::Float { low, high, .. }, Some(number)) => {
                if (low..=high).contains(&&number) {
                    return Ok(Value::Float(number));
                }
                bad(format!("it ranges over [{low}, {high}]"))
            }
            (Kind::Integer { low, high }, Some(number)) => {
                if number == number.round() && (*low as f64..=*high as f64).contains(&number) {
                    return Ok(Value::Integer(number as i64));
                }
                bad(format!("it must be a whole number from {low} to {high}"))
            }
            (Kind::Float { .. } | Kind::Integer { .. }, None) => bad("it must be a number".into()),
            (Kind::Categorical { choices }, _) => match choices.iter().find(|choice| **choice == value.to_string()) {
                Some(choice) => Ok(Value::Text(choice.clone())),
                None => bad(format!("it must be one of {}", choices.join(", "))),
            },
            (Kind::Fixed { value: fixed }, number) => {
                let same = number.is_some() && number == fixed.as_f64() || value.to_string() == fixed.to_string();
                if same { Ok(fixed.clone()) } else { bad(format!("it is fixed at {fixed}")) }
            }
        }
    }

    /// Appends the coordinates of a canonical value.
    pub(crate) fn encode(&self, value: &Value, x: &mut Vec<f64>) {
        match (&self.kind, value) {
            (Kind::Float { low, high, log }, value) => {
                let number = value.as_f64().expect("canonical: a number");
                let unit = match log {
                    true => (number.ln() - low.ln()) / (high.ln() - low.ln()),
                    false => (number - low) / (high - low),
                };
                x.push(unit.clamp(0.0, 1.0));
            }
            (Kind::Integer { low, .. }, value) => {
                x.push(value.as_f64().expect("canonical: a number") - *low as f64);
            }
            (Kind::Categorical { choices }, value) => {
                x.extend(choices.iter().map(|choice| f64::from(u8::from(*choice == value.to_string()))));
            }
            (Kind::Fixed { .. }, _) => {}
        }
    }

    /// The value at its coordinates.
    pub(crate) fn decode(&self, x: &[f64]) -> Value {
        match &self.kind {
            Kind::Float { low, high, log } => {
                let value = match log {
                    true => (low.ln() + x[0] * (high.ln() - low.ln())).exp(),
                    false => low + x[0] * (high - low),
                };
                // The ends must come back as they were written.
                let value = if x[0] >= 1.0 { *high } else { value };
                Value::Float(value.clamp(*low, *high))
            }
            Kind::Integer { low, high } => Value::Integer((low + x[0].round() as i64).clamp(*low, *high)),
            Kind::Categorical { choices } => {
                let largest = (0..choices.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best });
                Value::Text(choices[largest].clone())
            }
            Kind::Fixed { value } => value.clone(),
        }
    }
}
