//! `fathom export`.

use crate::args::Export;
use crate::{studies, table};
use std::process::ExitCode;

pub fn run(args: &Export) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    let trials = study.trials()?;
    let text = table::csv(study.definition(), &trials)?;
    match &args.table {
        Some(path) if path.as_os_str() != "-" => fathom_files::write(path, text.as_bytes())?,
        Some(_) | None => table::show_csv(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
