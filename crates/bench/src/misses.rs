//! How often methods without a proof miss the minimum: exactly, since the minimum is certified.
//!
//! Every problem of a folder is solved to a proven gap, then by each local method with its default settings: multi-start,
//! and the paper's methods once each from the origin. A method has missed where it ends more than [`MISS`] above the
//! proven lower bound, and by at least its distance from the best value known.

mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::case::{Case, cases};
use crate::evidence::{self, Run};
use anyhow::{Context as _, ensure};
use cpu_time::ProcessTime;
use fathom_global::{Limits, Posed as _, Status, Stop, minimise};
use fathom_paper::baselines::{self, Method};
use std::path::Path;
use std::time::Duration;

/// Above the proven lower bound by more than this is a miss.
pub const MISS: f64 = 1e-3;

/// The gap to which minima are certified: a tenth of [`MISS`], so that every miss is a real one.
const GAP: f64 = 1e-4;

/// Solves every problem of the folder `instances` by the certified search and by every local method into the new folder
/// `run`; the tables.
pub fn run(instances: &Path, time_limit: Duration, run: &Path) -> anyhow::Result<String> {
    let cases = cases(instances)?;
    let mut raw = Run::create(run)?;
    for case in &cases {
        for row in solve(case, time_limit).with_context(|| format!("solving {}", case.instance.name))? {
            raw.push(&row)?;
        }
    }
    report(run)
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// A row for each method.
fn solve(case: &Case, time_limit: Duration) -> anyhow::Result<Vec<Row>> {
    let instance = &case.instance;
    let problem = instance.problem(&case.posterior)?;
    let limits = Limits { gap: GAP, time: Some(time_limit), ..Limits::default() };
    let certificate = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
    ensure!(certificate.status == Status::Optimal, "not proven within the limit: allow more by --time-limit");
    let lower_bound = certificate.lower_bound.context("nothing was proven")?;
    let mut acquisition = problem.acquisition().clone();
    let mut row = |method: &Method| {
        let start = ProcessTime::now();
        let settings = baselines::Settings::default();
        let found = baselines::minimise(&mut acquisition, problem.region(), method, &settings, &Stop::new(false))?;
        Ok(Row {
            method: method.name().into(),
            instance: instance.name.clone(),
            family: case.family.clone(),
            d: instance.dim(),
            value: found.value,
            best: certificate.value.min(found.value),
            lower_bound,
            seconds: start.elapsed().as_secs_f64(),
        })
    };
    Method::ALL.iter().map(&mut row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descent_into_the_wrong_valley_is_a_miss_and_multi_start_finds_the_right_one() {
        let folder = std::env::temp_dir().join(format!("fathom-misses-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        // A shallow valley near the origin, a ridge, and a deep valley beyond it.
        let text = r#"{"name": "valleys", "family": "prior", "seed": 1, "d": 1, "n": 5, "kernel": "rbf", "sigma_f2": 1.0,
            "lengthscales": [0.1], "noise": 1e-6, "beta_sqrt": 0.0, "bounds": [[0.0, 1.0]],
            "x": [[0.0], [0.1], [0.3], [0.6], [0.9]], "y": [0.0, -0.5, 1.0, -2.0, 1.0]}"#;
        std::fs::write(folder.join("valleys.json"), text).expect("our folder");
        let out = folder.join("run");
        run(&folder, Duration::from_secs(10), &out).expect("a small problem");
        let rows = evidence::read::<Row>(&out).expect("just written");
        let missed: Vec<&str> = rows.iter().filter(|row| row.is_missed()).map(|row| row.method.as_str()).collect();
        assert!(rows.len() == Method::ALL.len() && missed.contains(&"l-bfgs-b"), "{rows:?}");
        assert!(!missed.contains(&"multistart"), "{rows:?}");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
