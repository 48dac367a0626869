//! Why a table cannot be read, with the way out.

use std::fmt;
use std::path::PathBuf;

/// What is wrong with a place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The place: a line, a row or a cell.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read.
    #[error("could not read {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that is no table, or a damaged one.
    #[error("{reason}")]
    NoTable {
        /// Why.
        reason: String,
    },
    /// An option that says nothing about this file.
    #[error("--{option} says nothing about this file: {reason}")]
    NoUse {
        /// The option.
        option: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A sheet that is not there, or one of several.
    #[error("{reason}: say --sheet NAME; there are {}", listed(.names))]
    WhichSheet {
        /// Why the sheet is not known.
        reason: String,
        /// The names of the sheets.
        names: Vec<String>,
    },
    /// A parameter that the study does not have.
    #[error("--column: there is no parameter `{name}`; there are {}", listed(.names))]
    NoParameter {
        /// The name.
        name: String,
        /// The study's parameters.
        names: Vec<String>,
    },
    /// Columns that are not there.
    #[error("{}", no_columns(.missing, .headers))]
    NoColumns {
        /// For each what it is and the option that names it.
        missing: Vec<(String, String)>,
        /// The headers that are there.
        headers: Vec<String>,
    },
    /// Two columns for one thing.
    #[error("both `{first}` and `{second}` may be {role}: say {option}")]
    TwoColumns {
        /// What they may be.
        role: String,
        /// One header.
        first: String,
        /// The other.
        second: String,
        /// The option that decides.
        option: String,
    },
    /// A number that may be two.
    #[error("{place}: `{text}` may be {point} or {comma}: say --decimal point or --decimal comma")]
    Ambiguous {
        /// The cell.
        place: String,
        /// What it says.
        text: String,
        /// The number with a decimal point.
        point: f64,
        /// The number with a decimal comma.
        comma: f64,
    },
    /// Numbers with a decimal point and others with a comma.
    #[error(
        "some numbers have a decimal point ({point}) and others a decimal comma ({comma}): correct them, or say \
         --decimal point or --decimal comma if one of them is meant otherwise"
    )]
    TwoDecimals {
        /// One with a point, and where.
        point: String,
        /// One with a comma, and where.
        comma: String,
    },
    /// Cells that are shown as one.
    #[error("the cells {first} to {last} are merged, and only the first of them has a content: split them")]
    Merged {
        /// The first.
        first: String,
        /// The last.
        last: String,
    },
    /// Rows that cannot be experiments of the study.
    #[error("{}", mistakes(.0))]
    Mistakes(Vec<Mistake>),
}

/// The result of reading a table.
pub type Result<T> = std::result::Result<T, Error>;

/// How many mistakes are shown.
const SHOWN: usize = 10;

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn no_columns(missing: &[(String, String)], headers: &[String]) -> String {
    let what: Vec<&str> = missing.iter().map(|(what, _)| what.as_str()).collect();
    let option: Vec<&str> = missing.iter().map(|(_, option)| option.as_str()).collect();
    let there = match headers {
        [] => "the file has none".to_owned(),
        [one] => format!("the only column is `{one}` (--separator says what stands between columns)"),
        headers => format!("the columns are {}", listed(headers)),
    };
    format!("there is no column {}: say {}; {there}", what.join(", "), option.join(" "))
}

fn mistakes(mistakes: &[Mistake]) -> String {
    let mut lines: Vec<String> = mistakes.iter().take(SHOWN).map(Mistake::to_string).collect();
    if mistakes.len() > SHOWN {
        lines.push(format!("and {} more", mistakes.len() - SHOWN));
    }
    match mistakes {
        [_] => lines.concat(),
        many => format!("{} mistakes, and nothing was added:\n{}", many.len(), lines.join("\n")),
    }
}
