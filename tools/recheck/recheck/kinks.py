"""Piecewise-linear kernels on a range: one segment, or lines across kinks (Lemma 9 of the document)."""

from __future__ import annotations

import bisect
import math

from flint import arb

from .ball import ZERO, hull, positive_part
from .cubic import Cubic, above, below
from .kernel import PiecewiseLinear, SegmentLine

REACH = 4e-14
LEVEL_DIFFERENCE = 1e-13
Point = tuple[float, float]


def bound(kernel: PiecewiseLinear, near: arb, far: arb, centre: arb, from_below: bool) -> Cubic:
    """A cubic on one side of the kernel on [near, far], written about the centre."""
    segment = _only_segment(kernel, near, far)
    if segment is not None:
        error = 2 * arb(REACH) * kernel.steepest
        line = SegmentLine(kernel, segment)
        if from_below:
            return below(line, near, far, centre, 2).shifted(-error)
        return above(line, near, far, centre, 2).shifted(error)
    slope = arb(_Search(kernel, near, far, centre, from_below).slope())
    low, high = near.sqrt().lower(), far.sqrt().upper()
    intercept = _intercept(kernel, positive_part(low), high, slope, from_below)
    return Cubic(intercept + slope * centre, slope)


def _only_segment(kernel: PiecewiseLinear, near: arb, far: arb) -> int | None:
    """The segment that contains the whole range, up to the tolerance."""
    low, high, reach = near.sqrt(), far.sqrt(), arb(REACH)
    first = kernel.segment_at(float(low + reach))
    for segment in (first - 1, first):
        if segment < 0:
            continue
        starts = segment == 0 or low >= kernel.knot(segment)[0] - reach
        ends = segment == kernel.segments - 1 or high <= kernel.knot(segment + 1)[0] + reach
        if starts and ends:
            return segment
    return None


def _intercept(kernel: PiecewiseLinear, low: arb, high: arb, slope: arb, from_below: bool) -> arb:
    """The least (or largest) value of φ − slope s for distances in [low, high], which are exact numbers."""
    first = kernel.segment_at(math.nextafter(float(low), -math.inf))
    last = kernel.segment_at(math.nextafter(float(high), math.inf))
    values = [_height(kernel.at(r), slope, r) for r in (low, high)]
    for knot in range(first + 1, last + 1):
        r, value = kernel.knot(knot)
        if low <= r <= high:
            values.append(_height(value, slope, r))
    if not from_below:
        return hull(values)[1]
    if slope < 0:
        for segment in range(first, last + 1):
            values += _vertex(kernel, segment, low, high, slope)
    return hull(values)[0]


def _height(value: arb, slope: arb, r: arb) -> arb:
    return value - slope * r * r


def _vertex(kernel: PiecewiseLinear, segment: int, low: arb, high: arb, slope: arb) -> list[arb]:
    """The least value of φ − slope s on the line of a segment, if its position may lie in the segment and in the range."""
    r = kernel.slope(segment) / (2 * slope)
    start = low.max(kernel.knot(segment)[0])
    end = high if segment == kernel.segments - 1 else high.min(kernel.knot(segment + 1)[0])
    if r < start or r > end:
        return []
    return [_height(kernel.on_segment(segment, r), slope, r)]


class _Search:
    """The search for a slope. Any slope is valid, so ordinary arithmetic is enough."""

    def __init__(self, kernel: PiecewiseLinear, near: arb, far: arb, centre: arb, from_below: bool) -> None:
        self._kernel = kernel
        self._low, self._high = math.sqrt(float(near)), math.sqrt(float(far))
        self._centre = float(centre.mid())
        self._from_below = from_below
        self._first, self._last = kernel.segment_at(self._low), kernel.segment_at(self._high)
        start = bisect.bisect_right(kernel.distances, self._low)
        end = bisect.bisect_left(kernel.distances, self._high)
        self._knots = [self._point(kernel.distances[n]) for n in range(start, end)]

    def _point(self, r: float) -> Point:
        segment = self._kernel.segment_at(r)
        return r * r, float(self._kernel.on_segment(segment, arb(r)))

    def slope(self) -> float:
        """A slope that is nearly best at the centre."""
        if self._from_below:
            tangent = self._tangent()
            if tangent is not None:
                return tangent
        return min(self._secant(), 0.0)

    def _tangent(self) -> float | None:
        r = math.sqrt(self._centre)
        if r == 0:
            return None
        slope = float(self._kernel.slope(self._kernel.segment_at(r))) / (2 * r)
        height = _above_line(self._point(r), slope)
        lowest = _above_line(self._extreme(slope, self._point(self._low), self._point(self._high)), slope)
        return slope if height - lowest <= LEVEL_DIFFERENCE else None

    def _secant(self) -> float:
        left, right = self._point(self._low), self._point(self._high)
        ends = (left, right)
        slope = _between(left, right)
        for _ in range(4):
            best = self._extreme(slope, left, right)
            if abs(_above_line(left, slope) - _above_line(best, slope)) <= LEVEL_DIFFERENCE or best in (left, right):
                break
            if best[0] < self._centre:
                left = best
            else:
                right = best
            slope = _between(left, right)
        return slope if ends[0] != ends[1] else 0.0

    def _extreme(self, slope: float, left: Point, right: Point) -> Point:
        points = [left, right, *self._knots]
        if not self._from_below:
            return max(points, key=lambda point: _above_line(point, slope))
        if slope < 0:
            points += self._vertices(slope)
        return min(points, key=lambda point: _above_line(point, slope))

    def _vertices(self, slope: float) -> list[Point]:
        found = []
        for segment in range(self._first, self._last + 1):
            r = float(self._kernel.slope(segment)) / (2 * slope)
            start = max(self._low, self._kernel.distances[segment])
            end = self._high
            if segment < self._kernel.segments - 1:
                end = min(end, self._kernel.distances[segment + 1])
            if start < r < end:
                found.append((r * r, float(self._kernel.on_segment(segment, arb(r)))))
        return found


def _above_line(point: Point, slope: float) -> float:
    return point[1] - slope * point[0]


def _between(left: Point, right: Point) -> float:
    run = right[0] - left[0]
    return (right[1] - left[1]) / run if run > 0 else 0.0
