//! `read_problem`: a problem file as a model and the keywords of a search.

use crate::error::InputError;
use crate::gaussian_process::GaussianProcess;
use crate::problem::parse;
use fathom_global::Posed as _;
use fathom_gp::Criterion;
use fathom_proof::{CriterionFields, StatedRow};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict};
use std::collections::BTreeMap;

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
    if let Some((input, _)) = statement.values.first() {
        return Err(InputError::new_err(format!(
            "{file}: `values` limits x{input} to a list of numbers, which minimize_acquisition cannot do: use `fathom solve`"
        )));
    }
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
