//! The proof behind a suggestion, and what came of checking it.

use fathom_check::Verdict;
use fathom_proof::Proof;
use std::fmt;

/// The proof behind a suggestion, made again from the study's own trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialProof {
    /// The trial.
    pub id: u64,
    /// The statement, what is claimed of it, and the evidence. The point of the claim is the trial's.
    pub proof: Proof,
    /// What the proof is about.
    pub scope: Scope,
    /// Whether the hyperparameters came out the same when they were fitted again; if not, the proof is about the stored
    /// ones.
    pub is_fit_reproduced: bool,
    /// Why the proof is about this trial of this study, a sentence each.
    pub reasons: Vec<String>,
}

/// What a proof of a suggestion is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The acquisition function, of which the trial's point is the minimum to within the gap that the claim shows.
    Minimum,
    /// The acquisition function over the whole space, points tried before included. The trial's point is the best of those
    /// that were left of a finite space, or of a sample if a limit ended the search before it met a point; each was evaluated
    /// in floating point.
    BestLeft,
    /// The acquisition function under the piecewise-linear kernel. Nothing is proven of the true function.
    PiecewiseLinear,
}

impl Scope {
    /// The scope's name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::BestLeft => "best_left",
            Self::PiecewiseLinear => "piecewise_linear",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minimum => "the acquisition function",
            Self::BestLeft => "the acquisition function over the whole space, points tried before included",
            Self::PiecewiseLinear => "the piecewise-linear function; nothing is proven of the true one",
        })
    }
}

/// A proof of a suggestion that the checker has accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// The proof, and why it is about this study.
    pub proof: TrialProof,
    /// What the checker found.
    pub verdict: Verdict,
}
