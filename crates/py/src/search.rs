//! `minimize_acquisition`: the certified search and its relatives, as one call.

use crate::array;
use crate::background::{Stopped, is_interrupt, stoppable};
use crate::certificate::{Certificate, Run};
use crate::error::{InputError, Interrupted, OrRaise as _};
use crate::function::Function;
use crate::gaussian_process::GaussianProcess;
use crate::region::{Limited, Limits, Names, region};
use crate::settings;
use fathom_global::{Region, Stop};
use fathom_gp::{Criterion, Posterior};
use fathom_method::{Answer, Detour, Found, Method, PkOptions, Settings, bytes, minimise};
use fathom_paper::{Engine, PkSettings};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize as _;
use std::time::Duration;

/// What is minimised, and how well.
pub struct Request {
    pub criterion: Criterion,
    pub region: Region,
    /// The text of each row of the region.
    pub texts: Vec<String>,
    pub names: Names,
    settings: Settings<'static>,
    /// Who solves the paper's program.
    found: Found,
}

/// The keywords of `minimize_acquisition` that `audit` has too.
pub struct Keywords {
    function: Function,
    method: String,
    gap: Option<f64>,
    relative_gap: Option<f64>,
    time_limit: Option<f64>,
    node_limit: Option<u64>,
    memory_limit: Option<u64>,
    pk: PkOptions,
    limited: Limited,
    names: Names,
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
            memory_limit: memory(given)?,
            pk: options(given)?,
            limited: Limited {
                constraints: item(given, "constraints")?,
                integers: item(given, "integers")?,
                one_of: item(given, "one_of")?,
            },
            names: Names::new(item(given, "names")?)?,
            proof: item(given, "proof")?,
            seed: item(given, "seed")?,
            threads: item(given, "threads")?,
            pool: item(given, "pool")?,
        })
    }
}

/// A number of bytes, or a size as people write it.
fn memory(given: &Bound<'_, PyDict>) -> PyResult<Option<u64>> {
    let Some(value) = item::<Option<Py<PyAny>>>(given, "memory_limit")? else { return Ok(None) };
    let value = value.bind(given.py());
    let found = value.extract::<u64>().ok().or_else(|| bytes(&value.extract::<String>().ok()?));
    let refused =
        || InputError::new_err(format!("memory_limit cannot be {value}: use bytes or a size such as \"4GB\""));
    found.filter(|bytes| *bytes > 0).map(Some).ok_or_else(refused)
}

/// The settings of the paper's method: `pk`, a `dict` with the keys of `[strategy.pk]`, and `preset`.
fn options(given: &Bound<'_, PyDict>) -> PyResult<PkOptions> {
    let mut keys = match item::<Option<Py<PyDict>>>(given, "pk")? {
        Some(dict) => settings::from_dict(dict.bind(given.py()))?,
        None => fathom_study::Settings::new(),
    };
    if let Some(preset) = item::<Option<String>>(given, "preset")? {
        keys.insert("preset".into(), preset.into());
    }
    PkOptions::deserialize(keys).map_err(|error| InputError::new_err(format!("pk: {error}")))
}

fn item<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = given.get_item(name)?.ok_or_else(|| InputError::new_err(format!("`{name}` is missing")))?;
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        InputError::new_err(format!("{name} cannot be {value}: {}", error.value(given.py())))
    })
}

impl Request {
    /// The problem of `gp` and its settings, checked before anything is searched.
    pub fn of(
        gp: &GaussianProcess,
        posterior: &Posterior,
        bounds: &[(f64, f64)],
        keywords: Keywords,
    ) -> PyResult<Self> {
        let names = keywords.names.or(&gp.names);
        Self::new(posterior, bounds, Keywords { names, ..keywords })
    }

    /// The problem and its settings, checked before anything is searched.
    fn new(posterior: &Posterior, bounds: &[(f64, f64)], keywords: Keywords) -> PyResult<Self> {
        let criterion = keywords.function.criterion(posterior)?;
        let method: Method = keywords.method.parse().map_err(|_| no_method(&keywords.method))?;
        if keywords.proof && !method.proves() {
            let message = format!("proof: method {method} proves nothing; leave `method` out");
            return Err(InputError::new_err(message));
        }
        let is_pk = matches!(method, Method::Pk | Method::PkGroups);
        let refused = |key: &str, why: &str| Err(InputError::new_err(format!("{key}: {why}")));
        let has_boxes = is_pk || method == Method::Certified;
        match () {
            () if keywords.pool > 0 && !has_boxes => {
                return refused("pool", &format!("method {method} keeps no pool; leave `method` out"));
            }
            () if keywords.node_limit.is_some() && !has_boxes => {
                return refused("node_limit", &format!("method {method} bounds no boxes; leave it out"));
            }
            () if !is_pk && keywords.pk != PkOptions::default() => {
                return refused("pk", &format!("method {method} has none of these settings; use method=\"pk\""));
            }
            () => {}
        }
        let mut pk = keywords.pk;
        if is_pk && keywords.pool > 0 {
            pk.pool = Some(keywords.pool);
        }
        let method = pk.method(method);
        pk.check_groups(&method, posterior).or_raise()?;
        let found = match is_pk {
            true => pk.find(Engine::is_embeddable(posterior.x().dim())).or_raise()?,
            false => Found::Embedded,
        };
        if keywords.proof && matches!(found, Found::Solver(_)) {
            return refused("proof", "a solver's bound comes without one; leave `engine` out");
        }
        let own = if is_pk { pk.settings(1, &found).or_raise()? } else { PkSettings::default() };
        let settings = Settings {
            method,
            memory: keywords.memory_limit,
            pk: own,
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
        let names = keywords.names.of(bounds.len())?;
        let Limits { region, texts } = region(bounds, &keywords.limited, &names)?;
        Ok(Self { criterion, region, texts, names, settings, found })
    }

    /// Whether the answer is a certified minimum of the true function.
    pub fn is_certified(&self) -> bool {
        self.settings.method == Method::Certified
    }

    fn search(&self, posterior: &Posterior, stop: &Stop) -> fathom_method::Result<Answer> {
        let settings = Settings { engine: self.found.engine(), ..self.settings.clone() };
        minimise(posterior, self.criterion, &self.region, &settings, stop, |_| {})
    }
}

/// The answer as a certificate. If the paper's method gave it, the certificate of the piecewise-linear function, and an
/// estimate of the true one's least value, are part of it.
fn into_python(answer: Answer, py: Python<'_>) -> PyResult<Certificate> {
    let Answer { certificate, proof, detour } = answer;
    match detour {
        None => Ok(Certificate::new(certificate, proof)),
        Some(Detour::Pk(outcome)) => {
            let piecewise_linear = Py::new(py, Certificate::new(outcome.certificate.clone(), proof))?;
            Ok(Certificate::by_way_of(certificate, vec![piecewise_linear], Run::from(*outcome)))
        }
        Some(Detour::Groups(outcome)) => {
            let of_group = |group: &fathom_global::Certificate| Py::new(py, Certificate::new(group.clone(), None));
            let groups = outcome.groups.iter().map(of_group).collect::<PyResult<_>>()?;
            Ok(Certificate::by_way_of(certificate, groups, Run::from(*outcome)))
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
    minimised(py, &posterior, &Request::of(gp.get(), &posterior, &bounds, Keywords::read(keywords)?)?)
}
