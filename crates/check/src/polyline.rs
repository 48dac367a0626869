//! A piecewise-linear function of an inner product, in interval arithmetic (docs/method.md, Lemma 3.11).

use crate::interval::Interval;

/// Knots (q, value) whose inner products rise; the first and the last segment have no outer end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polyline {
    knots: Vec<(f64, f64)>,
    slopes: Vec<Interval>,
}

impl Polyline {
    /// The function through the knots of a checked statement.
    pub fn new(knots: &[(f64, f64)]) -> Self {
        let slope = |pair: &[(f64, f64)]| {
            let difference = |from: f64, to: f64| Interval::point(to) - Interval::point(from);
            difference(pair[0].1, pair[1].1) / difference(pair[0].0, pair[1].0)
        };
        Self { knots: knots.to_vec(), slopes: knots.windows(2).map(slope).collect() }
    }

    fn segment(&self, q: f64) -> usize {
        self.knots[1..self.knots.len() - 1].partition_point(|knot| knot.0 <= q)
    }

    /// The function at an inner product.
    fn at(&self, q: f64) -> Interval {
        let segment = self.segment(q);
        let (start, value) = self.knots[segment];
        Interval::point(value) + self.slopes[segment] * (Interval::point(q) - Interval::point(start))
    }

    /// The points between which the function is linear from `low` to `high`: both ends, and the knots between them.
    fn corners(&self, low: f64, high: f64) -> impl Iterator<Item = (f64, Interval)> {
        let between = self.knots[self.segment(low) + 1..].iter().take_while(move |knot| knot.0 < high);
        let between = between.map(|(q, value)| (*q, Interval::point(*value)));
        [low, high].into_iter().map(|q| (q, self.at(q))).chain(between)
    }

    /// The range of the function over a set of inner products.
    pub fn value(&self, q: Interval) -> Interval {
        if !q.is_known() {
            return Interval::ALL;
        }
        let first = self.at(q.low());
        self.corners(q.low(), q.high()).fold(first, |range, (_, value)| range.hull(value))
    }

    /// A line below the function or above it, for a set of inner products: its value at the centre and its slope.
    pub fn line(&self, on: Interval, centre: Interval, is_lower: bool) -> (Interval, Interval) {
        if !on.is_known() {
            return (Interval::ALL, Interval::ZERO);
        }
        let slope = Interval::point(self.good_slope(on.low(), on.high(), centre.guess(), is_lower));
        // The function less slope·q is linear between corners, so that its extremes are at corners.
        let rest = |(q, value): (f64, Interval)| value - slope * q;
        let first = rest((on.low(), self.at(on.low())));
        let reached = self.corners(on.low(), on.high()).map(rest).fold(first, Interval::hull);
        let intercept = if is_lower { reached.lower() } else { reached.upper() };
        (intercept + slope * centre, slope)
    }

    /// A slope that is nearly best at the centre, in ordinary arithmetic, as the search finds it. Any slope is valid.
    fn good_slope(&self, low: f64, high: f64, centre: f64, is_lower: bool) -> f64 {
        let corners: Vec<(f64, f64)> = self.corners(low, high).map(|(q, value)| (q, value.guess())).collect();
        let ends = [corners[0], corners[1]];
        let sign = if is_lower { 1.0 } else { -1.0 };
        let height = |point: (f64, f64), slope: f64| sign * (point.1 - slope * point.0);
        // The corner at which the function is furthest below slope·q, or above it.
        let extreme =
            |slope: f64| corners.iter().fold(ends[0], |a, b| if height(*b, slope) < height(a, slope) { *b } else { a });
        let nearly = 1e-13 * (ends[0].1.abs() + ends[1].1.abs());
        let finite = |slope: f64| if slope.is_finite() { slope } else { 0.0 };
        let tangent = finite(self.slopes[self.segment(centre)].guess());
        if height(extreme(tangent), tangent) >= height((centre, self.at(centre).guess()), tangent) - nearly {
            return tangent;
        }
        let secant = |left: (f64, f64), right: (f64, f64)| finite((right.1 - left.1) / (right.0 - left.0));
        let ([mut left, mut right], mut slope) = (ends, secant(ends[0], ends[1]));
        for _ in 0..4 {
            let best = extreme(slope);
            let missed = height(left, slope) - height(best, slope);
            if missed.abs() <= nearly || best.0 == left.0 || best.0 == right.0 {
                break;
            }
            if best.0 < centre {
                left = best;
            } else {
                right = best;
            }
            slope = secant(left, right);
        }
        slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn polylines() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let steps = prop::collection::vec((0.05..1.0_f64, -1.0..1.0_f64), 1..8);
        (-2.0..1.0_f64, -1.0..1.0_f64, steps).prop_map(|(q, value, steps)| {
            let mut knots = vec![(q, value)];
            for (width, rise) in steps {
                let (q, value) = knots[knots.len() - 1];
                knots.push((q + width, value + rise));
            }
            knots
        })
    }

    fn plain(knots: &[(f64, f64)], q: f64) -> f64 {
        let at = knots[1..knots.len() - 1].iter().filter(|knot| knot.0 <= q).count();
        let ((q0, v0), (q1, v1)) = (knots[at], knots[at + 1]);
        v0 + (v1 - v0) / (q1 - q0) * (q - q0)
    }

    proptest! {
        #[test]
        fn values_and_lines_hold_at_every_inner_product(
            knots in polylines(),
            (from, width) in (-4.0..4.0_f64, 0.0..4.0_f64),
            share in 0.0..=1.0_f64,
            shares in prop::collection::vec(0.0..=1.0_f64, 20),
        ) {
            let polyline = Polyline::new(&knots);
            let on = Interval::between(from, from + width);
            let centre = Interval::point(from + share * width);
            let range = polyline.value(on);
            let lines = [true, false].map(|is_lower| polyline.line(on, centre, is_lower));
            // Knots in the range are where a line that is drawn without them would fail.
            let inner = knots.iter().map(|knot| knot.0).filter(|q| from <= *q && *q <= from + width);
            for q in shares.iter().map(|share| from + share * width).chain(inner) {
                let value = plain(&knots, q);
                prop_assert!(range.low() <= value + 1e-12 && value <= range.high() + 1e-12);
                let [below, above] =
                    lines.map(|(at_centre, slope)| (at_centre + slope * (Interval::point(q) - centre)).guess());
                prop_assert!(below <= value + 1e-12 && value <= above + 1e-12, "{below} {value} {above} at {q}");
            }
            // Within one segment the line is the function.
            if polyline.segment(from) == polyline.segment(from + width) {
                let at_centre = plain(&knots, centre.guess());
                prop_assert!(lines.iter().all(|line| (line.0.guess() - at_centre).abs() < 1e-11));
            }
        }
    }

    #[test]
    fn what_is_not_known_is_the_whole_line() {
        let polyline = Polyline::new(&[(-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]);
        assert_eq!(polyline.value(Interval::ALL), Interval::ALL);
        assert_eq!(polyline.line(Interval::ALL, Interval::ONE, true).0, Interval::ALL);
        // The kink is the least value, although both ends are above it.
        assert_eq!(polyline.value(Interval::between(-0.5, 0.5)).low(), 0.0);
        let (value, _) = polyline.line(Interval::between(-0.5, 0.5), Interval::ZERO, true);
        assert!(value.high() <= 1e-15);
        // A steep segment whose slope overflows is unknown.
        let steep = Polyline::new(&[(0.0, -1e100), (5e-324, 1e100), (1.0, 0.0)]);
        assert_eq!(steep.value(Interval::point(-1.0)), Interval::ALL);
    }
}
