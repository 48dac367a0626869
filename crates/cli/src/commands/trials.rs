//! `fathom trials`.

use crate::args::Trials;
use crate::text::json;
use crate::{studies, table};
use std::process::ExitCode;

pub fn run(args: &Trials) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    let trials = study.trials()?;
    if args.json {
        for trial in &trials {
            say!("{}", json(trial)?);
        }
    } else if args.csv {
        table::show_csv(&fathom_sheet::csv(study.definition(), &trials, fathom_sheet::Locale::Plain)?)?;
    } else {
        say_all!(table::text(study.definition(), &trials));
    }
    Ok(ExitCode::SUCCESS)
}
