//! A store that ends with the process.

use super::clock::{Clock, milliseconds};
use super::record::Row;
use super::{Entry, Finish, Kept, Snapshot, Standing, Store, StoredStudy, amended};
use crate::address::Address;
use crate::change::{Change, Edit};
use crate::corrected::last_change;
use crate::error::Result;
use crate::later::Later;
use crate::remark::Remark;
use crate::trial::{Outcome, State, Trial};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct MemoryStore {
    address: Address,
    clock: Clock,
    studies: Vec<(String, String, Vec<Trial>)>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { address: Address::new("memory:"), clock: Clock::Process, studies: Vec::new() }
    }
}

impl MemoryStore {
    fn of(&mut self, study: i64) -> &mut Vec<Trial> {
        &mut self.studies[study as usize].2
    }
}

impl Store for MemoryStore {
    fn address(&self) -> &Address {
        &self.address
    }

    fn set_patience(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }

    fn names(&mut self) -> Result<Vec<String>> {
        let mut names: Vec<String> = self.studies.iter().map(|study| study.0.clone()).collect();
        names.sort();
        Ok(names)
    }

    fn find(&mut self, name: &str) -> Result<Option<StoredStudy>> {
        let key = self.studies.iter().position(|study| study.0 == name);
        Ok(key.map(|key| StoredStudy { key: key as i64, text: self.studies[key].1.clone() }))
    }

    fn create(&mut self, name: &str, text: &str) -> Result<Option<i64>> {
        if self.find(name)?.is_some() {
            return Ok(None);
        }
        self.studies.push((name.to_owned(), text.to_owned(), Vec::new()));
        Ok(Some(self.studies.len() as i64 - 1))
    }

    fn rewrite(&mut self, study: i64, text: &str) -> Result<()> {
        self.studies[study as usize].1 = text.to_owned();
        Ok(())
    }

    fn trials(&mut self, study: i64) -> Result<Vec<Trial>> {
        Ok(self.of(study).clone())
    }

    fn trial(&mut self, study: i64, id: u64) -> Result<Option<Trial>> {
        Ok(self.of(study).iter().find(|trial| trial.id == id).cloned())
    }

    fn standing(&mut self, study: i64) -> Result<Standing> {
        let now = self.clock.now()?;
        let trials = self.of(study);
        let ends =
            |trial: &&Trial, end: f64| trial.state == State::Pending && trial.lease.is_some_and(|lease| lease < end);
        Ok(Standing {
            count: trials.len() as u64,
            cancelled: trials.iter().filter(|trial| trial.state == State::Cancelled).count() as u64,
            lapsed: trials.iter().find(|trial| ends(trial, now)).map(|trial| trial.id),
            is_leased: trials.iter().any(|trial| ends(&trial, f64::MAX)),
        })
    }

    fn add(&mut self, study: i64, first: u64, entries: &[Entry]) -> Result<Option<Vec<Trial>>> {
        let now = self.clock.now()?;
        let trials = self.of(study);
        if first != trials.len() as u64 + 1 {
            return Ok(None);
        }
        let added: Vec<Trial> = (first..).zip(entries).map(|(id, entry)| entry.trial(id, now)).collect();
        trials.extend(added.iter().cloned());
        Ok(Some(added))
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome) -> Result<Finish> {
        let now = self.clock.now()?;
        let Some(trial) = self.of(study).iter_mut().find(|trial| trial.id == id) else {
            return Ok(Finish::Unknown);
        };
        if trial.as_told().state != State::Pending {
            return Ok(Finish::Already(Box::new(trial.clone())));
        }
        *trial = trial.clone().finished(outcome, now);
        Ok(Finish::Done)
    }

    fn change(&mut self, study: i64, id: u64, by: Option<&str>, edit: &Edit) -> Result<Option<Trial>> {
        let (made_at, trials) = (milliseconds(self.clock.now()?), self.of(study));
        let number = last_change(trials) + 1;
        let Some(trial) = trials.iter_mut().find(|trial| trial.id == id) else { return Ok(None) };
        let change = Change { number, made_at, by: by.map(str::to_owned), edit: edit.clone() };
        if let Some(changed) = trial.changed(change)? {
            *trial = changed;
        }
        Ok(Some(trial.clone()))
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, duration: Option<Duration>) -> Result<bool> {
        let now = self.clock.now()?;
        let Some(trial) = self.of(study).iter_mut().find(|trial| trial.id == id) else { return Ok(false) };
        let is_free = trial.owner.as_deref() == Some(owner) || trial.lease.is_some_and(|lease| lease < now);
        let is_given = trial.state == State::Pending && is_free;
        if is_given {
            let until = duration.map_or(f64::MAX, |duration| now + duration.as_secs_f64());
            (trial.owner, trial.lease) = (Some(owner.to_owned()), Some(until));
        }
        Ok(is_given)
    }

    fn amend(&mut self, study: i64, id: u64, later: &Later) -> Result<bool> {
        let Some(trial) = self.of(study).iter_mut().find(|trial| trial.id == id) else { return Ok(false) };
        let amended = amended(trial, later);
        let is_more = amended.is_some();
        trial.suggestion.later = amended.map(Box::new).or(trial.suggestion.later.take());
        Ok(is_more)
    }

    fn snapshot(&mut self, name: Option<&str>) -> Result<Snapshot> {
        let is_meant = |study: &&(String, String, Vec<Trial>)| name.is_none_or(|name| name == study.0);
        let kept = |(name, text, trials): &(String, String, Vec<Trial>)| {
            let rows = trials.iter().map(Row::new).collect::<Result<_>>()?;
            Ok(Kept { name: name.clone(), text: text.clone(), rows })
        };
        Ok(Snapshot { studies: self.studies.iter().filter(is_meant).map(kept).collect::<Result<_>>()? })
    }

    fn examine(&mut self) -> Result<Vec<Remark>> {
        Ok(vec![Remark::fact("the store is in memory and ends with the process")])
    }
}
