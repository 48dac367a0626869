//! Many starts, as BoTorch chooses them.
//!
//! The method evaluates `samples` points of a Sobol' sequence, scrambled after Owen by the seed. It draws `restarts` of them
//! without replacement: point i has the weight exp(−z_i), where z_i is its value less the mean over the deviation of all values.
//! The best sample takes the last place if it was not drawn. From each start L-BFGS-B descends, or SLSQP if there are rows. Samples
//! at which a row does not hold are drawn only if there are too few others, the nearest first.

use super::Settings;
use crate::error::Result;
use fathom_global::local::{Objective, Outcome};
use fathom_global::{Error, Region};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sobol_burley::{NUM_DIMENSIONS, sample};

/// The number of Sobol' points that differ from each other in every input.
const MOST_SAMPLES: usize = 1 << 16;

/// The numbers of samples and of descents. The defaults are BoTorch's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultiStart {
    /// Points evaluated first, 1 to 65536; a power of two fills the box evenly.
    pub samples: usize,
    /// Descents, ≥ 1; at most the number of samples.
    pub restarts: usize,
}

impl MultiStart {
    pub(super) const DEFAULT: Self = Self { samples: 512, restarts: 10 };

    pub(super) fn run(
        &self,
        objective: &Objective<'_>,
        start: Option<Vec<f64>>,
        settings: &Settings,
    ) -> Result<Outcome> {
        for (name, value) in [("the number of samples", self.samples), ("the number of restarts", self.restarts)] {
            if value == 0 {
                return Err(Error::BadLimit { name, value: 0.0, requirement: "at least 1" }.into());
            }
        }
        if self.samples > MOST_SAMPLES {
            let (name, value) = ("the number of samples", self.samples as f64);
            return Err(Error::BadLimit { name, value, requirement: "at most 65536" }.into());
        }
        let (found, most) = (objective.region.dim(), NUM_DIMENSIONS as usize);
        if found > most {
            return Err(Error::TooManyInputs { found, most }.into());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        let samples = evaluated(objective, scrambled(objective.region, self.samples, rng.random()));
        let starts = draw(&samples, self.restarts, &mut rng).into_iter().map(|i| samples[i].x.clone());
        let mut best: Option<Outcome> = None;
        let mut iterations = 0;
        for from in start.into_iter().chain(starts) {
            // If the method is cut short, the first start still gives a point.
            let halted = objective.watch.check().err();
            if let (Some(halted), Some(best)) = (halted, best.as_mut()) {
                best.ending = halted.ending();
                break;
            }
            let outcome =
                objective.outcome(super::descend(&super::Method::MultiStart(*self), objective, &from, settings));
            iterations += outcome.iterations;
            let better = |best: &Outcome| {
                (outcome.feasible && !best.feasible)
                    || (outcome.feasible == best.feasible && outcome.value < best.value)
            };
            if best.as_ref().is_none_or(better) {
                best = Some(outcome);
            }
        }
        let best = best.expect("at least one sample, so at least one start");
        Ok(Outcome { evaluations: objective.evaluations(), iterations, ..best })
    }
}

impl Default for MultiStart {
    fn default() -> Self {
        Self::DEFAULT
    }
}

struct Sample {
    x: Vec<f64>,
    value: f64,
    violation: f64,
}

/// The first points of the sequence, in the box.
fn scrambled(region: &Region, count: usize, seed: u32) -> Vec<Vec<f64>> {
    let place = |i: u32, j: usize| {
        let (lower, upper) = (region.lower()[j], region.upper()[j]);
        (lower + (upper - lower) * f64::from(sample(i, j as u32, seed))).clamp(lower, upper)
    };
    (0..count as u32).map(|i| (0..region.dim()).map(|j| place(i, j)).collect()).collect()
}

/// Evaluates at least the first point, and as many others as time allows.
fn evaluated(objective: &Objective<'_>, points: Vec<Vec<f64>>) -> Vec<Sample> {
    let mut samples = Vec::with_capacity(points.len());
    for x in points {
        let violation = objective.region.violation(&x);
        match objective.value(&x) {
            Ok(value) => samples.push(Sample { x, value, violation }),
            Err(_) if samples.is_empty() => return vec![Sample { x, value: f64::INFINITY, violation }],
            Err(_) => break,
        }
    }
    samples
}

/// Indices of the starts, the best sample among them.
fn draw(samples: &[Sample], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by(|a, b| samples[*a].violation.total_cmp(&samples[*b].violation));
    let feasible = order.iter().filter(|i| samples[**i].violation == 0.0).count();
    order.truncate(feasible.max(count));
    let values = || order.iter().map(|i| samples[*i].value);
    let mean = values().sum::<f64>() / order.len() as f64;
    let deviation = (values().map(|v| (v - mean).powi(2)).sum::<f64>() / order.len() as f64).sqrt();
    let best = values().fold(f64::INFINITY, f64::min);
    // Gumbel's trick: the largest of −z − log(−log u) are a draw without replacement by the weights exp(−z). The shift
    // from the mean to the best value does not change the draw, and keeps the numbers small.
    let mut key = |value: f64| {
        let z = if deviation > 0.0 { (value - best) / deviation } else { 0.0 };
        let uniform: f64 = rng.random();
        -z - (-uniform.max(f64::MIN_POSITIVE).ln()).ln()
    };
    let mut keyed: Vec<(f64, usize)> = order.iter().map(|i| (key(samples[*i].value), *i)).collect();
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut drawn: Vec<usize> = keyed.into_iter().take(count).map(|(_, i)| i).collect();
    let winner = order.into_iter().find(|i| samples[*i].value == best);
    if let (Some(winner), Some(last)) = (winner.filter(|winner| !drawn.contains(winner)), drawn.last_mut()) {
        *last = winner;
    }
    drawn
}
