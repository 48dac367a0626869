//! A net under every change of structure: what the program answers to each problem of `instances/`, and what it suggests in
//! studies of every kind.
//!
//! Boxes and statuses are pinned on every processor. Values, bounds and points are pinned to the last bit on processors with
//! fused multiply-add, which the linear algebra uses, and to nine digits on others. `FATHOM_BLESS=1` writes new pins; the
//! commit that changes a pin says why.

use super::studies::{said, trials};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// How far numbers may be apart, relative to their size, on a processor that rounds differently.
const OTHER_ROUNDING: f64 = 1e-9;

/// Two floats.
const PLANE: &str = "x = { type = 'float', low = -1, high = 2 }\ny = { type = 'float', low = -1, high = 2 }\n";

/// A study of each kind: its name, what stands before the parameters, the parameters, and the strategy.
const STUDIES: [(&str, &str, &str, &str); 16] = [
    ("plain", "", PLANE, ""),
    ("rbf", "", PLANE, "kernel = 'rbf'"),
    ("constraints", "constraints = ['x + y <= 1.5', 'x^2 + y^2 >= 0.2']", PLANE, ""),
    (
        "whole numbers",
        "",
        "n = { type = 'integer', low = 1, high = 40 }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "categories",
        "",
        "kind = { type = 'categorical', choices = ['a', 'b', 'c'] }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "log scale",
        "constraints = ['rate <= 0.05']",
        "rate = { type = 'float', low = 1e-5, high = 0.1, scale = 'log' }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    ("pending", "", PLANE, "acquisition = 'lcb'\nbeta = 4"),
    ("failures", "", PLANE, ""),
    ("improvement", "", PLANE, "acquisition = 'ei'"),
    ("log improvement", "", PLANE, "acquisition = 'log-ei'\nkernel = 'rbf'"),
    ("probability", "", PLANE, "acquisition = 'pi'\nkernel = 'matern52'"),
    ("additive", "", PLANE, "groups = [['x'], ['y']]"),
    ("piecewise linear", "", PLANE, "optimiser = 'pk'\nkernel = 'matern52'"),
    ("multi-start", "", PLANE, "optimiser = 'multistart'"),
    ("maximise", "goal = 'maximise'", PLANE, "kernel = 'rq'\nnoise = 'learned'\nscaling = 'unit'\nard = false"),
    ("cut short", "", PLANE, "node_limit = 3\ngap = 1e-5"),
];

fn pins(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/net").join(name)
}

/// Compares `found`, an object of what was answered by name, with what is pinned.
fn compare(file: &str, found: &Value) {
    let path = pins(file);
    if std::env::var_os("FATHOM_BLESS").is_some() {
        let lines: Vec<String> =
            found.as_object().unwrap().iter().map(|(name, answer)| format!("{}: {answer}", json!(name))).collect();
        std::fs::write(&path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
        return;
    }
    let pinned: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let names = |answers: &Value| answers.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(&pinned));
    let moved: Vec<String> = pinned
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, answer)| !is_same(answer, &found[*name]))
        .map(|(name, answer)| format!("{name}\n  was {answer}\n  is  {}", found[name]))
        .collect();
    assert!(moved.is_empty(), "{} of {} answers moved:\n{}", moved.len(), names(found).len(), moved.join("\n"));
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() && !has_fused_multiply_add() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= OTHER_ROUNDING * (1.0 + a.abs())
        }
        _ => a == b,
    }
}

#[cfg(target_arch = "x86_64")]
fn has_fused_multiply_add() -> bool {
    std::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fused_multiply_add() -> bool {
    false
}

/// The part of a certificate that must not change.
fn core(certificate: &Value) -> Value {
    ["status", "nodes", "value", "lower_bound"].iter().map(|key| certificate[key].clone()).collect()
}

#[test]
fn every_problem_is_answered_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut arguments = vec!["solve", "--json", "--gap", "1e-3", "--rel-gap", "0", "--threads", "2"];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let answers: Vec<Value> = said(&arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), files.len());
    let name = |file: &Path| file.file_stem().unwrap().to_str().unwrap().to_owned();
    let found: serde_json::Map<String, Value> = files
        .iter()
        .zip(&answers)
        .map(|(file, answer)| (name(file), [core(answer), answer["x"].clone()].into_iter().collect()))
        .collect();
    compare("instances.json", &found.into());
}

/// A function with slopes and a few minima.
fn measured(point: &Value) -> f64 {
    let part = |(i, value): (usize, &Value)| {
        if let Some(text) = value.as_str() {
            return 1.0 + f64::from(u8::from(text == "b"));
        }
        let x = value.as_f64().unwrap();
        match value.is_f64() {
            true => (x - 0.1 * i as f64) * (x - 0.7) * (x + 0.3) * (x - 1.6),
            false => (x / 40.0 - 0.3).powi(2),
        }
    };
    point.as_object().unwrap().values().enumerate().map(part).sum()
}

/// What a study of some kind suggested, trial by trial.
fn played(folder: &Path, (name, head, parameters, strategy): (&str, &str, &str, &str)) -> Value {
    let file = folder.join(format!("{}.toml", name.replace(' ', "-")));
    let text = format!("{head}\n[parameters]\n{parameters}\n[strategy]\ninitial = 4\n{strategy}\n");
    std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    for turn in 1..=11 {
        let asked: Value = serde_json::from_str(&said(&["ask", path, "--json"])).unwrap();
        let id = asked["id"].to_string();
        match (name, turn % 3) {
            ("pending", 0) => {}
            ("failures", 0) => drop(said(&["tell", path, &id, "--failed", "it burnt"])),
            _ => drop(said(&["tell", path, &id, "--", &measured(&asked["point"]).to_string()])),
        }
    }
    let answer = |trial: &Value| -> Value {
        let point: Value = trial["point"].as_object().unwrap().values().cloned().collect();
        let Value::Object(suggestion) = &trial["suggestion"] else { panic!("{trial}") };
        [
            point,
            suggestion["acquisition"].clone(),
            core(&suggestion["certificate"]),
            suggestion["bound"]["reachable"].clone(),
        ]
        .into_iter()
        .collect()
    };
    trials(path).iter().map(answer).collect()
}

#[test]
fn every_kind_of_study_suggests_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let found: serde_json::Map<String, Value> =
        STUDIES.into_iter().map(|study| (study.0.to_owned(), played(folder.path(), study))).collect();
    compare("studies.json", &found.into());
}
