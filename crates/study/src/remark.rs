//! One sentence about a store.

/// One sentence about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Whether somebody should act on the sentence.
    pub is_finding: bool,
    /// The sentence.
    pub text: String,
}

impl Remark {
    pub(crate) fn fact(text: impl Into<String>) -> Self {
        Self { is_finding: false, text: text.into() }
    }

    pub(crate) fn finding(text: impl Into<String>) -> Self {
        Self { is_finding: true, text: text.into() }
    }
}
