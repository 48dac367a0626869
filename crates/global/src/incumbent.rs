//! Good points: what the search has to beat.

use crate::evaluator::Evaluate;
use crate::local::{self, Method, reach};
use crate::problem::Problem;
use crate::region::Region;
use crate::search::Stop;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A point of the region and the acquisition function's value there, as evaluated by us.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incumbent {
    /// The point.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
}

impl Incumbent {
    /// Evaluates a point of the region.
    pub fn evaluate(acquisition: &mut impl Evaluate, x: Vec<f64>) -> Self {
        let value = acquisition.value(&x);
        Self { x, value }
    }

    /// No point yet.
    pub(crate) fn none() -> Self {
        Self { x: Vec::new(), value: f64::INFINITY }
    }

    /// Whether there is a point.
    pub(crate) fn exists(&self) -> bool {
        self.value < f64::INFINITY
    }

    /// The ends of descents from the best of random samples; fewer where `late` says so. None where no sample reached
    /// the region.
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
        for start in &mut samples {
            if late() {
                break;
            }
            descent.run(problem, &mut acquisition, start, 60);
            start.polish(problem, &mut acquisition);
        }
        samples
    }

    /// Follows rows to a better point, whole numbers as they are.
    pub(crate) fn polish(&mut self, problem: &Problem<'_>, acquisition: &mut impl Evaluate) {
        if !problem.region().rows().is_empty() {
            self.refine(problem, acquisition);
        }
    }

    /// Follows a local method to its end, whole numbers as they are.
    pub(crate) fn refine(&mut self, problem: &Problem<'_>, acquisition: &mut impl Evaluate) {
        let region = problem.region();
        // Tolerances are those of a function of size 1.
        let mut function = Measured { function: acquisition, unit: problem.unit };
        let method = if region.rows().is_empty() { Method::LbfgsB } else { Method::Slsqp };
        let settings = local::Settings { start: Some(self.x.clone()), iterations: 50, ..local::Settings::default() };
        let found = local::minimise(&mut function, &region.around(&self.x), &method, &settings, &Stop::new(false));
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

/// Random samples per input before the search.
const SAMPLES: usize = 30;

/// Projected gradient descent with Barzilai–Borwein steps in scaled coordinates; memory of its own.
#[derive(Debug)]
pub(crate) struct Descent {
    gradient: Vec<f64>,
    next: Vec<f64>,
    next_gradient: Vec<f64>,
}

impl Descent {
    pub fn new(dim: usize) -> Self {
        Self { gradient: vec![0.0; dim], next: vec![0.0; dim], next_gradient: vec![0.0; dim] }
    }

    /// Moves `point` downhill within the region, at most `steps` times.
    pub fn run(&mut self, problem: &Problem<'_>, acquisition: &mut impl Evaluate, point: &mut Incumbent, steps: usize) {
        let region = problem.region();
        let dim = point.x.len();
        // In scaled coordinates the gradient is l ∂/∂x, so a step in x is l² ∂/∂x.
        let metric = |j: usize| match region.integer()[j] {
            true => 0.0,
            false => problem.lengthscales[j] * problem.lengthscales[j],
        };
        point.value = acquisition.value_and_gradient(&point.x, &mut self.gradient);
        // A step is a length over a slope, so it is the longer the smaller the function's unit.
        let unit = problem.unit;
        let mut step = 0.1 / unit;
        for _ in 0..steps {
            let least = 1e-13 * unit;
            let Some((value, decrease)) = self.line_search(region, &metric, acquisition, point, (step, least)) else {
                return;
            };
            let value = acquisition.value_and_gradient(&self.next, &mut self.next_gradient).min(value);
            let (mut ss, mut sy) = (0.0, 0.0);
            for j in 0..dim {
                let moved = self.next[j] - point.x[j];
                if metric(j) > 0.0 {
                    ss += moved * moved / metric(j);
                }
                sy += moved * (self.next_gradient[j] - self.gradient[j]);
            }
            point.x.copy_from_slice(&self.next);
            point.value = value;
            std::mem::swap(&mut self.gradient, &mut self.next_gradient);
            if decrease < 1e-10 * unit {
                return;
            }
            step = if sy > 1e-16 * unit { (ss / sy).clamp(1e-6 / unit, 1e3 / unit) } else { 1.0 / unit };
        }
    }

    /// Shortens the step until the value falls enough; the new value and the predicted decrease, the point in `next`. A
    /// decrease of less than `least` is none.
    fn line_search(
        &mut self,
        region: &Region,
        metric: &impl Fn(usize) -> f64,
        acquisition: &mut impl Evaluate,
        point: &Incumbent,
        (mut step, least): (f64, f64),
    ) -> Option<(f64, f64)> {
        for _ in 0..20 {
            let mut decrease = 0.0;
            for j in 0..point.x.len() {
                let (low, high) = (region.lower()[j], region.upper()[j]);
                self.next[j] = (point.x[j] - step * metric(j) * self.gradient[j]).clamp(low, high);
            }
            if !region.rows().is_empty() && !reach(region, &mut self.next) {
                step *= 0.3;
                continue;
            }
            for j in 0..point.x.len() {
                decrease += self.gradient[j] * (point.x[j] - self.next[j]);
            }
            if decrease.is_nan() || decrease < least {
                return None;
            }
            let value = acquisition.value(&self.next);
            if value <= point.value - 1e-4 * decrease {
                return Some((value, decrease));
            }
            step *= 0.3;
        }
        None
    }
}
