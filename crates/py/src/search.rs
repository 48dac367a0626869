//! `minimize_acquisition`: the certified search and its relatives, as one call.

use crate::array;
use crate::background::{Stopped, is_interrupt, stoppable};
use crate::certificate::Certificate;
use crate::error::{InputError, Interrupted, OrRaise as _};
use crate::function::Function;
use crate::gaussian_process::GaussianProcess;
use crate::region::{Limited, region};
use fathom_global::{Region, Stop};
use fathom_gp::{Criterion, Posterior};
use fathom_method::{Answer, Method, Settings, minimise};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// What is minimised, and how well.
pub struct Request {
    pub criterion: Criterion,
    pub region: Region,
    settings: Settings<'static>,
}

/// The keywords of `minimize_acquisition` that `audit` has too.
pub struct Keywords {
    function: Function,
    method: String,
    gap: Option<f64>,
    relative_gap: Option<f64>,
    time_limit: Option<f64>,
    node_limit: Option<u64>,
    limited: Limited,
    proof: bool,
    seed: u64,
    threads: usize,
    pool: usize,
}

impl Keywords {
    /// The keywords in a `dict` that has them all.
    pub fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self {
            function: Function {
                acquisition: item(given, "acquisition")?,
                beta: item(given, "beta")?,
                best: item(given, "best")?,
                rho: item(given, "rho")?,
                imprecision: item(given, "imprecision")?,
            },
            method: item(given, "method")?,
            gap: item(given, "gap")?,
            relative_gap: item(given, "relative_gap")?,
            time_limit: item(given, "time_limit")?,
            node_limit: item(given, "node_limit")?,
            limited: Limited {
                constraints: item(given, "constraints")?,
                integers: item(given, "integers")?,
                one_of: item(given, "one_of")?,
            },
            proof: item(given, "proof")?,
            seed: item(given, "seed")?,
            threads: item(given, "threads")?,
            pool: item(given, "pool")?,
        })
    }
}

fn item<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = given.get_item(name)?.ok_or_else(|| InputError::new_err(format!("`{name}` is missing")))?;
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        InputError::new_err(format!("{name} cannot be {value}: {}", error.value(given.py())))
    })
}

impl Request {
    /// The problem and its settings, checked before anything is searched.
    pub fn new(posterior: &Posterior, bounds: &[(f64, f64)], keywords: Keywords) -> PyResult<Self> {
        let criterion = keywords.function.criterion(posterior)?;
        let method: Method = keywords.method.parse().map_err(|_| no_method(&keywords.method))?;
        if keywords.proof && !method.proves() {
            let message = format!("proof: method {method} proves nothing; leave `method` out");
            return Err(InputError::new_err(message));
        }
        if keywords.pool > 0 && method != Method::Certified {
            let message = format!("pool: method {method} keeps no pool; leave `method` out");
            return Err(InputError::new_err(message));
        }
        let settings = Settings {
            method,
            gap: keywords.gap,
            relative_gap: keywords.relative_gap,
            time: keywords.time_limit.map(seconds).transpose()?,
            nodes: keywords.node_limit,
            threads: keywords.threads,
            seed: keywords.seed,
            pool: keywords.pool,
            proof: keywords.proof,
            ..Settings::default()
        };
        let region = region(bounds, &keywords.limited)?;
        Ok(Self { criterion, region, settings })
    }

    /// Whether the answer is a certified minimum of the true function.
    pub fn is_certified(&self) -> bool {
        self.settings.method == Method::Certified
    }

    fn search(&self, posterior: &Posterior, stop: &Stop) -> fathom_method::Result<Answer> {
        minimise(posterior, self.criterion, &self.region, &self.settings, stop, |_| {})
    }
}

/// The answer as a certificate. If the paper's method gave it, the certificate of the piecewise-linear function, and an
/// estimate of the true one's least value, are part of it.
fn into_python(answer: Answer, py: Python<'_>) -> PyResult<Certificate> {
    let piecewise_linear = answer.pk().map(|outcome| (outcome.certificate.clone(), outcome.true_function_estimate));
    match piecewise_linear {
        None => Ok(Certificate::new(answer.certificate, answer.proof)),
        Some((piecewise_linear, estimate)) => {
            let piecewise_linear = Py::new(py, Certificate::new(piecewise_linear, answer.proof))?;
            Ok(Certificate::by_way_of(answer.certificate, piecewise_linear, estimate))
        }
    }
}

fn no_method(name: &str) -> PyErr {
    let known: Vec<&str> = Method::all().map(|method| method.name()).collect();
    InputError::new_err(format!("there is no method `{name}`: use {}", known.join(", ")))
}

fn seconds(time: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(time)
        .map_err(|_| InputError::new_err(format!("time_limit is {time}: it must be a number of seconds, not negative")))
}

/// Minimises in the background. Ctrl-C raises `Interrupted` with what was found by then.
pub fn minimised(py: Python<'_>, posterior: &Posterior, request: &Request) -> PyResult<Certificate> {
    let Stopped { found, raised } = stoppable(py, |stop| request.search(posterior, stop));
    let certificate = found.or_raise().and_then(|answer| into_python(answer, py));
    match (raised, certificate) {
        (None, certificate) => certificate,
        (Some(error), Ok(certificate)) if is_interrupt(py, &error) => {
            let message = "stopped; the certificate so far is this exception's `result`";
            Err(Interrupted::new_err((message, Py::new(py, certificate)?)))
        }
        (Some(error), _) => Err(error),
    }
}

/// The minimum of an acquisition function of `gp` over `bounds`; `keywords` are complete.
#[pyfunction]
pub fn minimize_acquisition(
    py: Python<'_>,
    gp: &Bound<'_, GaussianProcess>,
    bounds: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<Certificate> {
    let (posterior, bounds) = (gp.get().posterior()?, array::pairs("bounds", bounds)?);
    minimised(py, &posterior, &Request::new(&posterior, &bounds, Keywords::read(keywords)?)?)
}
