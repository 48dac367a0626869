//! `audit`: someone else's point beside the certified optimum.

use crate::array;
use crate::certificate::Certificate;
use crate::error::{InputError, OrRaise as _};
use crate::gaussian_process::GaussianProcess;
use crate::search::{Keywords, Request, minimised};
use fathom_global::{Audit as Inner, Problem, Violation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A point beside the certified optimum.
#[pyclass(frozen, module = "fathom", name = "Audit")]
pub struct Audit {
    inner: Inner,
    /// What the point breaks, a sentence each.
    violations: Vec<String>,
    certificate: Py<Certificate>,
}

#[pymethods]
impl Audit {
    /// The acquisition function at the point, as evaluated in floating point.
    #[getter]
    fn value(&self) -> f64 {
        self.inner.value
    }

    /// The acquisition function at the best point found.
    #[getter]
    fn optimum(&self) -> f64 {
        self.inner.certificate.value
    }

    /// How far the point is above the best point found, hence at least above the minimum: the difference of two values that
    /// are evaluated in floating point, not a proof. `None` if the point is not in the region, up to the tolerance.
    #[getter]
    fn shortfall(&self) -> Option<f64> {
        self.inner.is_feasible().then(|| self.inner.at_least())
    }

    /// The point is at most this far above the minimum: its value, evaluated in floating point, less the search's bound.
    /// It is negative if the point is outside the region, within the tolerance, and lower than the bound there. `None` if the point is not in the region, or if no bound is known yet.
    #[getter]
    fn shortfall_at_most(&self) -> Option<f64> {
        self.inner.at_most().filter(|_| self.inner.is_feasible())
    }

    /// Whether the point keeps bounds, whole numbers and constraints, up to the tolerance.
    #[getter]
    fn feasible(&self) -> bool {
        self.inner.is_feasible()
    }

    /// What the point breaks, a sentence each, however little it does.
    #[getter]
    fn violations(&self) -> Vec<String> {
        self.violations.clone()
    }

    /// By how much a point may be outside and get a verdict.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.inner.tolerance
    }

    /// The certified optimum. With `proof=True` the proof covers the bound alone, not the audit.
    #[getter]
    fn certificate(&self, py: Python<'_>) -> Py<Certificate> {
        self.certificate.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let number = |value: Option<f64>| value.map_or("None".into(), |value| value.to_string());
        format!(
            "Audit(feasible={}, value={}, optimum={}, shortfall={}, shortfall_at_most={})",
            if self.feasible() { "True" } else { "False" },
            self.value(),
            self.optimum(),
            number(self.shortfall()),
            number(self.shortfall_at_most())
        )
    }
}

/// How far above the certified minimum is `x`? `keywords` are complete.
#[pyfunction]
pub fn audit(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    gp: &Bound<'_, GaussianProcess>,
    bounds: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    tolerance: f64,
) -> PyResult<Audit> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        let message = format!("tolerance is {tolerance}: it must be finite and not negative, such as 1e-6");
        return Err(InputError::new_err(message));
    }
    let (x, bounds) = (array::point("x", x)?, array::pairs("bounds", bounds)?);
    let posterior = gp.get().posterior()?;
    let request = Request::of(gp.get(), &posterior, &bounds, Keywords::read(keywords)?)?;
    if !request.is_certified() {
        return Err(InputError::new_err("an audit is against the certified optimum: leave `method` out"));
    }
    let problem = Problem::new(&posterior, request.criterion, request.region.clone()).or_raise()?;
    // A mistake in the point is reported before the search, not after it.
    if x.len() != bounds.len() || x.iter().any(|x| !x.is_finite()) {
        let message = format!("x must be {} finite numbers, one for each side of the bounds", bounds.len());
        return Err(InputError::new_err(message));
    }
    let certificate = minimised(py, &posterior, &request)?;
    let inner = Inner::against(&problem, certificate.inner.clone(), &x).or_raise()?.within(tolerance);
    let sentence = |violation: &Violation| {
        violation.sentence(|side| request.names.name(side), |row| request.texts.get(row).cloned())
    };
    let violations = inner.violations.iter().map(sentence).collect();
    Ok(Audit { inner, violations, certificate: Py::new(py, certificate)? })
}
