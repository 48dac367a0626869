//! Tables and lists of numbers, from whatever NumPy makes an array of.
//!
//! All numbers from Python are read here, so that every call refuses the same: masked entries, whose values nobody meant;
//! truth values, text, dates, objects and complex numbers; numbers that double precision cannot hold. All others arrive
//! exactly, whatever their type, order and layout.

use crate::error::InputError;
use numpy::{PyArrayMethods as _, PyReadonlyArrayDyn};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};

/// How deep in lists masked arrays are looked for; NumPy makes no table of deeper lists.
const DEPTH: usize = 3;

/// Double precision has every whole number up to this one.
const WHOLE: i64 = 1 << 53;

/// Reads a table with a row for each observation.
pub fn rows(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
    let array = read(name, given)?;
    let array = array.as_array();
    let &[_, columns] = array.shape() else {
        let shape = tuple(array.shape());
        return Err(InputError::new_err(format!(
            "{name} has shape {shape}: it must be a table with a row for each observation and a column for each input"
        )));
    };
    // An array without columns has no chunks to speak of.
    if columns == 0 {
        return Err(InputError::new_err(format!("{name} has no columns: at least one input is needed")));
    }
    let numbers: Vec<f64> = array.iter().copied().collect();
    Ok(numbers.chunks(columns).map(<[f64]>::to_vec).collect())
}

/// Reads a pair for each input.
pub fn pairs(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<(f64, f64)>> {
    let array = read(name, given)?;
    let array = array.as_array();
    let &[_, 2] = array.shape() else {
        let shape = tuple(array.shape());
        let message = format!("{name} has shape {shape}: it must be a pair (low, high) for each input");
        return Err(InputError::new_err(message));
    };
    let numbers: Vec<f64> = array.iter().copied().collect();
    Ok(numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Reads a number for each observation.
pub fn numbers(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = read(name, given)?;
    let array = array.as_array();
    match array.ndim() {
        1 => Ok(array.iter().copied().collect()),
        _ => {
            let shape = tuple(array.shape());
            Err(InputError::new_err(format!("{name} has shape {shape}: it must be a list of numbers")))
        }
    }
}

/// Reads the coordinates of one point, in any shape.
pub fn point(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(read(name, given)?.as_array().iter().copied().collect())
}

/// One number that stands for all, or a list of numbers.
pub enum OneOrEach {
    One(f64),
    Each(Vec<f64>),
}

/// Reads one number for all, or a list of numbers.
pub fn one_or_each(name: &str, given: &Bound<'_, PyAny>) -> PyResult<OneOrEach> {
    let array = read(name, given)?;
    let array = array.as_array();
    match array.first() {
        Some(only) if array.ndim() == 0 => Ok(OneOrEach::One(*only)),
        _ => numbers(name, given).map(OneOrEach::Each),
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Reads an array: all of the above call this function.
fn read<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let masked = numpy.getattr("ma")?;
    if is_masked(&masked, given, DEPTH)? {
        return Err(InputError::new_err(format!(
            "{name} is a masked array, and some of its entries are masked: leave those rows out first"
        )));
    }
    let refused = |error: PyErr| {
        let raised = InputError::new_err(format!("{name} is no array of numbers: {}", error.value(py)));
        raised.set_cause(py, Some(error));
        raised
    };
    let array = numpy.call_method1("asarray", (given,)).map_err(refused)?;
    let kind: char = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let what = match kind {
        'f' | 'i' | 'u' => None,
        'b' => Some("truth values: astype(float) makes 0 and 1 of them, if that is meant"),
        'c' => Some("complex numbers: take their real part, if that is meant"),
        'S' | 'U' => Some("text: astype(float) reads numbers from it"),
        'M' | 'm' => Some("dates or times: count them in a unit of yours"),
        'O' => Some("objects: astype(float) makes numbers of them, or says which one is none"),
        _ => Some("something else: use floats"),
    };
    if let Some(what) = what {
        return Err(InputError::new_err(format!("{name} is no array of numbers but of {what}")));
    }
    let double = array.call_method1("astype", ("float64",)).map_err(refused)?;
    // Floats are compared in the wider type, so nothing is rounded away; whole numbers would be.
    let differs = match kind {
        'f' => is_rounded(&array, &double)?,
        _ => array.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? == 8 && is_beyond(&array, WHOLE)?,
    };
    if differs {
        return Err(InputError::new_err(format!(
            "{name} has numbers that double precision cannot hold: round them first, so that you know which are used"
        )));
    }
    Ok(double.cast_into::<numpy::PyArrayDyn<f64>>().map_err(PyErr::from).map_err(refused)?.readonly())
}

/// Whether an entry changed on its way to `double`. NaN differs from itself, too.
fn is_rounded(array: &Bound<'_, PyAny>, double: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_number = array.rich_compare(array, CompareOp::Eq)?;
    any(&array.rich_compare(double, CompareOp::Ne)?.bitand(is_number)?)
}

/// Whether an entry is larger than `most`, or less than its negative.
fn is_beyond(array: &Bound<'_, PyAny>, most: i64) -> PyResult<bool> {
    Ok(any(&array.rich_compare(most, CompareOp::Gt)?)? || any(&array.rich_compare(-most, CompareOp::Lt)?)?)
}

fn any(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    array.call_method0("any")?.is_truthy()
}

/// Whether entries of an array are masked, or of one in a list.
fn is_masked(masked: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>, depth: usize) -> PyResult<bool> {
    if given.is_instance_of::<PyFloat>() || given.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    let is_list = given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>();
    if !is_list {
        let is_one = given.is_instance(&masked.getattr("MaskedArray")?)?;
        return Ok(is_one && any(&masked.call_method1("getmaskarray", (given,))?)?);
    }
    for item in given.try_iter()? {
        if depth > 0 && is_masked(masked, &item?, depth - 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}
