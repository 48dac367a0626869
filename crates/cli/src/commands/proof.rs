//! `fathom proof`.

use super::solve::write_proof;
use crate::args::Proof;
use crate::studies;
use std::process::ExitCode;

pub fn run(args: &Proof) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    let made = study.proof(args.id)?;
    let path = args.output.clone().unwrap_or_else(|| format!("{}-{}.proof", study.definition().name, args.id).into());
    write_proof(&made.proof, &path)?;
    let (file, path) = (args.study.file.display(), path.display());
    say!("{path} written: the proof behind trial {}, about {}", made.id, made.scope);
    say!("check it with `fathom verify {path} --of {file} {}`, or with `fathom-check {path}`", made.id);
    Ok(ExitCode::SUCCESS)
}
