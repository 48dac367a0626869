//! The directory that a solver works in, and its log.

use crate::error::{Error, Result};
use crate::settings::Settings;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The number of bytes of a log that an error shows.
const TAIL: u64 = 2000;

/// The number of bytes of a log that are searched for the solver's version.
const HEAD: u64 = 20_000;

#[derive(Debug)]
pub(crate) struct WorkDirectory {
    directory: PathBuf,
    log: PathBuf,
    /// The temporary directory, which is removed on drop.
    _temporary: Option<TempDir>,
}

impl WorkDirectory {
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

    /// A file that the solver may have left; none if there is no such file. [`Self::clear`] removes the file of an earlier run.
    pub fn read(&self, name: &str) -> Result<Option<String>> {
        let path = self.directory.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("reading", &path)(error)),
        }
    }

    /// Removes a file of an earlier run in the same directory, so that its answer is not taken for this run's.
    pub fn clear(&self, name: &str) -> Result<()> {
        let path = self.directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed("removing", &path)(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The files `prefix_0.sol`, `prefix_1.sol` and so on that the solver left, in this order.
    pub fn read_numbered(&self, prefix: &str) -> Vec<String> {
        let text = |n: u32| fs::read_to_string(self.directory.join(numbered(prefix, n))).ok();
        (0..).map_while(text).collect()
    }

    /// Removes such files of an earlier run.
    pub fn clear_numbered(&self, prefix: &str) -> Result<()> {
        let names = (0..).map(|n| numbered(prefix, n)).take_while(|name| self.directory.join(name).exists());
        names.collect::<Vec<_>>().iter().try_for_each(|name| self.clear(name))
    }

    /// Opens an empty log.
    pub fn open_log(&self) -> Result<File> {
        File::create(&self.log).map_err(failed("writing", &self.log))
    }

    /// The beginning of the log; empty if the log cannot be read, because the log only explains.
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

fn numbered(prefix: &str, n: u32) -> String {
    format!("{prefix}_{n}.sol")
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let path = path.to_path_buf();
    move |source| Error::File { action, path, source }
}
