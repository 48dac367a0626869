//! `fathom plot`.

use crate::args::Plot;
use crate::{picture, studies};
use std::process::ExitCode;

pub fn run(args: &Plot) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    picture::save(&mut study, args.what, &args.output)?;
    say!("{}", args.output.display());
    Ok(ExitCode::SUCCESS)
}
