//! How far a chord is from the kernel's curve, proven.
//!
//! On a segment the difference e = k − k̃ is concave where k is and convex where k is, and every kernel has
//! at most one inflection. So the segment is cut there, and on each piece the extremes of e lie at its ends or where
//! e' changes sign; the sign change is bracketed to the last bit and e is bounded over the bracket by its tangent.

use crate::bisection::bracket;
use crate::kernel::Kernel;

/// Proven bounds of k − k̃ over one segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRange {
    /// No k − k̃ on the segment is below this; ≤ 0.
    pub lower: f64,
    /// No k − k̃ on the segment is above this; ≥ 0.
    pub upper: f64,
}

impl ErrorRange {
    /// The largest possible |k − k̃|.
    pub fn largest(self) -> f64 {
        self.upper.max(-self.lower)
    }

    /// Bounds of the curve minus its chord over [from, to]; infinite where floating point cannot follow the curve.
    pub(crate) fn of_chord(kernel: Kernel, from: f64, to: f64) -> Self {
        let (start, end) = (kernel.curve(from), kernel.curve(to));
        let slope = (end.value - start.value) / (to - from);
        let error = |t: f64| kernel.curve(t).value - (start.value + slope * (t - from));
        let inflection = kernel.inflection().filter(|t| *t > from && *t < to);
        let cuts = [Some(from), inflection, Some(to)];
        let cuts: Vec<f64> = cuts.into_iter().flatten().collect();
        let mut range = Self { lower: 0.0, upper: 0.0 };
        for piece in cuts.windows(2) {
            let (a, b) = (piece[0], piece[1]);
            let convex = kernel.curve(0.5 * (a + b)).second >= 0.0;
            // e' is increasing on a convex piece; −e' on a concave one. Either way e has its extreme in the bracket.
            let sign = if convex { 1.0 } else { -1.0 };
            let (left, right) = bracket(|t| sign * (kernel.curve(t).first - slope), a, b);
            let tangent = error(left) + (kernel.curve(left).first - slope) * (right - left);
            for e in [error(a), error(b), error(left), error(right), tangent] {
                if !e.is_finite() {
                    return Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
                }
                range = Self { lower: range.lower.min(e), upper: range.upper.max(e) };
            }
        }
        let pad = rounding(kernel, &cuts);
        Self { lower: range.lower - pad, upper: range.upper + pad }
    }
}

/// What rounding can do to an error computed over a segment with these cuts.
///
/// With ρ the relative error of the curve (`Kernel::relative_error`, about (8 + 4E)ε for a kernel e^(−E)), the chord inherits ρ|k| of its ends, and e' the errors of k' and of the chord's slope, which over the
/// segment move e by ρ|k'| times its length and by ρ|k| again. Both products are largest at the cuts, but for less than
/// a third (k'' changes sign only there, and (8 + 4E)e^(−E) falls); the factor 4 covers that and the sum of them all.
fn rounding(kernel: Kernel, cuts: &[f64]) -> f64 {
    let length = cuts[cuts.len() - 1] - cuts[0];
    let (mut value, mut slope) = (0.0_f64, 0.0_f64);
    for t in cuts {
        let (curve, relative) = (kernel.curve(*t), kernel.relative_error(*t));
        value = value.max(curve.value.abs() * relative);
        slope = slope.max(curve.first.abs() * relative);
    }
    4.0 * (value + slope * length) + FLUSHED
}

/// Where exp is flushed to 0, below e^−708, the kernel was smaller than this.
const FLUSHED: f64 = 1e-300;
