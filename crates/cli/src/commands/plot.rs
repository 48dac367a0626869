//! `fathom plot`.

use crate::args::Plot;
use crate::text::plain_path;
use crate::{picture, studies};
use std::process::ExitCode;

pub fn run(args: &Plot) -> anyhow::Result<ExitCode> {
    picture::check(&args.output)?;
    let mut study = studies::consult(&args.study)?;
    picture::save(&mut study, args.what, &args.output)?;
    say!("{}", plain_path(&args.output));
    Ok(ExitCode::SUCCESS)
}
