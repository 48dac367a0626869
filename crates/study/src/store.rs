//! Where studies are kept: one contract, three back ends.
//!
//! A study is a name, a study file, trials numbered from 1 without holes, and a history of what people changed about them, numbered
//! too. Trials are only added, under the number that the adder expects (so that two who add at once notice), and finished, once;
//! what is changed afterwards is an entry of the history. What is proven of a suggestion afterwards is
//! taken if it is more than what is there. All else is the study's business.
//!
//! The store's clock counts. Whoever asks, tells or renews says for how long, never when, so that a machine whose clock is
//! wrong counts leases as all others do.

mod clock;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
pub(crate) mod record;
pub(crate) mod sqlite;

use crate::address::Address;
use crate::change::Edit;
use crate::error::{Error, Result};
use crate::later::Later;
use crate::remark::Remark;
use crate::trial::{Lease, Outcome, State, Suggestion, Trial};
use crate::value::Point;
use memory::MemoryStore;
use record::Row;
use sqlite::SqliteStore;
use std::fmt::Debug;
use std::time::Duration;

/// How long an operation waits for others, or for a server that went away, if nobody says otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A study as a store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStudy {
    /// The study's key in the store.
    pub key: i64,
    /// The study file.
    pub text: String,
}

/// A trial to add. Its number is the next one, and its times are the store's.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// A value for every parameter.
    pub point: Point,
    /// How the point was chosen.
    pub suggestion: Suggestion,
    /// The outcome of an experiment of the past; the trial is pending without one.
    pub outcome: Option<Outcome>,
    /// For whom the trial is reserved.
    pub lease: Option<Lease>,
}

impl Entry {
    /// The trial, added at `now`.
    pub(crate) fn trial(&self, id: u64, now: f64) -> Trial {
        let Self { point, suggestion, outcome, lease } = self.clone();
        Trial {
            id,
            state: outcome.as_ref().map_or(State::Pending, Outcome::state),
            point,
            values: outcome.as_ref().and_then(Outcome::values).cloned().unwrap_or_default(),
            message: outcome.as_ref().and_then(Outcome::message).map(str::to_owned),
            suggestion,
            lease: lease.as_ref().map(|lease| now + lease.duration.as_secs_f64()),
            owner: lease.map(|lease| lease.owner),
            asked_at: now,
            finished_at: outcome.map(|_| now),
            changes: Vec::new(),
            original: None,
        }
    }
}

/// Where the trials of a study stand; a store knows this without reading them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How many trials there are.
    pub count: u64,
    /// How many of them are cancelled.
    pub cancelled: u64,
    /// The first pending trial whose lease has ended.
    pub lapsed: Option<u64>,
    /// Whether a pending trial is out on a lease that ends some time.
    pub is_leased: bool,
}

/// What became of an attempt to finish a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// The trial is finished now.
    Done,
    /// The trial was finished before, with this outcome.
    Already(Box<Trial>),
    /// There is no such trial.
    Unknown,
}

/// Studies as they were at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(crate) studies: Vec<Kept>,
}

/// One study of a snapshot.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub name: String,
    pub text: String,
    pub rows: Vec<Row>,
}

/// What a back end does. Whatever returns `Ok` has happened and survives the end of the process, unless the back end is
/// memory. Whatever returns `Err` has not happened, or may be done again as if it had not.
pub trait Store: Debug + Send {
    /// The store's address.
    fn address(&self) -> &Address;

    /// How long each operation waits for others, or for a server that went away.
    fn set_patience(&mut self, patience: Duration) -> Result<()>;

    /// The names of all studies, in order.
    fn names(&mut self) -> Result<Vec<String>>;

    /// The study called `name`, if there is one.
    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>>;

    /// A new study; `None` if the name is taken.
    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>>;

    /// Replaces the study file.
    fn rewrite(&mut self, study: i64, text: &str) -> Result<()>;

    /// All trials, by number.
    fn trials(&mut self, study: i64) -> Result<Vec<Trial>>;

    /// One trial.
    fn trial(&mut self, study: i64, id: u64) -> Result<Option<Trial>>;

    /// Where a study's trials stand.
    fn standing(&mut self, study: i64) -> Result<Standing>;

    /// Adds trials under the numbers from `first` on, all or none; `None` if `first` is not the next number, because
    /// somebody else took it.
    fn add(&mut self, study: i64, first: u64, entries: &[Entry]) -> Result<Option<Vec<Trial>>>;

    /// Finishes a pending trial.
    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome) -> Result<Finish>;

    /// Adds an entry to the history of trial `id`, made by `by`. The trial as it is then; `None` if there is no such trial. It is an
    /// error if the trial cannot be changed so. An edit that would change nothing adds no entry.
    fn change(&mut self, study: i64, id: u64, by: Option<&str>, edit: &Edit) -> Result<Option<Trial>>;

    /// Gives a pending trial to `owner` for `duration` (for ever without one), if the trial is that owner's already or its
    /// lease has ended.
    fn lease(&mut self, study: i64, id: u64, owner: &str, duration: Option<Duration>) -> Result<bool>;

    /// Adds what was proven of a trial's suggestion afterwards, whatever the state of the trial; `false` if that is no more than
    /// what is there, or if there is no such trial.
    fn amend(&mut self, study: i64, id: u64, later: &Later) -> Result<bool>;

    /// The study called `name`, or all of them, as they are at one moment.
    fn snapshot(&mut self, name: Option<&str>) -> Result<Snapshot>;

    /// Remarks about the store itself, not its studies.
    fn examine(&mut self) -> Result<Vec<Remark>>;
}

/// What somebody opens a store for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// To look at it. Nothing is created, upgraded or written.
    Read,
    /// To work with it. The store is created if it does not exist, and brought to the newest schema.
    Act,
}

/// What `trial` knows once it hears of `later`; `None` if that adds nothing.
fn amended(trial: &Trial, later: &Later) -> Option<Later> {
    let Suggestion { certificate, later: known, .. } = &trial.suggestion;
    later.added_to(certificate.as_ref().and_then(|certificate| certificate.lower_bound), known.as_deref())
}

/// The store at an address, to work with.
pub fn connect(address: impl Into<Address>) -> Result<Box<dyn Store>> {
    open(&address.into(), Access::Act)
}

/// The store at an address, to look at: nothing is created or written, and no right to write is needed.
pub fn consult(address: impl Into<Address>) -> Result<Box<dyn Store>> {
    open(&address.into(), Access::Read)
}

pub(crate) fn open(address: &Address, access: Access) -> Result<Box<dyn Store>> {
    if address.is_memory() {
        return Ok(Box::new(MemoryStore::default()));
    }
    if address.sqlite().is_some() {
        return Ok(Box::new(SqliteStore::open(address, access)?));
    }
    if address.postgres().is_some() {
        #[cfg(feature = "postgres")]
        return Ok(Box::new(postgres::PostgresStore::open(address, access)?));
        #[cfg(not(feature = "postgres"))]
        return Err(Error::NoPostgres { address: address.clone() });
    }
    Err(Error::BadUrl { address: address.clone() })
}
