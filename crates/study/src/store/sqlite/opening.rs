//! Files: how they are opened, brought to the newest schema, and copied.

use super::{Clock, SqliteStore, insert, insert_history, is_unfinished};
use crate::address::Address;
use crate::error::{Error, Result};
use crate::store::record::told_alone;
use crate::store::{Access, PATIENCE, Snapshot};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The migrations in order; migration i + 1 leads to schema version i + 1.
const MIGRATIONS: [&str; 6] = [
    include_str!("0001.sql"),
    include_str!("0002.sql"),
    include_str!("0003.sql"),
    include_str!("0004.sql"),
    include_str!("0005.sql"),
    include_str!("0006.sql"),
];

/// The newest schema.
pub(super) const KNOWN: i64 = MIGRATIONS.len() as i64;

impl SqliteStore {
    pub fn open(address: &Address, access: Access) -> Result<Self> {
        if let Some(path) = address.file()
            && access == Access::Read
            && !path.exists()
        {
            return Err(Error::NoStore { path: path.to_owned() });
        }
        let (hold, header) = address.file().map_or((Hold::none(), None), Hold::of);
        let is_without_log = |path: &Path| !beside(path, "-wal").exists();
        let lost = address.file().filter(|path| is_without_log(path));
        if let (Some(path), Some(Header { is_in_wal: true, version: 0 })) = (lost, &header) {
            return Err(Error::MissingLog { path: path.to_owned() });
        }
        let is_in_wal = header.is_some_and(|header| header.is_in_wal);
        let refused = |source| Error::Sqlite { store: address.clone(), source };
        let connection = connection(address, access, is_in_wal).map_err(refused)?;
        connection.busy_timeout(PATIENCE).map_err(refused)?;
        let clock = Clock::of(connection.path());
        let mut store =
            Self { address: address.clone(), access, connection, version: 0, clock, is_in_wal, _hold: hold };
        store.version = match access {
            Access::Read => store.read(|connection| version(connection))?,
            Access::Act => store.prepared()?,
        };
        if store.version > KNOWN {
            return Err(Error::LaterSchema { found: store.version, known: KNOWN });
        }
        Ok(store)
    }

    /// Brings the schema to the newest version, unless it has a later one. Returns its version.
    fn prepared(&mut self) -> Result<i64> {
        self.leave_wal().map_err(|source| self.refused(source))?;
        let refused = |source| Error::Sqlite { store: self.address.clone(), source };
        self.connection.pragma_update(None, "synchronous", "full").map_err(refused)?;
        self.connection.pragma_update(None, "foreign_keys", true).map_err(refused)?;
        if version(&self.connection).map_err(refused)? == KNOWN {
            return Ok(KNOWN);
        }
        migrate(&mut self.connection).map_err(refused)
    }

    /// Databases of earlier versions are in write-ahead mode, in which the file alone is not whole. They leave it once
    /// nobody else has them open; until then they work as they did.
    fn leave_wal(&mut self) -> rusqlite::Result<()> {
        let mode: String = self.connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        let leave =
            |connection: &Connection| connection.pragma_update_and_check(None, "journal_mode", "truncate", |_| Ok(()));
        if mode != "wal" {
            return leave(&self.connection);
        }
        self.connection.busy_timeout(Duration::ZERO)?;
        // Others are at work in it; the next one may be alone.
        let _ = leave(&self.connection);
        self.connection.busy_timeout(PATIENCE)
    }
}

/// Applies the migrations that a database does not have. Returns the version that it has then.
fn migrate(connection: &mut Connection) -> rusqlite::Result<i64> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("fathom_told", 1, flags, |call| match call.get::<Option<f64>>(0)? {
        Some(value) if !value.is_finite() => Err(rusqlite::Error::UserFunctionError(
            format!("a trial has the value {value}, which is not finite").into(),
        )),
        value => Ok(value.map(told_alone)),
    })?;
    // The version is read again inside: another process may have migrated in the meantime.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    for (number, migration) in MIGRATIONS.iter().enumerate().skip(found.clamp(0, KNOWN) as usize) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", number as i64 + 1)?;
    }
    transaction.commit()?;
    Ok(found.max(KNOWN))
}

fn connection(address: &Address, access: Access, is_in_wal: bool) -> rusqlite::Result<Connection> {
    let name = address.sqlite().unwrap_or_default();
    match (access, address.file()) {
        (Access::Act, _) => Connection::open(name),
        (Access::Read, Some(path)) if is_in_wal && is_at_rest(path) => {
            Connection::open_with_flags(immutable(name), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
        }
        (Access::Read, _) => {
            Connection::open_with_flags(name, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
        }
    }
}

/// Whether nobody has a file in write-ahead mode open. To open it as others do would make files beside it.
fn is_at_rest(path: &Path) -> bool {
    !["-wal", "-shm"].iter().any(|end| beside(path, end).exists())
}

/// SQLite's own address of a file that nobody changes.
fn immutable(path: &str) -> String {
    let escaped: String = path
        .chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            c => c.to_string(),
        })
        .collect();
    format!("file:{escaped}?immutable=1")
}

/// Rolls back what a writer that was killed left unfinished.
pub(super) fn roll_back(address: &Address) -> Result<()> {
    let recover = || {
        let connection = Connection::open_with_flags(
            address.sqlite().unwrap_or_default(),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI,
        )?;
        connection.busy_timeout(PATIENCE)?;
        version(&connection)
    };
    match recover() {
        Ok(_) => Ok(()),
        Err(error) if is_unfinished(&error) => Err(Error::Unfinished { store: address.clone() }),
        Err(source) => Err(Error::Sqlite { store: address.clone(), source }),
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// What the first bytes of a database say (https://www.sqlite.org/fileformat.html).
struct Header {
    is_in_wal: bool,
    version: u32,
}

impl Header {
    /// The header of a file, if the file is a database.
    fn of(path: &Path) -> Option<Self> {
        let mut bytes = [0; 64];
        std::fs::File::open(path).ok()?.read_exact(&mut bytes).ok()?;
        let version = u32::from_be_bytes([bytes[60], bytes[61], bytes[62], bytes[63]]);
        bytes.starts_with(b"SQLite format 3\0").then_some(Self { is_in_wal: bytes[19] == 2, version })
    }
}

/// The files that this process has open, and how many times.
static HELD: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// A mark that this process has a file open. Whoever closes a file gives up every lock that the process has on it
/// (https://www.sqlite.org/howtocorrupt.html, 2.2), so the first bytes of a file are read only while no store of the process
/// has it open.
#[derive(Debug)]
pub(super) struct Hold {
    path: Option<PathBuf>,
}

impl Hold {
    /// The mark of no file.
    fn none() -> Self {
        Self { path: None }
    }

    /// Marks a file as open from now on; with the file's header, if it could be looked at.
    fn of(path: &Path) -> (Self, Option<Header>) {
        let path = canonical(path);
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(path.clone()).or_default();
        let header = if *count == 0 { Header::of(&path) } else { None };
        *count += 1;
        (Self { path: Some(path) }, header)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Some(path) = &self.path else { return };
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let left = held.get(path).map_or(0, |count| count - 1);
        match left {
            0 => held.remove(path),
            left => held.insert(path.clone(), left),
        };
    }
}

/// The same name for every way to a file, whether it exists or not.
fn canonical(path: &Path) -> PathBuf {
    let whole = |path: &Path| path.canonicalize().ok();
    let by_folder = || Some(whole(std::path::absolute(path).ok()?.parent()?)?.join(path.file_name()?));
    whole(path).or_else(by_folder).unwrap_or_else(|| path.to_owned())
}

/// The file whose name is `path` with an ending.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Writes studies to the empty file at `path`.
pub(crate) fn write_copy(path: &Path, snapshot: &Snapshot) -> rusqlite::Result<()> {
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Nobody else knows the file yet; if this fails, it is thrown away.
    connection.pragma_update_and_check(None, "journal_mode", "memory", |_| Ok(()))?;
    migrate(&mut connection)?;
    let transaction = connection.transaction()?;
    for study in &snapshot.studies {
        transaction.execute("INSERT INTO study (name, text) VALUES (?1, ?2)", [&study.name, &study.text])?;
        let key = transaction.last_insert_rowid();
        for row in &study.rows {
            insert(&transaction, key, row)?;
        }
        for row in &study.rows {
            insert_history(&transaction, key, row)?;
        }
    }
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}
