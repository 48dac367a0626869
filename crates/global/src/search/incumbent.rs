//! Good points, whose value the search has to beat.

use crate::limits::Stop;
use crate::local::{self, Descent, Method, reach};
use crate::problem::{Evaluate, Incumbent, Problem};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Random samples per input before the search, of the whole region and, for improvement criteria, around the best observations.
const SAMPLES: usize = 30;
const SAMPLES_AROUND: usize = 20;

/// From a point nearer than this to another, in lengthscales, a descent ends where it ends from there.
const NEAR: f64 = 0.3;

/// How far from an observation such samples lie at most, in lengthscales.
const AROUND: f64 = 0.5;

impl Incumbent {
    /// The ends of descents from the best random samples; fewer if it gets `late`, none if no sample reached the
    /// region. If a `pool` of minima is wanted, every descent goes on to its end.
    pub(crate) fn search(problem: &Problem<'_>, seed: u64, pool: bool, late: impl Fn() -> bool) -> Vec<Self> {
        let (region, dim) = (problem.region(), problem.dim());
        let mut acquisition = problem.evaluator().clone();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let around = if problem.is_improvement() { best_observations(problem, 2 + dim) } else { Vec::new() };
        let scales = &problem.objective().lengthscales;
        let mut sample = |around: Option<&Vec<f64>>| -> Vec<f64> {
            let side = |j: usize| {
                let (low, high) = (region.lower()[j], region.upper()[j]);
                let share = rng.random::<f64>();
                match around {
                    None => (low + (high - low) * share).clamp(low, high),
                    Some(x) => (x[j] + AROUND * scales[j] * (2.0 * share - 1.0)).clamp(low, high),
                }
            };
            (0..dim).map(side).collect()
        };
        let mut samples = Vec::with_capacity((SAMPLES + SAMPLES_AROUND) * dim);
        let near = around.iter().cycle().take(SAMPLES_AROUND * dim).map(Some);
        for around in (0..SAMPLES * dim).map(|_| None).chain(near) {
            let mut x = sample(around);
            if region.is_box() || reach(region, &mut x) {
                samples.push(Self::evaluate(&mut acquisition, x));
            }
            if late() && !samples.is_empty() {
                break;
            }
        }
        samples.sort_by(|a, b| a.value.total_cmp(&b.value));
        if !pool {
            samples = apart(problem, samples, 2 + dim);
        }
        samples.truncate(2 + dim);
        let mut descent = Descent::new(dim);
        let mut best = f64::INFINITY;
        for start in &mut samples {
            if late() {
                break;
            }
            descent.run(problem, &mut acquisition, start, (60, if pool { f64::INFINITY } else { best }));
            start.polish(problem, &mut acquisition);
            best = best.min(start.value);
        }
        samples
    }

    /// Descends to a better point along the rows; whole numbers stay as they are.
    pub(crate) fn polish(&mut self, problem: &Problem<'_>, acquisition: &mut impl Evaluate) {
        if !problem.region().rows().is_empty() {
            self.refine(problem, acquisition);
        }
    }

    /// Runs a local method to its end; whole numbers stay as they are.
    pub(crate) fn refine(&mut self, problem: &Problem<'_>, acquisition: &mut impl Evaluate) {
        let region = problem.region();
        // The tolerances suit a function of size 1.
        let mut function = Measured { function: acquisition, unit: problem.unit };
        let method = Method::for_region(region);
        let settings = local::Settings { start: Some(self.x.clone()), iterations: 50, ..local::Settings::default() };
        let found = local::minimise(&mut function, &region.around(&self.x), method, &settings, &Stop::new(false));
        if let Ok(found) = found
            && found.feasible
            && region.contains(&found.x)
            && found.value * problem.unit < self.value
        {
            (self.x, self.value) = (found.x, found.value * problem.unit);
        }
    }
}

/// The first `count` points that are not near a better one, of points in the order of their values.
fn apart(problem: &Problem<'_>, points: Vec<Incumbent>, count: usize) -> Vec<Incumbent> {
    let mut kept: Vec<Incumbent> = Vec::with_capacity(count);
    for point in points {
        if kept.len() == count {
            break;
        }
        if !kept.iter().any(|better| is_near(problem, &better.x, &point.x)) {
            kept.push(point);
        }
    }
    kept
}

/// The inputs of the `count` smallest observations.
fn best_observations(problem: &Problem<'_>, count: usize) -> Vec<Vec<f64>> {
    let posterior = problem.acquisition().posterior();
    let mut order: Vec<usize> = (0..posterior.y().len()).collect();
    order.sort_by(|a, b| posterior.y()[*a].total_cmp(&posterior.y()[*b]));
    order.truncate(count);
    order.iter().map(|i| (0..problem.dim()).map(|j| posterior.x().column(j)[*i]).collect()).collect()
}

/// Whether two points are so near, in lengthscales, that a descent from the one is likely to end at the other. Descents keep whole
/// numbers and may end anywhere on a row.
pub(super) fn is_near(problem: &Problem<'_>, x: &[f64], other: &[f64]) -> bool {
    let region = problem.region();
    let mut sides = x.iter().zip(other).zip(region.integer());
    if !region.rows().is_empty() || sides.any(|((x, y), whole)| *whole && x != y) {
        return false;
    }
    let scales = problem.objective().lengthscales.iter();
    let square: f64 = x.iter().zip(other).zip(scales).map(|((x, y), l)| ((x - y) / l).powi(2)).sum();
    square < NEAR * NEAR
}

/// A function in a unit that is a power of two, so that no digit changes.
struct Measured<'e, E> {
    function: &'e mut E,
    unit: f64,
}

impl<E: Evaluate> Evaluate for Measured<'_, E> {
    fn dim(&self) -> usize {
        self.function.dim()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        self.function.value(x) / self.unit
    }

    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.function.value_and_gradient(x, gradient);
        gradient.iter_mut().for_each(|g| *g /= self.unit);
        value / self.unit
    }
}
