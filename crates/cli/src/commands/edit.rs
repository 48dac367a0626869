//! `fathom edit`, `cancel`, `withdraw` and `undo`: corrections, each an entry of the study's history.

use super::standing;
use crate::args::{Edit, SetAside, Setting, Undo};
use crate::decimal;
use crate::studies;
use crate::text::plain;
use fathom_study::{Kind, Outcome, Purpose, Space, Study, Trial, Value, author};
use std::process::ExitCode;

pub fn run(args: &Edit) -> anyhow::Result<ExitCode> {
    let outcome = match (args.value, &args.failed) {
        (Some(value), _) => Some(Outcome::of(value)?),
        (None, Some(reason)) => Some(Outcome::Failed(reason.clone())),
        (None, None) => None,
    };
    let changed = &args.changed;
    if outcome.is_none() && changed.at.is_empty() && changed.note.is_none() {
        anyhow::bail!("nothing is changed: give --value, --failed, --at or --note");
    }
    let mut study = studies::open(&args.study, Purpose::Tell)?;
    // All of it is understood before anything is changed.
    let settings = settings(&study.definition().space, &changed.at)?;
    let by = author(changed.by.as_deref());
    let mut trial = study.trial(args.id)?;
    if let Some(outcome) = outcome {
        trial = study.correct(args.id, outcome, by.as_deref())?;
    }
    if !settings.is_empty() {
        trial = study.settle(args.id, &settings, by.as_deref())?;
    }
    if let Some(note) = &changed.note {
        trial = study.note(args.id, note, by.as_deref())?;
    }
    answer(&mut study, &trial)
}

pub fn cancel(args: &SetAside) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Tell)?;
    let trial = study.cancel(args.id, &args.reason, author(args.by.as_deref()).as_deref())?;
    answer(&mut study, &trial)
}

pub fn withdraw(args: &SetAside) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Tell)?;
    let trial = study.withdraw(args.id, &args.reason, author(args.by.as_deref()).as_deref())?;
    answer(&mut study, &trial)
}

pub fn undo(args: &Undo) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Tell)?;
    let trial = study.undo(args.entry, author(args.by.as_deref()).as_deref())?;
    answer(&mut study, &trial)
}

/// Says what the trial is now, and how the study stands.
fn answer(study: &mut Study, trial: &Trial) -> anyhow::Result<ExitCode> {
    say!("{}", standing::of_trial(trial));
    say!("{}", standing::of_study(study)?);
    Ok(ExitCode::SUCCESS)
}

/// Settings in the types of their parameters.
pub fn settings(space: &Space, typed: &[Setting]) -> anyhow::Result<Vec<(String, Value)>> {
    let read = |Setting { name, value }: &Setting| {
        let Some(parameter) = space.parameters().iter().find(|parameter| parameter.name == *name) else {
            let names: Vec<&str> = space.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
            anyhow::bail!("there is no parameter `{}`; there are {}", plain(name), plain(&names.join(", ")));
        };
        let is_text = matches!(
            &parameter.kind,
            Kind::Categorical { .. } | Kind::Ordered { .. } | Kind::Fixed { value: Value::Text(_) }
        );
        let number = if is_text { None } else { decimal::number(value)? };
        let value = match number {
            None => Value::Text(value.clone()),
            Some(number) => match number.parse::<i64>() {
                Ok(whole) => Value::Integer(whole),
                Err(_) => Value::Float(number.parse()?),
            },
        };
        Ok((name.clone(), value))
    };
    typed.iter().map(read).collect()
}
