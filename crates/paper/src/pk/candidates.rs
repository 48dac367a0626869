//! Points of the region with their piecewise-linear and true values: P_sub, P_rand and P_full of Algorithm 1.

use fathom_global::Region;
use fathom_global::local::settle;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// The piecewise-linear function at x; `None` if x does not count.
pub(super) type Function<'f> = Box<dyn FnMut(&[f64]) -> Option<f64> + 'f>;

/// Random points tried for each point wanted, since rows or (5c) may refuse some.
const TRIES: usize = 1000;

/// A feasible point and the piecewise-linear function there, computed from x alone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub x: Vec<f64>,
    pub value: f64,
}

impl Candidate {
    /// `x`, moved slightly into the region if a solver's tolerance left `x` outside; `None` if `x` is further away, or
    /// if (5c) refuses it.
    fn new(function: &mut Function<'_>, region: &Region, mut x: Vec<f64>) -> Option<Self> {
        region.clamp(&mut x);
        settle(region, &mut x);
        let value = region.contains(&x).then(|| function(&x))??;
        Some(Self { x, value })
    }

    /// The points of a solver.
    pub fn all(function: &mut Function<'_>, region: &Region, points: &[Vec<f64>]) -> Vec<Self> {
        points.iter().filter_map(|x| Self::new(function, region, x.clone())).collect()
    }

    /// At most `count` random points.
    pub fn random(function: &mut Function<'_>, region: &Region, count: usize, seed: u64) -> Vec<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sample = || -> Vec<f64> {
            let side = |(low, high): (&f64, &f64)| low + (high - low) * rng.random::<f64>();
            region.lower().iter().zip(region.upper()).map(side).collect()
        };
        let tries = (0..count * TRIES).map(|_| sample());
        tries.filter_map(|x| Self::new(function, region, x)).take(count).collect()
    }

    /// The candidate with the lowest piecewise-linear value.
    pub fn best(candidates: &[Self]) -> Option<&Self> {
        candidates.iter().min_by(|a, b| a.value.total_cmp(&b.value))
    }
}
