//! `fathom export`.

use crate::args::Export;
use crate::{studies, table};
use fathom_sheet::Locale;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &Export) -> anyhow::Result<ExitCode> {
    let is_workbook = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"));
    let path = args.table.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = path.filter(|path| is_workbook(path)) {
        anyhow::ensure!(
            args.locale.is_none(),
            "--locale says nothing about a workbook, which every Excel opens: leave it out"
        );
        let mut study = studies::consult(&args.study)?;
        let trials = study.trials()?;
        fathom_files::write(path, &fathom_sheet::xlsx(study.definition(), &trials)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(ending) = path.and_then(Path::extension).filter(|ending| ending.eq_ignore_ascii_case("ods")) {
        anyhow::bail!(
            "no .{} is written: write .xlsx or .csv, which every spreadsheet opens",
            ending.to_string_lossy()
        );
    }
    let mut study = studies::consult(&args.study)?;
    let trials = study.trials()?;
    let text = fathom_sheet::csv(study.definition(), &trials, args.locale.map_or(Locale::Plain, Into::into))?;
    match path {
        Some(path) => fathom_files::write(path, text.as_bytes())?,
        None => table::show_csv(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
