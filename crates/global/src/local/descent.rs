//! Projected gradient descent: from a point to a better one nearby, at little cost.

use super::settle::reach;
use crate::problem::{Evaluate, Incumbent, Problem};
use crate::region::Region;

/// A descent ends if this many times its last gain would not bring it below its goal.
const HOPE: f64 = 10.0;

/// Projected gradient descent with Barzilai–Borwein steps in scaled coordinates, in memory of its own.
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

    /// Moves `point` downhill within the region, at most `steps` times, and no longer than it promises to get below `goal`.
    pub fn run(
        &mut self,
        problem: &Problem<'_>,
        acquisition: &mut impl Evaluate,
        point: &mut Incumbent,
        (steps, goal): (usize, f64),
    ) {
        let region = problem.region();
        let dim = point.x.len();
        let scales = &problem.objective().lengthscales;
        // In scaled coordinates the gradient is l ∂/∂x, so a step in x is l² ∂/∂x.
        let metric = |j: usize| match region.is_discrete(j) {
            true => 0.0,
            false => scales[j] * scales[j],
        };
        point.value = acquisition.value_and_gradient(&point.x, &mut self.gradient);
        // A step is a length over a slope, so it grows as the function's unit shrinks.
        let unit = problem.unit;
        let mut step = 0.1 / unit;
        for _ in 0..steps {
            let least = 1e-13 * unit;
            let Some((value, decrease)) = self.line_search(region, &metric, acquisition, point, (step, least)) else {
                return;
            };
            let (mut ss, mut sy) = (0.0, 0.0);
            for j in 0..dim {
                let moved = self.next[j] - point.x[j];
                if metric(j) > 0.0 {
                    ss += moved * moved / metric(j);
                }
                sy += moved * (self.next_gradient[j] - self.gradient[j]);
            }
            let gain = point.value - value;
            point.x.copy_from_slice(&self.next);
            point.value = value;
            std::mem::swap(&mut self.gradient, &mut self.next_gradient);
            if decrease < 1e-10 * unit || value - HOPE * gain > goal {
                return;
            }
            step = if sy > 1e-16 * unit { (ss / sy).clamp(1e-6 / unit, 1e3 / unit) } else { 1.0 / unit };
        }
    }

    /// Shortens the step until the value falls enough. Returns the new value and the predicted decrease, and leaves the
    /// point in `next` and its gradient in `next_gradient`. A decrease of less than `least` does not count.
    fn line_search(
        &mut self,
        region: &Region,
        metric: &impl Fn(usize) -> f64,
        acquisition: &mut impl Evaluate,
        point: &Incumbent,
        (mut step, least): (f64, f64),
    ) -> Option<(f64, f64)> {
        for attempt in 0..20 {
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
            // The first step is seldom too long, and its gradient is needed next.
            let value = match attempt {
                0 => acquisition.value_and_gradient(&self.next, &mut self.next_gradient),
                _ => acquisition.value(&self.next),
            };
            if value <= point.value - 1e-4 * decrease {
                if attempt > 0 {
                    acquisition.value_and_gradient(&self.next, &mut self.next_gradient);
                }
                return Some((value, decrease));
            }
            step *= 0.3;
        }
        None
    }
}
