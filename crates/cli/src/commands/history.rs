//! `fathom history`: what was changed about trials.

use crate::args::History;
use crate::studies;
use crate::text::{json, plain};
use fathom_study::Entered;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

pub fn run(args: &History) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    if let Some(id) = args.id {
        study.trial(id)?;
    }
    let mut entries = study.changes()?;
    entries.retain(|entered| args.id.is_none_or(|id| entered.trial == id));
    if entries.is_empty() && !args.json {
        say!("nothing was changed");
    }
    for Entered { trial, change } in &entries {
        if args.json {
            let mut line = serde_json::to_value(change)?;
            line["trial"] = (*trial).into();
            say!("{}", json(&line)?);
            continue;
        }
        let made = UNIX_EPOCH + Duration::from_secs_f64(change.made_at.max(0.0));
        let by = change.by.as_deref().map(|by| format!(", {}", plain(by))).unwrap_or_default();
        let when = humantime::format_rfc3339_seconds(made);
        say!("{:>4}  {when}{by}: trial {trial}: {}", change.number, plain(&change.edit.to_string()));
    }
    Ok(ExitCode::SUCCESS)
}
