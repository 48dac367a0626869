//! Outcomes that were measured are told, come what may.

use super::Study;
use crate::error::{Error, Result};
use crate::patience::{Waiter, patiently};
use crate::spool::Untold;
use crate::trial::Outcome;
use crate::value::Point;
use std::time::Duration;

/// How long a value that was measured waits for the store before it is written down beside it.
const BEFORE_SPOOLING: Duration = Duration::from_secs(1);

/// What became of a value that had waited to be told.
#[derive(Debug, Clone, PartialEq)]
pub enum TakenUp {
    /// The value is told.
    Told(Untold),
    /// The value waits on, for this reason.
    Kept(Untold, String),
}

impl Study {
    /// Tells a trial its outcome, come what may: while the store cannot take it, the outcome is written down beside the study,
    /// and tried again as long as the waiter goes on. [`Error::Untold`] carries an outcome that was not told.
    pub fn report(&mut self, id: u64, point: Option<&Point>, outcome: &Outcome, waiter: &mut dyn Waiter) -> Result<()> {
        let patience = self.patience;
        self.store.set_patience(patience.min(BEFORE_SPOOLING))?;
        let told = self.reported(id, point, outcome, waiter);
        self.store.set_patience(patience)?;
        told
    }

    fn reported(&mut self, id: u64, point: Option<&Point>, outcome: &Outcome, waiter: &mut dyn Waiter) -> Result<()> {
        let (name, address) = (self.definition.name.clone(), self.store.address().clone());
        let spool = self.spool.clone();
        let line = spool.as_ref().map(|spool| spool.untold(&name, &address, id, point, outcome));
        let mut told = self.finish(id, outcome);
        let mut kept = None;
        if told.as_ref().is_err_and(|error| !error.is_verdict()) {
            kept = spool.as_ref().zip(line.as_ref()).map(|(spool, line)| spool.keep(line));
            if let (Some(kept), Some(spool)) = (&kept, &spool) {
                waiter.keeps(id, outcome, kept.as_ref().map(|()| spool.path()));
            }
            if told.as_ref().is_err_and(Error::is_temporary) {
                let mut first = Some(told);
                told = patiently(waiter, || first.take().unwrap_or_else(|| self.finish(id, outcome)));
            }
        }
        match told {
            Ok(()) => match spool.zip(line) {
                Some((spool, line)) => spool.remove(&line),
                None => Ok(()),
            },
            Err(error) if error.is_verdict() => Err(error),
            Err(error) => {
                let spool = spool.filter(|_| matches!(kept, Some(Ok(())))).map(|spool| spool.path().to_owned());
                Err(Error::Untold { id, outcome: outcome.clone(), spool, source: Box::new(error) })
            }
        }
    }

    /// Tells the values that wait beside the study. A value that contradicts the study waits on; so does a value of another
    /// study, which is passed over in silence.
    pub fn take_up(&mut self) -> Result<Vec<TakenUp>> {
        let Some(spool) = self.spool.clone() else { return Ok(Vec::new()) };
        let place = spool.place(self.store.address());
        let mut taken = Vec::new();
        for line in spool.read()? {
            if line.study != self.definition.name || line.store != place {
                continue;
            }
            let trial = self.store.trial(self.key, line.trial)?;
            if let (Some(point), Some(trial)) = (&line.point, &trial)
                && *point != *trial.asked_point()
            {
                let reason = format!("trial {} of this study has another point", line.trial);
                taken.push(TakenUp::Kept(line, reason));
                continue;
            }
            match self.finish(line.trial, line.outcome()) {
                Ok(()) => {
                    spool.remove(&line)?;
                    taken.push(TakenUp::Told(line));
                }
                Err(error) if error.is_verdict() => taken.push(TakenUp::Kept(line, error.to_string())),
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// How many values wait beside the study to be told to it.
    pub fn waiting(&self) -> Result<usize> {
        let Some(spool) = &self.spool else { return Ok(0) };
        let place = spool.place(self.store.address());
        let is_ours = |line: &&Untold| line.study == self.definition.name && line.store == place;
        Ok(spool.read()?.iter().filter(is_ours).count())
    }
}
