//! What a trial was told: finite numbers by name, of which one is the objective.

use indexmap::IndexMap;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The name of the objective.
pub const OBJECTIVE: &str = "value";

/// Why values cannot be told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadValues {
    /// A value that is no number.
    #[error("the value {value} is not finite: tell the trial as failed instead")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// A value whose name cannot be taken.
    #[error("the value `{name}` cannot be told: {reason}")]
    BadName {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Numbers by name, in the order in which they were told; none unless a trial is complete. Two are equal if they have the same
/// numbers under the same names.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Values(IndexMap<String, f64>);

impl Values {
    /// The objective alone.
    pub fn one(objective: f64) -> Result<Self, BadValues> {
        Self::default().with(OBJECTIVE, objective)
    }

    /// The values with one more.
    pub fn with(mut self, name: &str, value: f64) -> Result<Self, BadValues> {
        let bad = |reason| Err(BadValues::BadName { name: name.to_owned(), reason });
        if !value.is_finite() {
            return Err(BadValues::NotFinite { value });
        }
        if name.trim().is_empty() {
            return bad("a value needs a name");
        }
        match self.0.insert(name.to_owned(), value) {
            Some(_) => bad("the name is there twice"),
            None => Ok(self),
        }
    }

    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// What is minimised or maximised.
    pub fn objective(&self) -> Option<f64> {
        self.get(OBJECTIVE)
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All values, if there are others than the objective.
    fn if_several(&self) -> Option<&Self> {
        self.0.keys().any(|name| name != OBJECTIVE).then_some(self)
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(objective), None) = (self.objective(), self.if_several()) {
            return write!(f, "value {objective}");
        }
        let pairs: Vec<String> = self.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write!(f, "values {}", pairs.join(", "))
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("finite numbers by name, each name once")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
                let mut values = Values::default();
                while let Some((name, value)) = map.next_entry::<String, f64>()? {
                    values = values.with(&name, value).map_err(A::Error::custom)?;
                }
                Ok(values)
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

/// Values as fields of a JSON object: `value` is the objective, and `values` has all values if there are others.
#[derive(Serialize, Deserialize)]
pub(crate) struct Fields {
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

impl Fields {
    pub fn new(values: &Values) -> Self {
        Self { value: values.objective(), values: values.if_several().cloned() }
    }

    /// The values of both fields, if the fields agree.
    pub fn values<E: serde::de::Error>(self) -> Result<Values, E> {
        match (self.value, self.values) {
            (None, None) => Ok(Values::default()),
            (Some(value), None) => Values::one(value).map_err(E::custom),
            (value, Some(values)) if value == values.objective() => Ok(values),
            (_, Some(_)) => Err(E::custom("`value` is not that of `values`")),
        }
    }

    /// Writes the fields, for `#[serde(with)]`.
    pub fn serialize<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(&Self::new(values), serializer)
    }

    /// Reads the fields, for `#[serde(with)]`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        <Self as Deserialize>::deserialize(deserializer)?.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Values {
        Values::one(-0.5).unwrap().with("strength", 1e-300).unwrap()
    }

    #[test]
    fn a_value_is_finite_has_a_name_and_is_there_once() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(Values::one(value), Err(BadValues::NotFinite { .. })));
        }
        for (name, reason) in [(" ", "name"), ("value", "twice")] {
            let refused = two().with(name, 1.0).unwrap_err().to_string();
            assert!(refused.contains(reason), "{refused}");
        }
        for text in ["{\"a\": 1, \"a\": 1}", "{\"a\": null}", "{\"a\": 1e999}", "{\"\": 1}", "[1]"] {
            assert!(serde_json::from_str::<Values>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_come_back_from_json_bit_by_bit_and_in_order() {
        for value in [-0.0, 5e-324, 0.1 + 0.2, -f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0] {
            let text = serde_json::to_string(&two().with("last", value).unwrap()).unwrap();
            let back: Values = serde_json::from_str(&text).unwrap();
            assert_eq!(back.get("last").map(f64::to_bits), Some(value.to_bits()));
            assert_eq!(back.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["value", "strength", "last"]);
        }
    }

    #[test]
    fn the_objective_alone_is_written_as_it_ever_was() {
        let written = |values: &Values| serde_json::to_string(&Fields::new(values)).unwrap();
        assert_eq!(written(&Values::default()), "{\"value\":null}");
        assert_eq!(written(&Values::one(1.5).unwrap()), "{\"value\":1.5}");
        assert_eq!(written(&two()), "{\"value\":-0.5,\"values\":{\"value\":-0.5,\"strength\":1e-300}}");
        let read = |text: &str| -> serde_json::Result<Values> { serde_json::from_str::<Fields>(text)?.values() };
        for values in [Values::default(), Values::one(1.5).unwrap(), two()] {
            assert_eq!(read(&written(&values)).unwrap(), values);
        }
        assert!(read("{\"value\":1.0,\"values\":{\"value\":2.0}}").is_err());
        assert_eq!(
            (Values::one(1.5).unwrap().to_string(), two().to_string()),
            ("value 1.5".into(), format!("values value = -0.5, strength = {}", 1e-300))
        );
    }
}
