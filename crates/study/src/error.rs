//! What can go wrong with a study, each variant naming the way out.

use crate::address::Address;
use crate::outcome::Outcome;
use crate::values::BadValues;
use rusqlite::ErrorCode;
use std::path::PathBuf;
#[cfg(feature = "postgres")]
use tokio_postgres::error::SqlState;

/// A mistake in a study file or a call, an exhausted space, or a store that does not work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text that is no study file.
    #[error("line {line}, column {column}: {message}")]
    File {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A setting of a study that a program put together.
    #[error("{}{reason}", at_key(.key, .reason))]
    BadSetting {
        /// Its key, `strategy.noise`.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A study file that cannot be read.
    #[error("could not read {} (`fathom new` writes a study file): {reason}", .path.display())]
    NoStudyFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A mistake in a study file.
    #[error("{}: {mistake}", .path.display())]
    InStudyFile {
        /// The file.
        path: PathBuf,
        /// The mistake.
        mistake: Box<Self>,
    },
    /// A study without an `[evaluate]`.
    #[error("the study has no [evaluate]: say what to run, or use ask and tell")]
    NothingToEvaluate,
    /// A parameter that cannot be one.
    #[error("parameter `{name}`: {reason}")]
    BadParameter {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A constraint that cannot be read or not be certified; shows the place.
    #[error("{message}\n    {text}\n    {}^", " ".repeat(*.at))]
    BadConstraint {
        /// The constraint.
        text: String,
        /// The character with the mistake, from 0.
        at: usize,
        /// What is wrong.
        message: String,
    },
    /// A value that does not fit its parameter.
    #[error("parameter `{name}` cannot be {value}: {reason}")]
    BadValue {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// Why not.
        reason: String,
    },
    /// A point at which a constraint does not hold.
    #[error("`{constraint}` does not hold: off by {violation}")]
    Violated {
        /// The constraint.
        constraint: String,
        /// By how much.
        violation: f64,
    },
    /// A setting of the strategy that cannot be.
    #[error("strategy `{key}`: {reason}")]
    BadStrategy {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// No point satisfies all constraints.
    #[error("the constraints leave no point: {reason}")]
    Infeasible {
        /// How that is known.
        reason: String,
    },
    /// Every point of a finite space has been handed out.
    #[error("the space is exhausted: all of its {points} points have been tried or are being tried")]
    Exhausted {
        /// How many there are.
        points: usize,
    },
    /// No new point was found although the space is not known to be exhausted.
    #[error("no point was found that has not been tried: the constraints leave too little room")]
    NoNewPoint,
    /// Values that cannot be told.
    #[error(transparent)]
    BadValues(#[from] BadValues),
    /// Somebody asked to stop before there was an answer.
    #[error("interrupted before {before}")]
    Interrupted {
        /// What was missing.
        before: &'static str,
    },
    /// Time ran out before there was an answer.
    #[error("the time was over before {before}: allow more time")]
    Late {
        /// What was missing.
        before: &'static str,
    },
    /// A trial that does not exist.
    #[error("study `{study}` has no trial {id}")]
    NoSuchTrial {
        /// The study.
        study: String,
        /// The number given.
        id: u64,
    },
    /// A trial of which nothing was proven.
    #[error("trial {id} has no proof: {reason}")]
    NoProof {
        /// The trial.
        id: u64,
        /// Why not.
        reason: String,
    },
    /// A suggestion that does not follow from the study as it is now.
    #[error("trial {id} is not what this study suggested: {what}")]
    Different {
        /// The trial.
        id: u64,
        /// The first difference.
        what: String,
    },
    /// A proof that the checker does not accept.
    #[error("the proof of trial {id} is refused: {rejection}")]
    Refused {
        /// The trial.
        id: u64,
        /// Why.
        rejection: fathom_check::Rejection,
    },
    /// A trial that was told something else already.
    #[error(
        "trial {id} is finished ({outcome}): to correct it, use `edit`, which keeps what was told before in the history"
    )]
    AlreadyFinished {
        /// The trial.
        id: u64,
        /// What it was told.
        outcome: String,
    },
    /// A trial that cannot be changed in this way.
    #[error("trial {id} cannot be changed so: {reason}")]
    Unchangeable {
        /// The trial.
        id: u64,
        /// Why, and what to do instead.
        reason: String,
    },
    /// A history without an entry that could be undone.
    #[error("study `{study}` has {}", .number.map_or("nothing to undo: nothing was changed".to_owned(), |number| format!("no entry {number} in its history")))]
    NoSuchChange {
        /// The study.
        study: String,
        /// The entry's number, if one was given.
        number: Option<u64>,
    },
    /// A study that does not exist.
    #[error("{store} has no study `{name}`{}", known(.names))]
    NoSuchStudy {
        /// The store.
        store: Address,
        /// The name asked for.
        name: String,
        /// The names of the studies that exist.
        names: Vec<String>,
    },
    /// A study that exists already.
    #[error("study `{name}` exists already: open it, or choose another name")]
    StudyExists {
        /// Its name.
        name: String,
    },
    /// A study file whose space differs from that of the study under its name.
    #[error("study `{name}` exists with another {what}: choose another name, or restore it")]
    DifferentSpace {
        /// The study.
        name: String,
        /// What differs.
        what: &'static str,
    },
    /// A text that is no store's address.
    #[error("`{address}` is no store: use sqlite:///path/to/file.db, postgres://user@host/database or memory:")]
    BadUrl {
        /// The address.
        address: Address,
    },
    /// An address of a back end that this build does not have.
    #[error("`{address}` needs PostgreSQL support: build with `--features postgres`")]
    NoPostgres {
        /// The address.
        address: Address,
    },
    /// An address of a server with a part that cannot be used.
    #[error("`{address}` cannot be used: {reason}")]
    BadAddress {
        /// The address.
        address: Address,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that does not exist, for somebody who looks at it.
    #[error("there is no {}", .path.display())]
    NoStore {
        /// The file.
        path: PathBuf,
    },
    /// A database without the log that holds its trials.
    #[error(
        "{0} is empty, and {0}-wal is missing, in which an earlier version kept its trials: copy both files, or make the \
         copy with `fathom backup`. If {0} never held anything, remove it",
        .path.display()
    )]
    MissingLog {
        /// The database.
        path: PathBuf,
    },
    /// A database in the middle of a change, for somebody who may only read.
    #[error(
        "{store}: a writer was killed, and you may not put the store in order: any command of somebody who may write to it \
         does so"
    )]
    Unfinished {
        /// The store.
        store: Address,
    },
    /// A file system that does not tell the time.
    #[error("could not ask the file system of {} for the time: {source}", .folder.display())]
    Clock {
        /// The folder of the database.
        folder: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A file of values that wait to be told.
    #[error("{}: {reason}", .path.display())]
    Spool {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A value that the store did not take.
    #[error("trial {id} was not told {outcome}: {source}{}", kept(.spool.as_ref()))]
    Untold {
        /// The trial.
        id: u64,
        /// What it was to be told.
        outcome: Outcome,
        /// Where it waits to be told, if it could be written down.
        spool: Option<PathBuf>,
        /// Why not.
        source: Box<Self>,
    },
    /// A copy that cannot be written.
    #[error("could not write {}: {reason}", .path.display())]
    Backup {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A store written by a later version.
    #[error("the store has schema version {found}, this program knows up to {known}: update the program")]
    LaterSchema {
        /// The version of the store.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// A record in a store that cannot be read back.
    #[error("the store holds a damaged record ({what}): {reason}")]
    Damaged {
        /// The damaged record.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The database refused.
    #[error("{store}: {source}")]
    Sqlite {
        /// The store.
        store: Address,
        /// What it said.
        source: rusqlite::Error,
    },
    /// The server refused, or could not be reached.
    #[cfg(feature = "postgres")]
    #[error("{store}: {}", postgres_says(.source))]
    Postgres {
        /// The store.
        store: Address,
        /// What it said.
        source: tokio_postgres::Error,
    },
    /// The server did not answer.
    #[cfg(feature = "postgres")]
    #[error("{store}: no answer within {} s", .within.as_secs())]
    Silent {
        /// The store.
        store: Address,
        /// How long it was given.
        within: std::time::Duration,
    },
    /// Others kept adding trials faster than a suggestion could be made.
    #[error("{tries} suggestions in a row were outdated by other workers: use fewer, or a larger gap")]
    Crowded {
        /// How many.
        tries: usize,
    },
    /// A mistake in the model or its data.
    #[error(transparent)]
    Model(#[from] fathom_gp::Error),
    /// A problem that cannot be searched.
    #[error(transparent)]
    Search(#[from] fathom_method::Error),
}

/// The key, to stand before the message, unless the message names it.
fn at_key(key: &str, reason: &str) -> String {
    let name = key.rsplit('.').next().unwrap_or(key);
    let is_named = key.is_empty() || reason.starts_with(name) || reason.contains(&format!("`{name}`"));
    if is_named { String::new() } else { format!("`{key}`: ") }
}

fn known(names: &[String]) -> String {
    if names.is_empty() { " (the store is empty)".into() } else { format!("; it has {}", names.join(", ")) }
}

fn kept(spool: Option<&PathBuf>) -> String {
    spool.map_or_else(String::new, |path| {
        format!("; the value is kept in {} and told by the next command", path.display())
    })
}

#[cfg(feature = "postgres")]
fn postgres_says(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    match (error.as_db_error(), error.source()) {
        (Some(inner), _) => inner.message().to_owned(),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

/// Errors that no server sent: closed, refused, reset. All other errors (unreadable text, a wrong certificate) stay as they
/// are.
#[cfg(feature = "postgres")]
pub(crate) fn is_of_connection(error: &tokio_postgres::Error) -> bool {
    use std::error::Error as _;
    let is_io = error
        .source()
        .and_then(|cause| cause.downcast_ref::<std::io::Error>())
        .is_some_and(|cause| cause.kind() != std::io::ErrorKind::InvalidData);
    error.is_closed() || is_io
}

/// Whether the same call may well work later.
#[cfg(feature = "postgres")]
fn may_pass(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        None => is_of_connection(error),
        Some(code) => {
            // The classes are connections, resources (a full disk, too many clients), the operator, and conflicts with others.
            ["08", "53", "57", "40"].iter().any(|class| code.code().starts_with(class))
                || [SqlState::LOCK_NOT_AVAILABLE, SqlState::READ_ONLY_SQL_TRANSACTION].contains(code)
        }
    }
}

impl Error {
    /// Whether the same call may well work later: the store is busy, full or away.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Sqlite { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(
                    ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                        | ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::CannotOpen
                        | ErrorCode::FileLockingProtocolFailed
                )
            ),
            #[cfg(feature = "postgres")]
            Self::Postgres { source, .. } => may_pass(source),
            #[cfg(feature = "postgres")]
            Self::Silent { .. } => true,
            Self::Clock { .. } => true,
            Self::Untold { source, .. } => source.is_temporary(),
            _ => false,
        }
    }

    /// Whether the store has decided, so that to try again, or to keep the value for later, would change nothing.
    pub(crate) fn is_verdict(&self) -> bool {
        matches!(
            self,
            Self::AlreadyFinished { .. } | Self::Unchangeable { .. } | Self::NoSuchTrial { .. } | Self::BadValues(_)
        )
    }
}

impl From<fathom_global::Error> for Error {
    fn from(error: fathom_global::Error) -> Self {
        Self::Search(error.into())
    }
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
