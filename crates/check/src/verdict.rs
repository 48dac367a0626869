//! The result of a check.

/// The facts that a check has proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The number of boxes in the proof.
    pub boxes: usize,
    /// The claimed lower bound, now proven; none if the region is proven to have no points.
    pub lower_bound: Option<f64>,
    /// An enclosure of the best point's value, if there is one.
    pub value: Option<(f64, f64)>,
}

/// Why a proof is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{culprit}: {reason}")]
pub struct Rejection {
    /// The part that does not hold.
    pub culprit: String,
    /// What is wrong with that part.
    pub reason: String,
}

pub(crate) fn refuse<T>(culprit: impl Into<String>, reason: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { culprit: culprit.into(), reason: reason.into() })
}
