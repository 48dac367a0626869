//! `minimize_acquisition`: the certified search and its relatives, as one call.

use crate::array;
use crate::certificate::Certificate;
use crate::errand::{Stopped, is_interrupt, stoppable};
use crate::error::{InputError, Interrupted, OrRaise as _};
use crate::function::Function;
use crate::gaussian_process::GaussianProcess;
use crate::region::{Limited, region};
use fathom_global::{Certificate as Inner, Limits, Problem, Proof, Region, Stop, minimise, minimise_with_proof};
use fathom_gp::{Acquisition, Criterion, Posterior};
use fathom_paper::{Engine, PkMiqp, PkOutcome, PkSettings, baselines};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// The gap where none is given, of functions in the units of the outputs: this times the prior deviation.
const GAP: f64 = 1e-4;

/// Of values that are large, relative to them.
const RELATIVE_GAP: f64 = 1e-6;

/// The same of expected improvement and probability of improvement, which get as small as they like, and relative to them.
const IMPROVEMENT_GAP: (f64, f64) = (1e-6, 1e-2);

/// What is minimised, and how well.
pub struct Request {
    pub criterion: Criterion,
    pub region: Region,
    pub limits: Limits,
    method: Method,
    proof: bool,
}

enum Method {
    Certified,
    Pk,
    Local(baselines::Method),
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
    /// From a `dict` that has them all.
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
    /// Checked before anything is searched.
    pub fn new(posterior: &Posterior, bounds: &[(f64, f64)], keywords: Keywords) -> PyResult<Self> {
        let criterion = keywords.function.criterion(posterior)?;
        let method = match keywords.method.as_str() {
            "certified" => Method::Certified,
            "pk" => Method::Pk,
            name => Method::Local(name.parse().map_err(|_| no_method(name))?),
        };
        if keywords.proof && matches!(method, Method::Local(_)) {
            let message = format!("proof: method {} proves nothing; leave `method` out", keywords.method);
            return Err(InputError::new_err(message));
        }
        if keywords.pool > 0 && !matches!(method, Method::Certified) {
            let message = format!("pool: method {} keeps no pool; leave `method` out", keywords.method);
            return Err(InputError::new_err(message));
        }
        let (gap, relative_gap) = gaps(posterior, criterion, keywords.gap, keywords.relative_gap);
        let limits = Limits {
            gap,
            relative_gap,
            time: keywords.time_limit.map(seconds).transpose()?,
            nodes: keywords.node_limit.unwrap_or(u64::MAX),
            threads: keywords.threads,
            seed: keywords.seed,
            pool: keywords.pool,
            memory: None,
        };
        let region = region(bounds, &keywords.limited)?;
        Ok(Self { criterion, region, limits, method, proof: keywords.proof })
    }

    /// Whether the answer is a certified one of the true function.
    pub fn is_certified(&self) -> bool {
        matches!(self.method, Method::Certified)
    }

    fn search(&self, posterior: &Posterior, stop: &Stop) -> fathom_method::Result<Found> {
        let Self { criterion, region, limits, .. } = self;
        match &self.method {
            Method::Certified => {
                let problem = Problem::new(posterior, *criterion, region.clone())?;
                let (certificate, proof) = match self.proof {
                    true => minimise_with_proof(&problem, limits, stop, |_| {})?,
                    false => (minimise(&problem, limits, stop, |_| {})?, None),
                };
                Ok(Found { certificate, proof, paper: None })
            }
            Method::Pk => {
                let settings = PkSettings {
                    gap: limits.gap,
                    relative_gap: limits.relative_gap,
                    time: limits.time,
                    sub_time: PkSettings::default().sub_time.map(|sub| limits.time.map_or(sub, |time| time.min(sub))),
                    threads: limits.threads,
                    seed: limits.seed,
                    proof: self.proof,
                    ..PkSettings::default()
                };
                let outcome =
                    PkMiqp::new(Engine::Embedded, &settings)?.minimise(posterior, *criterion, region, stop)?;
                Ok(by_the_paper(outcome))
            }
            Method::Local(method) => {
                let started = Instant::now();
                let settings =
                    baselines::Settings { seed: limits.seed, time: limits.time, ..baselines::Settings::default() };
                let mut acquisition = Acquisition::new(posterior, *criterion)?;
                let found = baselines::minimise(&mut acquisition, region, method, &settings, stop)?;
                let certificate = found.certificate(&acquisition, &settings, started.elapsed().as_secs_f64());
                Ok(Found { certificate, proof: None, paper: None })
            }
        }
    }
}

/// What a search brings back.
struct Found {
    certificate: Inner,
    /// Of `certificate`, or of the piecewise-linear one.
    proof: Option<Proof>,
    /// By the paper's method: the certificate of the piecewise-linear function, and an estimate of the true one's least
    /// value.
    paper: Option<(Inner, Option<f64>)>,
}

impl Found {
    fn into_python(self, py: Python<'_>) -> PyResult<Certificate> {
        match self.paper {
            None => Ok(Certificate::new(self.certificate, self.proof)),
            Some((piecewise_linear, estimate)) => {
                let piecewise_linear = Py::new(py, Certificate::new(piecewise_linear, self.proof))?;
                Ok(Certificate::by_way_of(self.certificate, piecewise_linear, estimate))
            }
        }
    }
}

/// The paper's method: its polished point by the true function, of which nothing is proven, and beside it the certificate
/// of the piecewise-linear one.
fn by_the_paper(outcome: PkOutcome) -> Found {
    let certificate = outcome.of_true_function();
    let paper = Some((outcome.certificate, outcome.true_function_estimate));
    Found { certificate, proof: outcome.proof, paper }
}

fn gaps(posterior: &Posterior, criterion: Criterion, gap: Option<f64>, relative: Option<f64>) -> (f64, f64) {
    let variance: f64 = posterior.model().covariance.terms().iter().map(fathom_gp::Term::variance).sum();
    use CriterionName::{Deviation, Ei, Glcb, Lcb, LogEi, Mean, Pi};
    let unit = match criterion.name() {
        LogEi | Pi => 1.0,
        Lcb | Mean | Deviation | Glcb | Ei => variance.sqrt(),
    };
    let (default_gap, default_relative) = match criterion.name() {
        Ei | Pi => IMPROVEMENT_GAP,
        Lcb | Mean | Deviation | Glcb | LogEi => (GAP, RELATIVE_GAP),
    };
    match (gap, relative) {
        (None, None) => (default_gap * unit, default_relative),
        // What is given counts alone.
        (gap, relative) => (gap.unwrap_or(0.0), relative.unwrap_or(0.0)),
    }
}

fn no_method(name: &str) -> PyErr {
    let locals: Vec<&str> = baselines::Method::ALL.iter().map(baselines::Method::name).collect();
    InputError::new_err(format!("there is no method `{name}`: use certified, pk, {}", locals.join(", ")))
}

fn seconds(time: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(time)
        .map_err(|_| InputError::new_err(format!("time_limit is {time}: it must be a number of seconds, not negative")))
}

/// Minimises away from the interpreter. Ctrl-C raises `Interrupted` with what was found by then.
pub fn minimised(py: Python<'_>, posterior: &Posterior, request: &Request) -> PyResult<Certificate> {
    let Stopped { found, raised } = stoppable(py, |stop| request.search(posterior, stop));
    let certificate = found.or_raise().and_then(|found| found.into_python(py));
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
