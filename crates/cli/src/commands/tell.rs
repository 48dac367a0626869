//! `fathom tell`.

use super::{edit, standing};
use crate::args::{self, Tell};
use crate::studies;
use crate::text::plain;
use anyhow::Context as _;
use fathom_study::{Error, Outcome, Purpose, Spool, Study, Waiter, author, patiently};
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub fn run(args: &Tell) -> anyhow::Result<ExitCode> {
    let told = match (&args.from, args.id) {
        (Some(file), _) => list(file)?,
        (None, Some(id)) => vec![(id, one(args)?)],
        (None, None) => anyhow::bail!("say which trial"),
    };
    let mut waiter = Wait { since: Instant::now(), time: args.wait };
    let mut study = opened(args, &told, &mut waiter)?;
    // A list is understood as a whole before any of it is told.
    let settings = edit::settings(&study.definition().space, &args.changed.at)?;
    if told.len() > 1 {
        let may = |(id, outcome): &(u64, Outcome)| study.may_be_told(*id, outcome);
        told.iter().try_for_each(may).context("nothing was told")?;
    }
    for (id, outcome) in &told {
        let by_hand = || format!("tell it again with `{}`", studies::tell_command(&args.study, *id, outcome));
        let report = study.report(*id, None, outcome, &mut waiter);
        if matches!(report, Err(Error::Untold { .. })) {
            return report.map(|()| ExitCode::SUCCESS).with_context(by_hand);
        }
        report?;
        let by = author(args.changed.by.as_deref());
        let kept =
            || format!("trial {id} was told {outcome}, but not what came with it: say that again with `fathom edit`");
        if !settings.is_empty() {
            study.settle(*id, &settings, by.as_deref()).with_context(kept)?;
        }
        if let Some(note) = &args.changed.note {
            study.note(*id, note, by.as_deref()).with_context(kept)?;
        }
        say!("{}", standing::of_trial(&study.trial(*id)?));
    }
    say!("{}", standing::of_study(&mut study)?);
    Ok(ExitCode::SUCCESS)
}

fn one(args: &Tell) -> anyhow::Result<Outcome> {
    Ok(match (args.value, &args.failed) {
        (Some(value), _) => Outcome::of(value)?,
        (None, reason) => Outcome::Failed(reason.clone().unwrap_or_default()),
    })
}

/// The trials and outcomes of a list.
fn list(file: &Path) -> anyhow::Result<Vec<(u64, Outcome)>> {
    let mut text = String::new();
    match file == Path::new("-") {
        true => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        false => std::fs::read_to_string(file).map(|read| text = read),
    }
    .with_context(|| format!("could not read {}", file.display()))?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let told: Vec<(u64, Outcome)> = lines
        .map(|(i, line)| entry(line).with_context(|| format!("line {}, `{}`", i + 1, plain(line.trim()))))
        .collect::<anyhow::Result<_>>()?;
    anyhow::ensure!(!told.is_empty(), "{} has no line with a trial and its value", file.display());
    Ok(told)
}

/// A line of a list: a trial's number and its value, or `failed` and the reason.
fn entry(line: &str) -> anyhow::Result<(u64, Outcome)> {
    let is_gap = |letter: char| letter.is_whitespace() || matches!(letter, ';' | ':' | '=');
    let how = "write the trial's number and its value, or `failed` and the reason";
    let (id, rest) = line.trim().split_once(is_gap).with_context(|| how.to_owned())?;
    let id: u64 = id.trim().parse().map_err(|_| anyhow::anyhow!("`{}` is no trial: {how}", plain(id)))?;
    let rest = rest.trim_matches(is_gap);
    if let Some(reason) = rest.strip_prefix("failed") {
        return Ok((id, Outcome::Failed(reason.trim_matches(is_gap).to_owned())));
    }
    let value = args::value(rest).map_err(|reason| anyhow::anyhow!("`{}` is no value: {reason}", plain(rest)))?;
    Ok((id, Outcome::of(value)?))
}

/// The study, once its store answers.
fn opened(args: &Tell, told: &[(u64, Outcome)], waiter: &mut Wait) -> anyhow::Result<Study> {
    let opened = patiently(waiter, || match studies::open(&args.study, Purpose::Tell) {
        Ok(study) => Ok(Ok(study)),
        // Only a failure that passes is tried again.
        Err(error) => match error.downcast::<Error>() {
            Ok(error) if error.is_temporary() => Err(error),
            Ok(error) => Ok(Err(error.into())),
            Err(error) => Ok(Err(error)),
        },
    });
    match (opened, told) {
        (Ok(study), _) => study,
        (Err(error), [(id, outcome)]) => {
            let by_hand = format!("tell it again with `{}`", studies::tell_command(&args.study, *id, outcome));
            Err(kept(args, *id, outcome, error)).context(by_hand)
        }
        (Err(error), _) => Err(error).context("nothing of the list was told: tell it again"),
    }
}

/// The reason why a store was not told, if it could not be opened; the value is written down beside the study.
fn kept(args: &Tell, id: u64, outcome: &Outcome, error: Error) -> Error {
    let spool = Spool::beside(&args.study.file);
    let written = studies::file(&args.study)
        .ok()
        .and_then(|file| spool.keep(&spool.untold(&file.definition().name, file.address(), id, None, outcome)).ok());
    let spool = written.map(|()| spool.path().to_owned());
    Error::Untold { id, outcome: outcome.clone(), spool, source: Box::new(error) }
}

/// Waits for a stated time, and says so.
struct Wait {
    since: Instant,
    time: Duration,
}

impl Waiter for Wait {
    fn waits(&mut self, why: &Error, times: usize) {
        if times == 1 {
            eprintln!("{why}: trying again for {}", humantime::format_duration(self.time));
        }
    }

    fn goes_on(&self) -> bool {
        self.since.elapsed() < self.time
    }
}
