//! The least concave function of σ² above a level curve. Its slope is the κ of a good multiplier; only tightness depends on it.

use super::curve::{CurvePoint, LevelCurve, Shape};

/// The number of points that are tried as the end of the hull's line.
const ENDS: u32 = 12;

/// The least concave function of σ² above a level curve on a range of σ. Its slope gives the multiplier that suits a box: the mean
/// less the hull is convex in the vector k, on which all bounds rest. The mean less b is not convex if b is convex in σ², at small
/// σ. That happens at most on a stretch from the range's lower end, and a line in σ² bridges the stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hull {
    /// The ends of the line, its height at the first, and its slope in σ².
    from: f64,
    to: f64,
    height: f64,
    slope: f64,
}

impl Hull {
    /// The derivative in σ, which is 2σ times the derivative in σ².
    pub fn slope(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        if deviation < self.to { 2.0 * self.slope * deviation } else { curve.slope(deviation) }
    }

    pub fn height(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        let along = deviation * deviation - self.from * self.from;
        if deviation < self.to { self.height + self.slope * along } else { curve.height(deviation) }
    }

    /// The hull of a curve. Only tightness depends on the hull, so a few ends of the line are tried.
    pub fn of(curve: &LevelCurve) -> Self {
        let Shape::Bent { log, ends: [left, right] } = curve.shape else {
            return Hull { from: 0.0, to: 0.0, height: curve.best, slope: 0.0 };
        };
        let CurvePoint { deviation: from, height, .. } = left;
        let mut hull = Hull { from, to: from, height, slope: 0.0 };
        let mut point = right;
        for _ in 0..ENDS {
            let slope = (point.height - height) / (point.deviation * point.deviation - from * from);
            if slope > hull.slope {
                (hull.to, hull.slope) = (point.deviation, slope);
            }
            point = point.towards(curve.best, log, 0.3 * from + 0.7 * point.deviation);
            if !(point.deviation > from) {
                break;
            }
        }
        hull
    }
}
