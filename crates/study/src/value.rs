//! Values of parameters as people write them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// Yes or no.
    Boolean(bool),
    /// A choice.
    Text(String),
}

impl Value {
    /// The value as a number, if it is one; no is 0 and yes is 1.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Boolean(value) => Some(f64::from(u8::from(*value))),
            Self::Text(_) => None,
        }
    }

    /// Yes or no, as programs and people write it.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            Self::Integer(1) => Some(true),
            Self::Integer(0) => Some(false),
            Self::Float(value) if *value == 1.0 => Some(true),
            Self::Float(value) if *value == 0.0 => Some(false),
            Self::Integer(_) | Self::Float(_) => None,
            Self::Text(text) => match text.trim().to_lowercase().as_str() {
                "true" | "yes" => Some(true),
                "false" | "no" => Some(false),
                _ => None,
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

/// A value for every parameter, in the order of the space.
pub type Point = IndexMap<String, Value>;
