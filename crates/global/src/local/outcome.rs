//! Where a local method came to rest.

use super::Settings;
use crate::certificate::{self, Certificate, Repairs, Status, Version};
use fathom_gp::Acquisition;

/// Why a method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The method's own test of convergence holds; it proves nothing.
    Converged,
    /// The iterations were used up first.
    IterationLimit,
    /// The time ran out first.
    TimeLimit,
    /// The caller asked to stop.
    Interrupted,
    /// The method says that it cannot make progress any more: at a kink, or at the limits of floating point.
    Stalled,
}

/// The point that a method found, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The point: in the box, and whole on every integer side.
    pub x: Vec<f64>,
    /// The acquisition function there, as evaluated by us; without any penalty.
    pub value: f64,
    /// Whether every row holds there.
    pub feasible: bool,
    /// Evaluations of the acquisition function, with or without its gradient.
    pub evaluations: u64,
    /// Iterations in the method's own count; of all starts together.
    pub iterations: u64,
    /// Why the method ended; if there are many starts, why the best one ended, or what cut them short.
    pub ending: Ending,
}

impl Outcome {
    /// The outcome as a certificate: a point, its value, and no bound. A point at which a row does not hold is left out.
    pub fn certificate(&self, acquisition: &Acquisition<'_>, settings: &Settings, seconds: f64) -> Certificate {
        let status = match self.ending {
            Ending::Converged | Ending::Stalled => Status::Local,
            Ending::IterationLimit => Status::IterationLimit,
            Ending::TimeLimit => Status::TimeLimit,
            Ending::Interrupted => Status::Interrupted,
        };
        Certificate {
            version: Version,
            claim: certificate::Claim::Acquisition { criterion: acquisition.criterion().name() },
            x: if self.feasible { self.x.clone() } else { Vec::new() },
            value: if self.feasible { self.value } else { f64::INFINITY },
            lower_bound: None,
            gap: None,
            relative_gap: None,
            status,
            nodes: 0,
            seconds,
            seed: settings.seed,
            settings: certificate::Settings {
                gap: 0.0,
                relative_gap: 0.0,
                time_limit: settings.time.map(|time| time.as_secs_f64()),
                node_limit: None,
                threads: 1,
            },
            repairs: Repairs { jitter: acquisition.posterior().factor().jitter(), shift: 0.0 },
            pool: Vec::new(),
        }
    }
}

/// The result as the method left it: neither rounded nor evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// The point.
    pub x: Vec<f64>,
    /// Iterations in the method's own count.
    pub iterations: u64,
    /// Why it ended.
    pub ending: Ending,
}
