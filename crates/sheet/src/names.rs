//! What the columns of a table are called.
//!
//! A parameter that is called like a column of ours (`value`, `state`, …) has the column `parameter:value`; names of parameters have no
//! colon, so no other column has that name. Values beside the objective have columns like `value:strength`.

use crate::grid::Line;
use crate::header::stands_for;
use crate::options::Options;
use fathom_study::{OBJECTIVE, Space};

/// Columns before the parameters.
pub const BEFORE: [&str; 2] = ["trial", "state"];

/// Columns after the parameters and the values.
pub const AFTER: [&str; 8] = ["origin", "gain", "gap", "proof", "message", "note", "asked", "finished"];

/// The prefix of a parameter that is called like a column of ours.
const PREFIX: &str = "parameter:";

/// The prefix of values beside the objective.
const FURTHER: &str = "value:";

/// The column of a parameter.
pub fn column(name: &str) -> String {
    match BEFORE.iter().chain(&AFTER).chain(&[OBJECTIVE]).any(|ours| *ours == name) || name.starts_with(FURTHER) {
        true => format!("{PREFIX}{name}"),
        false => name.to_owned(),
    }
}

/// The column of a value.
pub(crate) fn value_column(name: &str) -> String {
    if name == OBJECTIVE { name.to_owned() } else { format!("{FURTHER}{name}") }
}

/// The value beside the objective that a column has.
pub(crate) fn further(header: &str) -> Option<&str> {
    header.strip_prefix(FURTHER).filter(|name| !name.trim().is_empty())
}

/// The row with most of the names that the study and the options know, from 0; the first of equals.
pub(crate) fn header_row(lines: &[Line], space: &Space, options: &Options) -> Option<usize> {
    let some = lines.iter().take(50).enumerate();
    let best = some.map(|(at, line)| (recognised(line, space, options), std::cmp::Reverse(at))).max()?;
    Some(best.1.0)
}

/// How many cells of a row are names that the study and the options know.
pub(crate) fn recognised(line: &Line, space: &Space, options: &Options) -> usize {
    let given = options.columns.iter().map(|(_, header)| header).chain(&options.value).chain(&options.ignored);
    let given: Vec<&String> = given.collect();
    let is_known = |cell: &crate::cell::Cell| {
        let shown = cell.shown();
        let is_named = |name: &str| shown.trim() == column(name) || stands_for(&shown, name);
        space.parameters().iter().any(|parameter| is_named(&parameter.name))
            || is_named(options.value.as_deref().unwrap_or(OBJECTIVE))
            || given.iter().any(|header| shown.trim() == header.trim())
            || BEFORE.contains(&shown.trim())
    };
    line.cells.iter().filter(|cell| !cell.is_empty() && is_known(cell)).count()
}
