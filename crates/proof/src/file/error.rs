//! What is wrong with a file.

use crate::fault::Fault;

/// Most bytes of a head.
pub(super) const MOST_HEAD: usize = 8 << 20;

/// A file that is not a proof, with the reason.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Not a proof, cut short, or altered.
    #[error("the proof file is broken: {0}")]
    Broken(&'static str),
    /// Written by another version of Fathom.
    #[error(
        "the proof file has version {0}, and this program reads version 5: make the proof again (`fathom solve --proof`)"
    )]
    Version(String),
    /// The head is not what it should be.
    #[error("the proof's head is broken: {0}")]
    Head(#[from] serde_json::Error),
    /// The problem is none.
    #[error("the proof's problem is broken: {0}")]
    Problem(#[from] Fault),
    /// The head would be too long to be read back.
    #[error("the problem is too large for a proof file: its head has {0} bytes, and at most {MOST_HEAD} are read")]
    Large(usize),
}
