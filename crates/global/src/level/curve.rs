//! The curve in (σ, μ) on which F has one value, and the level that a bound must reach to lie above the curve, by
//! chords of a convex curve (docs/method.md, Lemma 6.5; rounding by Lemma 10.6).

use super::halving::Halving;
use super::shortfall::Shortfall;
use crate::rounding;
use fathom_gp::normal::{self, LogH};

/// How far the maximum over a level curve may be overestimated, relative to the largest deviation and to the maximum.
const RESOLUTION: (f64, f64) = (1e-6, 1e-9);

/// Below this z, log h is −z²/2 to a part in 10⁴, and the numbers behind a level curve are rounded differently.
const FAR_OUT: f64 = -1e3;

/// The points (σ, b(σ)) at which F has one value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelCurve {
    pub(super) best: f64,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// b = best + κσ, κ of any sign.
    Line { kappa: f64 },
    /// σ h(z) = exp(log), b = best − zσ.
    Bent { log: f64, ends: [CurvePoint; 2] },
}

impl LevelCurve {
    /// b = best + κσ.
    pub(super) fn line(best: f64, kappa: f64) -> Self {
        Self { best, shape: Shape::Line { kappa } }
    }

    /// σ h(z) = exp(log), for a range of deviations.
    pub(super) fn bent(best: f64, log: f64, (low, high): (f64, f64)) -> Self {
        let ends = [CurvePoint::of_deviation(best, log, low, 1.0), CurvePoint::of_deviation(best, log, high, -1.0)];
        Self { best, shape: Shape::Bent { log, ends } }
    }

    /// μ − σ = best: a stand-in, if no reachable value of F is known.
    pub fn stand_in(best: f64) -> Self {
        Self { best, shape: Shape::Line { kappa: 1.0 } }
    }
}

/// A point of a bent curve.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurvePoint {
    z: f64,
    log_h: LogH,
    pub deviation: f64,
    pub height: f64,
}

impl CurvePoint {
    fn new(best: f64, log: f64, z: f64) -> Self {
        let log_h = normal::log_h(z);
        let deviation = (log - log_h.value).exp();
        Self { z, log_h, deviation, height: best - z * deviation }
    }

    /// Newton's method, then a step of its rounding error to `side`: a narrower point for 1, a wider one for −1. If log
    /// h is so large that its rounding leaves nothing of the deviation, the point has exactly `deviation` and lies a
    /// little above the curve.
    fn of_deviation(best: f64, log: f64, deviation: f64, side: f64) -> Self {
        if deviation == 0.0 {
            return Self::end(best, log);
        }
        let target = log - deviation.ln();
        let mut z = if target < -2.0 { -(-2.0 * target).sqrt() } else { target.exp() };
        for _ in 0..60 {
            let LogH { value, slope, .. } = normal::log_h(z);
            let step = (target - value) / slope;
            z += step;
            if step.abs() <= 1e-14 * z.abs() {
                break;
            }
        }
        let rounding = rounding::CURVE_POINT * (z.abs() + 1e-2);
        if z < FAR_OUT {
            return Self { z, log_h: normal::log_h(z), deviation, height: best - (z - rounding) * deviation };
        }
        Self::new(best, log, z + side * rounding)
    }

    /// The point whose σ is about `deviation`, or a little larger: log h is concave.
    pub fn towards(&self, best: f64, log: f64, deviation: f64) -> Self {
        Self::new(best, log, self.z + (self.deviation / deviation).ln() / self.log_h.slope)
    }

    /// The point at which σ vanishes.
    fn end(best: f64, log: f64) -> Self {
        let log_h = LogH { value: f64::INFINITY, slope: 0.0, density: 0.0 };
        Self { z: f64::INFINITY, log_h, deviation: 0.0, height: best - log.exp() }
    }
}

impl LevelCurve {
    /// b'(σ), at least 0: the κ for which μ − κσ is the best stand-in for F there.
    pub fn slope(&self, deviation: f64) -> f64 {
        match self.shape {
            Shape::Line { kappa } => kappa.max(0.0),
            Shape::Bent { log, .. } => {
                let LogH { slope, density, .. } = CurvePoint::of_deviation(self.best, log, deviation, 0.0).log_h;
                density / slope
            }
        }
    }

    /// How fast b falls with σ, if b falls everywhere.
    pub fn fall(&self) -> Option<f64> {
        match self.shape {
            Shape::Line { kappa } if kappa < 0.0 => Some(-kappa),
            Shape::Line { .. } | Shape::Bent { .. } => None,
        }
    }

    /// Whether b falls with σ or is constant.
    pub fn never_rises(&self) -> bool {
        matches!(self.shape, Shape::Line { kappa } if kappa <= 0.0)
    }

    /// b(σ).
    pub fn height(&self, deviation: f64) -> f64 {
        match self.shape {
            Shape::Line { kappa } => self.best + kappa * deviation,
            Shape::Bent { log, .. } => CurvePoint::of_deviation(self.best, log, deviation, 0.0).height,
        }
    }

    /// An upper bound of max (b + shortfall) over a range of σ, which must lie within the curve's own.
    pub fn need(&self, shortfall: &Shortfall, range: (f64, f64)) -> f64 {
        let (need, size) = match self.shape {
            Shape::Line { kappa } => {
                let peak = shortfall.peak(kappa, range);
                (self.best + peak, kappa.abs() * range.1)
            }
            Shape::Bent { log, ends } => {
                let need = self.highest(log, shortfall, ends, range, &mut Halving::new(f64::NEG_INFINITY));
                // The curve's own rounding is that of log h and of its exponential. Far out z² is about −2 log h, so
                // the relative error of z is that of log h; and σ/z grows with σ.
                let CurvePoint { z, deviation, .. } = ends[1];
                let size = if z < FAR_OUT { 4.0 * z.abs() } else { (1.0 + log.abs()) * (z.abs() + 1.0) };
                (need, size * deviation)
            }
        };
        let paid = shortfall.at(range.0).abs().max(shortfall.at(range.1).abs());
        need + rounding::NEED * (size + self.best.abs() + need.abs() + paid)
    }

    fn highest(
        &self,
        log: f64,
        shortfall: &Shortfall,
        [left, right]: [CurvePoint; 2],
        range: (f64, f64),
        halving: &mut Halving,
    ) -> f64 {
        let (low, high) = (left.deviation.max(range.0), right.deviation.min(range.1));
        if low > high {
            return f64::NEG_INFINITY;
        }
        let run = right.deviation - left.deviation;
        let slope = if run > 0.0 { (right.height - left.height) / run } else { 0.0 };
        // The chord starts at the higher end, so that the rounding of the slope is not multiplied by σ.
        let bound = right.height + shortfall.peak(slope, (low, high)) - slope * right.deviation;
        let is_close = bound <= halving.found + RESOLUTION.0 * range.1 + RESOLUTION.1 * halving.found.abs();
        if is_close || !halving.goes_on() {
            return bound;
        }
        let middle = right.towards(self.best, log, 0.5 * (left.deviation + right.deviation));
        // If rounding leaves no room between the ends, the chord is as good as the curve.
        if !(middle.deviation > left.deviation && middle.deviation < right.deviation) {
            return bound;
        }
        if middle.deviation >= range.0 && middle.deviation <= range.1 {
            halving.found = halving.found.max(middle.height + shortfall.at(middle.deviation));
        }
        let above = self.highest(log, shortfall, [middle, right], range, halving);
        above.max(self.highest(log, shortfall, [left, middle], range, halving))
    }
}
