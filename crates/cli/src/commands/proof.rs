//! `fathom proof`.

use super::proof_files::write_proof;
use crate::args::Proof;
use crate::meter::Meter;
use crate::text::plain_path;
use crate::{interrupt, studies};
use anyhow::Context as _;
use fathom_study::{Report, Watch};
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &Proof) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.output {
        fathom_files::check_destination(path)?;
    }
    let mut study = studies::consult(&args.study)?;
    let path = match &args.output {
        Some(path) => path.clone(),
        None => {
            let name = format!("{}-{}.proof", study.definition().name, args.id);
            let path = fathom_files::inside(Path::new(""), &name).context("say where to write with --output")?;
            fathom_files::check_destination(&path)?;
            path
        }
    };
    let meter = Meter::new();
    let stop = interrupt::stop()?;
    let mut hear = |report: Report| meter.hear(report);
    let made = study.proof_watched(args.id, &mut Watch::new(&stop).heard_by(&mut hear))?;
    meter.clear();
    write_proof(&made.proof, &path)?;
    let (file, path) = (plain_path(&args.study.file), plain_path(&path));
    say!("{path} written: the proof behind trial {}, about {}", made.id, made.scope);
    say!("check it with `fathom verify {path} --of {file} {}`, or with `fathom-check {path}`", made.id);
    Ok(ExitCode::SUCCESS)
}
