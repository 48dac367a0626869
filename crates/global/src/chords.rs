//! A falling piecewise-linear function of a distance r, as a function of s = r².
//!
//! On a segment it is v + β(√s − r₀) with β ≤ 0: convex in s, with the signs of derivatives of a completely monotone
//! function, so that Hermite's quadratics bound it. Where the slope steepens from one segment to the next it has a concave
//! kink. Over a range with kinks it is bounded by lines: the ones of its convex and concave envelopes at a point.

use fathom_gp::PwlKernel;

/// A range may reach this far, in r, beyond a segment and still be taken for a part of it.
const OVERLAP: f64 = 1e-11;

/// How often the line of an envelope is improved; any slope is valid, a few steps are enough for a good one.
const STEPS: usize = 6;

/// Knots and what lies between them; the first and last segments have no end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chords {
    /// r and value of every knot.
    pub knots: Vec<(f64, f64)>,
    /// β of every segment.
    slopes: Vec<f64>,
}

/// value + slope (s − centre).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub value: f64,
    pub slope: f64,
}

impl From<&PwlKernel> for Chords {
    fn from(kernel: &PwlKernel) -> Self {
        Self::new(kernel.breakpoints().iter().copied().zip(kernel.values().iter().copied()).collect())
    }
}

impl Chords {
    pub fn new(knots: Vec<(f64, f64)>) -> Self {
        let slope = |pair: &[(f64, f64)]| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0);
        let slopes = knots.windows(2).map(slope).collect();
        Self { knots, slopes }
    }

    /// The segment of a distance.
    fn segment(&self, r: f64) -> usize {
        let inner = &self.knots[1..self.knots.len() - 1];
        inner.partition_point(|knot| knot.0 <= r)
    }

    /// The function of s on a segment, with its slope in s.
    pub fn jet(&self, segment: usize, s: f64) -> (f64, f64) {
        let ((start, value), slope, r) = (self.knots[segment], self.slopes[segment], s.sqrt());
        (value + slope * (r - start), 0.5 * slope / r.max(f64::MIN_POSITIVE))
    }

    /// The function of s.
    pub fn value(&self, s: f64) -> f64 {
        self.jet(self.segment(s.sqrt()), s).0
    }

    /// The one segment that a range of s lies in, but for `OVERLAP`.
    pub fn one_segment(&self, least: f64, most: f64) -> Option<usize> {
        let (from, to) = (least.sqrt() + OVERLAP, most.sqrt() - OVERLAP);
        let first = self.segment(from);
        (to <= from || self.segment(to) == first).then_some(first)
    }

    /// How far the function can be from the segment that a range is taken to lie in.
    pub fn overlap_error(&self) -> f64 {
        2.0 * OVERLAP * self.slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()))
    }

    /// A line above the function over a range of s, or below it: one of the best at `centre`.
    pub fn line(&self, least: f64, most: f64, centre: f64, is_lower: bool) -> Line {
        let (mut left, mut right) = ((least, self.value(least)), (most, self.value(most)));
        let mut slope = (right.1 - left.1) / (right.0 - left.0);
        let mut extreme = self.extreme(least, most, slope, is_lower);
        for _ in 0..STEPS {
            let missed = (left.1 - slope * left.0) - (extreme.1 - slope * extreme.0);
            if missed.abs() <= 1e-13 || extreme.0 == left.0 || extreme.0 == right.0 {
                break;
            }
            if extreme.0 < centre {
                left = extreme
            } else {
                right = extreme
            }
            slope = (right.1 - left.1) / (right.0 - left.0);
            extreme = self.extreme(least, most, slope, is_lower);
        }
        Line { value: extreme.1 + slope * (centre - extreme.0), slope }
    }

    /// The point of the range, with its value, where the function is furthest below `slope`·s, or above it.
    fn extreme(&self, least: f64, most: f64, slope: f64, is_lower: bool) -> (f64, f64) {
        let (from, to) = (least.sqrt(), most.sqrt());
        let mut best = (least, self.value(least));
        let mut consider = |s: f64, value: f64| {
            let gain = (value - slope * s) - (best.1 - slope * best.0);
            if (gain < 0.0) == is_lower && gain != 0.0 {
                best = (s, value);
            }
        };
        consider(most, self.value(most));
        for segment in self.segment(from)..=self.segment(to) {
            let (start, end) = (self.knots[segment].0, self.knots[segment + 1].0);
            for (r, value) in [self.knots[segment], self.knots[segment + 1]] {
                if from < r && r < to {
                    consider(r * r, value);
                }
            }
            // Between its ends a segment is convex in s: lowest where its slope is this one.
            let touching = 0.5 * self.slopes[segment] / slope;
            let (low, high) = (if segment == 0 { from } else { start.max(from) }, end.min(to));
            if is_lower && low < touching && touching < high {
                consider(touching * touching, self.jet(segment, touching * touching).0);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_gp::Kernel;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_lie_on_their_side_and_touch(
            error in 1e-3..0.1, least in 0.0..4.0_f64, width in 1e-6..9.0, at in 0.0..=1.0_f64, rbf in any::<bool>(),
        ) {
            let kernel = if rbf { Kernel::Rbf } else { Kernel::Matern32 };
            let chords = Chords::from(&PwlKernel::with_error(kernel, (0.0, 4.0), error).unwrap());
            let (most, centre) = (least + width, least + at * width);
            let (lower, upper) = (chords.line(least, most, centre, true), chords.line(least, most, centre, false));
            for i in 0..=1000 {
                let s = least + width * f64::from(i) / 1000.0;
                let value = chords.value(s);
                prop_assert!(lower.value + lower.slope * (s - centre) <= value + 1e-12);
                prop_assert!(upper.value + upper.slope * (s - centre) >= value - 1e-12);
            }
            prop_assert!(lower.value <= chords.value(centre) + 1e-12);
        }
    }

    #[test]
    fn the_line_of_a_convex_stretch_is_its_tangent() {
        let chords = Chords::new(vec![(0.0, 1.0), (3.0, 0.0)]);
        let line = chords.line(1.0, 4.0, 2.25, true);
        let tangent = chords.jet(0, 2.25);
        assert!(
            (line.value - tangent.0).abs() < 1e-5 && (line.slope - tangent.1).abs() < 1e-3,
            "{line:?}, {tangent:?}"
        );
    }
}
