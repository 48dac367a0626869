//! Trials as a table of text, for eyes.

use crate::assurance;
use crate::studies::number_text;
use crate::text::{plain, printable};
use fathom_sheet::column;
use fathom_study::{Definition, Trial, Value};
use std::io::IsTerminal as _;

/// Columns before the parameters.
const BEFORE: [&str; 2] = ["trial", "state"];

/// Columns after the parameters.
const AFTER: [&str; 6] = ["value", "origin", "gain", "gap", "proof", "message"];

/// The columns.
fn header(definition: &Definition) -> Vec<String> {
    let names = definition.space.parameters().iter().map(|parameter| column(&parameter.name));
    BEFORE.map(str::to_owned).into_iter().chain(names).chain(AFTER.map(str::to_owned)).collect()
}

fn row(trial: &Trial) -> Vec<String> {
    let maybe = |value: Option<f64>| value.map(number_text).unwrap_or_default();
    let suggestion = &trial.suggestion;
    let mut cells = vec![trial.id.to_string(), trial.state.name().to_owned()];
    cells.extend(trial.point.values().map(|value| match value {
        Value::Float(value) => number_text(*value),
        Value::Integer(_) | Value::Boolean(_) => value.to_string(),
        Value::Text(value) => plain(value),
    }));
    cells.push(maybe(trial.objective()));
    cells.push(suggestion.origin.name().to_owned());
    cells.push(maybe(suggestion.bound.map(|bound| bound.gain)));
    cells.push(maybe(suggestion.gap()));
    cells.push(assurance::short(trial).to_owned());
    let said = trial.message.as_deref().filter(|message| !message.is_empty()).into_iter().chain(trial.notes());
    cells.push(said.map(plain).collect::<Vec<_>>().join("; "));
    cells
}

/// Prints CSV: to files and programs as it is, to a terminal without the characters that terminals obey.
pub fn show_csv(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().is_terminal() {
        true => say_all!(printable(text)),
        false => say_all!(text),
    }
    Ok(())
}

/// Trials in columns as wide as they need to be.
pub fn text(definition: &Definition, trials: &[Trial]) -> String {
    let mut rows = vec![header(definition)];
    rows.extend(trials.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
