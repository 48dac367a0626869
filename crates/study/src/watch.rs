//! A watch over a long call: it says when to stop, and hears how far the call is.
//!
//! One watch goes from the front end to every fit, search and check that a call makes. A call that is stopped or late answers
//! with the best it has.

use crate::error::Error;
use fathom_global::{Progress, Stop};
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The flag of calls that nobody stops.
static NEVER: Stop = Stop::new(false);

/// What a call is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Fitting the model's hyperparameters.
    Fit,
    /// Bounding what can still be gained.
    Bound,
    /// Searching for the next point.
    Search,
    /// Making a proof again.
    Proof,
    /// Checking a proof.
    Check,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// What the call is at.
    pub stage: Stage,
    /// Where the call's search stands, if it is at one.
    pub progress: Option<Progress>,
    /// How long it may still take, if the time is limited.
    pub left: Option<Duration>,
}

/// Says when to stop and hears how far a call is.
pub struct Watch<'a> {
    stop: &'a Stop,
    deadline: Option<Instant>,
    listener: Option<&'a mut (dyn FnMut(Report) + 'a)>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("stop", self.stop).field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl<'a> Watch<'a> {
    /// A watch of nobody: nobody stops the call, nobody listens.
    pub fn nobody() -> Self {
        Self { stop: &NEVER, deadline: None, listener: None }
    }

    /// A watch whose call stops once `stop` is set.
    pub fn new(stop: &'a Stop) -> Self {
        Self { stop, deadline: None, listener: None }
    }

    /// The same watch, with somebody who listens.
    #[must_use]
    pub fn heard_by(mut self, listener: &'a mut (dyn FnMut(Report) + 'a)) -> Self {
        self.listener = Some(listener);
        self
    }

    /// The same watch, over after `time` at the latest.
    #[must_use]
    pub fn within(&mut self, time: Duration) -> Watch<'_> {
        // An end past the end of the clock is no end.
        let end = Instant::now().checked_add(time);
        let deadline = match (self.deadline, end) {
            (Some(deadline), Some(end)) => Some(deadline.min(end)),
            (deadline, end) => deadline.or(end),
        };
        let listener = self.listener.as_mut().map(|listener| &mut **listener as &mut dyn FnMut(Report));
        Watch { stop: self.stop, deadline, listener }
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the call should end: somebody asked to stop, or time is over.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How long the call may still take, if there is a limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The shorter of `time` and what is left.
    pub(crate) fn at_most(&self, time: Duration) -> Duration {
        self.left().map_or(time, |left| left.min(time))
    }

    pub(crate) fn stop(&self) -> &'a Stop {
        self.stop
    }

    /// Whether a fit should end, which several threads may ask.
    pub(crate) fn late(&self) -> impl Fn() -> bool + Sync + use<'a> {
        let (stop, deadline) = (self.stop, self.deadline);
        move || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why there is no answer, if the call ended before it had one.
    pub(crate) fn ended(&self, before: &'static str) -> Error {
        if self.is_stopped() { Error::Interrupted { before } } else { Error::Late { before } }
    }

    /// Says what the call is at.
    pub(crate) fn tell(&mut self, stage: Stage, progress: Option<Progress>) {
        let left = self.left();
        if let Some(listener) = &mut self.listener {
            listener(Report { stage, progress, left });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_within_a_watch_ends_with_the_earlier_of_both() {
        let mut heard = Vec::new();
        let mut listener = |report: Report| heard.push(report.stage);
        let mut outer = Watch::new(&NEVER).heard_by(&mut listener);
        let mut inner = outer.within(Duration::ZERO);
        assert!(inner.is_over() && !inner.is_stopped() && (inner.late())());
        assert!(inner.within(Duration::from_secs(60)).is_over());
        inner.tell(Stage::Fit, None);
        assert!(!outer.is_over() && outer.left().is_none());
        assert!(!outer.within(Duration::MAX).is_over());
        assert_eq!(heard, [Stage::Fit]);
    }
}
