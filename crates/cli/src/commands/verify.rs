//! `fathom verify`.

use crate::args::Verify;
use anyhow::Context as _;
use fathom_check::verify;
use fathom_global::Proof;
use std::io::Write as _;
use std::process::ExitCode;

pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let (mut all_hold, mut out) = (true, std::io::stdout().lock());
    for path in &args.proofs {
        let bytes = std::fs::read(path).with_context(|| format!("could not read {}", path.display()))?;
        let proof = Proof::from_bytes(&bytes).with_context(|| path.display().to_string())?;
        match verify(&proof) {
            Ok(verdict) => {
                writeln!(out, "{}: the proof holds", path.display())?;
                match verdict.lower_bound {
                    Some(bound) => writeln!(out, "  no point of the region has a value below {bound}")?,
                    None => writeln!(out, "  the region has no points")?,
                }
                if let Some((low, high)) = verdict.value {
                    writeln!(out, "  the best point's value lies in [{low}, {high}]")?;
                }
                writeln!(out, "  {} boxes checked", verdict.boxes)?;
            }
            Err(rejection) => {
                all_hold = false;
                writeln!(out, "{}: REJECTED\n  {rejection}", path.display())?;
            }
        }
    }
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
