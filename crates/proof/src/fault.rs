//! What is wrong with a problem.

/// The first field of a problem that is out of its domain or disagrees with another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {reason}")]
pub struct Fault {
    /// The field, as files call it.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

/// A problem that cannot be stated.
pub(crate) fn fault<T>(field: &'static str, reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { field, reason: reason.into() })
}
