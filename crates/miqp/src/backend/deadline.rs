//! The end of a solve, so early that everything around the solver still fits into its time limit.

use std::time::{Duration, Instant, SystemTime};

/// The part of the time limit that is kept for what follows the search: the solver's answer and our reading of it.
const KEPT: f64 = 0.03;

/// The least and the most that is kept.
const KEPT_BETWEEN: (Duration, Duration) = (Duration::from_millis(80), Duration::from_millis(600));

/// The part of the time limit by which a solver may be late before it is killed.
const LATE: f64 = 0.03;

/// When a solve must end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    limit: Duration,
    begin: Instant,
}

impl Deadline {
    /// The deadline of a solve that begins now.
    pub fn after(limit: Duration) -> Self {
        Self { limit, begin: Instant::now() }
    }

    /// The time that is left for a solver's search.
    pub fn left_to_search(self) -> Duration {
        let kept = self.limit.mul_f64(KEPT).clamp(KEPT_BETWEEN.0, KEPT_BETWEEN.1);
        self.limit.saturating_sub(kept).saturating_sub(self.begin.elapsed())
    }

    /// The same as a time of day, in seconds since 1970, for another process: that process knows how long it took to start.
    pub fn end_of_search(self) -> f64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        (now + self.left_to_search()).as_secs_f64()
    }

    /// When a solver that still runs is interrupted; none if that is beyond all clocks.
    pub fn interrupt(self) -> Option<Instant> {
        self.begin.checked_add(self.limit)
    }

    /// When a solver that still runs is killed.
    pub fn kill(self) -> Option<Instant> {
        self.interrupt()?.checked_add(self.limit.mul_f64(LATE))
    }
}

/// The seconds from now to a time of day, at least 0.
pub(super) fn seconds_until(end: f64) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (end - now.as_secs_f64()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_before_its_limit_and_a_late_one_is_killed_within_five_percent() {
        let deadline = Deadline::after(Duration::from_secs(20));
        assert!(deadline.left_to_search() <= Duration::from_millis(19_600));
        assert!(deadline.left_to_search() > Duration::from_secs(19));
        assert!((seconds_until(deadline.end_of_search()) - deadline.left_to_search().as_secs_f64()).abs() < 0.05);
        let late = deadline.kill().unwrap() - deadline.begin;
        assert!(late > Duration::from_secs(20) && late <= Duration::from_secs(21));
        assert!(Deadline::after(Duration::ZERO).left_to_search().is_zero());
        assert_eq!(Deadline::after(Duration::MAX).interrupt(), None);
    }
}
