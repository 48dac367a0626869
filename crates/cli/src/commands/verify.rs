//! `fathom verify`.

use crate::args::Verify;
use anyhow::Context as _;
use fathom_global::{Proof, verify};
use std::process::ExitCode;

pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let mut all_hold = true;
    for path in &args.proofs {
        let bytes = std::fs::read(path).with_context(|| format!("could not read {}", path.display()))?;
        let proof = Proof::from_bytes(&bytes).with_context(|| path.display().to_string())?;
        match verify(&proof) {
            Ok(verdict) => {
                println!("{}: the proof holds", path.display());
                match verdict.lower_bound {
                    Some(bound) => println!("  no point of the region has a value below {bound}"),
                    None => println!("  the region has no points"),
                }
                if let Some((low, high)) = verdict.value {
                    println!("  the best point's value lies in [{low}, {high}]");
                }
                println!("  {} boxes checked", verdict.boxes);
            }
            Err(rejection) => {
                all_hold = false;
                println!("{}: REJECTED\n  {rejection}", path.display());
            }
        }
    }
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
