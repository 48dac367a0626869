//! A separable minorant of a quadratic, its minimum, and its cuts in each coordinate (docs/method.md, Theorem 5 and
//! Lemma 7.2).

use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;

/// constant + Σ_j (p_j x_j − ½ δ_j x_j²), a minorant of a quadratic.
#[derive(Debug)]
pub(crate) struct Separable {
    pub constant: f64,
    /// p.
    pub slope: Vector,
    /// δ.
    pub shift: Vector,
    /// x̂, the point at which the convex part was linearised.
    pub at: Vector,
    /// The minimum over [−1, 1] of each coordinate's part.
    pub minima: Vector,
    /// The minimum over the cube.
    pub value: f64,
    /// λ of every row that is part of the quadratic.
    pub duals: Vec<f64>,
}

impl Clone for Separable {
    fn clone(&self) -> Self {
        let mut copy = Self::zero();
        copy.clone_from(self);
        copy
    }

    /// Does not allocate if there is room for the duals.
    fn clone_from(&mut self, other: &Self) {
        let mut duals = std::mem::take(&mut self.duals);
        duals.clone_from(&other.duals);
        let Self { constant, slope, shift, at, minima, value, duals: _ } = *other;
        *self = Self { constant, slope, shift, at, minima, value, duals };
    }
}

impl Separable {
    pub fn zero() -> Self {
        let zeros = [0.0; MOST_INPUTS];
        Self { constant: 0.0, slope: zeros, shift: zeros, at: zeros, minima: zeros, value: 0.0, duals: Vec::new() }
    }

    /// Resets to a minorant of which nothing is known, with the initial `multipliers`.
    pub fn forget(&mut self, multipliers: &[f64]) {
        let mut duals = std::mem::take(&mut self.duals);
        duals.clear();
        duals.extend_from_slice(multipliers);
        *self = Self { value: f64::NEG_INFINITY, duals, ..Self::zero() };
    }

    /// The part [low, high] of [−1, 1] in coordinate j outside which the minorant exceeds `cutoff` for all other
    /// coordinates; `None` if the minorant exceeds `cutoff` everywhere.
    pub fn keep(&self, j: usize, cutoff: f64) -> Option<(f64, f64)> {
        // Keep p x − ½ δ x² <= room.
        let room = cutoff - (self.value - self.minima[j]);
        let (p, h) = (self.slope[j], -0.5 * self.shift[j]);
        let f = |x: f64| x * (p + h * x);
        // The crossings of p x + h x² = room, in the form that does not cancel. If there is none, they are NaN or
        // infinite, and no comparison below accepts them.
        let half = -0.5 * (p + p.signum() * (p * p + 4.0 * h * room).sqrt());
        let crossings = [half / h, -room / half];
        let inside = || crossings.into_iter().filter(|x| *x > -1.0 && *x < 1.0);
        // An end that is too high is cut up to the first crossing, less a margin for rounding.
        let low = if f(-1.0) > room { inside().reduce(f64::min)? - rounding::CROSSING } else { -1.0 };
        let high = if f(1.0) > room { inside().reduce(f64::max)? + rounding::CROSSING } else { 1.0 };
        let (low, high) = (low.max(-1.0), high.min(1.0));
        (low <= high).then_some((low, high))
    }
}

/// The minimum of p x − ½ δ x² over [low, high].
pub(crate) fn parabola_minimum(slope: f64, shift: f64, low: f64, high: f64) -> f64 {
    let at = |x: f64| x * (slope - 0.5 * shift * x);
    let ends = at(low).min(at(high));
    let vertex = slope / shift;
    if shift < 0.0 && vertex > low && vertex < high { ends.min(at(vertex)) } else { ends }
}
