//! Why there is no picture.

use std::path::PathBuf;
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum Error {
    /// The study cannot be read, or its model cannot be made.
    #[error(transparent)]
    Study(#[from] fathom_study::Error),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] fathom_files::Error),
    /// There are no data for the picture yet.
    #[error("there is nothing to draw yet: {reason}")]
    NothingYet {
        /// What is missing.
        reason: &'static str,
    },
    /// The ending of a file says how it is written, and this one says nothing.
    #[error("{} must end in {endings}", .path.display())]
    Ending {
        /// The file.
        path: PathBuf,
        /// The endings that there are.
        endings: &'static str,
    },
    /// A name that no free parameter has.
    #[error("there is no parameter {name} to draw along; there are {}", .names.join(", "))]
    NoParameter {
        /// The name.
        name: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// More or fewer parameters than the picture has room for.
    #[error("{picture} {wants}; named were {found}")]
    Count {
        /// The picture.
        picture: &'static str,
        /// What it can be drawn along.
        wants: &'static str,
        /// How many were named.
        found: usize,
    },
    /// A letter that the fonts of every PDF reader lack.
    #[error("the fonts that every PDF reader has lack {letter:?}: write SVG or PNG instead")]
    Letter {
        /// The letter.
        letter: char,
    },
    /// The pixels could not be written.
    #[error("could not make the PNG: {0}")]
    Png(String),
}

/// A result with the reason why there is no picture.
pub type Result<T> = std::result::Result<T, Error>;
