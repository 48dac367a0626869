//! A store that ends with the process.

use super::{Finish, Store, StoredStudy};
use crate::error::Result;
use crate::trial::{Outcome, State, Trial};

#[derive(Debug, Default)]
pub(super) struct MemoryStore {
    studies: Vec<(String, String, Vec<Trial>)>,
}

impl MemoryStore {
    fn of(&mut self, study: i64) -> &mut Vec<Trial> {
        &mut self.studies[study as usize].2
    }
}

impl Store for MemoryStore {
    fn url(&self) -> String {
        "memory:".into()
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

    fn add(&mut self, study: i64, trial: &Trial) -> Result<bool> {
        let trials = self.of(study);
        let is_next = trial.id == trials.len() as u64 + 1;
        if is_next {
            trials.push(trial.clone());
        }
        Ok(is_next)
    }

    fn finish(&mut self, study: i64, id: u64, outcome: &Outcome, now: f64) -> Result<Finish> {
        let Some(trial) = self.of(study).iter_mut().find(|trial| trial.id == id) else {
            return Ok(Finish::Unknown);
        };
        if trial.state != State::Pending {
            return Ok(Finish::Already(Box::new(trial.clone())));
        }
        trial.state = outcome.state();
        trial.value = outcome.value();
        trial.message = outcome.message().map(str::to_owned);
        trial.finished_at = Some(now);
        Ok(Finish::Done)
    }

    fn lease(&mut self, study: i64, id: u64, owner: &str, now: f64, until: f64) -> Result<bool> {
        let Some(trial) = self.of(study).iter_mut().find(|trial| trial.id == id) else { return Ok(false) };
        let is_free = trial.owner.as_deref() == Some(owner) || trial.lease.is_some_and(|lease| lease < now);
        let is_given = trial.state == State::Pending && is_free;
        if is_given {
            (trial.owner, trial.lease) = (Some(owner.to_owned()), Some(until));
        }
        Ok(is_given)
    }
}
