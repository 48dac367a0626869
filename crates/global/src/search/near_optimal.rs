//! The near-optimal set: boxes that hold every point within ε of the minimum, and a diverse choice of such points.
//!
//! The certified search comes first and finds a value v no smaller than the minimum m. Then every box that is proven to
//! lie above v + ε ≥ m + ε is dropped; the other boxes are the answer. The search alone states this: the proof file is
//! about the minimum alone.

use super::cover::{Cover, cover};
use super::{level_above, minimise};
use crate::certificate::{Certificate, Status};
use crate::error::{Error, Result};
use crate::limits::{Limits, Progress, Stop};
use crate::local::{Descent, reach};
use crate::problem::{Incumbent, Problem};
use crate::region::Region;
use serde::Serialize;
use std::time::Instant;

/// How near, and how fine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// ε ≥ 0, in the acquisition function's units.
    pub epsilon: f64,
    /// A box whose sides are at most this part of the region's is not split any more; in (0, 1].
    pub resolution: f64,
}

impl Nearness {
    /// Within `epsilon`, in boxes a twentieth of the region wide.
    pub fn new(epsilon: f64) -> Self {
        Self { epsilon, resolution: 0.05 }
    }

    fn validated(self) -> Result<()> {
        if !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            let requirement = "finite and not negative";
            return Err(Error::BadLimit { name: "epsilon", value: self.epsilon, requirement });
        }
        if !(self.resolution > 0.0 && self.resolution <= 1.0) {
            let requirement = "above 0 and at most 1";
            return Err(Error::BadLimit { name: "the resolution", value: self.resolution, requirement });
        }
        Ok(())
    }
}

/// Every point of the region with a value of at most `value + epsilon` lies in one of the boxes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearOptimal {
    /// The minimum that "near" refers to.
    #[serde(skip)]
    pub certificate: Certificate,
    /// ε.
    pub epsilon: f64,
    /// The part of the region's sides that boxes may be wide.
    pub resolution: f64,
    /// Whether every box is that small; if a limit came first, the boxes still hold every such point.
    pub complete: bool,
    /// The most that the boxes fill of the region's box; boxes of a generalised LCB may overlap.
    pub share: f64,
    /// Boxes bounded, in addition to the certificate's.
    pub nodes: u64,
    /// The sides of each box, lower and upper end.
    pub boxes: Vec<Vec<(f64, f64)>>,
}

impl NearOptimal {
    /// Finds the minimum, then everything near it. The time limit is for both together, the node limit for each.
    pub fn search(
        problem: &Problem<'_>,
        near: Nearness,
        limits: &Limits,
        stop: &Stop,
        mut report: impl FnMut(Progress),
    ) -> Result<Self> {
        near.validated()?;
        let started = Instant::now();
        let certificate = minimise(problem, limits, stop, &mut report)?;
        let left = Limits { time: limits.time.map(|time| time.saturating_sub(started.elapsed())), ..limits.clone() };
        Self::around(problem, certificate, near, &left, stop, report)
    }

    /// Everything near the value of `certificate`, which must be one of this problem.
    pub fn around(
        problem: &Problem<'_>,
        certificate: Certificate,
        near: Nearness,
        limits: &Limits,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Self> {
        near.validated()?;
        limits.validated()?;
        let Nearness { epsilon, resolution } = near;
        let Cover { boxes, complete, nodes } = if certificate.status == Status::Infeasible {
            Cover { boxes: Vec::new(), complete: true, nodes: 0 }
        } else {
            let level = level_above(problem, certificate.value, epsilon, limits);
            cover(problem, (level, resolution), limits, stop, report)
        };
        // Boxes of different pieces of the function may overlap.
        let share = boxes.iter().map(|sides| share(problem.region(), sides)).sum::<f64>().min(1.0);
        Ok(Self { certificate, epsilon, resolution, complete, share, nodes, boxes })
    }

    /// Up to `count` points of the region with values of at most `value + epsilon`, the best one first and each next
    /// one as far as possible from all before it, in units of the region's sides. One point of each box is considered:
    /// the end of a descent from the middle of the box.
    pub fn diverse(&self, problem: &Problem<'_>, count: usize) -> Vec<Incumbent> {
        let Certificate { ref x, value, .. } = self.certificate;
        if x.is_empty() || count == 0 {
            return Vec::new();
        }
        let region = problem.region();
        let mut left: Vec<Incumbent> =
            self.candidates(problem).into_iter().filter(|point| point.value <= value + self.epsilon).collect();
        let mut chosen = vec![Incumbent { x: x.clone(), value }];
        let mut distances = vec![f64::INFINITY; left.len()];
        while chosen.len() < count {
            let last = &chosen[chosen.len() - 1].x;
            for (distance, point) in distances.iter_mut().zip(&left) {
                *distance = distance.min(between(region, last, &point.x));
            }
            let furthest = (0..left.len()).reduce(|best, i| if distances[i] > distances[best] { i } else { best });
            let Some(furthest) = furthest.filter(|i| distances[*i] > 0.0) else { break };
            distances.swap_remove(furthest);
            chosen.push(left.swap_remove(furthest));
        }
        chosen
    }

    /// A low point for each box whose middle leads into the region.
    fn candidates(&self, problem: &Problem<'_>) -> Vec<Incumbent> {
        let mut acquisition = problem.evaluator().clone();
        let mut descent = Descent::new(problem.dim());
        let enough = self.certificate.value + self.epsilon;
        let candidate = |sides: &Vec<(f64, f64)>| {
            let mut x: Vec<f64> = sides.iter().map(|(low, high)| 0.5 * (low + high)).collect();
            if !reach(problem.region(), &mut x) {
                return None;
            }
            let mut point = Incumbent::evaluate(&mut acquisition, x);
            if point.value > enough {
                descent.run(problem, &mut acquisition, &mut point, (20, f64::INFINITY));
            }
            Some(point)
        };
        self.boxes.iter().filter_map(candidate).collect()
    }
}

/// The part of the region's box that `sides` fill. A side without width counts as filled; whole and listed numbers are counted.
fn share(region: &Region, sides: &[(f64, f64)]) -> f64 {
    let part = |j: usize| {
        let size = |low: f64, high: f64| if region.is_discrete(j) { region.count(j, low, high) } else { high - low };
        let whole = size(region.lower()[j], region.upper()[j]);
        if whole > 0.0 { size(sides[j].0, sides[j].1) / whole } else { 1.0 }
    };
    (0..sides.len()).map(part).product()
}

/// The distance of two points in units of the region's sides.
fn between(region: &Region, a: &[f64], b: &[f64]) -> f64 {
    let part = |j: usize| {
        let width = region.upper()[j] - region.lower()[j];
        if width > 0.0 { (a[j] - b[j]) / width } else { 0.0 }
    };
    (0..a.len()).map(|j| part(j).powi(2)).sum::<f64>().sqrt()
}
