//! What can be wrong with a model or with a solver.

use std::path::PathBuf;

/// A model that is not one, or a solver that did not do its work.
///
/// A solver that proves infeasibility or runs out of time did its work: see [`Status`](crate::Status).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that some format or solver would not keep.
    #[error("`{name}` cannot be a name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A name given twice.
    #[error("there is already a {kind} called `{name}`")]
    DuplicateName {
        /// What it names.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Bounds out of order, not numbers, or without a value of the variable's kind between them.
    #[error("the variable `{name}` has bounds [{lower}, {upper}]: {reason}")]
    BadBounds {
        /// The variable.
        name: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// What is wrong with them.
        reason: &'static str,
    },
    /// A number that files or solvers cannot take.
    #[error("`{place}` contains {value}: numbers must be smaller than 1e20, which solvers take for infinity")]
    BadNumber {
        /// The row or objective.
        place: String,
        /// The number.
        value: f64,
    },
    /// A row without variables.
    #[error("the row `{name}` has no variable in it")]
    EmptyRow {
        /// The row.
        name: String,
    },
    /// A variable of another model.
    #[error("`{place}` uses variable {index}; the model has {count} (counted from 0)")]
    UnknownVariable {
        /// The row, set or objective.
        place: String,
        /// The variable's index.
        index: usize,
        /// Variables of the model.
        count: usize,
    },
    /// A special ordered set that is not one.
    #[error("the ordered set `{name}` needs at least two different variables, each once")]
    BadSet {
        /// The set.
        name: String,
    },
    /// Breakpoints that make no function.
    #[error("the piecewise-linear function `{label}`: {reason}")]
    BadPwl {
        /// Its label.
        label: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A point whose length is not the number of variables.
    #[error("the point has {found} coordinates, the model {expected} variables")]
    WrongLength {
        /// Variables of the model.
        expected: usize,
        /// Coordinates of the point.
        found: usize,
    },
    /// A setting outside its domain.
    #[error("{name} is {value}: it must be {requirement}")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// A solver that is not installed.
    #[error("{solver} was not found ({looked}). {remedy}")]
    Missing {
        /// The solver.
        solver: &'static str,
        /// Where it was looked for.
        looked: String,
        /// How to get it.
        remedy: &'static str,
    },
    /// A solver of a version whose answers cannot be decoded.
    #[error("{solver} has version {version}; supported are {supported}")]
    UnsupportedVersion {
        /// The solver.
        solver: &'static str,
        /// What it says it is.
        version: String,
        /// What can be decoded.
        supported: &'static str,
    },
    /// A solver that could not be started.
    #[error("{solver} could not be started")]
    NotStarted {
        /// The solver.
        solver: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// A solver that ended by a signal or with an error.
    #[error("{solver} failed ({how}){}", shown(.log))]
    Crashed {
        /// The solver.
        solver: &'static str,
        /// Its exit status.
        how: String,
        /// The end of its log.
        log: String,
    },
    /// A solver that did not stop when it should have, and was killed.
    #[error("{solver} did not stop {seconds} s after it should have, and was killed{}", shown(.log))]
    Hung {
        /// The solver.
        solver: &'static str,
        /// How long it was waited for.
        seconds: f64,
        /// The end of its log.
        log: String,
    },
    /// A solver that ended well and left no answer, or one that makes no sense.
    #[error("{solver} gave no usable answer: {reason}{}", shown(.log))]
    Garbled {
        /// The solver.
        solver: &'static str,
        /// What is wrong with the answer.
        reason: String,
        /// The end of its log.
        log: String,
    },
    /// A file that could not be written or read.
    #[error("{action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A model that could not be written out.
    #[error("the model could not be written")]
    Write(#[source] std::io::Error),
}

/// A log as part of a message.
fn shown(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("; the end of its log:\n{log}") }
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
