//! The comparison of two statements: the first field that differs.

use crate::instance::Instance;
use crate::row::StatedRow;
use crate::statement::Statement;
use serde_json::Value;

impl Statement {
    /// The first field in which another problem differs from this one, with both values. Names are not compared; numbers are
    /// compared by value.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (mine, theirs) = (Fields::of(self), Fields::of(other));
        mine.0.into_iter().zip(theirs.0).find_map(|((field, mine), (_, theirs))| differ(field, &mine, &theirs))
    }
}

/// The fields of a statement, in the order in which they are compared.
struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    fn of(statement: &Statement) -> Self {
        let instance = Instance::from(statement.clone());
        let rows: Vec<StatedRow> = instance.constraints;
        let json =
            |value: Result<Value, serde_json::Error>| value.expect("a statement has text for keys and no cycles");
        Self(vec![
            ("acquisition", json(serde_json::to_value(instance.acquisition))),
            ("kappa", json(serde_json::to_value(instance.kappa))),
            ("best", json(serde_json::to_value(instance.best))),
            ("rho", json(serde_json::to_value(instance.rho))),
            ("imprecision", json(serde_json::to_value(instance.imprecision))),
            ("terms", json(serde_json::to_value(instance.terms))),
            ("lengthscales", json(serde_json::to_value(instance.lengthscales))),
            ("noise", json(serde_json::to_value(instance.noise))),
            ("jitter", json(serde_json::to_value(instance.jitter))),
            ("mean", json(serde_json::to_value(instance.mean))),
            ("negative_variance", json(serde_json::to_value(instance.negative_variance))),
            ("bounds", json(serde_json::to_value(instance.bounds))),
            ("integers", json(serde_json::to_value(instance.integers))),
            ("values", json(serde_json::to_value(instance.values))),
            ("constraints", json(serde_json::to_value(rows))),
            ("x", json(serde_json::to_value(instance.x))),
            ("y", json(serde_json::to_value(instance.y))),
        ])
    }
}

/// The first place below `path` at which two values differ.
fn differ(path: &str, mine: &Value, theirs: &Value) -> Option<String> {
    match (mine, theirs) {
        (Value::Array(mine), Value::Array(theirs)) if mine.len() == theirs.len() => {
            let pairs = mine.iter().zip(theirs).enumerate();
            pairs.into_iter().find_map(|(at, (mine, theirs))| differ(&format!("{path}[{at}]"), mine, theirs))
        }
        (Value::Array(mine), Value::Array(theirs)) => {
            Some(format!("`{path}` has {} entries, not {}", mine.len(), theirs.len()))
        }
        (Value::Object(mine), Value::Object(theirs)) => {
            let keys = mine.keys().chain(theirs.keys().filter(|key| !mine.contains_key(*key)));
            let at =
                |object: &serde_json::Map<String, Value>, key: &str| object.get(key).cloned().unwrap_or(Value::Null);
            keys.into_iter().find_map(|key| differ(&format!("{path}.{key}"), &at(mine, key), &at(theirs, key)))
        }
        // −0 equals 0.
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        (mine, theirs) if mine == theirs => None,
        (mine, theirs) => Some(format!("`{path}` is {}, not {}", shown(mine), shown(theirs))),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match value {
        Value::Null => "missing".into(),
        // Only the beginning of a longer value, such as knots, is shown.
        _ if text.chars().count() > 60 => text.chars().take(60).chain("…".chars()).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => text,
    }
}
