//! The keys of a study file as Python has them: a `dict` of numbers, strings, booleans, lists and further dicts.

use crate::error::InputError;
use fathom_study::{Setting, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The settings in a `dict`; a key whose value is `None` counts as missing.
pub fn from_dict(dict: &Bound<'_, PyDict>) -> PyResult<Settings> {
    table(dict, "")
}

fn table(dict: &Bound<'_, PyDict>, place: &str) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (key, value) in dict {
        let name: String = key.extract()?;
        let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        if !value.is_none() {
            settings.insert(name, setting(&value, &place)?);
        }
    }
    Ok(settings)
}

fn setting(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Setting> {
    let refused = || {
        let shown = value.repr().map_or_else(|_| "this".into(), |shown| shown.to_string());
        let message = format!("`{place}`: {shown} has no place in a study file");
        InputError::new_err(message + ": use numbers, strings, booleans and lists of them")
    };
    if value.is_instance_of::<PyBool>() {
        return Ok(Setting::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Setting::String(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Setting::Float(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract().map(Setting::Integer).map_err(|_| refused());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return table(dict, place).map(Setting::Table);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let entries = value.try_iter()?.map(|entry| setting(&entry?, place));
        return entries.collect::<PyResult<_>>().map(Setting::Array);
    }
    // This is a number of NumPy's.
    match value.call_method0("item") {
        Ok(plain) if !plain.is(value) => setting(&plain, place),
        Ok(_) | Err(_) => Err(refused()),
    }
}
