//! `fathom man`.

use crate::args::{self, Man};
use crate::text::plain_path;
use anyhow::Context as _;
use clap::Command;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &Man) -> anyhow::Result<ExitCode> {
    let folder = plain_path(&args.output);
    std::fs::create_dir_all(&args.output).with_context(|| format!("could not make the folder {folder}"))?;
    let mut all = args::command().disable_help_subcommand(true);
    // Names of pages, such as fathom-run, are made here.
    all.build();
    write(&all, &args.output)?;
    for command in all.get_subcommands() {
        write(command, &args.output)?;
    }
    say!("{folder}: {} pages written", 1 + all.get_subcommands().count());
    Ok(ExitCode::SUCCESS)
}

fn write(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(fathom_files::write(&folder.join(page.get_filename()), &text)?)
}
