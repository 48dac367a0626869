//! What constraints cost: every `prior` problem under each kind of constraint beside the same problem without one.
//!
//! All variants of a problem are solved one after the other, so that a busy machine slows them alike. Seconds are CPU
//! seconds of building the problem from a posterior and searching it on one thread, the least of a few repetitions. Each
//! is also solved with a proof, which is verified. All goes into `raw.csv`; the tables are made from that file alone.

mod row;
mod tables;
mod variant;

pub use row::Row;
pub use tables::tables;
pub use variant::Variant;

use crate::case::{Case, cases};
use crate::evidence::{self, Run};
use anyhow::Context as _;
use cpu_time::ProcessTime;
use fathom_check::verify;
use fathom_global::{Limits, Posed as _, Stop, minimise, minimise_with_proof};
use std::path::Path;
use std::time::Duration;

/// Solves of which the fastest counts.
const REPETITIONS: usize = 3;

/// Solves every `prior` problem of the folder `instances` under every constraint, to an absolute `gap`, into the new
/// folder `run`; the tables.
pub fn run(instances: &Path, gap: f64, time_limit: Duration, run: &Path) -> anyhow::Result<String> {
    let cases = cases(instances)?;
    let mut raw = Run::create(run)?;
    let limits = Limits { gap, time: Some(time_limit), ..Limits::default() };
    for case in cases.iter().filter(|case| case.family == "prior") {
        for variant in Variant::ALL.into_iter().filter(|variant| variant.applies(case.instance.dim())) {
            let row = solve(case, variant, &limits);
            raw.push(&row.with_context(|| format!("solving {} with {}", case.instance.name, variant.name()))?)?;
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

fn solve(case: &Case, variant: Variant, limits: &Limits) -> anyhow::Result<Row> {
    let instance = variant.of(&case.instance);
    let posterior = instance.posterior()?;
    let (mut seconds, mut found) = (f64::INFINITY, None);
    for _ in 0..REPETITIONS {
        let start = ProcessTime::now();
        let problem = instance.problem(&posterior)?;
        found = Some(minimise(&problem, limits, &Stop::new(false), |_| ())?);
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let found = found.context("at least one repetition")?;
    let problem = instance.problem(&posterior)?;
    let (_, proof) = minimise_with_proof(&problem, limits, &Stop::new(false), |_| ())?;
    Ok(Row {
        variant,
        instance: instance.name.clone(),
        d: instance.dim(),
        kernel: case.kernel.clone(),
        seconds,
        nodes: found.nodes,
        value: Some(found.value).filter(|value| value.is_finite()),
        lower_bound: found.lower_bound,
        status: found.status.name().into(),
        accepted: proof.is_some_and(|proof| verify(&proof).is_ok()),
        gap: limits.gap,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_solved_under_every_constraint_and_its_proofs_hold() {
        let folder = std::env::temp_dir().join(format!("fathom-constraints-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let text = r#"{"name": "tiny", "family": "prior", "seed": 1, "d": 2, "n": 2, "kernel": "rbf", "sigma_f2": 1.0,
            "lengthscales": [0.5, 0.5], "noise": 1e-6, "beta_sqrt": 1.0, "bounds": [[0.0, 1.0], [0.0, 1.0]],
            "x": [[0.2, 0.1], [0.7, 0.9]], "y": [0.5, -0.5]}"#;
        std::fs::write(folder.join("tiny.json"), text).expect("our folder");
        let out = folder.join("run");
        let text = run(&folder, 1e-3, Duration::from_secs(10), &out).expect("a tiny problem");
        let rows = evidence::read::<Row>(&out).expect("just written");
        assert_eq!(rows.len(), Variant::ALL.into_iter().filter(|variant| variant.applies(2)).count());
        assert!(rows.iter().all(|row| row.accepted && row.status == "optimal"), "{rows:?}");
        // What is cut off cannot make the minimum lower; scaled to ten units, whole numbers are among the old points.
        assert!(rows.iter().all(|row| row.value >= rows[0].lower_bound), "{rows:?}");
        assert!(text.contains("proofs refused (must be none): none."), "{text}");
        assert!(run(&folder, 1e-3, Duration::from_secs(10), &out).is_err(), "a run is never overwritten");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
