//! The answer of every method.

use fathom_global::{Certificate, Claim, Repairs, Settings, Status, Version};
use fathom_gp::{Criterion, Posterior};
use fathom_paper::{GroupsOutcome, PkOutcome, PkSettings};
use fathom_proof::Proof;
use std::time::Duration;

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
    Groups(GroupsOutcome),
}

impl Answer {
    /// The polished point with its true value, of which nothing is proven.
    pub(crate) fn by_the_paper(mut outcome: PkOutcome) -> Self {
        let (certificate, proof) = (outcome.of_true_function(), outcome.proof.take());
        Self { certificate, proof, detour: Some(Detour::Pk(Box::new(outcome))) }
    }

    pub(crate) fn by_groups(
        outcome: GroupsOutcome,
        posterior: &Posterior,
        criterion: Criterion,
        settings: &PkSettings,
        elapsed: Duration,
    ) -> Self {
        let certificate = Certificate {
            version: Version,
            claim: Claim::Acquisition { criterion: criterion.name() },
            x: outcome.x.clone(),
            value: outcome.value,
            lower_bound: None,
            gap: None,
            relative_gap: None,
            status: Status::Local,
            nodes: outcome.groups.iter().map(|group| group.nodes).sum(),
            seconds: elapsed.as_secs_f64(),
            seed: settings.seed,
            settings: Settings {
                gap: settings.gap,
                relative_gap: settings.relative_gap,
                time_limit: settings.time.map(|time| time.as_secs_f64()),
                node_limit: None,
                threads: settings.threads,
            },
            repairs: Repairs { jitter: posterior.factor().jitter(), shift: 0.0 },
            pool: Vec::new(),
        };
        Self { certificate, proof: None, detour: Some(Detour::Groups(outcome)) }
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
