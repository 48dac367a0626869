//! One thing that is varied: a name, and what it ranges over.

use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::value::Value;

/// A name and what it ranges over.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name: any text without control characters, braces and backquotes.
    pub name: String,
    /// What the parameter ranges over.
    pub kind: Kind,
}

impl Parameter {
    /// A parameter, checked once.
    pub fn new(name: &str, kind: Kind) -> Result<Self> {
        let bad = |reason: &str| Err(Error::BadParameter { name: name.to_owned(), reason: reason.to_owned() });
        if name.trim().is_empty() || name.trim() != name {
            return bad("a name begins and ends with a letter, a digit or a sign, not with a blank");
        }
        if let Some(sign) = name.chars().find(|c| c.is_control() || "`{}".contains(*c)) {
            return bad(&format!(
                "a name has no {sign:?}: constraints write names in backquotes, and commands in braces"
            ));
        }
        if name.starts_with(['=', '+', '-', '@', '\'']) {
            return bad(
                "a name does not begin with =, +, -, @ or ': a spreadsheet would take its column for a formula",
            );
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
            // These were checked when they were made.
            Kind::Grid(_) | Kind::Listed(_) => {}
            Kind::Categorical { choices } | Kind::Ordered { choices } => {
                if choices.len() < 2 {
                    return bad("at least two choices are needed; for one value use type = \"fixed\"");
                }
                let texts: Vec<String> = choices.iter().map(Value::to_string).collect();
                if let Some((_, twice)) = texts.iter().enumerate().find(|(i, text)| texts[..*i].contains(text)) {
                    return bad(&format!("the choice \"{twice}\" appears twice"));
                }
                if choices.iter().filter_map(Value::as_f64).any(|number| !number.is_finite()) {
                    return bad("a choice must be finite");
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
        self.kind.sides()
    }

    /// Whether constraints need no backquotes around the name.
    pub fn is_plain(&self) -> bool {
        let mut letters = self.name.chars();
        let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        starts && letters.all(|c| c.is_alphanumeric() || c == '_')
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
            (Kind::Grid(grid), Some(number)) => {
                let place = grid.place(number);
                if place == place.round() && (0.0..=grid.steps() as f64).contains(&place) {
                    return Ok(grid.value(place as i64));
                }
                bad(format!("it goes from {} to {} in steps of {}", grid.low(), grid.high(), grid.step()))
            }
            (Kind::Listed(listed), Some(number)) => match listed.find(number) {
                Some(at) => Ok(listed.values()[at].clone()),
                None if listed.is_range() => {
                    let (low, high) = listed.ends();
                    bad(format!("it must be a whole number from {low} to {high}: {}", listed.shown()))
                }
                None => bad(format!("it must be one of {}", listed.shown())),
            },
            (Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_), None) => {
                bad("it must be a number".into())
            }
            (Kind::Ordered { .. }, _) if self.kind.is_boolean() => match value.as_bool() {
                Some(is_true) => Ok(Value::Boolean(is_true)),
                None => bad("it must be true or false".into()),
            },
            (Kind::Categorical { choices } | Kind::Ordered { choices }, _) => {
                match choices.iter().find(|choice| choice.to_string() == value.to_string()) {
                    Some(choice) => Ok(choice.clone()),
                    None => {
                        let texts: Vec<String> = choices.iter().map(Value::to_string).collect();
                        bad(format!("it must be one of {}", texts.join(", ")))
                    }
                }
            }
            (Kind::Fixed { value: fixed }, number) => {
                let same = number.is_some() && number == fixed.as_f64() || value.to_string() == fixed.to_string();
                if same { Ok(fixed.clone()) } else { bad(format!("it is fixed at {fixed}")) }
            }
        }
    }
}
