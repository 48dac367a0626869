//! The directory that a solver works in, and its log.

use crate::error::{Error, Result};
use crate::settings::Settings;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How much of a log is worth showing in an error.
const TAIL: u64 = 2000;

/// How much of a log is searched for the solver's version.
const HEAD: u64 = 20_000;

#[derive(Debug)]
pub(crate) struct Workplace {
    directory: PathBuf,
    log: PathBuf,
    /// Removed when this is dropped.
    _temporary: Option<TempDir>,
}

impl Workplace {
    pub fn new(settings: &Settings) -> Result<Self> {
        let (directory, temporary) = match &settings.directory {
            Some(path) => {
                fs::create_dir_all(path).map_err(failed("making the directory", path))?;
                (std::path::absolute(path).map_err(failed("finding", path))?, None)
            }
            None => {
                let made = tempfile::Builder::new().prefix("fathom-").tempdir();
                let made = made.map_err(failed("making a directory in", &std::env::temp_dir()))?;
                (made.path().to_path_buf(), Some(made))
            }
        };
        let log = match &settings.log {
            Some(path) => std::path::absolute(path).map_err(failed("finding", path))?,
            None => directory.join("log"),
        };
        Ok(Self { directory, log, _temporary: temporary })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// A new file to write to.
    pub fn create(&self, name: &str) -> Result<impl Write> {
        let path = self.directory.join(name);
        Ok(BufWriter::new(File::create(&path).map_err(failed("writing", &path))?))
    }

    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.directory.join(name);
        fs::write(&path, text).map_err(failed("writing", &path))
    }

    /// A file that the solver may have left; None if it did not. A previous run's is removed by [`Self::clear`].
    pub fn read(&self, name: &str) -> Result<Option<String>> {
        let path = self.directory.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("reading", &path)(error)),
        }
    }

    /// Removes a file of an earlier run in the same directory, whose answer must not be taken for this run's.
    pub fn clear(&self, name: &str) -> Result<()> {
        let path = self.directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed("removing", &path)(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The log, empty.
    pub fn open_log(&self) -> Result<File> {
        File::create(&self.log).map_err(failed("writing", &self.log))
    }

    /// The beginning of the log; empty if it cannot be read, since it only ever explains.
    pub fn log_head(&self) -> String {
        self.log_part(0)
    }

    /// The end of the log.
    pub fn log_tail(&self) -> String {
        let length = fs::metadata(&self.log).map_or(0, |data| data.len());
        let tail = self.log_part(length.saturating_sub(TAIL));
        tail.trim().to_string()
    }

    fn log_part(&self, from: u64) -> String {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.log)?;
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(HEAD).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
    }
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let path = path.to_path_buf();
    move |source| Error::File { action, path, source }
}
