//! `fathom check-store`.

use crate::args::CheckStore;
use crate::studies;
use anyhow::Context as _;
use fathom_study::Spool;
use std::process::ExitCode;

pub fn run(args: &CheckStore) -> anyhow::Result<ExitCode> {
    let file = studies::file(&args.study)?;
    let (definition, address) = (file.definition(), file.address());
    let remarks = fathom_study::examine(address, definition, &Spool::beside(&args.study.file))
        .with_context(|| format!("study {} in {address}", args.study.file.display()))?;
    say!("{address}");
    for remark in &remarks {
        let mark = if remark.is_finding { "!" } else { " " };
        say!("{mark} {}", remark.text);
    }
    match remarks.iter().filter(|remark| remark.is_finding).count() {
        0 => say!("nothing is wrong with the store"),
        count => say!("findings: {count}"),
    }
    Ok(ExitCode::from(u8::from(remarks.iter().any(|remark| remark.is_finding))))
}
