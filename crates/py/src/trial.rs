//! `Trial`: one evaluation of a study.

use crate::background::{SOON, Stopped, on_subject};
use crate::certificate::Certificate;
use crate::error::{InputError, OrRaise as _};
use crate::value;
use fathom_global::Stop;
use fathom_study::{Assurance, Result, Study, Trial as Inner, Watch};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Arc, Mutex};

/// One evaluation, as it was when it was looked up.
#[pyclass(frozen, module = "fathom", name = "Trial")]
pub struct Trial {
    pub inner: Inner,
    /// The study that the trial was looked up in; a trial that was pickled has none.
    study: Option<Arc<Mutex<Study>>>,
}

impl Trial {
    /// A trial of `study`.
    pub fn new(inner: Inner, study: &Arc<Mutex<Study>>) -> Self {
        Self { inner, study: Some(Arc::clone(study)) }
    }

    /// A trial that no study keeps.
    pub fn alone(inner: Inner) -> Self {
        Self { inner, study: None }
    }

    /// Asks the study about the trial, in the background.
    pub fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Study, u64, &Stop) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let id = self.inner.id;
        let Some(study) = &self.study else {
            let message = format!("the trial came without its study: use study.proof({id}) or of=(study, {id})");
            return Err(InputError::new_err(message));
        };
        let work = move |study: &mut Study, stop: &Stop| question(study, id, stop);
        let Stopped { found, raised } = on_subject(py, study, SOON, work, |_, _| ())?;
        raised.map_or_else(|| found.or_raise(), Err)
    }
}

#[pymethods]
impl Trial {
    /// The trial's number in the study, from 1.
    #[getter]
    fn id(&self) -> u64 {
        self.inner.id
    }

    /// A value for every parameter.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        value::to_dict(py, &self.inner.point)
    }

    /// The objective that the trial was told; `None` unless the trial is complete.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.inner.objective()
    }

    /// All values that the trial was told, by name.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        self.inner.values.iter().try_for_each(|(name, value)| values.set_item(name, value))?;
        Ok(values)
    }

    /// The values of the parameters that were asked for; `params` has the settings that were really used.
    #[getter]
    fn asked_params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        value::to_dict(py, self.inner.asked_point())
    }

    /// The notes, in order.
    #[getter]
    fn notes(&self) -> Vec<&str> {
        self.inner.notes()
    }

    /// `pending`, `complete`, `failed`, `cancelled` or `withdrawn`.
    #[getter]
    fn state(&self) -> &'static str {
        self.inner.state.name()
    }

    /// Why the trial failed, or does not count, if somebody said so.
    #[getter]
    fn message(&self) -> Option<&str> {
        self.inner.message.as_deref()
    }

    /// Where the point comes from: `design`, `model` or `import`.
    #[getter]
    fn origin(&self) -> &'static str {
        self.inner.suggestion.origin.name()
    }

    /// What was proven of the acquisition function when the point was handed out, in the search's coordinates and the model's units;
    /// `None` if no model was used or the optimiser proves nothing.
    #[getter]
    fn certificate(&self) -> Option<Certificate> {
        self.inner.suggestion.certificate.clone().map(|certificate| Certificate::new(certificate, None))
    }

    /// What is known of the point by now: `proven` (no point is better by more than the gap), `cut_short` (`gap` says by how much one
    /// may be better at most) or `better_found` (`better` is a better point); `None` if nothing is proven.
    #[getter]
    fn assurance(&self) -> Option<&'static str> {
        self.inner.suggestion.assurance().name()
    }

    /// No point is better by more than this, in the model's units, by the strongest that is proven by now.
    #[getter]
    fn gap(&self) -> Option<f64> {
        self.inner.suggestion.gap()
    }

    /// What was proven after the point was handed out; `None` if nothing was.
    #[getter]
    fn later(&self) -> Option<Certificate> {
        let later = self.inner.suggestion.later.as_deref()?;
        Some(Certificate::new(later.certificate.clone(), None))
    }

    /// A better point that was found after the trial was handed out, if there is one.
    #[getter]
    fn better<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        match self.inner.suggestion.assurance() {
            Assurance::Better { point, .. } => value::to_dict(py, &point).map(Some),
            Assurance::None | Assurance::Proven { .. } | Assurance::CutShort { .. } => Ok(None),
        }
    }

    /// What could still be gained under the model when the point was chosen, by the strongest bound that is known by now; `None` if
    /// that is not known.
    #[getter]
    fn remaining_gain(&self) -> Option<f64> {
        self.inner.suggestion.bound.map(|bound| bound.gain)
    }

    /// Mean and deviation of what the cautious model expected of the trial; `None` before there are values for a model.
    #[getter]
    fn forecast(&self) -> Option<(f64, f64)> {
        self.inner.suggestion.forecast.as_ref().map(|forecast| (forecast.mean, forecast.deviation))
    }

    /// No better value was expected when the point was chosen; `None` if that is not known.
    #[getter]
    fn reachable(&self) -> Option<f64> {
        self.inner.suggestion.bound.map(|bound| bound.reachable)
    }

    /// Seconds that choosing the point took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.inner.suggestion.seconds
    }

    /// The proof behind the trial, made again from what the study has in its store now: the bytes of a file for `fathom.verify`
    /// and `fathom verify`. Raises `ProofError` if there is no proof (the initial design has none), or if the study is not as
    /// it was.
    fn proof<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let made = self.ask(py, |study, id, stop| study.proof_watched(id, &mut Watch::new(stop)))?;
        Ok(PyBytes::new(py, &py.detach(|| made.proof.to_bytes()).or_raise()?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.inner.objective().map_or("None".into(), |value| value.to_string());
        let params = self.params(py)?.repr()?;
        Ok(format!("Trial(id={}, state='{}', value={value}, params={params})", self.inner.id, self.inner.state.name()))
    }

    /// Reads what pickling wrote.
    #[staticmethod]
    fn _from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(Self::alone)
            .map_err(|error| InputError::new_err(format!("not a trial: {error}")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().inner)
            .map_err(|error| InputError::new_err(format!("the trial cannot be written: {error}")))?;
        Ok((slf.get_type().getattr("_from_json")?, (text,)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}
