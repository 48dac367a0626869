//! A PostgreSQL server, for workers on many machines. Tables are called `fathom_…`, so that a database can be shared.

use super::record::{COLUMNS, Row};
use super::{Finish, Store, StoredStudy};
use crate::error::{Error, Result};
use crate::trial::{Outcome, Trial};
use postgres::{Client, NoTls};

/// In order; number i + 1 leads to schema version i + 1.
const MIGRATIONS: [&str; 1] = [include_str!("postgres/0001.sql")];

/// The advisory lock under which a database is migrated.
const MIGRATING: i64 = 0x0066_6174_686f_6d00;

pub(super) struct PostgresStore {
    url: String,
    client: Client,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("url", &self.url).finish_non_exhaustive()
    }
}

impl PostgresStore {
    pub fn open(url: &str) -> Result<Self> {
        let shown = without_password(url);
        let client = Client::connect(url, NoTls).map_err(|source| Error::Postgres { store: shown.clone(), source })?;
        let mut store = Self { url: shown, client };
        store.migrate()?;
        Ok(store)
    }

    fn migrate(&mut self) -> Result<()> {
        let known = MIGRATIONS.len() as i64;
        let found = self.with(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATING])?;
            transaction.batch_execute("SET LOCAL client_min_messages = warning; CREATE TABLE IF NOT EXISTS fathom_schema (version BIGINT NOT NULL)")?;
            let found = transaction.query_one("SELECT coalesce(max(version), 0) FROM fathom_schema", &[])?.get(0);
            for (number, migration) in MIGRATIONS.iter().enumerate().skip(i64::clamp(found, 0, known) as usize) {
                transaction.batch_execute(migration)?;
                transaction.execute("INSERT INTO fathom_schema VALUES ($1)", &[&(number as i64 + 1)])?;
            }
            transaction.commit()?;
            Ok(found)
        })?;
        if found > known { Err(Error::LaterSchema { found, known }) } else { Ok(()) }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Client) -> std::result::Result<T, postgres::Error>) -> Result<T> {
        act(&mut self.client).map_err(|source| Error::Postgres { store: self.url.clone(), source })
    }
}

/// Addresses are shown in messages; passwords are not.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((user, host)) = rest.split_once('@') else { return url.to_owned() };
    format!("{scheme}://{}@{host}", user.split(':').next().unwrap_or(user))
}

fn read(row: &postgres::Row) -> Row {
    Row {
        number: row.get(0),
        state: row.get(1),
        point: row.get(2),
        value: row.get(3),
        message: row.get(4),
        suggestion: row.get(5),
        owner: row.get(6),
        lease: row.get(7),
        asked_at: row.get(8),
        finished_at: row.get(9),
    }
}

impl Store for PostgresStore {
    fn url(&self) -> String {
        self.url.clone()
    }

    fn names(&mut self) -> Result<Vec<String>> {
        let rows = self.with(|client| client.query("SELECT name FROM fathom_study ORDER BY name", &[]))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>> {
        let find = "SELECT key, text FROM fathom_study WHERE name = $1";
        let row = self.with(|client| client.query_opt(find, &[&name]))?;
        Ok(row.map(|row| StoredStudy { key: row.get(0), text: row.get(1) }))
    }

    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>> {
        let add = "INSERT INTO fathom_study (name, text) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING key";
        Ok(self.with(|client| client.query_opt(add, &[&name, &text]))?.map(|row| row.get(0)))
    }

    fn rewrite(&mut self, study: i64, text: &str) -> Result<()> {
        let change = "UPDATE fathom_study SET text = $2 WHERE key = $1";
        self.with(|client| client.execute(change, &[&study, &text]))?;
        Ok(())
    }

    fn trials(&mut self, study: i64) -> Result<Vec<Trial>> {
        let all = format!("SELECT {COLUMNS} FROM fathom_trial WHERE study = $1 ORDER BY number");
        let rows = self.with(|client| client.query(&all, &[&study]))?;
        rows.iter().map(read).map(Row::trial).collect()
    }

    fn add(&mut self, study: i64, trial: &Trial) -> Result<bool> {
        let row = Row::new(trial)?;
        // Two who look at once both see the same next number; the primary key lets one of them through.
        let add = format!(
            "INSERT INTO fathom_trial (study, {COLUMNS}) \
             SELECT $1, $2::bigint, $3, $4, $5, $6, $7, $8, $9, $10, $11 \
             WHERE (SELECT coalesce(max(number), 0) + 1 FROM fathom_trial WHERE study = $1) = $2 \
             ON CONFLICT DO NOTHING"
        );
        let added = self.with(|client| {
            #[rustfmt::skip]
            let values: [&(dyn postgres::types::ToSql + Sync); 11] = [
                &study, &row.number, &row.state, &row.point, &row.value, &row.message, &row.suggestion, &row.owner,
                &row.lease, &row.asked_at, &row.finished_at,
            ];
            client.execute(&add, &values)
        })?;
        Ok(added == 1)
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome, now: f64) -> Result<Finish> {
        let finish = "UPDATE fathom_trial SET state = $3, value = $4, message = $5, finished_at = $6 \
                      WHERE study = $1 AND number = $2 AND state = 'pending'";
        let (number, state) = (id as i64, outcome.state().name());
        let changed = self.with(|client| {
            client.execute(finish, &[&study, &number, &state, &outcome.value(), &outcome.message(), &now])
        })?;
        if changed == 1 {
            return Ok(Finish::Done);
        }
        let one = format!("SELECT {COLUMNS} FROM fathom_trial WHERE study = $1 AND number = $2");
        let row = self.with(|client| client.query_opt(&one, &[&study, &number]))?;
        Ok(match row {
            None => Finish::Unknown,
            Some(row) => Finish::Already(Box::new(read(&row).trial()?)),
        })
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, now: f64, until: f64) -> Result<bool> {
        let lease = "UPDATE fathom_trial SET owner = $3, lease = $5 WHERE study = $1 AND number = $2 \
                     AND state = 'pending' AND (owner = $3 OR lease < $4)";
        Ok(self.with(|client| client.execute(lease, &[&study, &(id as i64), &owner, &now, &until]))? == 1)
    }
}
