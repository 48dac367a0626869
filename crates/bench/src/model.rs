//! How fast the model is: fit, predict and update beside scikit-learn's, in one run on one thread.

mod row;

pub use row::Row;

use crate::evidence::{self, Run};
use crate::spread::median;
use crate::table::Table;
use anyhow::{Context as _, bail};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, FitSettings, Kernel, Model, Points, Posterior, fit, sample_normal,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const DIM: usize = 5;

/// The sizes timed, and how often a fit is repeated at each.
const SIZES: [(usize, usize); 4] = [(30, 7), (100, 7), (300, 3), (1000, 1)];

/// Times every size with us and, where `python` names an interpreter with scikit-learn, with it. `quick` leaves out
/// the largest size.
pub fn run(python: Option<&Path>, quick: bool, run: &mut Run<Row>) -> anyhow::Result<()> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/sklearn_model.py");
    for (n, repeats) in SIZES.into_iter().filter(|(n, _)| !quick || *n <= 100) {
        let data = observations(n)?;
        eprintln!("N = {n}: fathom");
        for row in fathom(&data, repeats)? {
            run.push(&row)?;
        }
        if let Some(python) = python {
            eprintln!("N = {n}: scikit-learn");
            for row in scikit_learn(python, &script, &data, repeats)? {
                run.push(&row)?;
            }
        }
    }
    Ok(())
}

/// A sample of a Matérn 3/2 prior at uniform points of the unit cube.
fn observations(n: usize) -> anyhow::Result<Dataset> {
    let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..DIM).map(|_| rng.random()).collect()).collect();
    let covariance = Covariance::ard(Kernel::Matern32, 1.0, &[0.4, 0.6, 0.9, 1.3, 2.0])?;
    let gram = covariance.gram(&Points::from_rows(&x)?, 1e-6);
    let y = sample_normal(&vec![0.0; n], &gram, 1, &mut rng)?.remove(0);
    Ok(Dataset::new(&x, &y)?)
}

fn fathom(data: &Dataset, repeats: usize) -> anyhow::Result<Vec<Row>> {
    let n = data.len();
    let row =
        |operation: &str, seconds, value| Row { who: "fathom".into(), operation: operation.into(), n, seconds, value };
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5; DIM])?;
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    let mut posterior = None;
    for _ in 0..repeats {
        let start = Instant::now();
        let fitted = one_thread.install(|| fit(&structure, data, &FitSettings::default()))?;
        rows.push(row("fit", start.elapsed().as_secs_f64(), Some(fitted.log_likelihood)));
        posterior = Some(fitted.posterior);
    }
    let posterior = posterior.context("at least one repetition")?;
    for _ in 0..20 {
        let predict = time_predict(&posterior);
        rows.push(row("predict", predict, None));
        rows.push(row("predict with gradient", time_gradient(&posterior)?, None));
        let (update, condition) = time_update(&posterior)?;
        rows.push(row("update", update, None));
        rows.push(row("condition anew", condition, None));
    }
    Ok(rows)
}

/// Seconds per call, over enough calls to see the clock move.
fn per_call(mut call: impl FnMut()) -> f64 {
    let mut calls = 0_u32;
    let start = Instant::now();
    while start.elapsed().as_millis() < 5 {
        for _ in 0..10 {
            call();
        }
        calls += 10;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

fn time_predict(posterior: &Posterior) -> f64 {
    let mut predictor = posterior.predictor();
    per_call(|| {
        black_box(predictor.predict(black_box(&[0.371; DIM])));
    })
}

fn time_gradient(posterior: &Posterior) -> anyhow::Result<f64> {
    let mut acquisition = Acquisition::new(posterior, Criterion::Lcb { kappa: 2.0 })?;
    let mut gradient = [0.0; DIM];
    Ok(per_call(|| {
        black_box(acquisition.value_and_gradient(black_box(&[0.371; DIM]), &mut gradient));
    }))
}

/// Adding one observation, and for comparison conditioning on all of them from scratch.
fn time_update(posterior: &Posterior) -> anyhow::Result<(f64, f64)> {
    let mut grown = posterior.clone();
    let start = Instant::now();
    grown.observe(&[0.371; DIM], 0.5)?;
    let update = start.elapsed().as_secs_f64();
    let rows: Vec<Vec<f64>> = grown.x().rows().collect();
    let data = Dataset::new(&rows, grown.y())?;
    let model: Model = grown.model().clone();
    let start = Instant::now();
    black_box(model.condition(&data)?);
    Ok((update, start.elapsed().as_secs_f64()))
}

fn scikit_learn(python: &Path, script: &Path, data: &Dataset, repeats: usize) -> anyhow::Result<Vec<Row>> {
    let file: PathBuf = std::env::temp_dir().join(format!("fathom-observations-{}.csv", std::process::id()));
    let line = |(x, y): (Vec<f64>, &f64)| {
        let entries: Vec<String> = x.iter().chain([y]).map(|v| format!("{v:?}")).collect();
        entries.join(",")
    };
    let lines: Vec<String> = data.x().rows().zip(data.y()).map(line).collect();
    std::fs::write(&file, lines.join("\n"))?;
    let output = Command::new(python)
        .arg(script)
        .arg(&file)
        .arg(repeats.to_string())
        .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|name| (name, "1")))
        .output()
        .with_context(|| format!("could not start {}: name a Python with --python", python.display()))?;
    std::fs::remove_file(&file)?;
    if !output.status.success() {
        let talk = String::from_utf8_lossy(&output.stderr);
        bail!(
            "scikit-learn did not run; `pip install scikit-learn` in the Python of --python, or leave it out\n{talk}"
        );
    }
    String::from_utf8(output.stdout)?.lines().map(|line| parse(line, data.len())).collect()
}

fn parse(line: &str, n: usize) -> anyhow::Result<Row> {
    let [operation, seconds, value] = evidence::fields(line).context("unexpected line from scikit-learn")?;
    let (seconds, value) = (seconds.parse()?, evidence::optional(value)?);
    Ok(Row { who: "scikit-learn".into(), operation: operation.into(), n, seconds, value })
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = table(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// The table, from the raw rows alone.
pub fn table(rows: &[Row]) -> String {
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.n).collect();
    sizes.dedup();
    let mut table = Table::new(&format!("median time, D = {DIM}"), &sizes, |n| format!("N = {n}"));
    let seconds = |who: &str, operation: &str, n: usize| {
        let chosen = rows.iter().filter(|row| row.who == who && row.operation == operation && row.n == n);
        median(chosen.map(|row| row.seconds).collect())
    };
    for operation in ["fit", "predict", "predict with gradient", "update", "condition anew"] {
        table.line(&format!("{operation}, fathom"), |&n| seconds("fathom", operation, n).map(human));
        if ["fit", "predict", "update"].contains(&operation) {
            table.line(&format!("{operation}, scikit-learn"), |&n| seconds("scikit-learn", operation, n).map(human));
            table.line(&format!("{operation}, ratio"), |&n| {
                let ratio = seconds("scikit-learn", operation, n)? / seconds("fathom", operation, n)?;
                Some(format!("{ratio:.0}×"))
            });
        }
    }
    let likelihood = |who: &str, n: usize| {
        let row = rows.iter().find(|row| row.who == who && row.operation == "fit" && row.n == n)?;
        Some(format!("{:.4}", row.value?))
    };
    table.line("log likelihood reached, fathom", |&n| likelihood("fathom", n));
    table.line("log likelihood reached, scikit-learn", |&n| likelihood("scikit-learn", n));
    table.into_text()
}

fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_medians_and_ratios() {
        let row =
            |who: &str, seconds| Row { who: who.into(), operation: "fit".into(), n: 30, seconds, value: Some(1.5) };
        let text = table(&[row("fathom", 1e-3), row("fathom", 3e-3), row("fathom", 2e-3), row("scikit-learn", 0.1)]);
        assert!(text.contains("| fit, fathom | 2.0 ms |"), "{text}");
        assert!(text.contains("| fit, ratio | 50× |"), "{text}");
        assert!(text.contains("| predict, fathom | – |"), "{text}");
        assert!(text.contains("| log likelihood reached, scikit-learn | 1.5000 |"), "{text}");
    }

    #[test]
    fn talk_from_the_other_side_is_refused() {
        assert!(parse("Warning: something", 30).is_err());
        assert_eq!(parse("predict,2.5e-4,", 30).expect("well-formed").seconds, 2.5e-4);
    }
}
