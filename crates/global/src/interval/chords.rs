//! A falling piecewise-linear function of a distance, in interval arithmetic.

use super::{Interval, Polynomial};

/// A range of distances may reach this far beyond a segment and still be taken for a part of it; twice what the search
/// allows, so that rounding cannot make the two disagree.
const OVERLAP: f64 = 2e-11;

/// Knots (r, value); the first and last segments have no end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chords {
    knots: Vec<(f64, f64)>,
}

impl Chords {
    /// Through knots that begin at distance 0, with values that do not rise.
    pub fn new(knots: &[(f64, f64)]) -> Option<Self> {
        let finite = knots.iter().all(|(r, value)| r.is_finite() && value.is_finite());
        let ordered = knots.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1);
        (knots.len() >= 2 && finite && ordered && knots[0].0 == 0.0).then(|| Self { knots: knots.to_vec() })
    }

    fn segment(&self, r: f64) -> usize {
        self.knots[1..self.knots.len() - 1].partition_point(|knot| knot.0 <= r)
    }

    fn slope(&self, segment: usize) -> Interval {
        let ((from, start), (to, end)) = (self.knots[segment], self.knots[segment + 1]);
        (Interval::point(end) - Interval::point(start)) / (Interval::point(to) - Interval::point(from))
    }

    /// On one segment, at a distance.
    fn on(&self, segment: usize, r: Interval) -> Interval {
        let (start, value) = self.knots[segment];
        Interval::point(value) + self.slope(segment) * (r - Interval::point(start))
    }

    /// The function of a squared distance.
    pub fn value(&self, s: Interval) -> Interval {
        let r = s.sqrt();
        let at = |r: f64| self.on(self.segment(r), Interval::point(r));
        Interval { low: at(r.high).low, high: at(r.low).high }
    }

    /// The one segment that all distances between two squares lie in, but for `OVERLAP`.
    fn one_segment(&self, near: f64, far: f64) -> Option<usize> {
        let (from, to) = (near.sqrt() + OVERLAP, far.sqrt() - OVERLAP);
        let first = self.segment(from);
        (to <= from || self.segment(to) == first).then_some(first)
    }

    /// What the function can differ by from the segment that a range is taken for.
    fn overlap_error(&self) -> Interval {
        let steepest = (0..self.knots.len() - 1).map(|segment| self.slope(segment).size()).fold(0.0, f64::max);
        Interval::point(steepest) * (2.0 * OVERLAP)
    }

    /// φ and φ' in s on a segment, where `near` to `far` lies in one.
    pub fn smooth(&self, near: f64, far: f64) -> Option<(impl Fn(f64) -> (Interval, Interval), Interval)> {
        let segment = self.one_segment(near, far)?;
        let jet = move |s: f64| {
            let r = Interval::point(s).sqrt();
            (self.on(segment, r), self.slope(segment) * 0.5 / r)
        };
        Some((jet, self.overlap_error()))
    }

    /// A line below the function or above it, for squared distances from `near` to `far`.
    pub fn line(&self, near: f64, far: f64, centre: Interval, is_lower: bool) -> Polynomial {
        let slope = self.good_slope(near, far, centre.middle(), is_lower);
        // No s has φ(s) − slope·s beyond this.
        let intercept = self.intercept(near, far, slope, is_lower);
        let (slope, flat) = (Interval::point(slope), Interval::ZERO);
        Polynomial { value: intercept + slope * centre, slope, curve: flat, third: flat }
    }

    /// Any slope serves; this one is nearly best at the centre, found in ordinary arithmetic as the search does.
    fn good_slope(&self, near: f64, far: f64, centre: f64, is_lower: bool) -> f64 {
        let value = |s: f64| self.value(Interval::point(s)).middle();
        let (mut left, mut right) = ((near, value(near)), (far, value(far)));
        let secant = |left: (f64, f64), right: (f64, f64)| (right.1 - left.1) / (right.0 - left.0);
        let mut slope = secant(left, right);
        for _ in 0..6 {
            let mut best = left;
            let mut consider = |s: f64| {
                let gain = (value(s) - slope * s) - (best.1 - slope * best.0);
                if (gain < 0.0) == is_lower && gain != 0.0 {
                    best = (s, value(s));
                }
            };
            consider(near);
            consider(far);
            for segment in self.segment(near.sqrt())..=self.segment(far.sqrt()) {
                let touching = 0.5 * self.slope(segment).middle() / slope;
                let ends = [self.knots[segment].0, self.knots[segment + 1].0];
                let inner = is_lower && ends[0] < touching && touching < ends[1];
                for r in ends.into_iter().chain(inner.then_some(touching)) {
                    if near < r * r && r * r < far {
                        consider(r * r);
                    }
                }
            }
            let missed = (left.1 - slope * left.0) - (best.1 - slope * best.0);
            if missed.abs() <= 1e-13 || best.0 == left.0 || best.0 == right.0 {
                break;
            }
            if best.0 < centre {
                left = best
            } else {
                right = best
            }
            slope = secant(left, right);
        }
        slope.min(0.0)
    }

    /// A bound of φ(s) − slope·s over the range, from below or above: segment by segment it is a parabola in the distance.
    fn intercept(&self, near: f64, far: f64, slope: f64, is_lower: bool) -> Interval {
        let (from, to) = (Interval::point(near).sqrt().low, Interval::point(far).sqrt().high);
        let worst = |a: f64, b: f64| if is_lower { a.min(b) } else { a.max(b) };
        let mut bound = if is_lower { f64::INFINITY } else { f64::NEG_INFINITY };
        let (first, last) = (self.segment(from), self.segment(to));
        for segment in first..=last {
            let start = if segment == first { from } else { self.knots[segment].0 };
            let end = if segment == last { to } else { self.knots[segment + 1].0 };
            let at = |r: Interval| self.on(segment, r) - Interval::point(slope) * r.square();
            let mut consider = |value: Interval| bound = worst(bound, if is_lower { value.low } else { value.high });
            consider(at(Interval::point(start)));
            consider(at(Interval::point(end)));
            // Convex in the distance, as the slope is not positive: lowest at its vertex, highest at an end.
            if is_lower && slope < 0.0 {
                let vertex = self.slope(segment) * 0.5 / Interval::point(slope);
                if vertex.high >= start && vertex.low <= end {
                    consider(at(vertex));
                }
            }
        }
        Interval::point(bound)
    }
}
