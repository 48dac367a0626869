//! Where studies are kept: one contract, three back ends.
//!
//! A study is a name, its file, and trials numbered from 1 without holes. Trials are only added, under the number that
//! the adder expects (so that two who add at once notice), and finished, once. All else is the study's business.

mod memory;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod sqlite;

use crate::error::{Error, Result};
use crate::trial::{Outcome, Trial};
use memory::MemoryStore;
use sqlite::SqliteStore;
use std::fmt::Debug;

/// A study as a store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStudy {
    /// Its key in the store.
    pub key: i64,
    /// The study file.
    pub text: String,
}

/// What became of an attempt to finish a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// It is finished now.
    Done,
    /// It was finished before; this is how.
    Already(Box<Trial>),
    /// There is no such trial.
    Unknown,
}

/// What a back end does. Whatever returns `Ok` has happened and survives the end of the process, unless the back end is
/// memory; whatever returns `Err` has not happened.
pub trait Store: Debug + Send {
    /// Its address, for messages.
    fn url(&self) -> String;

    /// The names of all studies, in order.
    fn names(&mut self) -> Result<Vec<String>>;

    /// The study called `name`, if there is one.
    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>>;

    /// A new study; `None` where the name is taken.
    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>>;

    /// Replaces the study file.
    fn rewrite(&mut self, study: i64, text: &str) -> Result<()>;

    /// All trials, by number.
    fn trials(&mut self, study: i64) -> Result<Vec<Trial>>;

    /// Adds a trial where its number is the next one; `false` where somebody else took it.
    fn add(&mut self, study: i64, trial: &Trial) -> Result<bool>;

    /// Finishes a pending trial.
    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome, now: f64) -> Result<Finish>;

    /// Gives a pending trial to `owner` until `until`, where it is theirs already or its lease ended before `now`.
    fn lease(&mut self, study: i64, id: u64, owner: &str, now: f64, until: f64) -> Result<bool>;
}

/// The store at `url`: `sqlite:///absolute/path`, `sqlite://relative/path`, `postgres://…`, or `memory:`.
pub fn connect(url: &str) -> Result<Box<dyn Store>> {
    if url == "memory:" {
        return Ok(Box::new(MemoryStore::default()));
    }
    if let Some(path) = url.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
        return Ok(Box::new(SqliteStore::open(path)?));
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        #[cfg(feature = "postgres")]
        return Ok(Box::new(postgres::PostgresStore::open(url)?));
        #[cfg(not(feature = "postgres"))]
        return Err(Error::NoPostgres { url: url.to_owned() });
    }
    Err(Error::BadUrl { url: url.to_owned() })
}
