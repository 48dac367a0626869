//! `fathom best`.

use crate::args::Best;
use crate::studies::{self, number_text};
use std::process::ExitCode;

pub fn run(args: &Best) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    let Some(best) = study.best()? else { anyhow::bail!("no trial has a value yet") };
    let bound = study.bound()?;
    if args.json {
        let line = serde_json::json!({ "id": best.id, "value": best.value, "point": best.point, "bound": bound });
        say!("{line}");
        return Ok(ExitCode::SUCCESS);
    }
    say!("trial {}: {}", best.id, best.value.map(number_text).unwrap_or_default());
    for (name, value) in &best.point {
        say!("  {name} = {value}");
    }
    match bound {
        Some(bound) => say!(
            "under the model nothing beyond {} is expected: at most {} can still be gained",
            number_text(bound.reachable),
            number_text(bound.gain)
        ),
        None => say!("no bound of what can still be gained: it needs two values and the certified optimiser"),
    }
    Ok(ExitCode::SUCCESS)
}
