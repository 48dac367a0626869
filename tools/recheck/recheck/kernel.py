"""Kernels: φ and its slope, as functions of a squared distance or of an inner product (section 4.2 of the document)."""

from __future__ import annotations

import bisect
import math

from flint import arb

from .ball import HALF, ONE, ZERO, hull, root


class Smooth:
    """A completely monotone function of the squared distance s."""

    def value(self, s: arb) -> arb:
        """φ(s)."""
        return self.both(s)[0]

    def both(self, s: arb) -> tuple[arb, arb]:
        """φ(s) and φ'(s); the slope is needed at s > 0 only."""
        raise NotImplementedError


class Matern12(Smooth):
    def value(self, s: arb) -> arb:
        return (-root(s)).exp()

    def both(self, s: arb) -> tuple[arb, arb]:
        r = root(s)
        value = (-r).exp()
        return value, -value / (2 * r)


class Matern32(Smooth):
    def both(self, s: arb) -> tuple[arb, arb]:
        y = root(3 * s)
        decay = (-y).exp()
        return (1 + y) * decay, arb(-1.5) * decay


class Matern52(Smooth):
    def both(self, s: arb) -> tuple[arb, arb]:
        y = root(5 * s)
        decay = (-y).exp()
        return (1 + y + y * y / 3) * decay, -5 * (1 + y) * decay / 6


class Matern72(Smooth):
    def both(self, s: arb) -> tuple[arb, arb]:
        y = root(7 * s)
        decay = (-y).exp()
        return (1 + y + 2 * y * y / 5 + y * y * y / 15) * decay, -7 * (1 + y + y * y / 3) * decay / 10


class Rbf(Smooth):
    def both(self, s: arb) -> tuple[arb, arb]:
        value = (-HALF * s).exp()
        return value, -HALF * value


class RationalQuadratic(Smooth):
    def __init__(self, alpha: arb) -> None:
        self._alpha = alpha

    def both(self, s: arb) -> tuple[arb, arb]:
        ratio = s / (2 * self._alpha)
        value = (-self._alpha * ratio.log1p()).exp()
        return value, -HALF * value / (1 + ratio)


class PiecewiseLinear:
    """Linear interpolation of knots in r; beyond the last knot the last segment continues."""

    def __init__(self, knots: tuple[tuple[float, float], ...]) -> None:
        self.distances = [r for r, _ in knots]
        self._values = [arb(value) for _, value in knots]
        self._starts = [arb(r) for r in self.distances]
        self.segments = len(knots) - 1
        self._slopes = [self._slope_of(n) for n in range(self.segments)]
        self.steepest = hull(-slope for slope in self._slopes)[1]

    def knot(self, number: int) -> tuple[arb, arb]:
        """A knot: its distance and its value."""
        return self._starts[number], self._values[number]

    def slope(self, segment: int) -> arb:
        """The slope of a segment in r."""
        return self._slopes[segment]

    def _slope_of(self, segment: int) -> arb:
        rise = self._values[segment + 1] - self._values[segment]
        return rise / (self._starts[segment + 1] - self._starts[segment])

    def on_segment(self, segment: int, r: arb) -> arb:
        """The line of a segment at r, which may lie outside of it."""
        return self._values[segment] + self.slope(segment) * (r - self._starts[segment])

    def segment_at(self, r: float) -> int:
        """The segment that holds a distance."""
        return min(max(bisect.bisect_right(self.distances, r) - 1, 0), self.segments - 1)

    def at(self, r: arb) -> arb:
        """φ at a distance that is known up to a radius."""
        first = self.segment_at(math.nextafter(float(r.lower()), -math.inf))
        last = self.segment_at(math.nextafter(float(r.upper()), math.inf))
        value = self.on_segment(first, r)
        for segment in range(first + 1, last + 1):
            value = value.union(self.on_segment(segment, r))
        return value

    def value(self, s: arb) -> arb:
        """φ as a function of the squared distance."""
        return self.at(root(s))


class SegmentLine(Smooth):
    """The line of one segment as a function of s = r²; its first three derivatives have the signs of a smooth kernel's."""

    def __init__(self, kernel: PiecewiseLinear, segment: int) -> None:
        self._start, self._value = kernel.knot(segment)
        self._slope = kernel.slope(segment)

    def value(self, s: arb) -> arb:
        return self._value + self._slope * (root(s) - self._start)

    def both(self, s: arb) -> tuple[arb, arb]:
        r = root(s)
        return self._value + self._slope * (r - self._start), self._slope / (2 * r)


class DotProduct:
    """A power of an inner product plus an offset."""

    def __init__(self, offset: arb, degree: int) -> None:
        self.offset = offset
        self.degree = degree

    def value(self, q: arb) -> arb:
        """φ(q)."""
        return (q + self.offset) ** self.degree

    def coefficients(self, base: arb, reach: arb) -> tuple[list[arb], arb]:
        """(base + Δ)^m: the coefficients of Δ⁰ … Δ³, and a bound of the rest for |Δ| ≤ reach (Lemma 8)."""
        size, rest = abs(base), ZERO
        powers, sizes = _powers(base, self.degree), _powers(size, self.degree)
        low = [ZERO] * 4
        binomial = 1
        for n in range(self.degree + 1):
            if n <= 3:
                low[n] = binomial * powers[self.degree - n]
            else:
                rest += binomial * sizes[self.degree - n] * reach**n
            binomial = binomial * (self.degree - n) // (n + 1)
        return low, rest


def _powers(base: arb, degree: int) -> list[arb]:
    powers = [ONE]
    for _ in range(degree):
        powers.append(powers[-1] * base)
    return powers


Kernel = Smooth | PiecewiseLinear | DotProduct

PLAIN: dict[str, type[Smooth]] = {
    "matern12": Matern12,
    "matern32": Matern32,
    "matern52": Matern52,
    "matern72": Matern72,
    "rbf": Rbf,
}
"""The smooth kernels without parameters of their own, by their names."""
