//! How fast the model is: fit, predict and update beside scikit-learn's, in one run on one thread.

use crate::experiment::Experiment;
use crate::statistics::median;
use crate::table::Table;
use anyhow::{Context as _, ensure};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, FitSettings, Kernel, Points, Posterior, fit, sample_normal,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const DIM: usize = 5;

/// The sizes timed, and how often a fit is repeated at each.
const SIZES: [(usize, usize); 4] = [(30, 7), (100, 7), (300, 3), (1000, 1)];

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Model {
    /// A Python interpreter with scikit-learn; without one only Fathom is timed.
    #[arg(long)]
    python: Option<PathBuf>,
}

/// A measurement.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    who: String,
    operation: String,
    n: usize,
    seconds: f64,
    value: Option<f64>, // the log likelihood that a fit reached
}

impl Experiment for Model {
    type Part = (usize, usize);
    type Row = Row;

    fn settings(&self) -> String {
        format!("{DIM} inputs")
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<(usize, usize)>> {
        Ok(SIZES.into_iter().filter(|(n, _)| !quick || *n <= 100).collect())
    }

    fn name((n, _): &(usize, usize)) -> String {
        format!("N = {n}")
    }

    fn part_of(row: &Row) -> String {
        format!("N = {}", row.n)
    }

    fn measure(&self, &(n, repeats): &(usize, usize), _: &Path) -> anyhow::Result<Vec<Row>> {
        let data = observations(n)?;
        let mut rows = fathom(&data, repeats)?;
        if let Some(python) = &self.python {
            rows.extend(scikit_learn(python, &data, repeats)?);
        }
        Ok(rows)
    }

    fn tables(rows: &[Row]) -> String {
        let mut sizes: Vec<usize> = rows.iter().map(|row| row.n).collect();
        sizes.dedup();
        let mut table = Table::new(&format!("median time, D = {DIM}"), &sizes, |n| format!("N = {n}"));
        let of = |who: &str, operation: &str, n: usize| -> Vec<&Row> {
            rows.iter().filter(|row| row.who == who && row.operation == operation && row.n == n).collect()
        };
        let seconds =
            |who: &str, operation: &str, n: usize| median(of(who, operation, n).iter().map(|row| row.seconds));
        for operation in ["fit", "predict", "predict with gradient", "update", "condition anew"] {
            table.line(&format!("{operation}, fathom"), |&n| seconds("fathom", operation, n).map(human));
            if ["fit", "predict", "update"].contains(&operation) {
                table
                    .line(&format!("{operation}, scikit-learn"), |&n| seconds("scikit-learn", operation, n).map(human));
                table.line(&format!("{operation}, ratio"), |&n| {
                    let ratio = seconds("scikit-learn", operation, n)? / seconds("fathom", operation, n)?;
                    Some(format!("{ratio:.0}×"))
                });
            }
        }
        for who in ["fathom", "scikit-learn"] {
            table.line(&format!("log likelihood reached, {who}"), |&n| {
                Some(format!("{:.4}", of(who, "fit", n).first()?.value?))
            });
        }
        table.into_text()
    }
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
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5; DIM])?;
    let row = |operation: &str, seconds, value| {
        let (who, operation) = ("fathom".into(), operation.into());
        Row { who, operation, n: data.len(), seconds, value }
    };
    let mut rows = Vec::new();
    let mut posterior = None;
    for _ in 0..repeats {
        let start = Instant::now();
        let fitted = fit(&structure, data, &FitSettings::default())?;
        rows.push(row("fit", start.elapsed().as_secs_f64(), Some(fitted.log_likelihood)));
        posterior = Some(fitted.posterior);
    }
    let posterior = posterior.context("at least one repetition")?;
    let mut predictor = posterior.predictor();
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 })?;
    let mut gradient = [0.0; DIM];
    for _ in 0..20 {
        let predict = per_call(|| {
            black_box(predictor.predict(black_box(&[0.371; DIM])));
        });
        let with_gradient = per_call(|| {
            black_box(acquisition.value_and_gradient(black_box(&[0.371; DIM]), &mut gradient));
        });
        let (update, condition) = time_update(&posterior)?;
        rows.extend([row("predict", predict, None), row("predict with gradient", with_gradient, None)]);
        rows.extend([row("update", update, None), row("condition anew", condition, None)]);
    }
    Ok(rows)
}

/// Seconds per call, over enough calls to see the clock move.
fn per_call(mut call: impl FnMut()) -> f64 {
    let mut calls = 0_u32;
    let start = Instant::now();
    while start.elapsed().as_millis() < 5 {
        (0..10).for_each(|_| call());
        calls += 10;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// Adding one observation, and for comparison conditioning on all of them from scratch.
fn time_update(posterior: &Posterior) -> anyhow::Result<(f64, f64)> {
    let mut grown = posterior.clone();
    let start = Instant::now();
    grown.observe(&[0.371; DIM], 0.5)?;
    let update = start.elapsed().as_secs_f64();
    let rows: Vec<Vec<f64>> = grown.x().rows().collect();
    let data = Dataset::new(&rows, grown.y())?;
    let start = Instant::now();
    black_box(grown.model().clone().condition(&data)?);
    Ok((update, start.elapsed().as_secs_f64()))
}

fn scikit_learn(python: &Path, data: &Dataset, repeats: usize) -> anyhow::Result<Vec<Row>> {
    let file: PathBuf = std::env::temp_dir().join(format!("fathom-observations-{}.csv", std::process::id()));
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_path(&file)?;
    for (x, y) in data.x().rows().zip(data.y()) {
        writer.serialize((x, y))?;
    }
    writer.flush()?;
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/sklearn_model.py"))
        .arg(&file)
        .arg(repeats.to_string())
        .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|name| (name, "1")))
        .output()
        .with_context(|| format!("could not start {}: name a Python with --python", python.display()))?;
    std::fs::remove_file(&file)?;
    let talk = String::from_utf8_lossy(&output.stderr);
    let way_out = "`pip install scikit-learn` in the Python of --python, or leave it out";
    ensure!(output.status.success(), "scikit-learn did not run; {way_out}\n{talk}");
    let mut answers = csv::ReaderBuilder::new().has_headers(false).from_reader(&output.stdout[..]);
    let row = |answer: Result<(String, f64, Option<f64>), csv::Error>| {
        let (operation, seconds, value) = answer.context("unexpected line from scikit-learn")?;
        Ok(Row { who: "scikit-learn".into(), operation, n: data.len(), seconds, value })
    };
    answers.deserialize().map(row).collect()
}

fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}
