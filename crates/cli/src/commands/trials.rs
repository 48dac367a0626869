//! `fathom trials`.

use crate::args::Trials;
use crate::{studies, table};
use std::process::ExitCode;

pub fn run(args: &Trials) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    let trials = study.trials()?;
    if args.json {
        for trial in &trials {
            say!("{}", serde_json::to_string(trial)?);
        }
    } else if args.csv {
        say_all!(table::csv(study.definition(), &trials)?);
    } else {
        say_all!(table::text(study.definition(), &trials));
    }
    Ok(ExitCode::SUCCESS)
}
