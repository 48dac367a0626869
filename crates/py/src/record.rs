//! A record that another library keeps, for the next point after it.

use crate::background::{SOON, Stopped, lock, on_subject};
use crate::error::OrRaise as _;
use crate::trial::Trial;
use crate::{settings, value};
use fathom_global::Stop;
use fathom_study::{Definition, Outcome, Record as Inner, Result, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex};

/// What was tried and what came of it, for one question.
#[pyclass(frozen, module = "fathom._fathom", name = "Record")]
pub struct Record {
    inner: Arc<Mutex<Inner>>,
}

impl Record {
    /// Works on the record in the background.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner, &mut Watch<'_>) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let watched = move |record: &mut Inner, stop: &Stop| work(record, &mut Watch::new(stop));
        let Stopped { found, raised } = on_subject(py, &self.inner, SOON, watched, |_, _| ())?;
        raised.map_or_else(|| found.or_raise(), Err)
    }
}

#[pymethods]
impl Record {
    /// An empty record of a study with these keys of a study file. A model chose `chosen` of its points: β grows with `chosen`.
    #[new]
    fn new(keys: &Bound<'_, PyDict>, chosen: usize) -> PyResult<Self> {
        let definition = Definition::new(&settings::from_dict(keys)?).or_raise()?;
        Ok(Self { inner: Arc::new(Mutex::new(Inner::new(definition, chosen).or_raise()?)) })
    }

    /// Adds a finished trial; without a value it failed. `forecast` has mean and deviation of what was expected of it.
    #[pyo3(signature = (params, value, forecast = None))]
    fn add(&self, params: &Bound<'_, PyDict>, value: Option<f64>, forecast: Option<(f64, f64)>) -> PyResult<()> {
        let outcome = value.map_or_else(|| Ok(Outcome::Failed(String::new())), Outcome::of).or_raise()?;
        lock(&self.inner).add(&value::from_dict(params)?, Some(outcome), forecast).or_raise()
    }

    /// Adds a trial that somebody is evaluating.
    fn add_pending(&self, params: &Bound<'_, PyDict>) -> PyResult<()> {
        lock(&self.inner).add(&value::from_dict(params)?, None, None).or_raise()
    }

    /// The next trial.
    fn propose(&self, py: Python<'_>) -> PyResult<Trial> {
        self.work(py, Inner::propose).map(Trial::alone)
    }

    /// What can still be gained, if that is proven.
    fn gain(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.work(py, Inner::remaining)?.bound().map(|bound| bound.gain))
    }

    /// Posterior mean and deviation of the value at every point, after the finished trials.
    fn predict(&self, py: Python<'_>, points: Vec<Bound<'_, PyDict>>) -> PyResult<Vec<(f64, f64)>> {
        let points = points.iter().map(value::from_dict).collect::<PyResult<Vec<_>>>()?;
        self.work(py, move |record, _| record.predict(&points))
    }

    /// By how many deviations the confidence bound is below the mean.
    #[getter]
    fn kappa(&self) -> f64 {
        lock(&self.inner).kappa()
    }
}
