//! Trials as a table of text, for eyes and for CSV.
//!
//! **Formulas.** A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, a tab or an end of line. Text that begins so,
//! after any number of apostrophes, gets one more apostrophe in front. [`Columns`] takes that apostrophe off again, so every
//! text comes back as it was. Numbers are written as they are.
//!
//! **Columns.** A parameter that is called like a column of ours (`value`, `state`, …) has the column `parameter:value`; names of
//! parameters have no colon, so no other column has that name.

use crate::assurance;
use crate::studies::number_text;
use crate::text::{plain, printable};
use anyhow::Context as _;
use fathom_study::{Definition, Kind, Outcome, Parameter, Point, Space, State, Trial, Value};
use std::io::IsTerminal as _;

/// Columns before the parameters.
const BEFORE: [&str; 2] = ["trial", "state"];

/// Columns after the parameters.
const AFTER: [&str; 6] = ["value", "origin", "gain", "gap", "proof", "message"];

/// The characters that a formula begins with, full-width ones of some keyboards included.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The prefix of a parameter that is called like a column of ours.
const PREFIX: &str = "parameter:";

/// The columns.
fn header(definition: &Definition) -> Vec<String> {
    let names = definition.space.parameters().iter().map(|parameter| column(&parameter.name));
    BEFORE.map(str::to_owned).into_iter().chain(names).chain(AFTER.map(str::to_owned)).collect()
}

/// The column of a parameter.
fn column(name: &str) -> String {
    match BEFORE.iter().chain(&AFTER).any(|ours| *ours == name) {
        true => format!("{PREFIX}{name}"),
        false => name.to_owned(),
    }
}

/// A trial, with numbers written by `number` and text by `text`.
fn row(trial: &Trial, number: impl Fn(f64) -> String, text: impl Fn(&str) -> String) -> Vec<String> {
    let maybe = |value: Option<f64>| value.map(&number).unwrap_or_default();
    let suggestion = &trial.suggestion;
    let mut cells = vec![trial.id.to_string(), trial.state.name().to_owned()];
    cells.extend(trial.point.values().map(|value| match value {
        Value::Float(value) => number(*value),
        Value::Integer(_) | Value::Boolean(_) => value.to_string(),
        Value::Text(value) => text(value),
    }));
    cells.push(maybe(trial.objective()));
    cells.push(suggestion.origin.name().to_owned());
    cells.push(maybe(suggestion.bound.map(|bound| bound.gain)));
    cells.push(maybe(suggestion.gap()));
    cells.push(assurance::short(trial).to_owned());
    cells.push(text(trial.message.as_deref().unwrap_or_default()));
    cells
}

/// Trials as CSV with every digit.
pub fn csv(definition: &Definition, trials: &[Trial]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(definition))?;
    for trial in trials {
        writer.write_record(row(trial, |number| number.to_string(), written))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
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
    rows.extend(trials.iter().map(|trial| row(trial, number_text, plain)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A text as a cell that no spreadsheet takes for a formula.
fn written(text: &str) -> String {
    if is_formula(text) { format!("'{text}") } else { text.to_owned() }
}

/// The text of such a cell.
fn text_of(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(cell)
}

fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// The places of the columns that an experiment needs. Columns that are neither parameters nor ours are not looked at.
pub struct Columns<'a> {
    space: &'a Space,
    value: usize,
    state: Option<usize>,
    message: Option<usize>,
    parameters: Vec<(usize, &'a Parameter)>,
}

impl<'a> Columns<'a> {
    /// The columns of a file with this header, whose values are in the column `value`.
    pub fn find(header: &csv::StringRecord, space: &'a Space, value: &str) -> anyhow::Result<Self> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let value = place(value).with_context(|| format!("there is no column `{}`", plain(value)))?;
        let mut parameters = Vec::new();
        for parameter in space.parameters() {
            // Files written by hand may have the plain name, unless that is the column of the values.
            let by_hand = || place(&parameter.name).filter(|place| *place != value);
            if let Some(place) = place(&column(&parameter.name)).or_else(by_hand) {
                parameters.push((place, parameter));
            }
        }
        let is_ours = |place: &usize| parameters.iter().all(|(taken, _)| taken != place) && *place != value;
        let (state, message) = (place("state").filter(is_ours), place("message").filter(is_ours));
        Ok(Self { space, value, state, message, parameters })
    }

    /// The experiment of a row; `None` for a trial that was pending when it was written.
    pub fn read(&self, record: &csv::StringRecord) -> anyhow::Result<Option<(Point, Outcome)>> {
        let cell = |place: usize| record.get(place).unwrap_or_default();
        if self.state.map(cell) == Some(State::Pending.name()) {
            return Ok(None);
        }
        let point = self
            .parameters
            .iter()
            .map(|(place, parameter)| (parameter.name.clone(), value_of(parameter, cell(*place))));
        let point = self.space.check(&point.collect())?;
        let value = cell(self.value).trim();
        if value.is_empty() {
            let message = self.message.map(|place| text_of(cell(place))).filter(|message| !message.is_empty());
            let message = message.unwrap_or("imported without a value").to_owned();
            return Ok(Some((point, Outcome::Failed(message))));
        }
        let number: f64 = value.parse().with_context(|| format!("`{}` is no value", plain(value)))?;
        anyhow::ensure!(number.is_finite(), "the value {number} is not finite: leave it empty for a failed trial");
        Ok(Some((point, Outcome::of(number)?)))
    }
}

/// A cell as a value of a parameter: choices to the letter, numbers without the blanks around them.
fn value_of(parameter: &Parameter, cell: &str) -> Value {
    let number = |cell: &str| cell.parse().map(Value::Integer).or_else(|_| cell.parse().map(Value::Float)).ok();
    let text = || Value::Text(text_of(cell).to_owned());
    match &parameter.kind {
        Kind::Categorical { choices } | Kind::Ordered { choices } => {
            let has = |text: &str| choices.iter().any(|choice| choice.to_string() == text);
            // Files written by hand may have blanks around a choice.
            if !has(text_of(cell)) && has(cell.trim()) { Value::Text(cell.trim().to_owned()) } else { text() }
        }
        Kind::Fixed { value: Value::Text(_) } => text(),
        Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_) | Kind::Fixed { .. } => {
            number(cell.trim()).unwrap_or_else(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_get_an_apostrophe_and_every_text_comes_back() {
        for (text, cell) in [
            ("=cmd|calc", "'=cmd|calc"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-5", "'-5"),
            ("\tx", "'\tx"),
            ("'=1", "''=1"),
            ("''+", "'''+"),
            ("'quoted'", "'quoted'"),
            ("plain", "plain"),
            ("", ""),
            ("'", "'"),
            ("a=b", "a=b"),
        ] {
            assert_eq!((written(text).as_str(), text_of(cell)), (cell, text));
        }
    }
}
