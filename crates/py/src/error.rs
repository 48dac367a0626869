//! Errors of Rust as the exceptions of `fathom.errors`, with the same words.

use pyo3::types::PyAnyMethods as _;
use pyo3::{PyErr, PyResult, Python, import_exception};

import_exception!(fathom.errors, FathomError);
import_exception!(fathom.errors, InputError);
import_exception!(fathom.errors, StoreError);
import_exception!(fathom.errors, ProofError);
import_exception!(fathom.errors, ExhaustedError);
import_exception!(fathom.errors, Interrupted);

/// An error that becomes an exception.
pub trait Raise {
    /// The exception.
    fn raised(self) -> PyErr;
}

/// A result whose error becomes an exception.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(E::raised)
    }
}

impl Raise for fathom_gp::Error {
    fn raised(self) -> PyErr {
        InputError::new_err(self.to_string())
    }
}

impl Raise for fathom_proof::UnknownName {
    fn raised(self) -> PyErr {
        InputError::new_err(self.to_string())
    }
}

impl Raise for fathom_global::Error {
    fn raised(self) -> PyErr {
        InputError::new_err(self.to_string())
    }
}

impl Raise for fathom_method::Error {
    fn raised(self) -> PyErr {
        use fathom_method::Error as E;
        let message = self.to_string();
        // A solver that is missing or wrong is no mistake in the input.
        if matches!(self, E::Program(_) | E::FalseClaim { .. } | E::NoFeasiblePoint { .. }) {
            FathomError::new_err(message)
        } else {
            InputError::new_err(message)
        }
    }
}

impl Raise for fathom_sheet::Error {
    fn raised(self) -> PyErr {
        // Python tells files that are missing from those that nobody may read.
        if let Self::Io { source, .. } = &self {
            return std::io::Error::new(source.kind(), self.to_string()).into();
        }
        InputError::new_err(self.to_string())
    }
}

impl Raise for fathom_study::BadValues {
    fn raised(self) -> PyErr {
        InputError::new_err(self.to_string())
    }
}

impl Raise for fathom_study::Error {
    fn raised(self) -> PyErr {
        use fathom_study::Error as E;
        let message = self.to_string();
        let is_input = matches!(
            self,
            E::File { .. }
                | E::BadSetting { .. }
                | E::BadParameter { .. }
                | E::BadConstraint { .. }
                | E::BadValue { .. }
                | E::Unchangeable { .. }
                | E::NoSuchChange { .. }
                | E::Violated { .. }
                | E::BadStrategy { .. }
                | E::Infeasible { .. }
                | E::BadValues(_)
                | E::NoSuchTrial { .. }
                | E::AlreadyFinished { .. }
                | E::DifferentSpace { .. }
                | E::BadUrl { .. }
                | E::NoPostgres { .. }
                | E::BadAddress { .. }
                | E::Model(_)
        );
        let is_temporary = self.is_temporary();
        if let E::Untold { id, outcome, .. } = self {
            untold(message, id, &outcome, is_temporary)
        } else if let E::Search(error) = self {
            error.raised()
        } else if is_input {
            InputError::new_err(message)
        } else if matches!(self, E::NoProof { .. } | E::Different { .. } | E::Refused { .. }) {
            ProofError::new_err(message)
        } else if matches!(self, E::Exhausted { .. } | E::NoNewPoint) {
            ExhaustedError::new_err(message)
        } else {
            // All else comes from a store; a build with PostgreSQL has more of these.
            StoreError::new_err(message)
        }
    }
}

/// A store did not take a value: the exception carries the value.
fn untold(message: String, id: u64, outcome: &fathom_study::Outcome, is_temporary: bool) -> PyErr {
    let error = StoreError::new_err(message);
    let described = Python::attach(|py| {
        let value = error.value(py);
        value.setattr("trial", id)?;
        value.setattr("value", outcome.objective())?;
        value.setattr("is_temporary", is_temporary)
    });
    described.map_or_else(|failed| failed, |()| error)
}

impl Raise for fathom_picture::Error {
    fn raised(self) -> PyErr {
        use fathom_picture::Error as E;
        match self {
            E::Study(error) => error.raised(),
            E::File(_) => StoreError::new_err(self.to_string()),
            E::Png(_) => FathomError::new_err(self.to_string()),
            E::NothingYet { .. } | E::Ending { .. } | E::NoParameter { .. } | E::Count { .. } | E::Letter { .. } => {
                InputError::new_err(self.to_string())
            }
        }
    }
}

impl Raise for fathom_proof::FileError {
    fn raised(self) -> PyErr {
        ProofError::new_err(self.to_string())
    }
}

impl Raise for fathom_check::Rejection {
    fn raised(self) -> PyErr {
        ProofError::new_err(self.to_string())
    }
}
