//! `fathom report`.

use crate::args::Report;
use crate::studies;
use crate::text::plain_path;
use std::process::ExitCode;

pub fn run(args: &Report) -> anyhow::Result<ExitCode> {
    // Said before anything is drawn.
    fathom_picture::check_report(&args.output)?;
    let mut study = studies::consult(&args.study)?;
    fathom_picture::save_report(&mut study, &args.output)?;
    say!("{}", plain_path(&args.output));
    Ok(ExitCode::SUCCESS)
}
