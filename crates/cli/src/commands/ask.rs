//! `fathom ask`.

use crate::args::Ask;
use crate::meter::Meter;
use crate::{assurance, interrupt, studies};
use fathom_study::{Definition, Lease, Purpose, Report, State, Stopping, Study, Trial, Watch, owner};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a trial waits for an `ask` that was killed before anybody saw its number.
const UNSEEN: Duration = Duration::from_secs(20);

pub fn run(args: &Ask) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Ask)?;
    let stop = interrupt::stop()?;
    let lease = Lease { owner: owner(0), duration: args.lease.unwrap_or(UNSEEN) };
    let mut is_proven = true;
    for _ in 0..args.count {
        let meter = Meter::new();
        let mut hear = |report: Report| meter.hear(report);
        let mut watch = Watch::new(&stop).heard_by(&mut hear);
        let asked = match args.prove {
            true => study.ask_proven(Some(&lease), u64::MAX, &mut watch)?,
            false => study.ask_watched(Some(&lease), u64::MAX, &mut watch)?,
        };
        let Some(trial) = asked else { break };
        meter.clear();
        match args.json {
            true => say!("{}", described(&trial)),
            false => say!("trial {}: {}", trial.id, studies::point(&trial)),
        }
        // A trial belongs to somebody once it is printed; until then the next who asks gets it.
        if args.lease.is_none() {
            study.keep(trial.id, &lease.owner)?;
        }
        let is_stopped = stop.load(Ordering::Relaxed);
        let by = if is_stopped { " before Ctrl-C" } else { "" };
        if let Some(sentence) = assurance::standing(&trial, by) {
            eprintln!("{sentence}");
        }
        if let Some(sentence) = plan(study.definition(), &trial).or(may_stop(&mut study, &trial)?) {
            eprintln!("{sentence}");
        }
        is_proven &= trial.suggestion.assurance().is_proven();
        if is_stopped {
            return Ok(ExitCode::from(1));
        }
    }
    Ok(if args.prove && !is_proven { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// What is planned, said with the first trial.
fn plan(definition: &Definition, trial: &Trial) -> Option<String> {
    let trials = definition.stopping.trials.filter(|_| trial.id == 1)?;
    let design = definition.strategy.design_size(&definition.space) as u64;
    Some(match trials.saturating_sub(design) {
        0 => format!("all {trials} trials are of the initial design: the model chooses none (`initial` in [strategy])"),
        left => {
            format!("{trials} trials are planned: {design} of the initial design, then {left} that the model chooses")
        }
    })
}

/// Whether a stopping rule of the study is met, and which.
fn may_stop(study: &mut Study, trial: &Trial) -> anyhow::Result<Option<String>> {
    let Stopping { trials, gain, .. } = study.definition().stopping.clone();
    if let (Some(gain), Some(bound)) = (gain, trial.suggestion.bound)
        && bound.gain <= gain
    {
        let left = studies::number_text(bound.gain);
        return Ok(Some(format!("you may stop: at most {left} can still be gained, and [stop] gain is {gain}")));
    }
    let Some(most) = trials.filter(|most| trial.id > *most) else { return Ok(None) };
    let counting = study.trials()?.iter().filter(|trial| trial.state != State::Cancelled).count() as u64;
    Ok((counting > most).then(|| format!("you may stop: the study has the {most} trials of [stop]; this is one more")))
}

/// A trial on a line of JSON, with what is known of it if a model chose it.
fn described(trial: &Trial) -> serde_json::Value {
    let mut line = serde_json::json!({ "id": trial.id, "point": trial.point });
    let assurance = trial.suggestion.assurance();
    if let Some(name) = assurance.name() {
        line["assurance"] = name.into();
        line["gap"] = trial.suggestion.gap().into();
    }
    line
}
