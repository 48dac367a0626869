//! `fathom plot`.

use crate::args::Plot;
use crate::studies;
use crate::text::plain_path;
use fathom_picture::Format;
use std::process::ExitCode;

pub fn run(args: &Plot) -> anyhow::Result<ExitCode> {
    // Said before anything is drawn.
    Format::of(&args.output)?;
    fathom_files::check_destination(&args.output)?;
    let mut study = studies::consult(&args.study)?;
    args.what.save(&mut study, &args.parameters, &args.output)?;
    say!("{}", plain_path(&args.output));
    Ok(ExitCode::SUCCESS)
}
