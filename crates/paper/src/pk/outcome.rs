//! The outcome of one run of the paper's method.

use crate::theory::Figures;
use fathom_global::{Certificate, Claim, Incumbent, Repairs, Settings, Status};
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
    /// The certificate of the certified search on the whole true function, if it ran.
    pub searched: Option<Certificate>,
    /// The minimum of each group's own function; nothing follows for the whole.
    pub groups: Vec<Certificate>,
    /// What the whole was asked for; each group had its share of the gap.
    pub settings: Settings,
    /// The solver and its version.
    pub solver: String,
    /// Segments of k̃, of all terms together.
    pub segments: usize,
    /// ε_M.
    pub kernel_error: f64,
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
    /// The certificate of the certified search on the true function, if it ran: its bound holds for every point. Its own
    /// point may be better than `x`.
    pub searched: Option<Certificate>,
    /// An estimate of a lower bound of the true function over the region: the certificate's bound less
    /// `approximation_error`. It is not a proof, because that error is evaluated in floating point. `None` if the
    /// theorem says nothing.
    pub true_function_estimate: Option<f64>,
    /// By how much the true function can lie below the piecewise-linear one, by the a-posteriori form of Theorem 4.3 as
    /// evaluated in floating point: an estimate.
    pub approximation_error: Option<f64>,
    /// Section 4.3 for this model and its approximation.
    pub theory: Figures,
    /// The certificate of the piecewise-linear function alone: its best point, our value there, the solver's bound, and the status.
    pub certificate: Certificate,
    /// Segments of k̃, of all terms together.
    pub segments: usize,
    /// ε_M: no covariance is further than this from its piecewise-linear approximation.
    pub kernel_error: f64,
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
    /// The points that were polished or could have been, with their true values, best first.
    pub pool: Vec<Incumbent>,
    /// Usable points of P_full; 0 if the result comes from the start.
    pub full_points: usize,
}

impl PkOutcome {
    /// The certificate of the true function: the suggestion, its value, and the bound that the certified search proved, if
    /// it ran. `certificate` is about the piecewise-linear function and has its own status.
    pub fn of_true_function(&self) -> Certificate {
        let found = Incumbent { x: self.x.clone(), value: self.value };
        of_true_function(found, self.searched.as_ref(), &self.certificate)
    }
}

impl GroupsOutcome {
    /// The certificate of the whole true function, as [`PkOutcome::of_true_function`]. Its boxes are those of all groups
    /// together.
    pub fn of_true_function(&self) -> Certificate {
        let found = Incumbent { x: self.x.clone(), value: self.value };
        let nodes = self.groups.iter().map(|group| group.nodes).sum();
        let seconds = self.groups.iter().map(|group| group.seconds).fold(0.0, f64::max);
        let status = self.groups.iter().map(|group| group.status).find(|status| *status != Status::Optimal);
        let status = status.unwrap_or(Status::Optimal);
        let programs = Certificate { nodes, seconds, status, settings: self.settings, ..self.groups[0].clone() };
        of_true_function(found, self.searched.as_ref(), &programs)
    }
}

/// What is known of the true function at the suggestion, from the search on it or, without one, from the run that found it.
fn of_true_function(found: Incumbent, searched: Option<&Certificate>, programs: &Certificate) -> Certificate {
    let Incumbent { x, value } = found;
    // The search and the descent evaluate the same function; its bound is below the value but for rounding.
    let lower_bound = searched.and_then(|searched| searched.lower_bound).map(|bound| bound.min(value));
    let gap = Certificate::difference(value, lower_bound);
    let Settings { gap: absolute, relative_gap: relative, .. } = programs.settings;
    let is_closed = gap.is_some_and(|gap| gap <= absolute.max(relative * value.abs()));
    let status = match (searched.unwrap_or(programs).status, programs.status) {
        (Status::Infeasible, _) | (_, Status::Infeasible) => Status::Infeasible,
        _ if is_closed => Status::Optimal,
        // The last step is a descent on the true function, which may end beside the minimum.
        (Status::Optimal | Status::Exhausted | Status::Unconfirmed | Status::Local, _) => Status::Local,
        (
            status @ (Status::TimeLimit
            | Status::NodeLimit
            | Status::IterationLimit
            | Status::MemoryLimit
            | Status::SolverLimit
            | Status::Interrupted),
            _,
        ) => status,
    };
    let criterion = match programs.claim {
        Claim::Acquisition { criterion } | Claim::PiecewiseLinear { criterion, .. } => criterion,
    };
    Certificate {
        claim: Claim::Acquisition { criterion },
        x,
        value,
        lower_bound,
        gap,
        relative_gap: Certificate::relative(gap, value),
        status,
        nodes: programs.nodes + searched.map_or(0, |searched| searched.nodes),
        repairs: Repairs { shift: 0.0, ..programs.repairs },
        ..programs.clone()
    }
}
