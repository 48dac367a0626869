//! Remarks about a file itself, not its studies.

use super::SqliteStore;
use super::opening::{KNOWN, beside};
use crate::error::Result;
use crate::remark::Remark;
use std::path::Path;

impl SqliteStore {
    pub(super) fn remarks(&mut self) -> Result<Vec<Remark>> {
        let mut remarks = vec![match self.version {
            KNOWN => Remark::fact(format!("schema version {KNOWN}, the newest")),
            0 => Remark::finding("the database holds no studies, and never did"),
            version => Remark::fact(format!(
                "schema version {version}; the next run, ask, tell or import brings it to version {KNOWN}"
            )),
        }];
        let faults: Vec<String> = self.read(|connection| {
            connection.prepare("PRAGMA integrity_check(20)")?.query_map([], |row| row.get(0))?.collect()
        })?;
        if faults == ["ok"] {
            remarks.push(Remark::fact("the pages of the database are whole"));
        } else {
            remarks.extend(faults.iter().map(|fault| Remark::finding(format!("the database is damaged: {fault}"))));
        }
        let strays: usize = self.read(|connection| {
            let mut query = connection.prepare("PRAGMA foreign_key_check")?;
            Ok(query.query_map([], |_| Ok(()))?.count())
        })?;
        if strays > 0 {
            remarks.push(Remark::finding(format!("{strays} trials belong to no study")));
        }
        if let Some(path) = self.address.file() {
            remarks.extend(of_files(path, self.is_in_wal));
        }
        Ok(remarks)
    }
}

/// The file and what lies beside it.
fn of_files(path: &Path, is_in_wal: bool) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if is_in_wal {
        remarks.push(Remark::finding(
            "it is in the write-ahead mode of earlier versions, in which a copy of the file alone may miss the latest \
             trials: the next run, ask, tell or import that has it alone changes that",
        ));
    } else {
        remarks.push(Remark::fact("it keeps a rollback journal: the file alone is whole after every change"));
    }
    if std::fs::metadata(beside(path, "-journal")).is_ok_and(|journal| journal.len() > 0) {
        remarks.push(Remark::fact("somebody writes to it at this moment, or was killed while doing so"));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let is_writable = |place: &Path| std::fs::metadata(place).is_ok_and(|it| !it.permissions().readonly());
    // The file is not opened for this: to close it again would give up the locks of this process.
    remarks.push(match (is_writable(path), is_writable(folder)) {
        (true, true) => Remark::fact("you may write to it"),
        (true, false) => Remark::finding(format!(
            "nobody may write to the folder {}, in which a journal is kept while something changes",
            folder.display()
        )),
        (false, _) => Remark::finding("nobody may write to it, only look at it"),
    });
    remarks
}
