//! `fathom best`.
//!
//! The best trial is known at once and printed. The best trial by the model takes a fit, and the bound of what can still be gained
//! another one and a search. Their time is limited; Ctrl-C ends them too.

use crate::args::Best;
use crate::meter::Meter;
use crate::studies::{self, number_text};
use crate::text::{json, plain};
use crate::{assurance, interrupt};
use fathom_study::{Bound, CAVEAT, Error, Recommended, Remaining, Report, Silence, State, Study, Trial, Watch};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long the command waits for the bound if nobody says.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an answer may take once its time is over. With thousands of trials one evaluation of the likelihood takes longer.
const GRACE: Duration = Duration::from_millis(50);

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(10);

/// Complete trials beyond which no model is made unless somebody says how long to wait: time grows with the cube of
/// their number, and memory with the square.
const MOST_MODELLED: usize = 2000;

pub fn run(args: &Best) -> anyhow::Result<ExitCode> {
    let mut study = studies::consult(&args.study)?;
    let trials = study.trials()?;
    let Some(best) = study.definition().goal.best(&trials) else { anyhow::bail!("no trial has a value yet") };
    let (id, point) = (best.id, &best.point);
    if args.json {
        let mut line = serde_json::json!({ "id": id, "value": best.objective(), "point": point, "by_model": null });
        let bound = outlook(study, &trials, args.time_limit, |recommended| {
            let Recommended { trial, median, low, high, .. } = recommended;
            line["by_model"] = serde_json::json!({
                "id": trial.id, "point": trial.point, "median": median, "low": low, "high": high,
            });
            Ok(())
        })?;
        line["bound"] = serde_json::to_value(bound.as_ref().ok())?;
        if let Some(name) = best.suggestion.assurance().name() {
            line["assurance"] = name.into();
        }
        if let Err(missing) = bound {
            line["bound_missing"] = missing.into();
        }
        say!("{}", json(&line)?);
        return Ok(ExitCode::SUCCESS);
    }
    say!("trial {id}: {}", best.objective().map(number_text).unwrap_or_default());
    for (name, value) in point {
        say!("  {name} = {}", plain(&value.to_string()));
    }
    if let Some(words) = assurance::words(best) {
        say!("  as a suggestion: {words}");
    }
    // A reader need not wait for the rest.
    std::io::stdout().flush()?;
    let bound = outlook(study, &trials, args.time_limit, |recommended| {
        say!("best by the model: {}", recommended.sentence(number_text));
        if recommended.trial.id != id {
            for (name, value) in &recommended.trial.point {
                say!("  {name} = {}", plain(&value.to_string()));
            }
        }
        Ok(())
    })?;
    match bound {
        Ok(bound) => say!("{}\n{CAVEAT}", bound.sentence(number_text)),
        Err(why) => say!("how much can still be gained is not known: {why}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// What the models say, in this order.
enum News {
    Recommended(Box<Recommended>),
    Remaining(Remaining),
}

/// Hands on the best trial by the model, if that says more than the values do, and returns the bound, or why there is none.
fn outlook(
    mut study: Study,
    trials: &[Trial],
    limit: Option<Duration>,
    mut hear: impl FnMut(&Recommended) -> anyhow::Result<()>,
) -> anyhow::Result<Result<Bound, String>> {
    let complete = trials.iter().filter(|trial| trial.state == State::Complete).count();
    if complete > MOST_MODELLED && limit.is_none() {
        let why = format!("a model of {complete} trials takes long; say how long to wait with --time-limit");
        return Ok(Err(why));
    }
    let patience = limit.unwrap_or(PATIENCE).min(study.definition().strategy.time_limit);
    let (started, stop) = (Instant::now(), interrupt::stop()?);
    let meter = Arc::new(Meter::new());
    let (ready, news) = channel();
    let (their_stop, their_meter) = (Arc::clone(&stop), Arc::clone(&meter));
    std::thread::spawn(move || {
        let mut listen = |report: Report| their_meter.hear(report);
        let mut watch = Watch::new(&their_stop).heard_by(&mut listen);
        let mut watch = watch.within(patience);
        match study.recommended_watched(&mut watch) {
            Ok(Some(recommended)) => drop(ready.send(Ok(News::Recommended(Box::new(recommended))))),
            // What is not known in time is not said.
            Ok(None) | Err(Error::Late { .. } | Error::Interrupted { .. }) => {}
            Err(error) => return drop(ready.send(Err(error))),
        }
        drop(ready.send(study.remaining_watched(&mut watch).map(News::Remaining)));
    });
    let mut over: Option<Instant> = None;
    let remaining = loop {
        match news.recv_timeout(GLANCE) {
            Ok(Ok(News::Recommended(recommended))) => {
                meter.clear();
                hear(&recommended)?;
            }
            Ok(Ok(News::Remaining(remaining))) => break remaining,
            Ok(Err(error)) => return Err(error.into()),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the bound broke down"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop.load(Ordering::Relaxed) || started.elapsed() >= patience {
            // Work that takes longer than this ends with the program.
            if over.get_or_insert_with(Instant::now).elapsed() > GRACE {
                break Remaining::Silent(Silence::Late);
            }
        }
    };
    meter.clear();
    let is_stopped = stop.load(Ordering::Relaxed);
    let is_cut = is_stopped || started.elapsed() >= patience;
    match remaining {
        Remaining::AtMost(bound) => {
            if is_cut {
                eprintln!("the search for the bound was cut short: a longer one may prove that less can be gained");
            }
            Ok(Ok(bound))
        }
        Remaining::Silent(Silence::Late) if is_stopped => Ok(Err("not computed in time: interrupted".into())),
        Remaining::Silent(Silence::Late) if is_cut => {
            let waited = humantime::format_duration(patience);
            Ok(Err(format!("not computed in time: {complete} trials took longer than {waited}; see --time-limit")))
        }
        Remaining::Silent(silence) => Ok(Err(silence.to_string())),
    }
}
