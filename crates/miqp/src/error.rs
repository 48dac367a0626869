//! Mistakes in a model, and failures of a solver.

use std::path::PathBuf;

/// A mistake in a model, or a failure of a solver.
///
/// A solver that proves infeasibility or runs out of time has not failed: see [`Status`](crate::Status).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Some format or solver would change the name.
    #[error("`{name}` cannot be a name: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with the name.
        reason: &'static str,
    },
    /// A name is given twice.
    #[error("there is already a {kind} called `{name}`")]
    DuplicateName {
        /// What the name stands for.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Bounds are out of order or NaN, or there is no value of the variable's kind between them.
    #[error("the variable `{name}` has bounds [{lower}, {upper}]: {reason}")]
    BadBounds {
        /// The variable.
        name: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// What is wrong with the bounds.
        reason: &'static str,
    },
    /// Files or solvers cannot represent a number.
    #[error("`{place}` contains {value}: numbers must be smaller than 1e20, which solvers take for infinity")]
    BadNumber {
        /// The row or objective.
        place: String,
        /// The number.
        value: f64,
    },
    /// A row has no variables.
    #[error("the row `{name}` has no variable in it")]
    EmptyRow {
        /// The row.
        name: String,
    },
    /// A variable belongs to another model.
    #[error("`{place}` uses variable {index}; the model has {count} (counted from 0)")]
    UnknownVariable {
        /// The row, set or objective.
        place: String,
        /// The variable's index.
        index: usize,
        /// The number of the model's variables.
        count: usize,
    },
    /// A special ordered set has fewer than two variables, or a variable twice.
    #[error("the ordered set `{name}` needs at least two different variables, each once")]
    BadSet {
        /// The set.
        name: String,
    },
    /// Breakpoints do not define a function.
    #[error("the piecewise-linear function `{label}`: {reason}")]
    BadPwl {
        /// The label of the function.
        label: String,
        /// What is wrong with the function.
        reason: &'static str,
    },
    /// The length of a point is not the number of variables.
    #[error("the point has {found} coordinates, the model {expected} variables")]
    WrongLength {
        /// The number of the model's variables.
        expected: usize,
        /// The number of the point's coordinates.
        found: usize,
    },
    /// A setting is outside its domain.
    #[error("{name} is {value}: it must be {requirement}")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What the value must be.
        requirement: &'static str,
    },
    /// A solver is not installed.
    #[error("{solver} was not found ({looked}). {remedy}")]
    Missing {
        /// The solver.
        solver: &'static str,
        /// Where the solver was looked for.
        looked: String,
        /// How to get the solver.
        remedy: &'static str,
    },
    /// The answers of this version of a solver cannot be decoded.
    #[error("{solver} has version {version}; supported are {supported}")]
    UnsupportedVersion {
        /// The solver.
        solver: &'static str,
        /// The version that the solver reports.
        version: String,
        /// The versions that can be decoded.
        supported: &'static str,
    },
    /// A solver could not be started.
    #[error("{solver} could not be started")]
    NotStarted {
        /// The solver.
        solver: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// A solver ended by a signal or with an error.
    #[error("{solver} failed ({how}){}", shown(.log))]
    Crashed {
        /// The solver.
        solver: &'static str,
        /// Its exit status.
        how: String,
        /// The end of its log.
        log: String,
    },
    /// The licence of a solver does not cover the model.
    #[error("{0}")]
    TooLarge(TooLarge),
    /// A solver did not stop when it should have, and was killed.
    #[error("{solver} did not stop {seconds} s after it should have, and was killed{}", shown(.log))]
    Hung {
        /// The solver.
        solver: &'static str,
        /// How long we waited for the solver.
        seconds: f64,
        /// The end of its log.
        log: String,
    },
    /// A solver ended well, but left no answer or an answer that makes no sense.
    #[error("{solver} gave no usable answer: {reason}{}", shown(.log))]
    Garbled {
        /// The solver.
        solver: &'static str,
        /// What is wrong with the answer.
        reason: String,
        /// The end of its log.
        log: String,
    },
    /// A file could not be written or read.
    #[error("{action} {}", path.display())]
    File {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A model could not be written.
    #[error("the model could not be written")]
    Write(#[source] std::io::Error),
}

/// A model that is too large for Gurobi's licence without a key, by its own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// The number of variables.
    pub variables: usize,
    /// The number of linear and quadratic rows.
    pub rows: usize,
    /// Whether the encoding of the piecewise-linear functions was chosen, which makes the model larger.
    pub is_encoded: bool,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { variables, rows, is_encoded } = self;
        let or = if *is_encoded { ", or leave `encoding` out" } else { "" };
        write!(
            out,
            "Gurobi's licence without a key solves at most 2000 variables (200 with quadratic terms) and 2000 rows; this \
             program has {variables} variables and {rows} rows: get a licence, use engine scip or embedded{or}"
        )
    }
}

/// A log as part of a message.
fn shown(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("; the end of its log:\n{log}") }
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
