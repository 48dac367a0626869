//! A file with a rollback journal: after every commit the file alone is whole, so that a copy of it is a copy, and whoever
//! only reads needs no right to write (docs/decisions/014-a-database-that-can-be-copied.md).
//!
//! `user_version` is the number of the last migration. Every commit is synced to the disk before it counts.

mod examine;
mod opening;

use super::clock::{Clock, milliseconds};
use super::record::{COLUMNS, Row, edited, entries, told, told_alone, written};
use super::{Access, Entry, Finish, Kept, Snapshot, Standing, Store, StoredStudy, amended};
use crate::address::Address;
use crate::change::{Change, Edit};
use crate::error::{Error, Result};
use crate::later::Later;
use crate::remark::Remark;
use crate::trial::{Outcome, Trial};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, ffi, params};
use std::time::Duration;

pub(crate) use opening::write_copy;

#[derive(Debug)]
pub(super) struct SqliteStore {
    address: Address,
    access: Access,
    connection: Connection,
    /// The schema's version; 0 if the file holds nothing yet.
    version: i64,
    clock: Clock,
    /// Whether the file was in write-ahead mode when it was opened.
    is_in_wal: bool,
    /// Dropped after the connection.
    _hold: opening::Hold,
}

impl SqliteStore {
    fn refused(&self, source: rusqlite::Error) -> Error {
        Error::Sqlite { store: self.address.clone(), source }
    }

    /// Reads. A writer that was killed in the middle leaves a journal, which must be rolled back before anybody reads; to roll
    /// it back takes the right to write.
    fn read<T>(&mut self, act: impl Fn(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        match act(&mut self.connection) {
            Err(error) if is_unfinished(&error) && self.access == Access::Read => {
                opening::roll_back(&self.address)?;
                act(&mut self.connection).map_err(|source| self.refused(source))
            }
            outcome => outcome.map_err(|source| self.refused(source)),
        }
    }

    /// Writes in one transaction. A decision inside the transaction, by the clock at that time, holds until the commit.
    fn write<T>(&mut self, act: impl FnOnce(&Transaction<'_>, f64) -> rusqlite::Result<T>) -> Result<T> {
        let refused = |source| Error::Sqlite { store: self.address.clone(), source };
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let now = self.clock.now()?;
        let done = act(&transaction, now).map_err(refused)?;
        transaction.commit().map_err(refused)?;
        Ok(done)
    }

    /// The columns of a trial, of which earlier versions had fewer, and its history.
    fn columns(&self) -> String {
        if self.version >= 6 {
            return with_history();
        }
        let named = COLUMNS.replace("set_aside", "NULL") + ", NULL";
        let named = if self.version >= 4 { named } else { named.replace("told", "value") };
        let named = if self.version >= 5 { named } else { named.replace("later", "NULL") };
        if self.version >= 2 { named } else { named.replace("owner, lease", "NULL, NULL") }
    }
}

/// The columns of a trial of the newest schema, and its history as one text.
fn with_history() -> String {
    let entries = "SELECT json_group_array(json_array(number, made_at, by, edit)) FROM \
                   (SELECT * FROM change WHERE change.study = trial.study AND change.trial = trial.number ORDER BY number)";
    format!("{COLUMNS}, ({entries})")
}

/// Whether a journal has to be rolled back by somebody who may write.
fn is_unfinished(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_READONLY_ROLLBACK)
}

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        number: row.get(0)?,
        state: row.get(1)?,
        point: row.get(2)?,
        told: match row.get_ref(3)? {
            ValueRef::Real(value) => Some(told_alone(value)),
            text @ (ValueRef::Null | ValueRef::Integer(_) | ValueRef::Text(_) | ValueRef::Blob(_)) => {
                FromSql::column_result(text)?
            }
        },
        message: row.get(4)?,
        suggestion: row.get(5)?,
        owner: row.get(6)?,
        lease: row.get(7)?,
        asked_at: row.get(8)?,
        finished_at: row.get(9)?,
        later: row.get(10)?,
        set_aside: row.get(11)?,
        changes: row.get(12)?,
    })
}

/// A trial with its history.
fn one() -> String {
    format!("SELECT {} FROM trial WHERE study = ?1 AND number = ?2", with_history())
}

/// Adds a row to a study.
fn insert(connection: &Connection, study: i64, row: &Row) -> rusqlite::Result<()> {
    let add =
        format!("INSERT INTO trial (study, {COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
    #[rustfmt::skip]
    let values = params![
        study, row.number, row.state, row.point, row.told, row.message, row.suggestion, row.owner, row.lease,
        row.asked_at, row.finished_at, row.later, row.set_aside,
    ];
    connection.prepare_cached(&add)?.execute(values).map(|_| ())
}

/// Adds an entry to the history of a trial.
fn enter(connection: &Connection, study: i64, trial: i64, change: &Change, edit: &str) -> rusqlite::Result<()> {
    let add = "INSERT INTO change (study, number, trial, made_at, by, edit) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![study, change.number as i64, trial, change.made_at, change.by, edit];
    connection.prepare_cached(add)?.execute(values).map(|_| ())
}

/// Adds the history of a row to a copy of its study.
fn insert_history(connection: &Connection, study: i64, row: &Row) -> rusqlite::Result<()> {
    let unreadable = |reason: String| rusqlite::Error::UserFunctionError(reason.into());
    for change in entries(row.changes.as_deref()).map_err(unreadable)? {
        let edit = edited(&change.edit).map_err(|error| unreadable(error.to_string()))?;
        enter(connection, study, row.number, &change, &edit)?;
    }
    Ok(())
}

impl Store for SqliteStore {
    fn address(&self) -> &Address {
        &self.address
    }

    fn set_patience(&mut self, patience: Duration) -> Result<()> {
        self.connection.busy_timeout(patience).map_err(|source| self.refused(source))
    }

    fn names(&mut self) -> Result<Vec<String>> {
        if self.version == 0 {
            return Ok(Vec::new());
        }
        self.read(|connection| {
            let mut query = connection.prepare_cached("SELECT name FROM study ORDER BY name")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>> {
        if self.version == 0 {
            return Ok(None);
        }
        self.read(|connection| {
            let mut query = connection.prepare_cached("SELECT key, text FROM study WHERE name = ?1")?;
            query.query_row([name], |row| Ok(StoredStudy { key: row.get(0)?, text: row.get(1)? })).optional()
        })
    }

    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>> {
        self.write(|transaction, _| {
            let add = "INSERT INTO study (name, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING key";
            transaction.prepare_cached(add)?.query_row([name, text], |row| row.get(0)).optional()
        })
    }

    fn rewrite(&mut self, study: i64, text: &str) -> Result<()> {
        self.write(|transaction, _| {
            transaction.execute("UPDATE study SET text = ?2 WHERE key = ?1", params![study, text]).map(|_| ())
        })
    }

    fn trials(&mut self, study: i64) -> Result<Vec<Trial>> {
        let all = format!("SELECT {} FROM trial WHERE study = ?1 ORDER BY number", self.columns());
        let rows: Vec<Row> =
            self.read(|connection| connection.prepare_cached(&all)?.query_map([study], read_row)?.collect())?;
        rows.into_iter().map(Row::trial).collect()
    }

    fn trial(&mut self, study: i64, id: u64) -> Result<Option<Trial>> {
        let one = format!("SELECT {} FROM trial WHERE study = ?1 AND number = ?2", self.columns());
        let row = self.read(|connection| {
            connection.prepare_cached(&one)?.query_row(params![study, id as i64], read_row).optional()
        })?;
        row.map(Row::trial).transpose()
    }

    fn standing(&mut self, study: i64) -> Result<Standing> {
        let now = self.clock.now()?;
        self.read(|connection| {
            let pending = "FROM trial WHERE study = ?1 AND state = 'pending' AND set_aside IS NULL AND lease <";
            let query = format!(
                "SELECT (SELECT coalesce(max(number), 0) FROM trial WHERE study = ?1), \
                 (SELECT min(number) {pending} ?2), EXISTS (SELECT 1 {pending} ?3), \
                 (SELECT count(*) FROM trial WHERE study = ?1 AND set_aside = 'cancelled')"
            );
            connection.prepare_cached(&query)?.query_row(params![study, now, f64::MAX], |row| {
                let (count, lapsed, cancelled): (i64, Option<i64>, i64) = (row.get(0)?, row.get(1)?, row.get(3)?);
                let lapsed = lapsed.map(|id| id as u64);
                Ok(Standing { count: count as u64, cancelled: cancelled as u64, lapsed, is_leased: row.get(2)? })
            })
        })
    }

    fn add(&mut self, study: i64, first: u64, entries: &[Entry]) -> Result<Option<Vec<Trial>>> {
        self.write(|transaction, now| {
            let next = "SELECT coalesce(max(number), 0) + 1 FROM trial WHERE study = ?1";
            if transaction.prepare_cached(next)?.query_row([study], |row| row.get::<_, i64>(0))? != first as i64 {
                return Ok(Ok(None));
            }
            let trials: Vec<Trial> = (first..).zip(entries).map(|(id, entry)| entry.trial(id, now)).collect();
            let rows: Vec<Row> = match trials.iter().map(Row::new).collect() {
                Ok(rows) => rows,
                Err(error) => return Ok(Err(error)),
            };
            rows.iter().try_for_each(|row| insert(transaction, study, row))?;
            Ok(Ok(Some(trials)))
        })?
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome) -> Result<Finish> {
        let changed = self.write(|transaction, now| {
            let finish = "UPDATE trial SET state = ?3, told = ?4, message = ?5, finished_at = ?6, set_aside = NULL \
                          WHERE study = ?1 AND number = ?2 AND state = 'pending'";
            let told = outcome.values().and_then(told);
            let values = params![study, id as i64, outcome.state().name(), told, outcome.message(), now];
            transaction.prepare_cached(finish)?.execute(values)
        })?;
        if changed == 1 {
            return Ok(Finish::Done);
        }
        Ok(self.trial(study, id)?.map_or(Finish::Unknown, |trial| Finish::Already(Box::new(trial))))
    }

    fn change(&mut self, study: i64, id: u64, by: Option<&str>, edit: &Edit) -> Result<Option<Trial>> {
        let (one, text) = (one(), edited(edit)?);
        self.write(|transaction, now| {
            let Some(row) =
                transaction.prepare_cached(&one)?.query_row(params![study, id as i64], read_row).optional()?
            else {
                return Ok(Ok(None));
            };
            let next = "SELECT coalesce(max(number), 0) + 1 FROM change WHERE study = ?1";
            let number: i64 = transaction.prepare_cached(next)?.query_row([study], |row| row.get(0))?;
            let (made_at, by) = (milliseconds(now), by.map(str::to_owned));
            let change = Change { number: number as u64, made_at, by, edit: edit.clone() };
            let changed = row.trial().and_then(|trial| Ok((trial.changed(change.clone())?, trial)));
            let trial = match changed {
                Ok((Some(trial), _)) => trial,
                Ok((None, trial)) => return Ok(Ok(Some(trial))),
                Err(error) => return Ok(Err(error)),
            };
            enter(transaction, study, id as i64, &change, &text)?;
            let mark = "UPDATE trial SET set_aside = ?3 WHERE study = ?1 AND number = ?2";
            transaction.prepare_cached(mark)?.execute(params![study, id as i64, trial.set_aside()])?;
            Ok(Ok(Some(trial)))
        })?
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, duration: Option<Duration>) -> Result<bool> {
        self.write(|transaction, now| {
            let lease = "UPDATE trial SET owner = ?3, lease = ?5 WHERE study = ?1 AND number = ?2 \
                         AND state = 'pending' AND set_aside IS NULL AND (owner = ?3 OR lease < ?4)";
            let until = duration.map_or(f64::MAX, |duration| now + duration.as_secs_f64());
            Ok(transaction.prepare_cached(lease)?.execute(params![study, id as i64, owner, now, until])? == 1)
        })
    }

    fn amend(&mut self, study: i64, id: u64, later: &Later) -> Result<bool> {
        let one = one();
        self.write(|transaction, _| {
            let row = transaction.prepare_cached(&one)?.query_row(params![study, id as i64], read_row).optional()?;
            let amended = || match row.map(Row::trial).transpose()?.and_then(|trial| amended(&trial, later)) {
                Some(later) => written(&later).map(Some),
                None => Ok(None),
            };
            let text = match amended() {
                Ok(Some(text)) => text,
                Ok(None) => return Ok(Ok(false)),
                Err(error) => return Ok(Err(error)),
            };
            let change = "UPDATE trial SET later = ?3 WHERE study = ?1 AND number = ?2";
            transaction.prepare_cached(change)?.execute(params![study, id as i64, text])?;
            Ok(Ok(true))
        })?
    }

    fn snapshot(&mut self, name: Option<&str>) -> Result<Snapshot> {
        if self.version == 0 {
            return Ok(Snapshot::default());
        }
        let rows = format!("SELECT {} FROM trial WHERE study = ?1 ORDER BY number", self.columns());
        self.read(|connection| {
            // One transaction sees one state, whatever others write meanwhile.
            let transaction = connection.transaction()?;
            let mut kept = Vec::new();
            {
                let mut studies =
                    transaction.prepare("SELECT key, name, text FROM study WHERE ?1 IN (name, '') ORDER BY key")?;
                let mut found = studies.query([name.unwrap_or_default()])?;
                while let Some(study) = found.next()? {
                    let mut query = transaction.prepare_cached(&rows)?;
                    let rows =
                        query.query_map([study.get::<_, i64>(0)?], read_row)?.collect::<rusqlite::Result<_>>()?;
                    kept.push(Kept { name: study.get(1)?, text: study.get(2)?, rows });
                }
            }
            Ok(Snapshot { studies: kept })
        })
    }

    fn examine(&mut self) -> Result<Vec<Remark>> {
        self.remarks()
    }
}
