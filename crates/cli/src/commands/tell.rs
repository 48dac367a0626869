//! `fathom tell`.

use crate::args::Tell;
use crate::studies;
use anyhow::Context as _;
use fathom_study::{Error, Outcome, Purpose, Spool, Waiter, patiently};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub fn run(args: &Tell) -> anyhow::Result<ExitCode> {
    let outcome = match (args.value, &args.failed) {
        (Some(value), _) => Outcome::of(value)?,
        (None, reason) => Outcome::Failed(reason.clone().unwrap_or_default()),
    };
    let mut waiter = Wait { since: Instant::now(), time: args.wait };
    let by_hand = || format!("tell it again with `{}`", studies::tell_command(&args.study, args.id, &outcome));
    let opened = patiently(&mut waiter, || match studies::open(&args.study, Purpose::Tell) {
        Ok(study) => Ok(Ok(study)),
        // Only a failure that passes is tried again.
        Err(error) => match error.downcast::<Error>() {
            Ok(error) if error.is_temporary() => Err(error),
            Ok(error) => Ok(Err(error.into())),
            Err(error) => Ok(Err(error)),
        },
    });
    let mut study = match opened {
        Ok(study) => study?,
        Err(error) => return Err(kept(args, &outcome, error)).with_context(by_hand),
    };
    let told = study.report(args.id, None, &outcome, &mut waiter);
    if matches!(told, Err(Error::Untold { .. })) {
        return told.map(|()| ExitCode::SUCCESS).with_context(by_hand);
    }
    told?;
    Ok(ExitCode::SUCCESS)
}

/// The reason why a store was not told, if it could not be opened; the value is written down beside the study.
fn kept(args: &Tell, outcome: &Outcome, error: Error) -> Error {
    let spool = Spool::beside(&args.study.file);
    let written = studies::file(&args.study).ok().and_then(|file| {
        spool.keep(&spool.untold(&file.definition().name, file.address(), args.id, None, outcome)).ok()
    });
    let spool = written.map(|()| spool.path().to_owned());
    Error::Untold { id: args.id, outcome: outcome.clone(), spool, source: Box::new(error) }
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
