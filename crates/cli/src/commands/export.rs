//! `fathom export`.

use crate::args::Export;
use crate::{studies, table};
use anyhow::Context as _;
use std::process::ExitCode;

pub fn run(args: &Export) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    let trials = study.trials()?;
    let text = table::csv(study.definition(), &trials)?;
    match &args.table {
        None => say_all!(text),
        Some(path) => std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))?,
    }
    Ok(ExitCode::SUCCESS)
}
