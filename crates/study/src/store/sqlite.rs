//! A file, in write-ahead mode: readers do not wait for writers, and what was committed survives a kill.
//!
//! `user_version` is the number of the last migration. Every commit is synced to the disk before it counts.

use super::record::{COLUMNS, Row};
use super::{Finish, Store, StoredStudy};
use crate::error::{Error, Result};
use crate::trial::{Outcome, Trial};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, TransactionBehavior, params};
use std::time::Duration;

/// In order; number i + 1 leads to schema version i + 1.
const MIGRATIONS: [&str; 2] = [include_str!("sqlite/0001.sql"), include_str!("sqlite/0002.sql")];

/// How long a writer waits for others; transactions take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct SqliteStore {
    path: String,
    connection: Connection,
}

impl SqliteStore {
    pub fn open(path: &str) -> Result<Self> {
        let refuse = |source| Error::Sqlite { store: format!("sqlite://{path}"), source };
        let connection = Connection::open(path).map_err(refuse)?;
        connection.busy_timeout(PATIENCE).map_err(refuse)?;
        let mut store = Self { path: path.to_owned(), connection };
        store.prepare()?;
        Ok(store)
    }

    fn prepare(&mut self) -> Result<()> {
        // Switching to write-ahead mode does not wait as other statements do, and two may switch at once.
        let mut tries = 0;
        while let Err(error) = self.connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            tries += 1;
            if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || tries > 600 {
                return Err(self.refused(error));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        self.with(|connection| connection.pragma_update(None, "synchronous", "full"))?;
        self.with(|connection| connection.pragma_update(None, "foreign_keys", true))?;
        let known = MIGRATIONS.len() as i64;
        if self.with(|connection| version(connection))? == known {
            return Ok(());
        }
        let found = self.with(|connection| {
            // Looked at again inside: another process may have migrated in the meantime.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found = version(&transaction)?;
            for (number, migration) in MIGRATIONS.iter().enumerate().skip(found.clamp(0, known) as usize) {
                transaction.execute_batch(migration)?;
                transaction.pragma_update(None, "user_version", number as i64 + 1)?;
            }
            transaction.commit()?;
            Ok(found)
        })?;
        if found > known { Err(Error::LaterSchema { found, known }) } else { Ok(()) }
    }

    fn refused(&self, source: rusqlite::Error) -> Error {
        Error::Sqlite { store: self.url(), source }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        act(&mut self.connection).map_err(|source| Error::Sqlite { store: format!("sqlite://{}", self.path), source })
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        number: row.get(0)?,
        state: row.get(1)?,
        point: row.get(2)?,
        value: row.get(3)?,
        message: row.get(4)?,
        suggestion: row.get(5)?,
        owner: row.get(6)?,
        lease: row.get(7)?,
        asked_at: row.get(8)?,
        finished_at: row.get(9)?,
    })
}

impl Store for SqliteStore {
    fn url(&self) -> String {
        format!("sqlite://{}", self.path)
    }

    fn names(&mut self) -> Result<Vec<String>> {
        self.with(|connection| {
            let mut query = connection.prepare_cached("SELECT name FROM study ORDER BY name")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>> {
        self.with(|connection| {
            let mut query = connection.prepare_cached("SELECT key, text FROM study WHERE name = ?1")?;
            query.query_row([name], |row| Ok(StoredStudy { key: row.get(0)?, text: row.get(1)? })).optional()
        })
    }

    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>> {
        self.with(|connection| {
            let add = "INSERT INTO study (name, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING key";
            connection.prepare_cached(add)?.query_row([name, text], |row| row.get(0)).optional()
        })
    }

    fn rewrite(&mut self, study: i64, text: &str) -> Result<()> {
        self.with(|connection| connection.execute("UPDATE study SET text = ?2 WHERE key = ?1", params![study, text]))?;
        Ok(())
    }

    fn trials(&mut self, study: i64) -> Result<Vec<Trial>> {
        let rows: Vec<Row> = self.with(|connection| {
            let all = format!("SELECT {COLUMNS} FROM trial WHERE study = ?1 ORDER BY number");
            connection.prepare_cached(&all)?.query_map([study], read)?.collect()
        })?;
        rows.into_iter().map(Row::trial).collect()
    }

    fn add(&mut self, study: i64, trial: &Trial) -> Result<bool> {
        let row = Row::new(trial)?;
        // One statement is one transaction: it looks and adds under the writer's lock.
        let add = format!(
            "INSERT INTO trial (study, {COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 \
             WHERE (SELECT coalesce(max(number), 0) + 1 FROM trial WHERE study = ?1) = ?2"
        );
        #[rustfmt::skip]
        let values = params![
            study, row.number, row.state, row.point, row.value, row.message, row.suggestion, row.owner, row.lease,
            row.asked_at, row.finished_at,
        ];
        Ok(self.with(|connection| connection.prepare_cached(&add)?.execute(values))? == 1)
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome, now: f64) -> Result<Finish> {
        let finish = "UPDATE trial SET state = ?3, value = ?4, message = ?5, finished_at = ?6 \
                      WHERE study = ?1 AND number = ?2 AND state = 'pending'";
        let values = params![study, id as i64, outcome.state().name(), outcome.value(), outcome.message(), now];
        if self.with(|connection| connection.prepare_cached(finish)?.execute(values))? == 1 {
            return Ok(Finish::Done);
        }
        let row = self.with(|connection| {
            let one = format!("SELECT {COLUMNS} FROM trial WHERE study = ?1 AND number = ?2");
            connection.prepare_cached(&one)?.query_row(params![study, id as i64], read).optional()
        })?;
        Ok(match row {
            None => Finish::Unknown,
            Some(row) => Finish::Already(Box::new(row.trial()?)),
        })
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, now: f64, until: f64) -> Result<bool> {
        let lease = "UPDATE trial SET owner = ?3, lease = ?5 WHERE study = ?1 AND number = ?2 \
                     AND state = 'pending' AND (owner = ?3 OR lease < ?4)";
        let values = params![study, id as i64, owner, now, until];
        Ok(self.with(|connection| connection.prepare_cached(lease)?.execute(values))? == 1)
    }
}
