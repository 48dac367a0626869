//! `fathom import`.

use crate::args::Import;
use crate::studies;
use crate::table::Columns;
use crate::text::plain_path;
use anyhow::Context as _;
use fathom_study::{Imported, Purpose};
use std::process::ExitCode;

pub fn run(args: &Import) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Add)?;
    let space = study.definition().space.clone();
    let name = plain_path(&args.table);
    let mut reader = csv::Reader::from_path(&args.table).with_context(|| format!("could not read {name}"))?;
    let header = reader.headers()?.clone();
    let columns = Columns::find(&header, &space, &args.value).with_context(|| name.clone())?;
    // All rows are checked before the first is added, so that a mistake adds nothing.
    let mut experiments = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let line = || format!("{name}, line {}", i + 2);
        let record = record.with_context(line)?;
        experiments.extend(columns.read(&record).with_context(line)?);
    }
    let Imported { added, known } = study.import(&experiments)?;
    match known {
        0 => say!("{added} trials added"),
        known => say!("{added} trials added, {known} there already"),
    }
    Ok(ExitCode::SUCCESS)
}
