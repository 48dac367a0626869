//! Where a local method came to rest.

/// Why a method ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its own test of convergence holds; no proof of anything.
    Converged,
    /// The iterations were used up first.
    IterationLimit,
    /// The time ran out first.
    TimeLimit,
    /// The caller asked to stop.
    Interrupted,
    /// It could not make progress any more and says so: at a kink, or at the limits of floating point.
    Stalled,
}

/// The point a method found, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The point: in the box, whole where it must be.
    pub x: Vec<f64>,
    /// The acquisition function there, as evaluated by us; without any penalty.
    pub value: f64,
    /// Whether every row holds there.
    pub feasible: bool,
    /// Evaluations of the acquisition function, with or without its gradient.
    pub evaluations: u64,
    /// Iterations in the method's own count; of all starts together.
    pub iterations: u64,
    /// Why it ended; with many starts, how the best one did, or what cut them short.
    pub ending: Ending,
}

/// The same as the method left it: neither rounded nor evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rest {
    pub x: Vec<f64>,
    pub iterations: u64,
    pub ending: Ending,
}
