//! `fathom best`.
//!
//! The best trial is known at once and printed. The bound of what can still be gained takes a fit and a search; it is waited for
//! so long, and Ctrl-C ends the waiting.

use crate::args::Best;
use crate::studies::{self, number_text};
use crate::text::{json, plain};
use anyhow::Context as _;
use fathom_study::{Bound, State, Study, Trial};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long the bound is waited for where nobody says.
const PATIENCE: Duration = Duration::from_secs(30);

/// Complete trials beyond which no model is made unless somebody says how long to wait: time grows with the cube of
/// their number, and memory with the square.
const MOST_MODELLED: usize = 2000;

pub fn run(args: &Best) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    let trials = study.trials()?;
    let Some(best) = best(&study, &trials) else { anyhow::bail!("no trial has a value yet") };
    if args.json {
        let bound = bound(study, &trials, args.time_limit)?;
        let missing = bound.as_ref().err();
        let bound = bound.as_ref().ok();
        let mut line =
            serde_json::json!({ "id": best.id, "value": best.objective(), "point": best.point, "bound": bound });
        if let Some(missing) = missing {
            line["bound_missing"] = missing.clone().into();
        }
        say!("{}", json(&line)?);
        return Ok(ExitCode::SUCCESS);
    }
    say!("trial {}: {}", best.id, best.objective().map(number_text).unwrap_or_default());
    for (name, value) in &best.point {
        say!("  {name} = {}", plain(&value.to_string()));
    }
    // Whoever reads along need not wait for the bound.
    std::io::stdout().flush()?;
    match bound(study, &trials, args.time_limit)? {
        Ok(bound) => say!(
            "under the model nothing beyond {} is expected: at most {} can still be gained",
            number_text(bound.reachable),
            number_text(bound.gain)
        ),
        Err(why) => say!("no bound of what can still be gained: {why}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The complete trial with the best value; the earliest of equals.
fn best<'t>(study: &Study, trials: &'t [Trial]) -> Option<&'t Trial> {
    let goal = study.definition().goal;
    let cost = |trial: &Trial| trial.objective().map_or(f64::INFINITY, |value| goal.cost(value));
    trials
        .iter()
        .filter(|trial| trial.objective().is_some())
        .min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.id.cmp(&b.id)))
}

/// The bound, or why there is none.
fn bound(mut study: Study, trials: &[Trial], limit: Option<Duration>) -> anyhow::Result<Result<Bound, String>> {
    let complete = trials.iter().filter(|trial| trial.state == State::Complete).count();
    if complete > MOST_MODELLED && limit.is_none() {
        let why = format!("a model of {complete} trials takes long; say how long to wait with --time-limit");
        return Ok(Err(why));
    }
    let patience = limit.unwrap_or(PATIENCE);
    let (ready, news) = channel();
    let interrupted = ready.clone();
    ctrlc::set_handler(move || drop(interrupted.send(None))).context("could not listen for Ctrl-C")?;
    // Nothing can stop a fit; it ends with the program.
    std::thread::spawn(move || drop(ready.send(Some(study.bound()))));
    match news.recv_timeout(patience) {
        Ok(Some(bound)) => Ok(bound?.ok_or_else(|| "it needs two values and the certified optimiser".into())),
        Ok(None) => Ok(Err("not computed in time: interrupted".into())),
        Err(_) => {
            let waited = humantime::format_duration(patience);
            Ok(Err(format!("not computed in time: {complete} trials took longer than {waited}; see --time-limit")))
        }
    }
}
