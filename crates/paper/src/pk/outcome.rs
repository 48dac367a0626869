//! The outcome of one run of the paper's method.

use fathom_global::{Certificate, Claim, Status};
use fathom_gp::Indefiniteness;
use fathom_proof::Proof;

/// The outcome of one run of the paper's method for additive models, group by group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupsOutcome {
    /// The suggestion: the groups' minimisers joined, polished on the whole.
    pub x: Vec<f64>,
    /// The true acquisition function of the whole at `x`; its distance from the minimum is not known.
    pub value: f64,
    /// The value before polishing.
    pub before_polishing: f64,
    /// The minimum of each group's own function; nothing follows for the whole.
    pub groups: Vec<Certificate>,
}

/// The suggested point with its true value, and the certificate of the piecewise-linear function.
#[derive(Debug, Clone, PartialEq)]
pub struct PkOutcome {
    /// The suggestion: of the solver's points the one with the lowest true value, polished.
    pub x: Vec<f64>,
    /// The true acquisition function at `x`, as evaluated by us.
    pub value: f64,
    /// The true acquisition function before polishing.
    pub before_polishing: f64,
    /// An estimate of a lower bound of the true function over the region: the certificate's bound less
    /// `approximation_error`. It is not a proof, because that error is evaluated in floating point. `None` if the
    /// theorem says nothing.
    pub true_function_estimate: Option<f64>,
    /// By how much the true function can lie below the piecewise-linear one, by the a-posteriori form of Theorem 4.3 as
    /// evaluated in floating point: an estimate.
    pub approximation_error: Option<f64>,
    /// The certificate of the piecewise-linear function alone: its best point, our value there, the solver's bound, and the status.
    pub certificate: Certificate,
    /// Segments of k̃, of all terms together.
    pub segments: usize,
    /// How far K̃ was from positive definite before it was repaired.
    pub indefiniteness: Option<Indefiniteness>,
    /// The solver and its version.
    pub solver: String,
    /// The best value as the solver computed it; it differs from `certificate.value` by the effect of tolerances.
    pub claimed_value: Option<f64>,
    /// Seconds of the sub-problem, if it was solved.
    pub sub_seconds: Option<f64>,
    /// Seconds of the full problem.
    pub full_seconds: f64,
    /// Usable points of P_sub.
    pub sub_points: usize,
    /// The proof of the certificate, if the certified search ran and was asked for a proof.
    pub proof: Option<Proof>,
    /// Usable points of P_full; 0 if the result comes from the start.
    pub full_points: usize,
}

impl PkOutcome {
    /// The certificate of the true function: the suggestion and its value. Nothing is proven of the true function, so there is no
    /// bound. `certificate`, which is about the piecewise-linear function, has what is proven and its status.
    pub fn of_true_function(&self) -> Certificate {
        let criterion = match self.certificate.claim {
            Claim::Acquisition { criterion } | Claim::PiecewiseLinear { criterion, .. } => criterion,
        };
        let status = match self.certificate.status {
            // The last step is a descent on the true function.
            Status::Optimal | Status::Exhausted | Status::Unconfirmed | Status::Local | Status::Infeasible => {
                Status::Local
            }
            status @ (Status::TimeLimit
            | Status::NodeLimit
            | Status::IterationLimit
            | Status::MemoryLimit
            | Status::Interrupted) => status,
        };
        Certificate {
            claim: Claim::Acquisition { criterion },
            x: self.x.clone(),
            value: self.value,
            lower_bound: None,
            gap: None,
            relative_gap: None,
            status,
            ..self.certificate.clone()
        }
    }
}
