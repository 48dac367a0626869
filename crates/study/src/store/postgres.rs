//! A PostgreSQL server, for workers on many machines. Tables are called `fathom_…`, so that a database can be shared.
//!
//! A connection that is lost is made again, and the operation under way is done again. That is right for every operation:
//! trials are added with a token by which the adder knows its own, a trial that is finished already the same way is finished,
//! and a lease is given to its owner again. Nothing waits for ever: neither for a connection, nor for a lock, nor for an answer.

mod link;
mod tls;

use super::record::{COLUMNS, Row, edited, told, told_alone, written};
use super::{Access, Entry, Finish, Kept, Snapshot, Standing, Store, StoredStudy, amended};
use crate::address::Address;
use crate::change::{Change, Edit};
use crate::error::{Error, Result};
use crate::later::Later;
use crate::remark::Remark;
use crate::trial::{Outcome, State, Trial};
use link::Link;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

/// The migrations in order; migration i + 1 leads to schema version i + 1.
const MIGRATIONS: [&str; 5] = [
    include_str!("postgres/0001.sql"),
    include_str!("postgres/0002.sql"),
    include_str!("postgres/0003.sql"),
    include_str!("postgres/0004.sql"),
    include_str!("postgres/0005.sql"),
];

/// The newest schema.
const KNOWN: i64 = MIGRATIONS.len() as i64;

/// The advisory lock under which a database is migrated.
const MIGRATING: i64 = 0x0066_6174_686f_6d00;

/// The server's clock, in seconds since 1970.
const NOW: &str = "extract(epoch FROM clock_timestamp())::float8";

#[derive(Debug)]
pub(super) struct PostgresStore {
    link: Link,
    /// The schema's version; 0 if the database holds nothing yet.
    version: i64,
}

impl PostgresStore {
    pub fn open(address: &Address, access: Access) -> Result<Self> {
        let mut store = Self { link: Link::new(address)?, version: 0 };
        store.version = store.found()?;
        if access == Access::Act && store.version < KNOWN {
            store.version = store.migrated()?;
        }
        if store.version > KNOWN {
            return Err(Error::LaterSchema { found: store.version, known: KNOWN });
        }
        Ok(store)
    }

    /// The version of the schema.
    fn found(&mut self) -> Result<i64> {
        self.link.with(async |client, _| {
            let there = client.query_one("SELECT to_regclass('fathom_schema') IS NOT NULL", &[]).await?;
            if !there.get::<_, bool>(0) {
                return Ok(0);
            }
            Ok(client.query_one("SELECT coalesce(max(version), 0) FROM fathom_schema", &[]).await?.get(0))
        })
    }

    /// The version of the schema after the newest migrations.
    fn migrated(&mut self) -> Result<i64> {
        self.link.with(async |client, _| {
            // One batch is one transaction. Another process may have migrated in the meantime, so the version is read
            // again under the lock.
            client.batch_execute("BEGIN; SET LOCAL client_min_messages = warning").await?;
            let migrated = migrate(client).await;
            let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
            client.batch_execute(end).await?;
            migrated
        })
    }

    /// The columns of a trial `t`, one of which had another name in earlier versions, and some of which were missing, and its
    /// history as one text.
    fn columns(&self) -> String {
        let column = |name: &str| match name {
            "told" if self.version < 3 => "t.value".to_owned(),
            "later" if self.version < 4 => "NULL::text".to_owned(),
            "set_aside" if self.version < 5 => "NULL::text".to_owned(),
            name => format!("t.{name}"),
        };
        let named = COLUMNS.split(", ").map(column).collect::<Vec<_>>().join(", ");
        let entries = match self.version < 5 {
            true => "NULL",
            false => {
                "(SELECT json_agg(json_build_array(c.number, c.made_at, c.by, c.edit) ORDER BY c.number) \
                 FROM fathom_change c WHERE c.study = t.study AND c.trial = t.number)"
            }
        };
        format!("{named}, {entries}::text")
    }
}

async fn migrate(client: &Client) -> std::result::Result<i64, tokio_postgres::Error> {
    client.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATING]).await?;
    client.batch_execute("CREATE TABLE IF NOT EXISTS fathom_schema (version BIGINT NOT NULL)").await?;
    let found: i64 = client.query_one("SELECT coalesce(max(version), 0) FROM fathom_schema", &[]).await?.get(0);
    for (number, migration) in MIGRATIONS.iter().enumerate().skip(found.clamp(0, KNOWN) as usize) {
        client.batch_execute(migration).await?;
        client.execute("INSERT INTO fathom_schema VALUES ($1)", &[&(number as i64 + 1)]).await?;
    }
    Ok(found.max(KNOWN))
}

/// A word that nobody else has.
fn token() -> String {
    let random = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}{:08x}", random(), random(), std::process::id())
}

fn read(row: &tokio_postgres::Row) -> Row {
    Row {
        number: row.get(0),
        state: row.get(1),
        point: row.get(2),
        told: match *row.columns()[3].type_() {
            Type::FLOAT8 => row.get::<_, Option<f64>>(3).map(told_alone),
            _ => row.get(3),
        },
        message: row.get(4),
        suggestion: row.get(5),
        owner: row.get(6),
        lease: row.get(7),
        asked_at: row.get(8),
        finished_at: row.get(9),
        later: row.get(10),
        set_aside: row.get(11),
        changes: row.get(12),
    }
}

impl Store for PostgresStore {
    fn address(&self) -> &Address {
        self.link.address()
    }

    fn set_patience(&mut self, patience: Duration) -> Result<()> {
        self.link.patience = patience;
        Ok(())
    }

    fn names(&mut self) -> Result<Vec<String>> {
        if self.version == 0 {
            return Ok(Vec::new());
        }
        let names = "SELECT name FROM fathom_study ORDER BY name";
        let rows = self.link.with(async |client, _| client.query(names, &[]).await)?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>> {
        if self.version == 0 {
            return Ok(None);
        }
        let find = "SELECT key, text FROM fathom_study WHERE name = $1";
        let row = self.link.with(async |client, _| client.query_opt(find, &[&name]).await)?;
        Ok(row.map(|row| StoredStudy { key: row.get(0), text: row.get(1) }))
    }

    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>> {
        self.link.with(async |client, is_repeated| {
            let add = "INSERT INTO fathom_study (name, text) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING key";
            if let Some(row) = client.query_opt(add, &[&name, &text]).await? {
                return Ok(Some(row.get(0)));
            }
            // If the answer to an earlier attempt was lost, the study may be ours.
            let ours = "SELECT key FROM fathom_study WHERE name = $1 AND text = $2 AND $3";
            Ok(client.query_opt(ours, &[&name, &text, &is_repeated]).await?.map(|row| row.get(0)))
        })
    }

    fn rewrite(&mut self, study: i64, text: &str) -> Result<()> {
        let change = "UPDATE fathom_study SET text = $2 WHERE key = $1";
        self.link.with(async |client, _| client.execute(change, &[&study, &text]).await)?;
        Ok(())
    }

    fn trials(&mut self, study: i64) -> Result<Vec<Trial>> {
        let all = format!("SELECT {} FROM fathom_trial t WHERE study = $1 ORDER BY number", self.columns());
        let rows = self.link.with(async |client, _| client.query(&all, &[&study]).await)?;
        rows.iter().map(read).map(Row::trial).collect()
    }

    fn trial(&mut self, study: i64, id: u64) -> Result<Option<Trial>> {
        let one = format!("SELECT {} FROM fathom_trial t WHERE study = $1 AND number = $2", self.columns());
        let row = self.link.with(async |client, _| client.query_opt(&one, &[&study, &(id as i64)]).await)?;
        row.map(|row| read(&row).trial()).transpose()
    }

    fn standing(&mut self, study: i64) -> Result<Standing> {
        let pending = "FROM fathom_trial WHERE study = $1 AND state = 'pending' AND set_aside IS NULL AND lease <";
        let query = format!(
            "SELECT (SELECT coalesce(max(number), 0) FROM fathom_trial WHERE study = $1), \
             (SELECT min(number) {pending} {NOW}), EXISTS (SELECT 1 {pending} $2), \
             (SELECT count(*) FROM fathom_trial WHERE study = $1 AND set_aside = 'cancelled')"
        );
        let row = self.link.with(async |client, _| client.query_one(&query, &[&study, &f64::MAX]).await)?;
        let (count, lapsed, cancelled): (i64, Option<i64>, i64) = (row.get(0), row.get(1), row.get(3));
        let lapsed = lapsed.map(|id| id as u64);
        Ok(Standing { count: count as u64, cancelled: cancelled as u64, lapsed, is_leased: row.get(2) })
    }

    fn add(&mut self, study: i64, first: u64, entries: &[Entry]) -> Result<Option<Vec<Trial>>> {
        let mut trials: Vec<Trial> = (first..).zip(entries).map(|(id, entry)| entry.trial(id, 0.0)).collect();
        let rows: Vec<Row> = trials.iter().map(Row::new).collect::<Result<_>>()?;
        let column = |of: fn(&Row) -> &str| rows.iter().map(of).collect::<Vec<&str>>();
        let (states, points) = (column(|row| &row.state), column(|row| &row.point));
        let suggestions = column(|row| &row.suggestion);
        let told: Vec<Option<&str>> = rows.iter().map(|row| row.told.as_deref()).collect();
        let messages: Vec<Option<&str>> = rows.iter().map(|row| row.message.as_deref()).collect();
        let owners: Vec<Option<&str>> = rows.iter().map(|row| row.owner.as_deref()).collect();
        // A lease from time 0 ends at its duration.
        let leases: Vec<Option<f64>> = rows.iter().map(|row| row.lease).collect();
        let laters: Vec<Option<&str>> = rows.iter().map(|row| row.later.as_deref()).collect();
        let (next, token) = (first as i64, token());
        // One statement is all or nothing. Two who look at once both see the same next number; the primary key lets one of
        // them through.
        let add = format!(
            "WITH now AS (SELECT {NOW} AS t) \
             INSERT INTO fathom_trial (study, {COLUMNS}, token) \
             SELECT $1, $2 + r.i - 1, r.state, r.point, r.told, r.message, r.suggestion, r.owner, now.t + r.lease, now.t, \
             CASE WHEN r.state <> 'pending' THEN now.t END, r.later, NULL, $10 \
             FROM now, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::float8[], \
             $11::text[]) \
             WITH ORDINALITY AS r (state, point, told, message, suggestion, owner, lease, later, i) \
             WHERE (SELECT coalesce(max(number), 0) + 1 FROM fathom_trial WHERE study = $1) = $2 \
             RETURNING asked_at"
        );
        let added = self.link.with(async |client, is_repeated| {
            #[rustfmt::skip]
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 11] =
                [&study, &next, &states, &points, &told, &messages, &suggestions, &owners, &leases, &token, &laters];
            let added = match client.query(&add, &values).await {
                Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => Vec::new(),
                added => added?,
            };
            if !added.is_empty() || !is_repeated {
                return Ok(added);
            }
            // The answer to an earlier attempt was lost; trials that it added have our token. Their leases begin now that we
            // know of them, unless a lease has ended and somebody else was given the trial.
            let ours = "WHERE study = $1 AND number >= $2 AND token = $3 AND owner IS NOT DISTINCT FROM $4";
            let begin = format!(
                "UPDATE fathom_trial SET lease = lease + ({NOW} - asked_at), asked_at = {NOW} {ours} AND state = 'pending'"
            );
            client.execute(&begin, &[&study, &next, &token, &owners.first().copied().flatten()]).await?;
            let ours = format!("SELECT asked_at FROM fathom_trial {ours} ORDER BY number");
            client.query(&ours, &[&study, &next, &token, &owners.first().copied().flatten()]).await
        })?;
        let Some(now) = added.first().map(|row| row.get::<_, f64>(0)) else { return Ok(None) };
        for trial in &mut trials {
            trial.lease = trial.lease.map(|duration| now + duration);
            trial.asked_at = now;
            trial.finished_at = (trial.state != State::Pending).then_some(now);
        }
        Ok(Some(trials))
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome) -> Result<Finish> {
        let finish = format!(
            "UPDATE fathom_trial SET state = $3, told = $4, message = $5, finished_at = {NOW}, set_aside = NULL \
             WHERE study = $1 AND number = $2 AND state = 'pending'"
        );
        let (number, state, told) = (id as i64, outcome.state().name(), outcome.values().and_then(told));
        let changed = self.link.with(async |client, _| {
            client.execute(&finish, &[&study, &number, &state, &told, &outcome.message()]).await
        })?;
        if changed == 1 {
            return Ok(Finish::Done);
        }
        Ok(self.trial(study, id)?.map_or(Finish::Unknown, |trial| Finish::Already(Box::new(trial))))
    }

    fn change(&mut self, study: i64, id: u64, by: Option<&str>, edit: &Edit) -> Result<Option<Trial>> {
        let (text, token, number) = (edited(edit)?, token(), id as i64);
        let next = format!(
            "SELECT coalesce(max(number), 0) + 1, round({NOW} * 1e3) / 1e3 FROM fathom_change WHERE study = $1"
        );
        // Two who look at once both see the same next number, and the primary key lets one of them through. The trial must still be
        // in the state that was looked at: somebody may have told it in between.
        let add = "WITH marked AS (UPDATE fathom_trial SET set_aside = $3 WHERE study = $1 AND number = $2 AND state = $4 RETURNING 1) \
                   INSERT INTO fathom_change (study, number, trial, made_at, by, edit, token) \
                   SELECT $1, $5, $2, $6, $7, $8, $9 FROM marked";
        loop {
            let row = self.link.with(async |client, _| client.query_one(&next, &[&study]).await)?;
            let (entry, made_at): (i64, f64) = (row.get(0), row.get(1));
            let Some(trial) = self.trial(study, id)? else { return Ok(None) };
            let change = Change { number: entry as u64, made_at, by: by.map(str::to_owned), edit: edit.clone() };
            let Some(changed) = trial.changed(change)? else { return Ok(Some(trial)) };
            let (mark, state) = (changed.set_aside(), changed.as_told().state.name());
            let is_added = self.link.with(async |client, is_repeated| {
                // If the answer to an earlier attempt was lost, the entry may be ours.
                let ours = "SELECT 1 FROM fathom_change WHERE study = $1 AND token = $2";
                if is_repeated && client.query_opt(ours, &[&study, &token]).await?.is_some() {
                    return Ok(true);
                }
                #[rustfmt::skip]
                let values: [&(dyn tokio_postgres::types::ToSql + Sync); 9] =
                    [&study, &number, &mark, &state, &entry, &made_at, &by, &text, &token];
                match client.execute(add, &values).await {
                    Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => Ok(false),
                    added => Ok(added? == 1),
                }
            })?;
            if is_added {
                return self.trial(study, id);
            }
        }
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, duration: Option<Duration>) -> Result<bool> {
        let lease = format!(
            "UPDATE fathom_trial SET owner = $3, lease = coalesce({NOW} + $4, $5) WHERE study = $1 AND number = $2 \
             AND state = 'pending' AND set_aside IS NULL AND (owner = $3 OR lease < {NOW})"
        );
        let seconds = duration.map(|duration| duration.as_secs_f64());
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&study, &(id as i64), &owner, &seconds, &f64::MAX];
        Ok(self.link.with(async |client, _| client.execute(&lease, &values).await)? == 1)
    }

    fn amend(&mut self, study: i64, id: u64, later: &Later) -> Result<bool> {
        let find = "SELECT later FROM fathom_trial WHERE study = $1 AND number = $2";
        // Somebody else may add something in between: what is there must still be what was looked at.
        let change =
            "UPDATE fathom_trial SET later = $3 WHERE study = $1 AND number = $2 AND later IS NOT DISTINCT FROM $4";
        let number = id as i64;
        loop {
            let row = self.link.with(async |client, _| client.query_opt(find, &[&study, &number]).await)?;
            let old: Option<String> = row.and_then(|row| row.get(0));
            let Some(trial) = self.trial(study, id)? else { return Ok(false) };
            let Some(amended) = amended(&trial, later) else { return Ok(false) };
            let new = written(&amended)?;
            let is_changed = self.link.with(async |client, is_repeated| {
                if client.execute(change, &[&study, &number, &new, &old]).await? == 1 {
                    return Ok(true);
                }
                // If the answer to an earlier attempt was lost, the change may be ours.
                let there = client.query_opt(find, &[&study, &number]).await?;
                Ok(is_repeated && there.is_some_and(|row| row.get::<_, Option<String>>(0).as_ref() == Some(&new)))
            })?;
            if is_changed {
                return Ok(true);
            }
        }
    }

    fn snapshot(&mut self, name: Option<&str>) -> Result<Snapshot> {
        if self.version == 0 {
            return Ok(Snapshot::default());
        }
        // One statement sees one state, whatever others write meanwhile.
        let all = format!(
            "SELECT {}, s.key, s.name, s.text FROM fathom_study s LEFT JOIN fathom_trial t ON t.study = s.key \
             WHERE $1::text IS NULL OR s.name = $1 ORDER BY s.key, t.number",
            self.columns()
        );
        let rows = self.link.with(async |client, _| client.query(&all, &[&name]).await)?;
        let mut studies: Vec<(i64, Kept)> = Vec::new();
        for row in &rows {
            let key: i64 = row.get(13);
            if studies.last().is_none_or(|last| last.0 != key) {
                studies.push((key, Kept { name: row.get(14), text: row.get(15), rows: Vec::new() }));
            }
            // A study without trials has one row without a number.
            if let (Some(_), Some((_, kept))) = (row.get::<_, Option<i64>>(0), studies.last_mut()) {
                kept.rows.push(read(row));
            }
        }
        Ok(Snapshot { studies: studies.into_iter().map(|(_, kept)| kept).collect() })
    }

    fn examine(&mut self) -> Result<Vec<Remark>> {
        let mut remarks = vec![match self.version {
            KNOWN => Remark::fact(format!("schema version {KNOWN}, the newest")),
            0 => Remark::finding("the database holds no studies, and never did"),
            version => Remark::fact(format!(
                "schema version {version}; the next run, ask, tell or import brings it to version {KNOWN}"
            )),
        }];
        let about = "SELECT current_setting('server_version'), pg_is_in_recovery(), \
                     coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), \
                     coalesce(has_table_privilege(to_regclass('fathom_trial'), 'INSERT, UPDATE'), true)";
        let row = self.link.with(async |client, _| client.query_one(about, &[]).await)?;
        let (version, is_standby, is_encrypted, is_writable): (String, bool, bool, bool) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        let encrypted = if is_encrypted { "is" } else { "is not" };
        remarks.push(Remark::fact(format!("PostgreSQL {version}; the connection {encrypted} encrypted")));
        if is_standby {
            remarks.push(Remark::finding("the server is a standby, to which nothing can be written"));
        }
        remarks.push(match is_writable {
            true => Remark::fact("you may write to it"),
            false => Remark::finding("you may not write to it, only look at it"),
        });
        Ok(remarks)
    }
}
