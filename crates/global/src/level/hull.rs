//! The least concave function of σ² above a level curve. Its slope is the κ of a good multiplier; only tightness depends on it.

use super::curve::{CurvePoint, LevelCurve, Shape};

/// Points at which the hull's line is tried to end.
const ENDS: u32 = 12;

/// The least concave function of σ² above a level curve on a range of σ. The multiplier that suits a box is the one for its
/// slope: the mean less it is convex in the vector k, on which all bounds rest, and the mean less b itself is not where b
/// is convex in σ², at small σ. That is at most a stretch from the range's lower end, and bridged by a line in σ².
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hull {
    /// Where the line begins and ends, its height at the beginning, and its slope in σ².
    from: f64,
    to: f64,
    height: f64,
    slope: f64,
}

impl Hull {
    /// Half the derivative in σ², times 2σ.
    pub fn slope(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        if deviation < self.to { 2.0 * self.slope * deviation } else { curve.slope(deviation) }
    }

    pub fn height(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        let along = deviation * deviation - self.from * self.from;
        if deviation < self.to { self.height + self.slope * along } else { curve.height(deviation) }
    }

    /// The hull of a curve; only tightness depends on it, so the line's end is one of a few.
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
