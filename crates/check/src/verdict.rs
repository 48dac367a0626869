//! What comes out of a check.

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Boxes in the proof.
    pub boxes: usize,
    /// The claimed lower bound, now checked; none if it is checked that the region has no points.
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
    /// What is wrong with it.
    pub reason: String,
}

pub(crate) fn refuse<T>(culprit: impl Into<String>, reason: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { culprit: culprit.into(), reason: reason.into() })
}
