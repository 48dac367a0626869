//! `fathom backup`.

use crate::args::Backup;
use crate::studies;
use anyhow::Context as _;
use std::process::ExitCode;

pub fn run(args: &Backup) -> anyhow::Result<ExitCode> {
    let file = studies::file(&args.study)?;
    let (definition, address) = (file.definition(), file.address());
    let name = (!args.all).then_some(definition.name.as_str());
    let trials = fathom_study::backup(address, name, &args.copy)
        .with_context(|| format!("study {} in {address}", args.study.file.display()))?;
    let copy = args.copy.display();
    say!("{copy} written: {trials} trials; use it with --store sqlite://{copy}");
    Ok(ExitCode::SUCCESS)
}
