//! Tables and lists of numbers, from whatever NumPy makes an array of.

use crate::error::InputError;
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;

/// A row for each observation.
pub fn rows(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
    let array = read(name, given)?;
    let array = array.as_array();
    let &[_, columns] = array.shape() else {
        let shape = array.shape();
        return Err(InputError::new_err(format!(
            "{name} has shape {shape:?}: it must be a table with a row for each observation and a column for each input"
        )));
    };
    // An array without columns has no chunks to speak of.
    if columns == 0 {
        return Err(InputError::new_err(format!("{name} has no columns: at least one input is needed")));
    }
    let numbers: Vec<f64> = array.iter().copied().collect();
    Ok(numbers.chunks(columns).map(<[f64]>::to_vec).collect())
}

/// A pair for each input.
pub fn pairs(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<(f64, f64)>> {
    let array = read(name, given)?;
    let array = array.as_array();
    let &[_, 2] = array.shape() else {
        let shape = array.shape();
        let message = format!("{name} has shape {shape:?}: it must be a pair (low, high) for each input");
        return Err(InputError::new_err(message));
    };
    let numbers: Vec<f64> = array.iter().copied().collect();
    Ok(numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect())
}

/// A number for each observation.
pub fn numbers(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = read(name, given)?;
    let array = array.as_array();
    match array.ndim() {
        1 => Ok(array.iter().copied().collect()),
        _ => {
            let shape = array.shape();
            Err(InputError::new_err(format!("{name} has shape {shape:?}: it must be a list of numbers")))
        }
    }
}

fn read<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<PyArrayLikeDyn<'py, f64, AllowTypeChange>> {
    given.extract().map_err(|error: PyErr| {
        let raised = InputError::new_err(format!("{name} is no array of numbers: {}", error.value(given.py())));
        raised.set_cause(given.py(), Some(error));
        raised
    })
}
