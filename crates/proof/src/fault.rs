//! A mistake in a problem.

/// The first field of a problem that is out of its domain or disagrees with another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {reason}")]
pub struct Fault {
    /// The name of the field in files.
    pub field: &'static str,
    /// What is wrong with the field.
    pub reason: String,
}

/// The error for a field and a reason.
pub(crate) fn fault<T>(field: &'static str, reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { field, reason: reason.into() })
}
