//! `Trial`: one evaluation of a study.

use crate::certificate::Certificate;
use crate::error::InputError;
use crate::value;
use fathom_study::Trial as Inner;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One evaluation, as it was when it was looked up.
#[pyclass(frozen, module = "fathom", name = "Trial")]
pub struct Trial(pub Inner);

#[pymethods]
impl Trial {
    /// Its number in the study, from 1.
    #[getter]
    fn id(&self) -> u64 {
        self.0.id
    }

    /// A value for every parameter.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        value::to_dict(py, &self.0.point)
    }

    /// What it was told; `None` unless complete.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.0.value
    }

    /// `pending`, `complete` or `failed`.
    #[getter]
    fn state(&self) -> &'static str {
        self.0.state.name()
    }

    /// Why it failed, where it did.
    #[getter]
    fn message(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// Where its point comes from: `design`, `model` or `import`.
    #[getter]
    fn origin(&self) -> &'static str {
        self.0.suggestion.origin.name()
    }

    /// What was proven of its acquisition function, in the search's coordinates and the model's units; `None` where no
    /// model was used or the optimiser proves nothing.
    #[getter]
    fn certificate(&self) -> Option<Certificate> {
        self.0.suggestion.certificate.clone().map(|certificate| Certificate::new(certificate, None))
    }

    /// What could still be gained under the model when the point was chosen; `None` where that is not known.
    #[getter]
    fn remaining_gain(&self) -> Option<f64> {
        self.0.suggestion.bound.map(|bound| bound.gain)
    }

    /// No better value was expected when the point was chosen; `None` where that is not known.
    #[getter]
    fn reachable(&self) -> Option<f64> {
        self.0.suggestion.bound.map(|bound| bound.reachable)
    }

    /// Seconds that choosing the point took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.suggestion.seconds
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.0.value.map_or("None".into(), |value| value.to_string());
        let params = self.params(py)?.repr()?;
        Ok(format!("Trial(id={}, state='{}', value={value}, params={params})", self.0.id, self.0.state.name()))
    }

    /// Reads what pickling wrote.
    #[staticmethod]
    fn _from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| InputError::new_err(format!("not a trial: {error}")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().0)
            .map_err(|error| InputError::new_err(format!("the trial cannot be written: {error}")))?;
        Ok((slf.get_type().getattr("_from_json")?, (text,)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
