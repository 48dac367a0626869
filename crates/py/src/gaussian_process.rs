//! `GaussianProcess`: a model in the user's units, fitted or given.

use crate::array::{self, OneOrEach};
use crate::background::{lock, stoppable};
use crate::error::{InputError, OrRaise as _};
use crate::function::Function;
use crate::problem;
use crate::region::{Limited, Limits, Names, items, region};
use fathom_global::Stop;
use fathom_gp::{
    Argument, Covariance, Dataset, FitSettings, Kernel, Model, Noise, OutputScaling, Posterior, Replicates, Scaling,
    Term, fit_until,
};
use fathom_proof::{KernelFields, KernelName};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Noise variances that are learned lie between these, relative to the variance of the outputs.
const LEARNED: (f64, f64) = (1e-6, 1.0);

/// A Gaussian process with the shape of scikit-learn's: `fit`, then `predict`.
///
/// Args:
///     kernel: `"matern12"`, `"matern32"`, `"matern52"`, `"matern72"`, `"rbf"`, `"rq"`, `"linear"` or `"polynomial"`.
///     noise: the variance of the observation noise, in the outputs' units; it is learned if it is not given.
///     ard: whether each input has a lengthscale of its own.
///     groups: groups of inputs, counted from 0, for an additive model with a kernel over each group.
///     alpha: of `"rq"`.
///     offset: of `"linear"` and `"polynomial"`.
///     degree: of `"polynomial"`.
///     seed: the seed of the fit's starts.
///     names: names of the inputs, for constraints and messages; by default the columns of the table it is fitted to, else x0, x1, ….
#[pyclass(frozen, module = "fathom", name = "GaussianProcess")]
pub struct GaussianProcess {
    /// The kernel of every group; `None` for a sum of different kernels, which only problem files have.
    kernel: Option<Kernel>,
    noise: Option<f64>,
    ard: bool,
    groups: Option<Vec<Vec<usize>>>,
    seed: u64,
    /// What the inputs are called.
    pub names: Names,
    posterior: Mutex<Option<Arc<Posterior>>>,
}

impl GaussianProcess {
    /// The model after its data.
    pub fn posterior(&self) -> PyResult<Arc<Posterior>> {
        let missing = || InputError::new_err("the GaussianProcess has no data yet: call fit(X, y) first");
        lock(&self.posterior).clone().ok_or_else(missing)
    }

    /// A model with known hyperparameters, whose inputs have no names.
    pub fn with(posterior: Posterior) -> Self {
        let (noise, ard, seed) = (Some(posterior.model().noise), true, 0);
        let terms = posterior.model().covariance.terms();
        let first = terms.first().map(Term::kernel);
        let kernel = first.filter(|first| terms.iter().all(|term| term.kernel() == *first));
        let groups = (terms.len() > 1).then(|| terms.iter().map(|term| term.inputs().to_vec()).collect());
        let names = Names::default();
        Self { kernel, noise, ard, groups, seed, names, posterior: Mutex::new(Some(Arc::new(posterior))) }
    }

    /// The posterior under the most likely hyperparameters, in the units of `data`.
    fn fitted(&self, kernel: Kernel, data: &Dataset, stop: &Stop) -> fathom_gp::Result<Posterior> {
        let dim = data.dim();
        // A shift of the inputs changes dot products, so kernels of dot products take the inputs as they are.
        let scaling = match kernel.argument() {
            Argument::SquaredDistance => Scaling::of_data(data, OutputScaling::Standardise)?,
            _ => Scaling::new(data, &vec![(0.0, 1.0); dim], OutputScaling::Standardise)?,
        };
        let groups = self.groups.clone().unwrap_or_else(|| vec![(0..dim).collect()]);
        let share = 1.0 / groups.len().max(1) as f64;
        let start = |group: Vec<usize>| {
            let scales = vec![0.5; if self.ard { group.len() } else { 1 }];
            let term = Term::new(kernel, group, share, &scales)?;
            Ok(if self.ard { term.with_ard() } else { term })
        };
        let structure = Covariance::new(dim, groups.into_iter().map(start).collect::<fathom_gp::Result<_>>()?)?;
        let noise = match self.noise {
            Some(noise) => Noise::Fixed(noise / scaling.variance_back(1.0)),
            None => Noise::Learned { lower: LEARNED.0, upper: LEARNED.1 },
        };
        let settings = FitSettings { noise, seed: self.seed, shape: None, ..FitSettings::default() };
        let late = || stop.load(Ordering::Relaxed);
        let Model { covariance, noise, mean } =
            fit_until(&structure, &scaling.dataset(data)?, &settings, &late)?.posterior.model().clone();
        let back = |term: &Term| {
            let (inputs, variance) = (term.inputs().to_vec(), scaling.variance_back(term.variance()));
            Term::new(term.kernel(), inputs, variance, &scaling.lengthscales_back(term)?)
        };
        let covariance = Covariance::new(dim, covariance.terms().iter().map(back).collect::<fathom_gp::Result<_>>()?)?;
        let model = Model::new(covariance, scaling.variance_back(noise))?.with_mean(scaling.mean_back(mean))?;
        model.condition(data)
    }
}

#[pymethods]
impl GaussianProcess {
    #[new]
    #[pyo3(signature = (kernel = "matern52", *, noise = None, ard = true, groups = None, alpha = 1.0, offset = 1.0, degree = 2, seed = 0, names = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        kernel: &str,
        noise: Option<f64>,
        ard: bool,
        groups: Option<Vec<Vec<usize>>>,
        alpha: f64,
        offset: f64,
        degree: u32,
        seed: u64,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let kernel = Some(named(kernel, alpha, offset, degree)?);
        Ok(Self { kernel, noise, ard, groups, seed, names: Names::new(names)?, posterior: Mutex::new(None) })
    }

    /// A model with known hyperparameters, without fitting.
    ///
    /// Args:
    ///     X: the observed inputs, a row for each observation.
    ///     y: the observed outputs.
    ///     kernel, groups, alpha, offset, degree, names: as for `GaussianProcess`.
    ///     lengthscales: one for all inputs, or one for each.
    ///     signal_variance: the prior variance of the function; with groups, one for each, or one that they share.
    ///     noise_variance: the variance of the observation noise.
    ///     mean: the constant prior mean.
    #[staticmethod]
    // The default of a variance that may be a list has no text of its own.
    #[pyo3(
        signature = (X, y, *, kernel = "matern52", lengthscales, signal_variance = Shares(OneOrEach::One(1.0)), noise_variance = 1e-6, mean = 0.0, groups = None, alpha = 1.0, offset = 1.0, degree = 2, names = None),
        text_signature = "(X, y, *, kernel='matern52', lengthscales, signal_variance=1.0, noise_variance=1e-06, mean=0.0, groups=None, alpha=1.0, offset=1.0, degree=2, names=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    #[expect(non_snake_case, reason = "X is what it is called in Python")]
    fn from_parameters(
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        kernel: &str,
        lengthscales: Lengthscales,
        signal_variance: Shares,
        noise_variance: f64,
        mean: f64,
        groups: Option<Vec<Vec<usize>>>,
        alpha: f64,
        offset: f64,
        degree: u32,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let kernel = named(kernel, alpha, offset, degree)?;
        let data = dataset(X, y)?;
        let names = Names::new(names)?.of(data.dim())?;
        let build = || {
            let groups = groups.unwrap_or_else(|| vec![(0..data.dim()).collect()]);
            let lengthscales = lengthscales.each(data.dim())?;
            let shares = signal_variance.each(groups.len())?;
            let term = |(group, share): (Vec<usize>, f64)| {
                // The covariance names an index that is no input.
                let own: Vec<f64> = group.iter().map(|j| lengthscales.get(*j).copied().unwrap_or(1.0)).collect();
                Term::new(kernel, group, share, &own).map(Term::with_ard)
            };
            let terms = groups.into_iter().zip(shares).map(term).collect::<fathom_gp::Result<_>>()?;
            Model::new(Covariance::new(data.dim(), terms)?, noise_variance)?.with_mean(mean)?.condition(&data)
        };
        Ok(Self { names, ..Self::with(py.detach(build).or_raise()?) })
    }

    /// The `model`, a `GaussianProcessRegressor` that was fitted in scikit-learn, in the units of its data.
    ///
    /// Kernels: `RBF`, `Matern` (ν 1/2, 3/2, 5/2, 7/2), `RationalQuadratic`, `DotProduct` and its powers; times `ConstantKernel`, plus
    /// `WhiteKernel`. `normalize_y` and `alpha`, one number, are taken into account. What cannot be represented exactly is refused by
    /// name. What was read is compared with scikit-learn's predictions, at the data and elsewhere.
    ///
    /// Noise: the deviation of this model is that of the function, without noise. scikit-learn's `return_std` contains the noise of a
    /// `WhiteKernel` (not `alpha`): its square is `deviation**2 + w`, with w the WhiteKernel's `noise_level` in squared units of y
    /// (times the variance of y with `normalize_y`). `noise_variance` is w plus `alpha`, in these units.
    ///
    /// If the data were a table with names of columns, constraints may use these.
    #[staticmethod]
    fn from_sklearn(model: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        foreign("from_sklearn", model)
    }

    /// The `model`, an `ExactGP` of GPyTorch: one `ConstantMean` or `ZeroMean`, one `RBFKernel` or `MaternKernel`, alone or in a `ScaleKernel`, and a
    /// likelihood with one variance of noise. What the inputs go through in `forward` cannot be read: what was read is compared with
    /// GPyTorch's predictions, at the data and elsewhere, and refused if they differ.
    ///
    /// Noise: the deviation is that of the function, without noise: that of `model(x)`, not that of `likelihood(model(x))`. Numbers in
    /// single precision are taken as they are, and predictions are compared in double precision.
    #[staticmethod]
    fn from_gpytorch(model: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        foreign("from_gpytorch", model)
    }

    /// The `model`, a `SingleTaskGP` of BoTorch, in the units of its data: its input and outcome transforms are taken into account. What is not
    /// understood is refused by name (docs/guide/botorch.md has the list). What was read is compared with BoTorch's predictions, at the
    /// data and elsewhere.
    ///
    /// Noise: the deviation is that of the function, without noise: that of `model.posterior(X)`, not that of
    /// `model.posterior(X, observation_noise=True)`. BoTorch maximises; Fathom minimises: negate the outputs first, or use
    /// `fathom.botorch.optimize_acqf_certified`.
    #[staticmethod]
    fn from_botorch(model: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        foreign("from_botorch", model)
    }

    /// Finds the hyperparameters that make the outputs `y` at the rows of `X` most likely; returns the model itself.
    #[expect(non_snake_case, reason = "X is what it is called in Python")]
    fn fit<'py>(slf: Bound<'py, Self>, X: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Bound<'py, Self>> {
        let data = dataset(X, y)?;
        let this = slf.get();
        this.names.clone().of(data.dim())?;
        let Some(kernel) = this.kernel else {
            let message = "its groups have different kernels, which fit cannot learn: make a GaussianProcess with one";
            return Err(InputError::new_err(message));
        };
        let done = stoppable(slf.py(), |stop| this.fitted(kernel, &data, stop));
        if let Some(error) = done.raised {
            return Err(error);
        }
        *lock(&this.posterior) = Some(Arc::new(done.found.or_raise()?));
        Ok(slf)
    }

    /// The posterior mean at every row of `X`, and with `return_std` the deviation (of the function, without noise).
    #[pyo3(signature = (X, return_std = false))]
    #[expect(non_snake_case, reason = "X is what it is called in Python")]
    fn predict<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>, return_std: bool) -> PyResult<Bound<'py, PyAny>> {
        let posterior = self.posterior()?;
        let rows = array::rows("X", X)?;
        let predict = || rows.iter().map(|x| posterior.predict(x)).collect::<fathom_gp::Result<Vec<_>>>();
        let predictions = py.detach(predict).or_raise()?;
        let means = PyArray1::from_iter(py, predictions.iter().map(|prediction| prediction.mean));
        if !return_std {
            return Ok(means.into_any());
        }
        let deviations = PyArray1::from_iter(py, predictions.iter().map(|prediction| prediction.deviation()));
        Ok(PyTuple::new(py, [means, deviations])?.into_any())
    }

    /// Writes a problem file (docs/reference/problem.md): minimise an acquisition function of this model over a box. Numbers are
    /// kept to the last bit.
    ///
    /// Args:
    ///     path: the file to write.
    ///     bounds, acquisition, beta, best, rho, imprecision, constraints, integers, one_of, names: as for `minimize_acquisition`.
    ///     name: the name that the problem gives itself.
    #[pyo3(
        signature = (path, bounds, *, acquisition = "lcb".to_owned(), beta = 4.0, best = None, rho = 1.0, imprecision = 1.0, constraints = None, integers = None, one_of = None, name = "", names = None),
        text_signature = "($self, path, bounds, *, acquisition='lcb', beta=4.0, best=None, rho=1.0, imprecision=1.0, constraints=(), integers=(), one_of=(), name='', names=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn to_problem(
        &self,
        py: Python<'_>,
        path: PathBuf,
        bounds: &Bound<'_, PyAny>,
        acquisition: String,
        beta: f64,
        best: Option<f64>,
        rho: f64,
        imprecision: f64,
        constraints: Option<&Bound<'_, PyAny>>,
        integers: Option<&Bound<'_, PyAny>>,
        one_of: Option<&Bound<'_, PyAny>>,
        name: &str,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        let posterior = self.posterior()?;
        let criterion = Function { acquisition, beta, best, rho, imprecision }.criterion(&posterior)?;
        let reader = py.import("fathom.constraint")?;
        let constraints = constraints.map(|given| reader.call_method1("read_constraints", (given,))).transpose()?;
        let limited = Limited {
            constraints: items("constraints", constraints.as_ref())?,
            integers: items("integers", integers)?,
            one_of: items("one_of", one_of)?,
        };
        let bounds = array::pairs("bounds", &reader.call_method1("read_bounds", (bounds,))?)?;
        let names = Names::new(names)?.or(&self.names).of(bounds.len())?;
        let Limits { region, .. } = region(&bounds, &limited, &names)?;
        py.detach(|| problem::write(&path, &posterior, criterion, region, name))
    }

    /// The observed inputs.
    #[getter]
    #[pyo3(name = "X")]
    fn x<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows: Vec<Vec<f64>> = self.posterior()?.x().rows().collect();
        Ok(PyArray2::from_vec2(py, &rows)?)
    }

    /// The observed outputs.
    #[getter]
    fn y<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.posterior()?.y()))
    }

    /// What the inputs are called; `None` if they have no names, and are x0, x1, … in constraints.
    #[getter]
    fn names(&self) -> Option<&[String]> {
        self.names.given()
    }

    /// The kernel's name; for a sum of different kernels, all names.
    #[getter]
    fn kernel(&self) -> String {
        match (self.kernel, &*lock(&self.posterior)) {
            (Some(kernel), _) => kernel.name().to_string(),
            (None, Some(posterior)) => {
                let terms = posterior.model().covariance.terms();
                terms.iter().map(|term| term.kernel().name().as_str()).collect::<Vec<_>>().join(" + ")
            }
            (None, None) => String::new(),
        }
    }

    /// The lengthscales, one per input, in the input's units.
    #[getter]
    fn lengthscales<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let posterior = self.posterior()?;
        let mut lengthscales = vec![0.0; posterior.x().dim()];
        for term in posterior.model().covariance.terms() {
            for (input, lengthscale) in term.inputs().iter().zip(term.lengthscales()) {
                lengthscales[*input] = *lengthscale;
            }
        }
        Ok(PyArray1::from_vec(py, lengthscales))
    }

    /// The prior variance of the function; with groups, the sum of the groups' variances.
    #[getter]
    fn signal_variance(&self) -> PyResult<f64> {
        Ok(self.posterior()?.model().covariance.terms().iter().map(Term::variance).sum())
    }

    /// The variance of the observation noise.
    #[getter]
    fn noise_variance(&self) -> PyResult<f64> {
        Ok(self.posterior()?.model().noise)
    }

    /// The constant prior mean.
    #[getter]
    fn mean(&self) -> PyResult<f64> {
        Ok(self.posterior()?.model().mean)
    }

    /// The logarithm of the marginal likelihood of `y`.
    #[getter]
    fn log_likelihood(&self) -> PyResult<f64> {
        Ok(self.posterior()?.log_marginal_likelihood())
    }

    fn __repr__(&self) -> String {
        let data = match &*lock(&self.posterior) {
            Some(posterior) => format!("{} observations of {} inputs", posterior.y().len(), posterior.x().dim()),
            None => "no data".into(),
        };
        format!("GaussianProcess(kernel='{}', {data})", self.kernel())
    }
}

/// A model of another library, which the other half of the package reads.
fn foreign(how: &str, model: &Bound<'_, PyAny>) -> PyResult<Py<GaussianProcess>> {
    let read = model.py().import("fathom._foreign")?.call_method1(how, (model,))?;
    Ok(read.cast_into::<GaussianProcess>()?.unbind())
}

/// One lengthscale for all inputs, or one for each.
struct Lengthscales(OneOrEach);

impl Lengthscales {
    fn each(self, dim: usize) -> fathom_gp::Result<Vec<f64>> {
        match self.0 {
            OneOrEach::One(lengthscale) => Ok(vec![lengthscale; dim]),
            OneOrEach::Each(lengthscales) => same_length("the list of lengthscales", lengthscales, dim),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Lengthscales {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        array::one_or_each("lengthscales", &given).map(Self)
    }
}

/// The variance of the whole, shared out equally, or the variance of each group.
struct Shares(OneOrEach);

impl Shares {
    fn each(self, groups: usize) -> fathom_gp::Result<Vec<f64>> {
        match self.0 {
            OneOrEach::One(variance) => Ok(vec![variance / groups as f64; groups]),
            OneOrEach::Each(variances) => same_length("the list of signal variances", variances, groups),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Shares {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        array::one_or_each("signal_variance", &given).map(Self)
    }
}

fn same_length(what: &'static str, list: Vec<f64>, expected: usize) -> fathom_gp::Result<Vec<f64>> {
    if list.len() == expected {
        Ok(list)
    } else {
        Err(fathom_gp::Error::WrongLength { what, expected, found: list.len() })
    }
}

/// The data with every row kept: replicates show the noise.
fn dataset(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Dataset> {
    Dataset::with_replicates(&array::rows("X", x)?, &array::numbers("y", y)?, Replicates::Keep).or_raise()
}

fn named(name: &str, alpha: f64, offset: f64, degree: u32) -> PyResult<Kernel> {
    let name = KernelName::parse_among(name, KernelName::is_of_models).or_raise()?;
    let fields = KernelFields { alpha: Some(alpha), offset: Some(offset), degree: Some(degree), knots: None };
    Kernel::named(name, fields).or_raise()
}
