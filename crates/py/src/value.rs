//! Values of parameters in Python: `int`, `float`, `bool` and `str`.

use crate::error::InputError;
use fathom_study::{Point, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};

/// A value for Python.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Integer(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => value.into_pyobject(py)?.into_any(),
        Value::Boolean(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Text(value) => value.into_pyobject(py)?.into_any(),
    })
}

/// A value from Python; NumPy's scalars are numbers too.
fn from_python(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyString>() {
        return Ok(Value::Text(value.extract()?));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if !value.is_instance_of::<PyFloat>()
        && let Ok(whole) = value.extract()
    {
        return Ok(Value::Integer(whole));
    }
    value.extract().map(Value::Float).map_err(|_| {
        InputError::new_err(format!(
            "parameter `{name}` cannot be {value}: it must be an int, a float, a bool or a str"
        ))
    })
}

/// A point as a `dict`, in the order of the space.
pub fn to_dict<'py>(py: Python<'py>, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in point {
        dict.set_item(name, to_python(py, value)?)?;
    }
    Ok(dict)
}

/// A point from a `dict`.
pub fn from_dict(params: &Bound<'_, PyDict>) -> PyResult<Point> {
    let mut point = Point::new();
    for (name, value) in params {
        let name: String = name.extract()?;
        point.insert(name.clone(), from_python(&name, &value)?);
    }
    Ok(point)
}
