//! `Certificate`.

use crate::error::{OrRaise as _, ProofError};
use crate::verification::{Verification, confirmed};
use fathom_global::{Certificate as Inner, Claim, Incumbent, Proof, Status};
use fathom_paper::theory::Figures;
use fathom_paper::{GroupsOutcome, PkOutcome};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// The best point found, a lower bound of the acquisition function if one was proven, and how they came about.
#[pyclass(frozen, module = "fathom", name = "Certificate")]
pub struct Certificate {
    pub inner: Inner,
    proof: Option<Arc<Proof>>,
    paper: Option<Paper>,
}

/// What the paper's method adds.
struct Paper {
    /// The certificates of the piecewise-linear functions, one if it was minimised as a whole, else one a group.
    piecewise_linear: Vec<Py<Certificate>>,
    run: Run,
}

/// How the paper's method came to its point.
pub struct Run {
    solver: String,
    segments: usize,
    kernel_error: f64,
    before_polishing: f64,
    /// An estimate of the true function's least value.
    estimate: Option<f64>,
    /// Section 4.3 in numbers, by name.
    theory: Vec<(&'static str, f64)>,
    /// The points that were polished or could have been, with their true values.
    pool: Vec<Incumbent>,
}

impl From<PkOutcome> for Run {
    fn from(outcome: PkOutcome) -> Self {
        Self {
            solver: outcome.solver,
            segments: outcome.segments,
            kernel_error: outcome.kernel_error,
            before_polishing: outcome.before_polishing,
            estimate: outcome.true_function_estimate,
            theory: named(outcome.theory),
            pool: outcome.pool,
        }
    }
}

/// The figures by the names that `--json` has.
fn named(theory: Figures) -> Vec<(&'static str, f64)> {
    vec![
        ("mean_error", theory.mean_error),
        ("deviation_error", theory.deviation_error),
        ("printed_mean_error", theory.printed_mean_error),
        ("printed_deviation_error", theory.printed_deviation_error),
        ("c_mu", theory.c_mu),
        ("c_sigma", theory.c_sigma),
        ("information_gain", theory.information_gain),
    ]
}

impl From<GroupsOutcome> for Run {
    fn from(outcome: GroupsOutcome) -> Self {
        Self {
            solver: outcome.solver,
            segments: outcome.segments,
            kernel_error: outcome.kernel_error,
            before_polishing: outcome.before_polishing,
            estimate: None,
            theory: Vec::new(),
            pool: Vec::new(),
        }
    }
}

impl Certificate {
    /// The certificate with its proof, if there is one.
    pub fn new(inner: Inner, proof: Option<Proof>) -> Self {
        Self { inner, proof: proof.map(Arc::new), paper: None }
    }

    /// The certificate of the true function, by way of those of piecewise-linear functions.
    pub fn by_way_of(inner: Inner, piecewise_linear: Vec<Py<Self>>, run: Run) -> Self {
        Self { inner, proof: None, paper: Some(Paper { piecewise_linear, run }) }
    }

    /// Whether a proof says what this certificate does: the bound is as good and, for the true function, the point the same if the
    /// proof has one.
    fn follows_from(&self, proof: &Proof) -> bool {
        let (stated, certificate) = (&proof.claim, &self.inner);
        let bound = match (certificate.lower_bound, stated.lower_bound) {
            (Some(claimed), Some(proven)) => claimed <= proven,
            (claimed, proven) => claimed == proven,
        };
        // The paper's method may know a better point of the piecewise-linear function than the search that proves its bound. A proof
        // without a point is of the bound alone: there is no point, or rounding leaves its value unknown.
        let same_point = match &stated.point {
            None => true,
            Some(point) => *point == certificate.x && stated.value == Some(certificate.value),
        };
        bound && (same_point || matches!(certificate.claim, Claim::PiecewiseLinear { .. }))
    }

    fn summary(&self) -> String {
        let Inner { x, value, lower_bound, gap, status, nodes, seconds, claim, .. } = &self.inner;
        let ended = match status {
            Status::Local if self.paper.is_some() => match lower_bound {
                None => "the paper's method; nothing is proven of this function",
                Some(_) => "the paper's method; the minimum lies between value and bound",
            },
            Status::Optimal => "proven optimal within the gap",
            Status::TimeLimit => "not proven: time limit",
            Status::NodeLimit => "not proven: node limit",
            Status::IterationLimit => "the iterations were used up; nothing is proven",
            Status::Interrupted => "not proven: interrupted",
            Status::Infeasible => "proven infeasible: no point satisfies the constraints",
            Status::Local => "a local minimum; nothing is proven",
            Status::Exhausted => "not proven to the gap asked for",
            Status::Unconfirmed => "not proven: closed by the solver's values, but not by ours",
            Status::MemoryLimit => "not proven: memory limit",
            Status::SolverLimit => "not proven: a limit of the solver",
        };
        let (what, criterion) = match claim {
            Claim::PiecewiseLinear { criterion, .. } => (" under the piecewise-linear kernel", criterion.as_str()),
            Claim::Acquisition { criterion } => ("", criterion.as_str()),
        };
        let mut text = format!("{criterion}{what}: {ended}");
        if !x.is_empty() {
            let x: Vec<String> = x.iter().map(|x| format!("{x:.6}")).collect();
            text += &format!("\n  x            [{}]\n  value        {value:.6}", x.join(", "));
        }
        if let Some(bound) = lower_bound {
            let gap = gap.map(|gap| format!(" (gap {gap:.1e})")).unwrap_or_default();
            text += &format!("\n  lower bound  {bound:.6}, no point is lower{gap}");
        }
        if let Some(estimate) = self.paper.as_ref().and_then(|paper| paper.run.estimate) {
            text += &format!("\n  estimate     {estimate:.6} of the least value, not proven");
        }
        text + &format!("\n  {nodes} boxes in {:.1} ms", seconds * 1e3)
    }
}

/// The function that makes a certificate again, and its arguments, for pickling.
type Pickled<'py> = (Bound<'py, PyAny>, (String, Option<Bound<'py, PyBytes>>));

#[pymethods]
impl Certificate {
    /// Reads the `text` that `to_json` wrote; the `proof` that was kept beside it may be given too.
    #[staticmethod]
    #[pyo3(signature = (text, proof = None))]
    fn from_json(py: Python<'_>, text: &str, proof: Option<&[u8]>) -> PyResult<Self> {
        let inner = Inner::from_json(text).or_raise()?;
        let read = |bytes| py.detach(|| Proof::from_bytes(bytes)).or_raise();
        Ok(Self::new(inner, proof.map(read).transpose()?))
    }

    /// The certificate as one line of JSON (docs/reference/certificate.md), every bit kept; without the proof.
    fn to_json(&self) -> PyResult<String> {
        self.inner.to_json().or_raise()
    }

    /// Checks the proof with separate code in interval arithmetic; raises `ProofError` if the proof does not hold.
    fn verify(&self, py: Python<'_>) -> PyResult<Verification> {
        let Some(proof) = &self.proof else {
            let way_out = match &self.paper {
                Some(_) => {
                    "the proof, if there is one, is about the piecewise-linear function: verify .piecewise_linear"
                }
                None => "the certificate came without a proof: use fathom.minimize_acquisition(..., proof=True)",
            };
            return Err(ProofError::new_err(format!("there is nothing to check: {way_out}")));
        };
        if !self.follows_from(proof) {
            return Err(ProofError::new_err("the proof is about another certificate: point, value or bound differ"));
        }
        confirmed(py, Arc::clone(proof))
    }

    /// The proof as the bytes of a file that `fathom verify` reads; `None` if there is none.
    #[getter]
    fn proof<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(proof) = &self.proof else { return Ok(None) };
        let bytes = py.detach(|| proof.to_bytes()).or_raise()?;
        Ok(Some(PyBytes::new(py, &bytes)))
    }

    /// The certificate of the piecewise-linear function, if method `pk` went by way of it: what is proven, and the status.
    #[getter]
    fn piecewise_linear(&self, py: Python<'_>) -> Option<Py<Self>> {
        match &self.paper.as_ref()?.piecewise_linear[..] {
            [one] => Some(one.clone_ref(py)),
            _ => None,
        }
    }

    /// The certificates of the groups' piecewise-linear functions, if each group was minimised alone; else empty.
    #[getter]
    fn groups(&self, py: Python<'_>) -> Vec<Py<Self>> {
        match self.paper.as_ref().map(|paper| &paper.piecewise_linear[..]) {
            None | Some([_]) => Vec::new(),
            Some(groups) => groups.iter().map(|group| group.clone_ref(py)).collect(),
        }
    }

    /// Method `pk`: how it came to the point, as a dict with `solver`, `segments` (M), `kernel_error` (ε_M),
    /// `value_before_polishing`, `theory` (Section 4.3 in numbers) and `pool`, the points with their true values. `None` for other methods.
    #[getter]
    fn pk<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(Paper { run, .. }) = &self.paper else { return Ok(None) };
        let found = PyDict::new(py);
        found.set_item("solver", &run.solver)?;
        found.set_item("segments", run.segments)?;
        found.set_item("kernel_error", run.kernel_error)?;
        found.set_item("value_before_polishing", run.before_polishing)?;
        let pool: Vec<_> = run.pool.iter().map(|point| (PyArray1::from_slice(py, &point.x), point.value)).collect();
        found.set_item("pool", pool)?;
        let theory = PyDict::new(py);
        for (name, value) in &run.theory {
            theory.set_item(name, value)?;
        }
        found.set_item("theory", theory)?;
        Ok(Some(found))
    }

    /// Method `pk`: an estimate of the true function's least value, the bound of `piecewise_linear` less the error of
    /// Theorem 4.3. It is evaluated in floating point and is not a proof; it can be too high. `None` for other methods.
    #[getter]
    fn true_function_estimate(&self) -> Option<f64> {
        self.paper.as_ref().and_then(|paper| paper.run.estimate)
    }

    /// The best point found; empty if none is known.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.inner.x)
    }

    /// The acquisition function there; infinite without a point.
    #[getter]
    fn value(&self) -> f64 {
        self.inner.value
    }

    /// No point has a smaller value, which the search has proven. `None` if nothing is proven. `verify` checks the proof.
    #[getter]
    fn lower_bound(&self) -> Option<f64> {
        self.inner.lower_bound
    }

    /// `value - lower_bound`.
    #[getter]
    fn gap(&self) -> Option<f64> {
        self.inner.gap
    }

    /// `gap / abs(value)`.
    #[getter]
    fn relative_gap(&self) -> Option<f64> {
        self.inner.relative_gap
    }

    /// Why the search ended: `optimal`, `time_limit`, `node_limit`, `iteration_limit`, `interrupted`, `infeasible`, `local`,
    /// `exhausted`, `unconfirmed`, `memory_limit` or `solver_limit`.
    #[getter]
    fn status(&self) -> &'static str {
        self.inner.status.name()
    }

    /// Boxes bounded.
    #[getter]
    fn nodes(&self) -> u64 {
        self.inner.nodes
    }

    /// Seconds that the search took, by the clock.
    #[getter]
    fn seconds(&self) -> f64 {
        self.inner.seconds
    }

    /// The best distinct local minima met, best first, as (x, value); empty unless `pool` was asked for.
    #[getter]
    fn pool<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyArray1<f64>>, f64)> {
        self.inner.pool.iter().map(|point| (PyArray1::from_slice(py, &point.x), point.value)).collect()
    }

    fn __str__(&self) -> String {
        self.summary()
    }

    fn __repr__(&self) -> String {
        let Inner { value, lower_bound, status, .. } = &self.inner;
        let bound = lower_bound.map_or("None".into(), |bound| bound.to_string());
        format!("Certificate(status='{}', value={value}, lower_bound={bound})", status.name())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        let this = slf.get();
        Ok((slf.get_type().getattr("from_json")?, (this.to_json()?, this.proof(slf.py())?)))
    }
}
