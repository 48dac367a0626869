//! `fathom tell`.

use crate::args::Tell;
use crate::studies;
use std::process::ExitCode;

pub fn run(args: &Tell) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    match (args.value, &args.failed) {
        (Some(value), _) => study.tell(args.id, value)?,
        (None, reason) => study.tell_failed(args.id, reason.as_deref().unwrap_or_default())?,
    }
    Ok(ExitCode::SUCCESS)
}
