//! Files that are whole or not there, written where they were named and nowhere else.
//!
//! A file is made beside its destination under a name that nobody has, which fails rather than open what is there; then it is
//! written, brought to the disk, and renamed. A kill or a full disk leaves the old file or none. A destination that exists and is
//! no regular file (a link, a device, a pipe, a folder) is refused; so is a folder that does not exist, because
//! making one hides a mistake in its name. A link that is put there in the meantime is replaced and never followed.

mod error;
mod name;

pub use error::{Error, Result};
pub use name::{check_name, inside};

use std::fs::{self, File, Metadata, Permissions};
use std::io::Write as _;
use std::path::Path;

/// Writes `bytes` to `path`, in place of a regular file that is there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let (folder, existing) = examine(path)?;
    let draft = drafted(folder, existing.map(|file| file.permissions()), bytes).map_err(Error::io(path))?;
    draft.persist(path).map_err(|failed| Error::io(path)(failed.error))?;
    settle(folder);
    Ok(())
}

/// Writes `bytes` to `path`, where nothing may be yet.
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
    settle(folder);
    Ok(())
}

/// Says what `write` would object to before there is anything to write.
pub fn check_destination(path: &Path) -> Result<()> {
    examine(path).map(|_| ())
}

/// The folder that the file will be in, and the file that is there now.
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

/// Says so where there is no such folder.
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

/// A new file in `folder` with these bytes on the disk. It is removed again unless it is renamed.
fn drafted(folder: &Path, existing: Option<Permissions>, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fathom-").suffix(".part");
    // The rights of the file that it replaces; else what the umask leaves of everybody's.
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

/// Brings the new name to the disk, where folders can be opened. The file itself is there; a failure costs a name at worst.
fn settle(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests;
