//! `fathom import`.

use crate::args::Import;
use crate::studies;
use anyhow::Context as _;
use fathom_study::{Outcome, Point, Space, Value};
use std::process::ExitCode;

pub fn run(args: &Import) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    let name = args.table.display();
    let mut reader = csv::Reader::from_path(&args.table).with_context(|| format!("could not read {name}"))?;
    let header = reader.headers()?.clone();
    anyhow::ensure!(header.iter().any(|column| column == args.value), "{name} has no column `{}`", args.value);
    // All rows are checked before the first is added, so that a mistake adds nothing.
    let mut experiments = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let line = || format!("{name}, line {}", i + 2);
        let record = record.with_context(line)?;
        let experiment = read(&study.definition().space, &header, &record, &args.value).with_context(line)?;
        experiments.push(experiment);
    }
    for (point, outcome) in &experiments {
        study.add(point, outcome)?;
    }
    say!("{} trials added", experiments.len());
    Ok(ExitCode::SUCCESS)
}

/// Columns that are no parameters are not looked at.
fn read(
    space: &Space,
    header: &csv::StringRecord,
    record: &csv::StringRecord,
    value_column: &str,
) -> anyhow::Result<(Point, Outcome)> {
    let mut point = Point::new();
    let mut outcome = Outcome::Failed("imported without a value".into());
    for (column, cell) in header.iter().zip(record) {
        let cell = cell.trim();
        if column == value_column {
            if !cell.is_empty() {
                let value: f64 = cell.parse().with_context(|| format!("`{cell}` is no value"))?;
                anyhow::ensure!(
                    value.is_finite(),
                    "the value {value} is not finite: leave it empty for a failed trial"
                );
                outcome = Outcome::Value(value);
            }
        } else if space.sides_of(column).is_some() {
            let number = cell.parse::<i64>().map(Value::Integer).or_else(|_| cell.parse::<f64>().map(Value::Float));
            point.insert(column.to_owned(), number.unwrap_or_else(|_| Value::Text(cell.to_owned())));
        }
    }
    Ok((space.check(&point)?, outcome))
}
