//! Trials as a table of text, for eyes and for CSV.

use crate::studies::number_text;
use fathom_study::{Definition, Trial};

/// The columns.
pub fn header(definition: &Definition) -> Vec<String> {
    let names = definition.space.parameters().iter().map(|parameter| parameter.name.clone());
    let before = ["trial", "state"].map(str::to_owned).into_iter();
    before.chain(names).chain(["value", "origin", "gain", "gap", "message"].map(str::to_owned)).collect()
}

/// A trial, with numbers written by `number`.
fn row(trial: &Trial, number: impl Fn(f64) -> String) -> Vec<String> {
    let maybe = |value: Option<f64>| value.map(&number).unwrap_or_default();
    let suggestion = &trial.suggestion;
    let mut cells = vec![trial.id.to_string(), trial.state.name().to_owned()];
    cells.extend(trial.point.values().map(|value| match value {
        fathom_study::Value::Float(value) => number(*value),
        fathom_study::Value::Integer(_) | fathom_study::Value::Text(_) => value.to_string(),
    }));
    cells.push(maybe(trial.value));
    cells.push(suggestion.origin.name().to_owned());
    cells.push(maybe(suggestion.bound.map(|bound| bound.gain)));
    cells.push(maybe(suggestion.certificate.as_ref().and_then(|certificate| certificate.gap)));
    cells.push(trial.message.clone().unwrap_or_default());
    cells
}

/// CSV with every digit.
pub fn csv(definition: &Definition, trials: &[Trial]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(definition))?;
    for trial in trials {
        writer.write_record(row(trial, |number| number.to_string()))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Columns as wide as they need to be.
pub fn text(definition: &Definition, trials: &[Trial]) -> String {
    let mut rows = vec![header(definition)];
    rows.extend(trials.iter().map(|trial| row(trial, number_text)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
