//! `Verification`: what the checker has confirmed, of which problem.

use crate::background::{Stopped, on_subject};
use crate::error::ProofError;
use fathom_check::Verdict;
use fathom_proof::Proof;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the checker has confirmed.
#[pyclass(frozen, module = "fathom", name = "Verification")]
pub struct Verification {
    verdict: Verdict,
    problem: String,
    claim: String,
    about: Option<String>,
    reasons: Vec<String>,
}

impl Verification {
    fn new(proof: &Proof, verdict: Verdict) -> Self {
        let value = verdict.value.map(|(low, high)| format!(" That value lies between {low} and {high}."));
        let claim = format!("{}{}", proof.claim, value.unwrap_or_default());
        Self { verdict, problem: proof.statement.to_string(), claim, about: None, reasons: Vec::new() }
    }

    /// The same for a proof that was compared with `about`, and is about it.
    pub fn about_what(self, about: Option<String>) -> Self {
        Self { about, ..self }
    }

    /// The verification of the proof behind a trial.
    pub fn of_trial(study: &str, verified: &fathom_study::Verification) -> Self {
        let made = &verified.proof;
        let about = Some(trial_of(study, made.id));
        Self { about, reasons: made.reasons.clone(), ..Self::new(&made.proof, verified.verdict) }
    }
}

pub fn trial_of(study: &str, id: u64) -> String {
    format!("trial {id} of `{study}`")
}

/// Checks a proof in the background; Ctrl-C does not wait for the check.
pub fn confirmed(py: Python<'_>, proof: Arc<Proof>) -> PyResult<Verification> {
    alone(py, move || check(&proof))
}

/// Does work in the background that needs no subject.
pub fn alone<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send + 'static) -> PyResult<T> {
    let nobody = Arc::new(Mutex::new(()));
    let Stopped { found, raised } = on_subject(py, &nobody, Duration::ZERO, move |(), _| work(), |(), _| ())?;
    raised.map_or(found, Err)
}

pub fn check(proof: &Proof) -> PyResult<Verification> {
    let verdict = fathom_check::verify(proof)
        .map_err(|rejection| ProofError::new_err(format!("the proof is refused: {rejection}")))?;
    Ok(Verification::new(proof, verdict))
}

#[pymethods]
impl Verification {
    /// The problem that the proof is about, in words: function, kernel, noise, data and region.
    #[getter]
    fn problem(&self) -> &str {
        &self.problem
    }

    /// What is proven of the problem, in a sentence or two.
    #[getter]
    fn claim(&self) -> &str {
        &self.claim
    }

    /// What the proof was compared with and is about: a problem file, or a trial of a study; `None` if it was
    /// compared with nothing.
    #[getter]
    fn about(&self) -> Option<&str> {
        self.about.as_deref()
    }

    /// Why the proof is about the trial, a sentence each, from `Study.verify`.
    #[getter]
    fn reasons(&self) -> Vec<String> {
        self.reasons.clone()
    }

    /// Boxes in the proof.
    #[getter]
    fn boxes(&self) -> usize {
        self.verdict.boxes
    }

    /// No point has a smaller value; `None` if it is confirmed that there are no points.
    #[getter]
    fn lower_bound(&self) -> Option<f64> {
        self.verdict.lower_bound
    }

    /// Two numbers with the best point's true value between them; `None` without a point.
    #[getter]
    fn value(&self) -> Option<(f64, f64)> {
        self.verdict.value
    }

    fn __str__(&self) -> String {
        let Self { verdict, problem, claim, about, reasons } = self;
        let mut text = format!("{problem}\n{claim}");
        if let Some(about) = about {
            text += &format!("\nThe proof is about {about}.");
        }
        for reason in reasons {
            text += &format!("\n* {reason}");
        }
        text + &format!("\n{} boxes were checked. The proof says nothing of whether the model is right.", verdict.boxes)
    }

    fn __repr__(&self) -> String {
        let bound = self.verdict.lower_bound.map_or("None".into(), |bound| bound.to_string());
        format!("Verification(boxes={}, lower_bound={bound})", self.verdict.boxes)
    }
}
