//! The problems that other tests solve.

use fathom_global::{Certificate, Instance, Limits, Posed as _, Stop, minimise};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances")
}

/// The problem with this name.
pub fn load(name: &str) -> Instance {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every problem whose name begins with `prefix`, in order.
pub fn all(prefix: &str) -> Vec<Instance> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no problem begins with {prefix}");
    names.iter().map(|name| load(name)).collect()
}

/// The best values that a large multi-start found.
pub fn best_known() -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(folder().join("best_known.csv")).unwrap();
    let pair = |line: &str| {
        let (name, value) = line.split_once(',').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    text.lines().skip(1).map(pair).collect()
}

pub fn solve(instance: &Instance, limits: &Limits) -> Certificate {
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    minimise(&problem, limits, &Stop::new(false), |_| {}).unwrap()
}
