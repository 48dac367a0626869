//! `fathom.verify`: checks a proof file, and what the proof is about.

use crate::error::{OrRaise as _, ProofError};
use crate::problem;
use crate::trial::Trial;
use crate::verification::{Verification, alone, check, trial_of};
use fathom_global::Statement;
use fathom_proof::Proof;
use pyo3::prelude::*;

/// Checks the bytes of a proof file, and that the proof is about `problem` (the name and text of a problem file) or `trial`.
#[pyfunction]
#[pyo3(signature = (proof, problem = None, trial = None))]
pub fn verify(
    py: Python<'_>,
    proof: &[u8],
    problem: Option<(String, String)>,
    trial: Option<&Bound<'_, Trial>>,
) -> PyResult<Verification> {
    let of = match (problem, trial) {
        (Some((file, text)), _) => {
            let statement = py.detach(|| problem::parse(&file, &text))?;
            Some((file, statement))
        }
        (None, Some(trial)) => Some(asked(py, trial.get())?),
        (None, None) => None,
    };
    let bytes = proof.to_vec();
    alone(py, move || {
        let proof = Proof::from_bytes(&bytes).or_raise()?;
        if let Some((name, statement)) = &of
            && let Some(difference) = proof.statement.difference(statement)
        {
            return Err(ProofError::new_err(format!("the proof is not about {name}: {difference}")));
        }
        Ok(check(&proof)?.about_what(of.map(|(name, _)| name)))
    })
}

/// The problem of a trial, and the trial's name in messages.
fn asked(py: Python<'_>, trial: &Trial) -> PyResult<(String, Statement)> {
    trial.ask(py, |study, id, _| {
        let statement = study.statement(id)?;
        Ok((trial_of(&study.definition().name, id), statement))
    })
}
