//! Writes files that are complete or absent, at their named destination and nowhere else.
//!
//! A draft is created beside the destination under a new name; the creation fails if the name exists. The draft is written,
//! synced to the disk, and renamed. A kill or a full disk leaves the old file or none. A destination that exists and is not a
//! regular file (a link, a device, a pipe, a folder) is refused. A folder that does not exist is refused, because creating it
//! would hide a mistake in its name. A link that appears in the meantime is replaced and never followed.

mod error;
mod name;

pub use error::{Error, Result};
pub use name::{check_name, inside};

use std::fs::{self, File, Metadata, Permissions};
use std::io::Write as _;
use std::path::Path;

/// Writes `bytes` to `path` and replaces a regular file that exists there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let (folder, existing) = examine(path)?;
    let draft = drafted(folder, existing.map(|file| file.permissions()), bytes).map_err(Error::io(path))?;
    draft.persist(path).map_err(|failed| Error::io(path)(failed.error))?;
    sync_name(folder);
    Ok(())
}

/// Writes `bytes` to `path`, which must not exist yet.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let (folder, existing) = examine(path)?;
    let exists = || Error::Exists { path: path.into() };
    if existing.is_some() {
        return Err(exists());
    }
    let draft = drafted(folder, None, bytes).map_err(Error::io(path))?;
    draft.persist_noclobber(path).map_err(|failed| {
        let is_there = failed.error.kind() == std::io::ErrorKind::AlreadyExists;
        if is_there { exists() } else { Error::io(path)(failed.error) }
    })?;
    sync_name(folder);
    Ok(())
}

/// Returns the error that `write` would return for this destination, before there is anything to write.
pub fn check_destination(path: &Path) -> Result<()> {
    examine(path).map(|_| ())
}

/// The folder of the destination, and the regular file that exists there now, if any.
fn examine(path: &Path) -> Result<(&Path, Option<Metadata>)> {
    let ends_in_separator = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    let (Some(_), Some(parent), false) = (path.file_name(), path.parent(), ends_in_separator) else {
        return Err(Error::NoFile { path: path.into() });
    };
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    check_folder(folder)?;
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok((folder, Some(found))),
        Ok(found) => Err(Error::NotRegular { path: path.into(), what: error::kind(found.file_type()) }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((folder, None)),
        Err(error) => Err(Error::io(path)(error)),
    }
}

/// Returns an error if the folder does not exist.
pub fn check_folder(folder: &Path) -> Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::NoFolder { folder: folder.into(), why: "it is a file" }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::NoFolder { folder: folder.into(), why: "it does not exist; make it first" })
        }
        Err(error) => Err(Error::io(folder)(error)),
    }
}

/// A new file in `folder` with these bytes on the disk. The file is removed unless it is renamed.
fn drafted(folder: &Path, existing: Option<Permissions>, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fathom-").suffix(".part");
    // The draft has the permissions of the file that it replaces, or else 0o666 without the umask's bits.
    #[cfg(unix)]
    builder.permissions(existing.clone().unwrap_or_else(|| std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    let mut draft = builder.tempfile_in(folder)?;
    if let Some(existing) = existing {
        draft.as_file().set_permissions(existing)?;
    }
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Syncs the new name to the disk, if the system can open folders. The file itself is synced; a failure costs a name at worst.
fn sync_name(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests;
