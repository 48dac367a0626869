//! A falling piecewise-linear function of a distance, in interval arithmetic (docs/method.md, Lemma 3.5).

use crate::interval::Interval;

/// A range of distances that extends this far beyond a segment still counts as a part of the segment. The value is twice what
/// the search allows, so that rounding cannot make the two disagree. `overlap_error` covers what lies beyond.
const OVERLAP: f64 = 4e-14;

/// Knots (r, value) that begin at (0, 1). Distances rise, values do not; the last segment has no end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chords {
    knots: Vec<(f64, f64)>,
    slopes: Vec<Interval>,
}

impl Chords {
    /// The function through the knots of a checked statement.
    pub fn new(knots: &[(f64, f64)]) -> Self {
        let slope = |pair: &[(f64, f64)]| {
            let difference = |from: f64, to: f64| Interval::point(to) - Interval::point(from);
            difference(pair[0].1, pair[1].1) / difference(pair[0].0, pair[1].0)
        };
        Self { knots: knots.to_vec(), slopes: knots.windows(2).map(slope).collect() }
    }

    fn segment(&self, r: f64) -> usize {
        self.knots[1..self.knots.len() - 1].partition_point(|knot| knot.0 <= r)
    }

    /// The line of one segment at distance r.
    fn on(&self, segment: usize, r: Interval) -> Interval {
        let (start, value) = self.knots[segment];
        Interval::point(value) + self.slopes[segment] * (r - Interval::point(start))
    }

    /// The function, which falls, at a squared distance.
    pub fn value(&self, s: Interval) -> Interval {
        let r = s.sqrt();
        let at = |r: f64| self.on(self.segment(r), Interval::point(r));
        if r.is_known() { at(r.low()).hull(at(r.high())) } else { Interval::ALL }
    }

    /// The one segment that contains all distances between two squares, up to `OVERLAP`.
    fn one_segment(&self, near: f64, far: f64) -> Option<usize> {
        let (from, to) = (near.sqrt() + OVERLAP, far.sqrt() - OVERLAP);
        let first = self.segment(from);
        (to <= from || self.segment(to) == first).then_some(first)
    }

    /// A bound of |function − segment's line| on a range of squares that may extend beyond the segment. Slopes are not
    /// positive, so no two slopes differ by more than the steepest.
    fn overlap_error(&self, segment: usize, near: f64, far: f64) -> Interval {
        let beyond = |from: Interval, to: Interval| (to - from).positive_part();
        let below = match segment {
            0 => Interval::ZERO,
            _ => beyond(Interval::point(near).sqrt(), Interval::point(self.knots[segment].0)),
        };
        let above = match segment + 1 == self.slopes.len() {
            true => Interval::ZERO,
            false => beyond(Interval::point(self.knots[segment + 1].0), Interval::point(far).sqrt()),
        };
        Interval::largest(self.slopes.iter().copied()) * below.max(above)
    }

    /// φ and φ' in s on the one segment that contains `near` to `far`, if there is one, and a bound of the error of φ.
    pub fn smooth(&self, near: f64, far: f64) -> Option<(impl Fn(f64) -> (Interval, Interval), Interval)> {
        let segment = self.one_segment(near, far)?;
        let jet = move |s: f64| {
            let r = Interval::point(s).sqrt();
            (self.on(segment, r), self.slopes[segment] * 0.5 / r)
        };
        Some((jet, self.overlap_error(segment, near, far)))
    }

    /// A line below the function or above it, for squared distances from `near` to `far`: its value at the centre and its slope.
    pub fn line(&self, near: f64, far: f64, centre: Interval, is_lower: bool) -> (Interval, Interval) {
        let slope = self.good_slope(near, far, centre.guess(), is_lower);
        // A bound of φ(s) − slope·s for all s.
        let intercept = self.intercept(near, far, slope, is_lower);
        let slope = Interval::point(slope);
        (intercept + slope * centre, slope)
    }

    /// A slope that is nearly best at the centre, in ordinary arithmetic, as the search finds it. Any slope that is not
    /// positive is valid.
    fn good_slope(&self, near: f64, far: f64, centre: f64, is_lower: bool) -> f64 {
        let (from, to) = (near.sqrt(), far.sqrt());
        let segments = self.segment(from)..=self.segment(to);
        let value = |segment: usize, r: f64| {
            let (start, value) = self.knots[segment];
            (r * r, value + self.slopes[segment].guess() * (r - start))
        };
        let ends = [value(*segments.start(), from), value(*segments.end(), to)];
        // The point at which the function is furthest below slope·s, or above it.
        let sign = if is_lower { 1.0 } else { -1.0 };
        let height = |point: (f64, f64), slope: f64| sign * (point.1 - slope * point.0);
        let extreme = |slope: f64| {
            let corners = segments.clone().skip(1).map(|segment| value(segment, self.knots[segment].0));
            let touching = segments.clone().filter_map(|segment| {
                let r = 0.5 * self.slopes[segment].guess() / slope;
                let start = if segment == *segments.start() { from } else { self.knots[segment].0 };
                let end = if segment == *segments.end() { to } else { self.knots[segment + 1].0 };
                (is_lower && start < r && r < end).then(|| value(segment, r))
            });
            let candidates = ends.into_iter().chain(corners).chain(touching);
            candidates.fold(ends[0], |a, b| if height(b, slope) < height(a, slope) { b } else { a })
        };
        let not_positive = |slope: f64| if slope < 0.0 { slope } else { 0.0 };
        if is_lower {
            let (segment, r) = (self.segment(centre.sqrt()), centre.sqrt());
            let tangent = 0.5 * self.slopes[segment].guess() / r;
            if height(extreme(tangent), tangent) >= height(value(segment, r), tangent) - 1e-13 {
                return not_positive(tangent);
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
        not_positive(slope)
    }

    /// A lower or upper bound of φ(s) − slope·s over the range. On each segment φ(s) − slope·s is a parabola in the distance.
    fn intercept(&self, near: f64, far: f64, slope: f64, is_lower: bool) -> Interval {
        let (from, to) = (Interval::point(near).sqrt().low(), Interval::point(far).sqrt().high());
        let (first, last) = (self.segment(from), self.segment(to));
        let mut reached: Option<Interval> = None;
        for segment in first..=last {
            let start = if segment == first { from } else { self.knots[segment].0 };
            let end = if segment == last { to } else { self.knots[segment + 1].0 };
            let at = |r: Interval| self.on(segment, r) - Interval::point(slope) * r.square();
            let mut consider = |value: Interval| reached = Some(reached.map_or(value, |known| known.hull(value)));
            consider(at(Interval::point(start)));
            consider(at(Interval::point(end)));
            // The slope is not positive, so the parabola is convex: it is lowest at its vertex and highest at an end.
            if is_lower && slope < 0.0 {
                let vertex = self.slopes[segment] * 0.5 / Interval::point(slope);
                if vertex.high() >= start && vertex.low() <= end {
                    consider(at(vertex));
                }
            }
        }
        let reached = reached.unwrap_or(Interval::ALL);
        if is_lower { reached.lower() } else { reached.upper() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chords() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((0.05..1.0_f64, 0.0..0.3_f64), 1..8).prop_map(|steps| {
            let mut knots = vec![(0.0, 1.0)];
            for (width, fall) in steps {
                let (r, value) = knots[knots.len() - 1];
                knots.push((r + width, value - fall));
            }
            knots
        })
    }

    fn plain(knots: &[(f64, f64)], r: f64) -> f64 {
        let at = knots[1..knots.len() - 1].iter().filter(|knot| knot.0 <= r).count();
        let ((r0, v0), (r1, v1)) = (knots[at], knots[at + 1]);
        v0 + (v1 - v0) / (r1 - r0) * (r - r0)
    }

    proptest! {
        #[test]
        fn values_and_lines_hold_at_every_distance(
            knots in chords(),
            (from, width) in (0.0..3.0_f64, 0.0..3.0_f64),
            share in 0.0..1.0_f64,
            shares in prop::collection::vec(0.0..=1.0_f64, 20),
        ) {
            let chords = Chords::new(&knots);
            let (near, far) = (from * from, (from + width) * (from + width));
            let centre = Interval::point(near + share * (far - near));
            let range = chords.value(Interval::between(near, far));
            for share in shares {
                let r = from + share * width;
                let value = plain(&knots, r);
                prop_assert!(range.low() <= value + 1e-12 && value <= range.high() + 1e-12);
                for is_lower in [true, false] {
                    let (at_centre, slope) = chords.line(near, far, centre, is_lower);
                    let at = (at_centre + slope * (Interval::point(r * r) - centre)).guess();
                    prop_assert!(if is_lower { at <= value + 1e-12 } else { at >= value - 1e-12 }, "{is_lower} {at} {value} at {r}");
                }
                if let Some((jet, error)) = chords.smooth(near, far) {
                    prop_assert!((jet(r * r).0.guess() - value).abs() <= error.high() + 1e-12);
                }
            }
        }

        #[test]
        fn the_overlap_error_covers_what_lies_beyond_a_segment(knots in chords(), beyond in 0.0..0.04_f64) {
            // The error holds for whichever segment is chosen.
            let chords = Chords::new(&knots);
            for segment in 0..chords.slopes.len() {
                let (start, end) = (knots[segment].0 - beyond, knots[segment + 1].0 + beyond);
                let start = if start < 0.0 { 0.0 } else { start };
                let error = chords.overlap_error(segment, start * start, end * end);
                for r in [start, end] {
                    let off = (chords.on(segment, Interval::point(r)).guess() - plain(&knots, r)).abs();
                    prop_assert!(off <= error.high() + 1e-12, "{off} {error:?}");
                }
            }
        }
    }
}
