//! Why a file is not written.

use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not written.
#[derive(Debug, Error)]
pub enum Error {
    /// It is a link, a device, a pipe or a folder.
    #[error("{} is {what}: only a regular file is written or replaced; name another file", shown(.path))]
    NotRegular {
        /// Where.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// It is there already.
    #[error("{} exists already, and a file that exists is not overwritten", shown(.path))]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The folder is not there.
    #[error("could not write to the folder {}: {why}", shown(.folder))]
    NoFolder {
        /// Which.
        folder: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// The path does not end in the name of a file.
    #[error("{} does not name a file", shown(.path))]
    NoFile {
        /// As given.
        path: PathBuf,
    },
    /// A name that would leave its folder, or be no name.
    #[error("{name:?} cannot be the name of a file: {why}")]
    BadName {
        /// As given.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// The system says no.
    #[error("could not write {}: {source}", shown(.path))]
    Io {
        /// Where.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

/// Or why not.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.into(), source }
    }
}

fn shown(path: &Path) -> impl std::fmt::Display + '_ {
    path.display()
}

/// What something that is no regular file is.
pub(crate) fn kind(of: FileType) -> &'static str {
    if of.is_symlink() {
        "a symbolic link"
    } else if of.is_dir() {
        "a folder"
    } else {
        "a device, a pipe or a socket"
    }
}
