"""Piecewise-linear kernels of an inner product: their range, and lines below and above them (Lemma 27 of the document)."""

from __future__ import annotations

import bisect
import math

from flint import arb

from .ball import hull
from .kernel import PiecewiseLinear

LEVEL_DIFFERENCE = 1e-13
STEPS = 4
Point = tuple[float, float]


class Polyline(PiecewiseLinear):
    """Linear interpolation of knots in q; the first and the last segment continue."""

    def value(self, q: arb) -> arb:
        """φ as a function of the inner product."""
        if not q.is_finite():
            return arb("nan")
        low, high = self.range(q.lower(), q.upper())
        return low.union(high)

    def range(self, low: arb, high: arb) -> tuple[arb, arb]:
        """Exact numbers between which φ lies for inner products between two exact numbers."""
        return hull(value for _, value in self._corners(low, high))

    def line(self, low: arb, high: arb, centre: arb, from_below: bool) -> tuple[arb, arb]:
        """A line on one side of φ between two exact numbers: its value at the centre and its slope."""
        slope = arb(self._good_slope(float(low), float(high), float(centre.mid()), from_below))
        least, largest = hull(value - slope * q for q, value in self._corners(low, high))
        return (least if from_below else largest) + slope * centre, slope

    def _corners(self, low: arb, high: arb) -> list[tuple[arb, arb]]:
        """Both ends of a range and every knot that may lie in it: φ is linear between them."""
        first = bisect.bisect_left(self.distances, math.nextafter(float(low), -math.inf))
        last = bisect.bisect_right(self.distances, math.nextafter(float(high), math.inf))
        found = [(q, self.at(q)) for q in (low, high)]
        found += [self.knot(n) for n in range(first, last) if low <= self.knot(n)[0] <= high]
        return found

    def _point(self, q: float) -> Point:
        return q, float(self.on_segment(self.segment_at(q), arb(q)))

    def _good_slope(self, low: float, high: float, centre: float, from_below: bool) -> float:
        """A slope that is nearly best at the centre. Any slope is valid, so ordinary arithmetic is enough."""
        left, right = self._point(low), self._point(high)
        start, end = bisect.bisect_right(self.distances, low), bisect.bisect_left(self.distances, high)
        corners = [left, right, *(self._point(self.distances[n]) for n in range(start, end))]
        nearly = LEVEL_DIFFERENCE * (abs(left[1]) + abs(right[1]))
        sign = 1.0 if from_below else -1.0

        def height(point: Point, slope: float) -> float:
            return sign * (point[1] - slope * point[0])

        def extreme(slope: float) -> Point:
            return min(corners, key=lambda point: height(point, slope))

        tangent = float(self.slope(self.segment_at(centre)))
        if height(extreme(tangent), tangent) >= height(self._point(centre), tangent) - nearly:
            return tangent
        slope = _between(left, right)
        for _ in range(STEPS):
            best = extreme(slope)
            if abs(height(left, slope) - height(best, slope)) <= nearly or best[0] in (left[0], right[0]):
                break
            if best[0] < centre:
                left = best
            else:
                right = best
            slope = _between(left, right)
        return slope


def _between(left: Point, right: Point) -> float:
    run = right[0] - left[0]
    slope = (right[1] - left[1]) / run if run > 0 else 0.0
    return slope if math.isfinite(slope) else 0.0
