//! Good points, whose value the search has to beat.

use crate::limits::Stop;
use crate::local::{self, Descent, Method, reach};
use crate::problem::{Evaluate, Incumbent, Problem};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Random samples per input before the search.
const SAMPLES: usize = 30;

impl Incumbent {
    /// The ends of descents from the best random samples; fewer if it gets `late`, none if no sample reached the
    /// region.
    pub(crate) fn search(problem: &Problem<'_>, seed: u64, late: impl Fn() -> bool) -> Vec<Self> {
        let (region, dim) = (problem.region(), problem.dim());
        let mut acquisition = problem.evaluator().clone();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sample = || -> Vec<f64> {
            let side = |j: usize| {
                let (low, high) = (region.lower()[j], region.upper()[j]);
                (low + (high - low) * rng.random::<f64>()).clamp(low, high)
            };
            (0..dim).map(side).collect()
        };
        let mut samples = Vec::with_capacity(SAMPLES * dim);
        for _ in 0..SAMPLES * dim {
            let mut x = sample();
            if region.is_box() || reach(region, &mut x) {
                samples.push(Self::evaluate(&mut acquisition, x));
            }
            if late() && !samples.is_empty() {
                break;
            }
        }
        samples.sort_by(|a, b| a.value.total_cmp(&b.value));
        samples.truncate(2 + dim);
        let mut descent = Descent::new(dim);
        let mut best = f64::INFINITY;
        for start in &mut samples {
            if late() {
                break;
            }
            descent.run(problem, &mut acquisition, start, (60, best));
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
