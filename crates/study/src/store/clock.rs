//! The clock of the file system that keeps a database: one clock for all who share the file, on a network too.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
#[derive(Debug)]
pub(super) enum Clock {
    /// The clock of this process, for a store in memory.
    Process,
    /// The clock of the file system under this folder.
    Folder(PathBuf),
}

impl Clock {
    /// The clock for the database at `path`; SQLite gives a database in memory an empty name.
    pub fn of(path: Option<&str>) -> Self {
        match path.filter(|path| !path.is_empty()).map(Path::new) {
            None => Self::Process,
            Some(path) => match path.parent() {
                Some(folder) if folder != Path::new("") => Self::Folder(folder.to_owned()),
                Some(_) | None => Self::Folder(".".into()),
            },
        }
    }

    /// Seconds since 1970.
    pub fn now(&self) -> Result<f64> {
        let time = match self {
            Self::Process => SystemTime::now(),
            // A file that is made now has the present time, by the clock of its file system.
            Self::Folder(folder) => tempfile::tempfile_in(folder)
                .and_then(|file| file.metadata()?.modified())
                .map_err(|source| Error::Clock { folder: folder.clone(), source })?,
        };
        Ok(time.duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64()))
    }
}

/// A time to the millisecond: as many digits as every database writes.
pub(super) fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
