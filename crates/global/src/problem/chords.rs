//! A falling piecewise-linear function of a distance, as a function of s = r²: bounded by Hermite's quadratics within a
//! segment, and by lines of its envelopes across kinks (docs/method.md, Lemma 3.5).

use fathom_gp::PwlKernel;

/// A range that reaches at most this far beyond a segment, in r, counts as a part of the segment.
const OVERLAP: f64 = 2e-14;

/// How often the line of an envelope is improved. Any slope is valid; a few steps give a good one.
const STEPS: usize = 4;

/// Differences of this size count as rounding.
const NEARLY: f64 = 1e-13;

/// The knots and the segments between them; the first and last segments have no end.
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

    /// The one segment in which a range of s lies, up to `OVERLAP`.
    pub fn one_segment(&self, least: f64, most: f64) -> Option<usize> {
        let (from, to) = (least.sqrt() + OVERLAP, most.sqrt() - OVERLAP);
        let first = self.segment(from);
        (to <= from || self.segment(to) == first).then_some(first)
    }

    /// How far the function can be from the segment of a range.
    pub fn overlap_error(&self) -> f64 {
        2.0 * OVERLAP * self.slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()))
    }

    /// A line above the function over a range of s, or below the function: nearly the best at `centre`.
    pub fn line(&self, least: f64, most: f64, centre: f64, is_lower: bool) -> Line {
        let ends = (least.sqrt(), most.sqrt());
        let segments = (self.segment(ends.0), self.segment(ends.1));
        let (left, right) = ((least, self.jet(segments.0, least).0), (most, self.jet(segments.1, most).0));
        let range = Range { ends, segments, corners: [left, right] };
        if is_lower {
            // The tangent at the centre is best if it lies below the function on the whole range.
            let (value, slope) = self.jet(self.segment(centre.sqrt()), centre);
            let extreme = self.extreme(&range, slope, true);
            if extreme.1 + slope * (centre - extreme.0) >= value - NEARLY {
                return Line { value: extreme.1 + slope * (centre - extreme.0), slope };
            }
        }
        envelope([left, right], centre, NEARLY, |slope| self.extreme(&range, slope, is_lower))
    }

    /// The point of the range, with its value, at which the function is furthest below `slope`·s, or above it.
    fn extreme(&self, range: &Range, slope: f64, is_lower: bool) -> (f64, f64) {
        let sign = if is_lower { 1.0 } else { -1.0 };
        let (mut best, mut least) = (range.corners[0], f64::INFINITY);
        let mut consider = |s: f64, value: f64| {
            let height = sign * (value - slope * s);
            if height < least {
                (best, least) = ((s, value), height);
            }
        };
        range.corners.iter().for_each(|(s, value)| consider(*s, *value));
        let (first, last) = range.segments;
        for (r, value) in &self.knots[first + 1..=last] {
            consider(r * r, *value);
        }
        if is_lower {
            // Between its ends a segment is convex in s, so it is lowest at the point whose slope is `slope`.
            let half = 0.5 / slope;
            for segment in first..=last {
                let touching = half * self.slopes[segment];
                let from = if segment == first { range.ends.0 } else { self.knots[segment].0 };
                let to = if segment == last { range.ends.1 } else { self.knots[segment + 1].0 };
                if from < touching && touching < to {
                    let (start, value) = self.knots[segment];
                    consider(touching * touching, value + self.slopes[segment] * (touching - start));
                }
            }
        }
        best
    }
}

/// A line of an envelope, nearly the best at `centre`, from the secant of the ends of the range: `extreme` is the point of the
/// range at which the function is furthest beyond a slope, and differences up to `nearly` count as rounding.
pub(super) fn envelope(
    [mut left, mut right]: [(f64, f64); 2],
    centre: f64,
    nearly: f64,
    extreme: impl Fn(f64) -> (f64, f64),
) -> Line {
    let mut slope = (right.1 - left.1) / (right.0 - left.0);
    let mut furthest = extreme(slope);
    for _ in 0..STEPS {
        let missed = (left.1 - slope * left.0) - (furthest.1 - slope * furthest.0);
        if missed.abs() <= nearly || furthest.0 == left.0 || furthest.0 == right.0 {
            break;
        }
        if furthest.0 < centre {
            left = furthest;
        } else {
            right = furthest;
        }
        slope = (right.1 - left.1) / (right.0 - left.0);
        furthest = extreme(slope);
    }
    Line { value: furthest.1 + slope * (centre - furthest.0), slope }
}

/// A range of s: its ends in r, their segments, and its ends with their values.
struct Range {
    ends: (f64, f64),
    segments: (usize, usize),
    corners: [(f64, f64); 2],
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
            (line.value - tangent.0).abs() < 1e-12 && (line.slope - tangent.1).abs() < 1e-12,
            "{line:?}, {tangent:?}"
        );
    }
}
