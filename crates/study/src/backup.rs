//! A copy of studies, made while others may write: always an SQLite file, whatever store keeps the studies.

use crate::address::Address;
use crate::error::{Error, Result};
use crate::store::{Snapshot, consult, sqlite};
use std::path::Path;

/// Copies the study called `name`, or all studies, of the store at an address to a new file. Returns
/// how many trials the file has.
pub fn backup(address: impl Into<Address>, name: Option<&str>, file: &Path) -> Result<usize> {
    let refused = |reason: String| Error::Backup { path: file.to_owned(), reason };
    if file.symlink_metadata().is_ok() {
        return Err(refused("the file exists already, and nothing is overwritten".into()));
    }
    let mut store = consult(address)?;
    let snapshot = store.snapshot(name)?;
    if let (Some(name), true) = (name, snapshot.studies.is_empty()) {
        let (names, store) = (store.names()?, store.address().clone());
        return Err(Error::NoSuchStudy { store, name: name.to_owned(), names });
    }
    write(&snapshot, file).map_err(|error| refused(error.to_string()))?;
    Ok(snapshot.studies.iter().map(|study| study.rows.len()).sum())
}

/// Writes the file; it appears when it is whole.
fn write(snapshot: &Snapshot, file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let draft = builder.prefix(".fathom-").suffix(".db").tempfile_in(folder)?;
    sqlite::write_copy(draft.path(), snapshot).map_err(std::io::Error::other)?;
    draft.as_file().sync_all()?;
    draft.persist_noclobber(file).map_err(|error| error.error)?;
    if cfg!(unix) { std::fs::File::open(folder)?.sync_all() } else { Ok(()) }
}
