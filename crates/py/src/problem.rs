//! Problem files: written from a model, and read as a statement.

use crate::error::{InputError, OrRaise as _, StoreError};
use fathom_global::{Problem, Region, Statement};
use fathom_gp::{Criterion, Posterior};
use pyo3::prelude::*;
use std::path::Path;

/// Writes the problem in its canonical form, checked as a reader will check it.
pub fn write(path: &Path, posterior: &Posterior, criterion: Criterion, region: Region, name: &str) -> PyResult<()> {
    let stated = Problem::new(posterior, criterion, region).or_raise()?.statement();
    // The noise that a search adds to a singular matrix is no part of a problem; every search adds the same.
    let statement = Statement { name: name.to_owned(), jitter: 0.0, ..stated };
    statement.check().map_err(fathom_global::Error::from).or_raise()?;
    let text = serde_json::to_string(&statement)
        .map_err(|error| InputError::new_err(format!("the problem cannot be written: {error}")))?;
    fathom_files::write(path, (text + "\n").as_bytes()).map_err(|error| StoreError::new_err(error.to_string()))
}

/// The problem that the text of a problem file states; errors name `file`.
pub fn parse(file: &str, text: &str) -> PyResult<Statement> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string());
    let whole = read.and_then(|statement| json.end().map(|()| statement).map_err(|error| error.to_string()));
    whole.map_err(|error| InputError::new_err(format!("{file} is not a problem file: {error}")))
}
