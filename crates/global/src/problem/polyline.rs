//! A piecewise-linear function of an inner product, bounded by lines of its envelopes (docs/method.md, Lemma 3.11).

use super::chords::{Line, envelope};
use fathom_gp::PwlKernel;

/// Differences of this share of the values count as rounding.
const NEARLY: f64 = 1e-13;

/// The knots and the segments between them; the first and last segments have no outer end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polyline {
    /// q and value of every knot.
    pub knots: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl From<&PwlKernel> for Polyline {
    fn from(kernel: &PwlKernel) -> Self {
        Self::new(kernel.breakpoints().iter().copied().zip(kernel.values().iter().copied()).collect())
    }
}

impl Polyline {
    pub fn new(knots: Vec<(f64, f64)>) -> Self {
        let slope = |pair: &[(f64, f64)]| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0);
        let slopes = knots.windows(2).map(slope).collect();
        Self { knots, slopes }
    }

    fn segment(&self, q: f64) -> usize {
        self.knots[1..self.knots.len() - 1].partition_point(|knot| knot.0 <= q)
    }

    /// The function at an inner product.
    pub fn value(&self, q: f64) -> f64 {
        let segment = self.segment(q);
        let (start, value) = self.knots[segment];
        value + self.slopes[segment] * (q - start)
    }

    /// The knots strictly between two inner products, if they are in order.
    fn between(&self, least: f64, most: f64) -> &[(f64, f64)] {
        let from = self.segment(least) + 1;
        let count = self.knots[from..].partition_point(|knot| knot.0 < most);
        &self.knots[from..from + count]
    }

    /// A line above the function over a range, or below the function: nearly the best at `centre`.
    pub fn line(&self, least: f64, most: f64, centre: f64, is_lower: bool) -> Line {
        let ends = [(least, self.value(least)), (most, self.value(most))];
        let between = self.between(least, most);
        let sign = if is_lower { 1.0 } else { -1.0 };
        // The point at which the function is furthest below slope·q, or above it. Between knots the function is linear.
        let extreme = |slope: f64| {
            let height = |point: &(f64, f64)| sign * (point.1 - slope * point.0);
            let points = ends.iter().chain(between);
            points.fold(ends[0], |best, point| if height(point) < height(&best) { *point } else { best })
        };
        let nearly = NEARLY * (ends[0].1.abs() + ends[1].1.abs());
        // The segment of the centre is best if it lies on the right side of the function on the whole range.
        let tangent = self.slopes[self.segment(centre)];
        let touching = extreme(tangent);
        let value = touching.1 + tangent * (centre - touching.0);
        if sign * (value - self.value(centre)) >= -nearly {
            return Line { value, slope: tangent };
        }
        envelope(ends, centre, nearly, extreme)
    }

    /// No |value| of the range is larger, about.
    pub fn largest(&self, least: f64, most: f64) -> f64 {
        let inner = self.between(least, most).iter().map(|knot| knot.1.abs());
        inner.fold(self.value(least).abs().max(self.value(most).abs()), f64::max)
    }

    /// The size of everything that enters a value or a line in the range, if the terms of the inner product are at most
    /// `terms` in size together: rounding errors are relative to this.
    pub fn size(&self, least: f64, most: f64, terms: f64) -> f64 {
        let (first, last) = (self.segment(least), self.segment(most).max(self.segment(least)));
        let of_segment = |segment: usize| {
            let ((from, start), (to, end)) = (self.knots[segment], self.knots[segment + 1]);
            start.abs().max(end.abs()) + self.slopes[segment].abs() * (from.abs().max(to.abs()) + terms)
        };
        (first..=last).map(of_segment).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_lie_on_their_sides_and_are_the_function_within_a_segment(
            first in -2.0..1.0_f64,
            steps in prop::collection::vec((0.05..1.0_f64, -1.0..1.0_f64), 1..8),
            (least, width) in (-4.0..4.0_f64, 0.0..4.0_f64),
            share in 0.0..=1.0_f64,
        ) {
            let mut knots = vec![(first, 0.3)];
            for (step, rise) in steps {
                let (q, value) = knots[knots.len() - 1];
                knots.push((q + step, value + rise));
            }
            let polyline = Polyline::new(knots);
            let (most, centre) = (least + width, least + share * width);
            let [lower, upper] = [true, false].map(|is_lower| polyline.line(least, most, centre, is_lower));
            let largest = polyline.largest(least, most);
            for i in 0..=1000 {
                let q = least + width * f64::from(i) / 1000.0;
                let value = polyline.value(q);
                prop_assert!(lower.value + lower.slope * (q - centre) <= value + 1e-11);
                prop_assert!(upper.value + upper.slope * (q - centre) >= value - 1e-11);
                prop_assert!(value.abs() <= largest + 1e-11);
            }
            if polyline.segment(least) == polyline.segment(most) {
                prop_assert!((upper.value - lower.value).abs() < 1e-11 && lower.slope == upper.slope);
            }
        }
    }

    #[test]
    fn a_convex_function_has_its_segment_below_and_its_secant_above() {
        let square = Polyline::new((-3..=3).map(|q| (f64::from(q), f64::from(q * q))).collect());
        let (lower, upper) = (square.line(-2.0, 3.0, 0.5, true), square.line(-2.0, 3.0, 0.5, false));
        assert_eq!((lower.value, lower.slope), (0.5, 1.0));
        assert_eq!((upper.value, upper.slope), (6.5, 1.0));
    }
}
