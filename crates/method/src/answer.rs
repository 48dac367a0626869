//! The answer of every method.

use fathom_global::Certificate;
use fathom_paper::{GroupsOutcome, PkOutcome};
use fathom_proof::Proof;

/// The point that was found, what is known of the true function there, and the proof, if one was wanted and made.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The certificate of the true acquisition function; it has a lower bound only if the method proves one.
    pub certificate: Certificate,
    /// The proof of the certificate; for the paper's method, of the certificate of the piecewise-linear function.
    pub proof: Option<Proof>,
    /// The outcome of the paper's method, if it ran.
    pub detour: Option<Detour>,
}

/// The outcome of the paper's method.
#[derive(Debug, Clone, PartialEq)]
pub enum Detour {
    /// The method minimised the piecewise-linear function; the outcome has its certificate.
    Pk(Box<PkOutcome>),
    /// The method minimised the functions of the groups.
    Groups(Box<GroupsOutcome>),
}

impl Answer {
    /// The polished point with its true value, and what the certified search proved about the true function.
    pub(crate) fn by_the_paper(mut outcome: PkOutcome) -> Self {
        let (certificate, proof) = (outcome.of_true_function(), outcome.proof.take());
        Self { certificate, proof, detour: Some(Detour::Pk(Box::new(outcome))) }
    }

    pub(crate) fn by_groups(outcome: GroupsOutcome) -> Self {
        Self { certificate: outcome.of_true_function(), proof: None, detour: Some(Detour::Groups(Box::new(outcome))) }
    }

    /// The certificate of the piecewise-linear function, if the paper's method ran.
    pub fn pk(&self) -> Option<&PkOutcome> {
        match &self.detour {
            Some(Detour::Pk(outcome)) => Some(outcome),
            Some(Detour::Groups(_)) | None => None,
        }
    }

    /// The outcome of the groups, if each was minimised alone.
    pub fn groups(&self) -> Option<&GroupsOutcome> {
        match &self.detour {
            Some(Detour::Groups(outcome)) => Some(outcome),
            Some(Detour::Pk(_)) | None => None,
        }
    }
}
