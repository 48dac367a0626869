//! Proofs that go on after a trial was handed out.

use super::Study;
use crate::error::{Error, Result};
use crate::suggest::Recall;
use crate::trial::Trial;
use crate::watch::Watch;

impl Study {
    /// Proves the suggestion of trial `id` as far as the strategy's time limit allows, if the search behind it was cut short. The
    /// trial as it is then: its [`Assurance`](crate::Assurance) says what came of it.
    pub fn prove(&mut self, id: u64) -> Result<Trial> {
        let limit = self.definition.strategy.time_limit;
        self.prove_watched(id, &mut Watch::nobody().within(limit))
    }

    /// The same within a watch. The search begins again from what is stored with the trial, and what it proves by the end of the
    /// watch is stored if it is more than what is known. An [`Error::NoProof`] says why there is nothing to prove, an
    /// [`Error::Different`] what in the study is not as it was.
    pub fn prove_watched(&mut self, id: u64, watch: &mut Watch<'_>) -> Result<Trial> {
        self.prove_in(id, None, watch)
    }

    /// The same in at most so many bytes of memory, unless the strategy says how many.
    pub(crate) fn prove_in(&mut self, id: u64, memory: Option<u64>, watch: &mut Watch<'_>) -> Result<Trial> {
        let trials = self.trials()?;
        let recall = Recall::new(&self.definition, &trials, id)?;
        let assurance = recall.trial().suggestion.assurance();
        if !assurance.is_open() {
            if assurance.name().is_none() {
                let reason = "nothing is proven of the true function, or of the best of points that are left".into();
                return Err(Error::NoProof { id, reason });
            }
            return Ok(recall.trial().clone());
        }
        let later = recall.prove(memory, watch)?;
        self.store.amend(self.key, id, &later)?;
        self.trial(id)
    }

    /// The trials whose proofs are open, the newest first.
    pub fn open_proofs(&mut self) -> Result<Vec<Trial>> {
        let is_open = |trial: &Trial| trial.suggestion.basis.is_some() && trial.suggestion.assurance().is_open();
        Ok(self.trials()?.into_iter().rev().filter(is_open).collect())
    }
}
