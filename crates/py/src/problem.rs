//! Problem files, written from a model and read back as one.

use crate::error::{InputError, OrRaise as _, StoreError};
use crate::gaussian_process::GaussianProcess;
use fathom_global::{Posed as _, Problem, Region, Statement};
use fathom_gp::{Criterion, Posterior};
use fathom_proof::{CriterionFields, StatedRow};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict};
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the problem in its canonical form, checked as whoever reads it will.
pub fn write(path: &Path, posterior: &Posterior, criterion: Criterion, region: Region, name: &str) -> PyResult<()> {
    let stated = Problem::new(posterior, criterion, region).or_raise()?.statement();
    // What a search adds to a singular matrix is no part of a problem; whoever solves it adds the same.
    let statement = Statement { name: name.to_owned(), jitter: 0.0, ..stated };
    statement.check().map_err(fathom_global::Error::from).or_raise()?;
    let text = serde_json::to_string(&statement)
        .map_err(|error| InputError::new_err(format!("the problem cannot be written: {error}")))?;
    fathom_files::write(path, (text + "\n").as_bytes()).map_err(|error| StoreError::new_err(error.to_string()))
}

/// The problem that the text of a problem file states; `file` is for errors.
pub fn parse(file: &str, text: &str) -> PyResult<Statement> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string());
    let whole = read.and_then(|statement| json.end().map(|()| statement).map_err(|error| error.to_string()));
    whole.map_err(|error| InputError::new_err(format!("{file} is not a problem file: {error}")))
}

/// `linear`, `quadratic`, `lower` and `upper` of a `fathom.Row`.
type Coefficients = (BTreeMap<usize, f64>, BTreeMap<(usize, usize), f64>, Option<f64>, Option<f64>);

/// Name, model, bounds, constraints, and the other keywords of `minimize_acquisition`.
type Read<'py> = (String, GaussianProcess, Vec<(f64, f64)>, Vec<Coefficients>, Bound<'py, PyDict>);

/// Reads the text of a problem file.
#[pyfunction]
pub fn read_problem<'py>(py: Python<'py>, file: &str, text: &str) -> PyResult<Read<'py>> {
    let build = || {
        let statement = parse(file, text)?;
        let refused = |error: fathom_global::Error| InputError::new_err(format!("{file}: {error}"));
        let posterior = statement.posterior().map_err(refused)?;
        statement.problem(&posterior).map_err(refused)?;
        Ok::<_, PyErr>((statement, GaussianProcess::with(posterior)))
    };
    let (statement, gp) = py.detach(build)?;
    let keywords = function(py, file, statement.acquisition)?;
    if !statement.integers.is_empty() {
        keywords.set_item("integers", &statement.integers)?;
    }
    let rows = statement.rows.iter().map(coefficients).collect();
    Ok((statement.name, gp, statement.bounds, rows, keywords))
}

fn coefficients(row: &StatedRow) -> Coefficients {
    let linear = row.linear.iter().copied().collect();
    let quadratic = row.quadratic.iter().map(|(j, k, q)| ((*j, *k), *q)).collect();
    (linear, quadratic, row.lower, row.upper)
}

/// The keywords that name the function.
fn function<'py>(py: Python<'py>, file: &str, criterion: Criterion) -> PyResult<Bound<'py, PyDict>> {
    let CriterionFields { kappa, best, rho, imprecision } = criterion.fields();
    let beta = kappa.map(|kappa| squared(file, kappa)).transpose()?;
    let keywords = [("acquisition", criterion.name().as_str())].into_py_dict(py)?;
    for (name, number) in [("beta", beta), ("best", best), ("rho", rho), ("imprecision", imprecision)] {
        if let Some(number) = number {
            keywords.set_item(name, number)?;
        }
    }
    Ok(keywords)
}

/// β, of which κ is the root to the last bit.
fn squared(file: &str, kappa: f64) -> PyResult<f64> {
    let beta = kappa * kappa;
    if beta.sqrt() == kappa {
        Ok(beta)
    } else {
        Err(InputError::new_err(format!("{file}: `kappa` is {kappa}, the root of no β that is a number here")))
    }
}
