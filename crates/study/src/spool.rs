//! Values that were measured while the store could not take them: a file beside the study has a line of JSON for each until
//! it is told. A line is on the disk before anybody relies on it, and goes only once the store has the value.
//!
//! Several processes may use one file. They take turns by a lock on the file. If the file was replaced or removed before a
//! process had the lock, the process opens the file again.

use crate::address::Address;
use crate::error::{Error, Result};
use crate::trial::Outcome;
use crate::value::Point;
use crate::values::{Fields, Values};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A value that waits to be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Untold {
    /// The study's name.
    pub study: String,
    /// The study's store, without secrets; a file in the same folder by its name alone, so that the folder can be moved.
    pub store: String,
    /// The trial's number.
    pub trial: u64,
    /// The trial's point, if it was known: a trial of the same number with another point is another trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    #[serde(flatten, with = "Line")]
    outcome: Outcome,
    /// When the line was written down, in seconds since 1970 by this machine's clock.
    pub written_at: f64,
}

impl Untold {
    /// What the trial is to be told.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether both lines tell the same to the same trial.
    fn is_twin(&self, other: &Self) -> bool {
        (&self.study, &self.store, self.trial, &self.outcome)
            == (&other.study, &other.store, other.trial, &other.outcome)
    }
}

/// An outcome as fields of a line: the values, or why there are none.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Values>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

impl Line {
    fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Fields { value, values } = Fields::new(outcome.values().unwrap_or(&Values::default()));
        let line = Self { value, values, failed: outcome.message().map(str::to_owned) };
        Serialize::serialize(&line, serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Outcome, D::Error> {
        let Self { value, values, failed } = <Self as Deserialize>::deserialize(deserializer)?;
        let told = Fields { value, values }.values()?;
        Ok(if told.is_empty() { Outcome::Failed(failed.unwrap_or_default()) } else { Outcome::Values(told) })
    }
}

/// The file of values that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool {
    path: PathBuf,
}

impl Spool {
    /// The spool at `path`, whether the file exists or not.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The spool beside a study file or a database: `mine.toml` and `mine.db` have `mine.untold`.
    pub fn beside(file: &Path) -> Self {
        Self::new(file.with_extension("untold"))
    }

    /// The spool's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lines that wait.
    pub fn read(&self) -> Result<Vec<Untold>> {
        let text = match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(|error| self.refused(&error))?,
        };
        // A writer was killed in the middle of a line without an end: nobody relies on that line.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(i, line)| {
                serde_json::from_str(line).map_err(|error| Error::Spool {
                    path: self.path.clone(),
                    reason: format!(
                        "line {} is not readable ({error}): mend it, or remove it and tell it by hand",
                        i + 1
                    ),
                })
            })
            .collect()
    }

    /// `address` as seen from this file.
    pub fn place(&self, address: &Address) -> String {
        let Some(file) = address.file() else { return address.to_string() };
        let folder = |path: &Path| std::path::absolute(path).ok()?.parent()?.canonicalize().ok();
        match (folder(file), folder(&self.path), file.file_name()) {
            (Some(theirs), Some(ours), Some(name)) if theirs == ours => format!("sqlite:{}", name.display()),
            (Some(theirs), _, Some(name)) => format!("sqlite:{}", theirs.join(name).display()),
            _ => address.to_string(),
        }
    }

    /// A line for trial `trial` of a study.
    pub fn untold(
        &self,
        study: &str,
        address: &Address,
        trial: u64,
        point: Option<&Point>,
        outcome: &Outcome,
    ) -> Untold {
        Untold {
            study: study.to_owned(),
            store: self.place(address),
            trial,
            point: point.cloned(),
            outcome: outcome.clone(),
            written_at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64()),
        }
    }

    /// Writes a line to the disk.
    pub fn keep(&self, untold: &Untold) -> Result<()> {
        let keep = || {
            let mut file = self.locked(true)?;
            let lines = read(&mut file)?;
            if lines.iter().any(|line| is_line_of(line, untold)) {
                return Ok(());
            }
            let mut text = serde_json::to_string(untold)? + "\n";
            if !ends_a_line(&mut file)? {
                // Somebody was killed in the middle of a line.
                text.insert(0, '\n');
            }
            let length = file.metadata()?.len();
            if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
                // No part of a line stays behind, nor an empty file.
                let _ = file.set_len(length);
                if length == 0 {
                    let _ = std::fs::remove_file(&self.path);
                }
                return Err(error);
            }
            sync_folder(&self.path)
        };
        keep().map_err(|error| self.refused(&error))
    }

    /// Takes a line out, if it is there; the file goes with the last line.
    pub fn remove(&self, untold: &Untold) -> Result<()> {
        let remove = || {
            if !self.path.exists() {
                return Ok(());
            }
            let mut file = self.locked(false)?;
            let lines = read(&mut file)?;
            let left: Vec<&String> = lines.iter().filter(|line| !is_line_of(line, untold)).collect();
            if left.iter().all(|line| line.trim().is_empty()) {
                std::fs::remove_file(&self.path)?;
            } else if left.len() < lines.len() {
                let mut copy = tempfile::NamedTempFile::new_in(folder(&self.path))?;
                for line in left {
                    writeln!(copy, "{line}")?;
                }
                copy.as_file().sync_all()?;
                copy.persist(&self.path).map_err(|error| error.error)?;
            }
            sync_folder(&self.path)
        };
        match remove() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            outcome => outcome.map_err(|error| self.refused(&error)),
        }
    }

    /// Locks the file, which nobody else has until it is dropped.
    fn locked(&self, create: bool) -> io::Result<File> {
        loop {
            match std::fs::symlink_metadata(&self.path) {
                Ok(found) if !found.is_file() => return Err(io::Error::other("this is not an ordinary file")),
                Ok(_) | Err(_) => {}
            }
            let file = OpenOptions::new().read(true).append(true).create(create).open(&self.path)?;
            file.lock()?;
            if is_still_at(&file, &self.path)? {
                return Ok(file);
            }
        }
    }

    fn refused(&self, error: &io::Error) -> Error {
        Error::Spool { path: self.path.clone(), reason: error.to_string() }
    }
}

fn is_line_of(line: &str, untold: &Untold) -> bool {
    serde_json::from_str::<Untold>(line).is_ok_and(|other| other.is_twin(untold))
}

fn read(file: &mut File) -> io::Result<Vec<String>> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(io::SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Syncs the folder, so that a file stays made, replaced or removed after a crash.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_still_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
