//! A falling piecewise-linear function of a distance, in interval arithmetic.

use super::{Interval, Polynomial};

/// A range of distances may reach this far beyond a segment and still be taken for a part of it; twice what the search
/// allows, so that rounding cannot make the two disagree.
const OVERLAP: f64 = 4e-14;

/// Knots (r, value); the first and last segments have no end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chords {
    knots: Vec<(f64, f64)>,
    slopes: Vec<Interval>,
}

impl Chords {
    /// Through knots that begin at distance 0, with values that do not rise.
    pub fn new(knots: &[(f64, f64)]) -> Option<Self> {
        let finite = knots.iter().all(|(r, value)| r.is_finite() && value.is_finite());
        let ordered = knots.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1);
        let slope = |pair: &[(f64, f64)]| {
            let difference = |from: f64, to: f64| Interval::point(to) - Interval::point(from);
            difference(pair[0].1, pair[1].1) / difference(pair[0].0, pair[1].0)
        };
        let slopes = knots.windows(2).map(slope).collect();
        (knots.len() >= 2 && finite && ordered && knots[0].0 == 0.0).then(|| Self { knots: knots.to_vec(), slopes })
    }

    fn segment(&self, r: f64) -> usize {
        self.knots[1..self.knots.len() - 1].partition_point(|knot| knot.0 <= r)
    }

    /// On one segment, at a distance.
    fn on(&self, segment: usize, r: Interval) -> Interval {
        let (start, value) = self.knots[segment];
        Interval::point(value) + self.slopes[segment] * (r - Interval::point(start))
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
        let steepest = self.slopes.iter().map(|slope| slope.size()).fold(0.0, f64::max);
        Interval::point(steepest) * (2.0 * OVERLAP)
    }

    /// φ and φ' in s on a segment, where `near` to `far` lies in one.
    pub fn smooth(&self, near: f64, far: f64) -> Option<(impl Fn(f64) -> (Interval, Interval), Interval)> {
        let segment = self.one_segment(near, far)?;
        let jet = move |s: f64| {
            let r = Interval::point(s).sqrt();
            (self.on(segment, r), self.slopes[segment] * 0.5 / r)
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
        let (from, to) = (near.sqrt(), far.sqrt());
        let segments = self.segment(from)..=self.segment(to);
        let value = |segment: usize, r: f64| {
            let (start, value) = self.knots[segment];
            (r * r, value + self.slopes[segment].middle() * (r - start))
        };
        let ends = [value(*segments.start(), from), value(*segments.end(), to)];
        // The point where the function is furthest below slope·s, or above it.
        let sign = if is_lower { 1.0 } else { -1.0 };
        let height = |point: (f64, f64), slope: f64| sign * (point.1 - slope * point.0);
        let extreme = |slope: f64| {
            let corners = segments.clone().skip(1).map(|segment| value(segment, self.knots[segment].0));
            let touching = segments.clone().filter_map(|segment| {
                let r = 0.5 * self.slopes[segment].middle() / slope;
                let start = if segment == *segments.start() { from } else { self.knots[segment].0 };
                let end = if segment == *segments.end() { to } else { self.knots[segment + 1].0 };
                (is_lower && start < r && r < end).then(|| value(segment, r))
            });
            let candidates = ends.into_iter().chain(corners).chain(touching);
            candidates.fold(ends[0], |a, b| if height(b, slope) < height(a, slope) { b } else { a })
        };
        if is_lower {
            let (segment, r) = (self.segment(centre.sqrt()), centre.sqrt());
            let tangent = 0.5 * self.slopes[segment].middle() / r;
            if height(extreme(tangent), tangent) >= height(value(segment, r), tangent) - 1e-13 {
                return tangent.min(0.0);
            }
        }
        let secant = |left: (f64, f64), right: (f64, f64)| (right.1 - left.1) / (right.0 - left.0);
        let ([mut left, mut right], mut slope) = (ends, secant(ends[0], ends[1]));
        for _ in 0..4 {
            let best = extreme(slope);
            let missed = height(left, slope) - height(best, slope);
            if missed.abs() <= 1e-13 || best.0 == left.0 || best.0 == right.0 {
                break;
            }
            if best.0 < centre {
                left = best;
            } else {
                right = best;
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
                let vertex = self.slopes[segment] * 0.5 / Interval::point(slope);
                if vertex.high >= start && vertex.low <= end {
                    consider(at(vertex));
                }
            }
        }
        Interval::point(bound)
    }
}
