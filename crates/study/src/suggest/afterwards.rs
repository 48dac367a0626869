//! The proof after the point: the search behind a suggestion from its beginning, for as long as somebody lets it run.
//!
//! The search is that of the ask, under the stored hyperparameters, without the limits of the ask. If its minimum is at a point
//! tried before, a ball around that point is left out and the search begins again, as it does when a point is chosen.

use super::minimum::{MOST_BALLS, cut};
use super::recall::{Posed, Recall};
use crate::design::is_same;
use crate::error::Result;
use crate::later::Later;
use crate::value::Point;
use crate::watch::{Stage, Watch};
use fathom_global::{Certificate, Limits, Problem, Status, minimise};

/// The gap of the longer search as a part of the gap that was asked for: a point that is better by the rest of it or less leaves
/// the suggested one proven.
const FINER: f64 = 0.99;

impl Recall<'_> {
    /// What a longer search proves within the watch, in at most so many bytes.
    pub fn prove(&self, memory: Option<u64>, watch: &mut Watch<'_>) -> Result<Later> {
        let (apart, mut apart_from) = (self.apart(), self.basis.apart_from.clone());
        let mut strongest: Option<Later> = None;
        loop {
            let Posed { surrogate, region } = self.posed(&apart_from)?;
            let problem = Problem::new(&surrogate.posterior, surrogate.criterion, region)?;
            let mut certificate = self.searched_on(&problem, memory, watch)?;
            let twin = Some(&certificate.x).filter(|x| !x.is_empty()).and_then(|x| apart.near(x));
            let (cut_after, _) = cut(&certificate).unzip();
            let status = match twin {
                Some(_) if cut_after.is_none() && watch.is_stopped() => Status::Interrupted,
                Some(_) if cut_after.is_none() && watch.is_over() => Status::TimeLimit,
                Some(_) if apart_from.len() == MOST_BALLS => Status::Exhausted,
                Some(_) | None => certificate.status,
            };
            let better = self.settled(&mut certificate, twin.is_some());
            let found = Later { certificate, better, apart_from: apart_from.clone(), cut_after };
            // A bound of a larger region is one of a smaller region, too.
            let is_stronger = |known: &Later| known.certificate.lower_bound > found.certificate.lower_bound;
            let mut later = strongest.take().filter(is_stronger).unwrap_or(found);
            // What ended the last search says why no more is known.
            later.certificate.status = status;
            match twin.filter(|_| status == Status::Optimal) {
                Some(twin) => apart_from.push(twin),
                None => return Ok(later),
            }
            strongest = Some(later);
        }
    }

    fn searched_on(&self, problem: &Problem<'_>, memory: Option<u64>, watch: &mut Watch<'_>) -> Result<Certificate> {
        let (search, strategy) = (self.basis.search, &self.definition.strategy);
        let limits = Limits {
            gap: FINER * search.gap,
            relative_gap: FINER * search.relative_gap,
            time: watch.left(),
            threads: strategy.threads,
            seed: search.seed,
            memory: strategy.memory_limit.or(memory),
            ..Limits::default()
        };
        watch.tell(Stage::Proof, None);
        let stop = watch.stop();
        Ok(minimise(problem, &limits, stop, |progress| watch.tell(Stage::Proof, Some(progress)))?)
    }

    /// Puts the suggested point in the place of one that is no better, or that was tried before. Returns the better point
    /// otherwise.
    fn settled(&self, certificate: &mut Certificate, is_tried: bool) -> Option<Point> {
        let space = &self.definition.space;
        let value = self.trial.suggestion.acquisition.unwrap_or(f64::INFINITY);
        let is_better = certificate.value < value && !is_same(space, &certificate.x, self.x());
        if is_better && !is_tried {
            return Some(space.decode(&certificate.x));
        }
        certificate.place(self.x().to_vec(), value);
        None
    }
}
