//! How many boxes an ask may bound, so that what it suggests depends on the study alone and not on the machine's speed.
//!
//! A box takes about 0.2 n D + 0.2 D³ + 0.007 n² microseconds: a row of kernels, a quadratic over D inputs and its eigenvalues, and the
//! variance. That is the processor time of a slow machine (n = 60: 40, 75 and 215 µs for D = 2, 4 and 8); faster ones take 60 % of it
//! (crates/bench/runs, Matérn 3/2, D from 2 to 10, n from 30 to 500). The boxes of an ask are meant to take a part of its patience; the
//! clock is there for machines that are slower or busy, and for models that cost more.

use std::cell::Cell;
use std::time::Duration;

/// The part of the patience that the boxes are meant to take.
const SHARE: f64 = 0.6;

/// Boxes that every search may bound: a batch.
const LEAST: u64 = 32;

/// The boxes of one ask.
#[derive(Debug)]
pub(crate) struct Budget {
    /// How long the searches of the ask may take by the clock.
    pub patience: Duration,
    /// Boxes that are left.
    left: Cell<u64>,
}

impl Budget {
    /// The budget of an ask with a model of `n` observations in `dim` coordinates.
    pub fn new(patience: Duration, n: usize, dim: usize) -> Self {
        Self { patience, left: Cell::new(boxes(patience.mul_f64(SHARE), n, dim)) }
    }

    /// The boxes that a search may bound.
    pub fn boxes(&self) -> u64 {
        self.left.get().max(LEAST)
    }

    /// Takes off what a search has bounded.
    pub fn spend(&self, boxes: u64) {
        self.left.set(self.left.get().saturating_sub(boxes));
    }
}

/// The boxes that take so long with a model of `n` observations in `dim` coordinates.
pub(super) fn boxes(time: Duration, n: usize, dim: usize) -> u64 {
    let (n, dim) = (n as f64, dim as f64);
    let microseconds = 0.2 * n * dim + 0.2 * dim.powi(3) + 0.007 * n * n;
    ((1e6 * time.as_secs_f64() / microseconds.max(1.0)) as u64).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_shrink_with_the_problem_grow_with_the_patience_and_never_end() {
        let boxes = |seconds: f64, n, dim| Budget::new(Duration::from_secs_f64(seconds), n, dim).boxes();
        assert!(boxes(0.5, 60, 2) > boxes(0.5, 60, 4) && boxes(0.5, 60, 4) > boxes(0.5, 60, 8));
        assert!((1000..20_000).contains(&boxes(0.5, 60, 8)), "{}", boxes(0.5, 60, 8));
        assert!(boxes(5.0, 60, 8) > 9 * boxes(0.5, 60, 8));
        assert_eq!((boxes(0.0, 60, 8), boxes(0.5, 100_000, 20)), (LEAST, LEAST));
        let shared = Budget::new(Duration::from_millis(500), 60, 4);
        let all = shared.boxes();
        shared.spend(100);
        assert_eq!(shared.boxes(), all - 100);
        shared.spend(u64::MAX);
        assert_eq!(shared.boxes(), LEAST);
    }
}
