//! Why a file is not written.

use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not written.
#[derive(Debug, Error)]
pub enum Error {
    /// The destination is a link, a device, a pipe or a folder.
    #[error("{} is {what}: only a regular file is written or replaced; name another file", shown(.path))]
    NotRegular {
        /// The destination.
        path: PathBuf,
        /// What the destination is, with its article.
        what: &'static str,
    },
    /// The destination exists already.
    #[error("{} exists already, and a file that exists is not overwritten", shown(.path))]
    Exists {
        /// The destination.
        path: PathBuf,
    },
    /// The folder does not exist, or is a file.
    #[error("could not write to the folder {}: {why}", shown(.folder))]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with the folder.
        why: &'static str,
    },
    /// The path does not end in the name of a file.
    #[error("{} does not name a file", shown(.path))]
    NoFile {
        /// The path as given.
        path: PathBuf,
    },
    /// The name would lead out of its folder, or is not a name.
    #[error("{name:?} cannot be the name of a file: {why}")]
    BadName {
        /// The name as given.
        name: String,
        /// What is wrong with the name.
        why: &'static str,
    },
    /// The operating system reports an error.
    #[error("could not write {}: {source}", shown(.path))]
    Io {
        /// The destination.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A result with the reason why a file is not written.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.into(), source }
    }
}

fn shown(path: &Path) -> impl std::fmt::Display + '_ {
    path.display()
}

/// The kind of a file that is not regular, with its article.
pub(crate) fn kind(of: FileType) -> &'static str {
    if of.is_symlink() {
        "a symbolic link"
    } else if of.is_dir() {
        "a folder"
    } else {
        "a device, a pipe or a socket"
    }
}
