//! Algorithm 1's last step: descents on the true acquisition function, within the region.
//!
//! Whole numbers stay as they are, so a descent is in the other inputs alone: rows become rows of those inputs, and a row
//! without any of them holds or not, whatever the descent does. The descent is by L-BFGS-B, or by SLSQP if rows are left.

use crate::error::Result;
use fathom_global::local::{self, Method, settle};
use fathom_global::{Evaluate, Incumbent, Region, Row, Stop};
use fathom_gp::Acquisition;
use std::time::Duration;

/// The end of a descent from `start` of at most `steps` steps and this much time, if it is lower and in the region; else
/// `start`.
pub(super) fn polish(
    acquisition: &mut Acquisition<'_>,
    region: &Region,
    start: Incumbent,
    steps: u64,
    time: Option<Duration>,
    stop: &Stop,
) -> Result<Incumbent> {
    let free: Vec<usize> =
        (0..region.dim()).filter(|j| !region.is_discrete(*j) && region.lower()[*j] < region.upper()[*j]).collect();
    if steps == 0 || free.is_empty() {
        return Ok(start);
    }
    let own = restricted(region, &free, &start.x)?;
    let settings = local::Settings {
        start: Some(free.iter().map(|j| start.x[*j]).collect()),
        iterations: steps,
        tolerance: 1e-9,
        time,
        ..Default::default()
    };
    let mut function = Restricted::new(acquisition, &free, &start.x);
    let end = local::minimise(&mut function, &own, Method::for_region(&own), &settings, stop)?;
    let mut x = function.point(&end.x).to_vec();
    settle(region, &mut x);
    let end = Incumbent::evaluate(acquisition, x);
    let is_better = end.value < start.value && region.contains(&end.x);
    Ok(if is_better { end } else { start })
}

/// A function of the free inputs alone; the others stay where they are.
struct Restricted<'a, 'p> {
    function: &'a mut Acquisition<'p>,
    free: &'a [usize],
    x: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a, 'p> Restricted<'a, 'p> {
    fn new(function: &'a mut Acquisition<'p>, free: &'a [usize], x: &[f64]) -> Self {
        Self { function, free, x: x.to_vec(), gradient: vec![0.0; x.len()] }
    }

    /// The whole point.
    fn point(&mut self, inputs: &[f64]) -> &[f64] {
        for (j, value) in self.free.iter().zip(inputs) {
            self.x[*j] = *value;
        }
        &self.x
    }
}

impl Evaluate for Restricted<'_, '_> {
    fn dim(&self) -> usize {
        self.free.len()
    }

    fn value(&mut self, inputs: &[f64]) -> f64 {
        self.point(inputs);
        self.function.value(&self.x)
    }

    fn value_and_gradient(&mut self, inputs: &[f64], gradient: &mut [f64]) -> f64 {
        self.point(inputs);
        let value = self.function.value_and_gradient(&self.x, &mut self.gradient);
        for (own, j) in gradient.iter_mut().zip(self.free) {
            *own = self.gradient[*j];
        }
        value
    }
}

/// The region of the free inputs if the others stay at `x`, a point of `region`.
fn restricted(region: &Region, free: &[usize], x: &[f64]) -> Result<Region> {
    let sides: Vec<(f64, f64)> = free.iter().map(|j| (region.lower()[*j], region.upper()[*j])).collect();
    let start: Vec<f64> = free.iter().map(|j| x[*j]).collect();
    let place = |j: usize| free.iter().position(|free| *free == j);
    let mut own = Region::new(&sides)?;
    for row in region.rows() {
        let (mut constant, mut linear, mut quadratic) = (0.0, Vec::new(), Vec::new());
        for (j, c) in row.linear() {
            match place(*j) {
                Some(at) => linear.push((at, *c)),
                None => constant += c * x[*j],
            }
        }
        for (j, k, q) in row.quadratic() {
            match (place(*j), place(*k)) {
                (Some(one), Some(other)) => quadratic.push((one, other, *q)),
                (Some(at), None) => linear.push((at, q * x[*k])),
                (None, Some(at)) => linear.push((at, q * x[*j])),
                (None, None) => constant += q * x[*j] * x[*k],
            }
        }
        let left = Row::new(&linear, &quadratic, f64::NEG_INFINITY, f64::INFINITY)?;
        if left.last_variable().is_none() {
            continue;
        }
        // The start keeps the row up to a tolerance, and the descent must not be refused for it.
        let here = left.value(&start);
        let (lower, upper) = match row.is_equality() {
            true => (here, here),
            false => ((row.lower() - constant).min(here), (row.upper() - constant).max(here)),
        };
        own = own.with_row(Row::new(&linear, &quadratic, lower, upper)?)?;
    }
    Ok(own)
}
