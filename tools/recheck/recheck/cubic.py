"""Cubics in one variable that lie below or above a smooth kernel on a range (Lemmas 7 and 12 of the document)."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from .ball import HALF, ZERO, hull
from .kernel import Smooth

CLOSE = arb(2e-10)
TINY = arb(1e-90)
SEVEN_TENTHS = arb(0.7)


@dataclass(frozen=True)
class Cubic:
    """constant + slope Δ + bend Δ² + third Δ³."""

    constant: arb
    slope: arb = ZERO
    bend: arb = ZERO
    third: arb = ZERO

    def shifted(self, amount: arb) -> Cubic:
        """The same cubic with a larger constant."""
        return Cubic(self.constant + amount, self.slope, self.bend, self.third)

    def at(self, x: arb) -> arb:
        """The value at x."""
        return self.constant + x * (self.slope + x * (self.bend + x * self.third))

    def slope_at(self, x: arb) -> arb:
        """The derivative at x."""
        return self.slope + x * (2 * self.bend + 3 * x * self.third)


def recentred(node: arb, a: tuple[arb, arb, arb, arb], centre: arb) -> Cubic:
    """The cubic about a node, written about another centre."""
    y = centre - node
    return Cubic(
        a[0] + y * (a[1] + y * (a[2] + y * a[3])),
        a[1] + y * (2 * a[2] + 3 * a[3] * y),
        a[2] + 3 * a[3] * y,
        a[3],
    )


def _order_two(kernel: Smooth, double: arb, simple: arb, centre: arb) -> Cubic:
    a0, a1 = kernel.both(double)
    b = simple - double
    a2 = (kernel.value(simple) - a0 - a1 * b) / (b * b)
    return recentred(double, (a0, a1, a2, ZERO), centre)


def _order_three_above(kernel: Smooth, near: arb, far: arb, centre: arb) -> Cubic:
    mid = (HALF * (near + far)).mid()
    a0, a1 = kernel.both(mid)

    def bend(simple: arb) -> arb:
        y = simple - mid
        return (kernel.value(simple) - a0 - a1 * y) / (y * y)

    low = bend(near)
    a3 = (bend(far) - low) / (far - near)
    return recentred(mid, (a0, a1, low + a3 * (mid - near), a3), centre)


def _order_three_below(kernel: Smooth, near: arb, far: arb, centre: arb) -> Cubic:
    mid, off = HALF * (near + far), (far - near) / arb(8).sqrt()
    first, second = (mid - off).mid(), (mid + off).mid()
    b = second - first
    a0, a1 = kernel.both(first)
    value, slope = kernel.both(second)
    chord = (value - a0) / b
    a3 = (a1 + slope - 2 * chord) / (b * b)
    return recentred(first, (a0, a1, (chord - a1) / b - a3 * b, a3), centre)


def too_close(near: arb, far: arb) -> bool:
    """Whether the range is so short that a constant is as good."""
    return not far - near > CLOSE * far + TINY


def below(kernel: Smooth, near: arb, far: arb, centre: arb, order: int) -> Cubic:
    """A cubic below the kernel on [near, far], which are exact numbers, written about the centre."""
    if too_close(near, far):
        return Cubic(kernel.value(far))
    if order == 3:
        return _order_three_below(kernel, near, far, centre)
    return _order_two(kernel, (far - SEVEN_TENTHS * (far - near)).mid(), far, centre)


def above(kernel: Smooth, near: arb, far: arb, centre: arb, order: int) -> Cubic:
    """A cubic above the kernel on [near, far], which are exact numbers, written about the centre."""
    if too_close(near, far):
        return Cubic(kernel.value(near))
    if order == 3:
        return _order_three_above(kernel, near, far, centre)
    return _order_two(kernel, (near + SEVEN_TENTHS * (far - near)).mid(), near, centre)


def midway(low: Cubic, high: Cubic, near: arb, far: arb, centre: arb) -> tuple[Cubic, arb]:
    """The cubic midway between two cubics, and a bound of its distance from the kernel."""
    middle = Cubic(
        HALF * (low.constant + high.constant),
        HALF * (low.slope + high.slope),
        HALF * (low.bend + high.bend),
        HALF * (low.third + high.third),
    )
    gap = Cubic(
        high.constant - low.constant, high.slope - low.slope, high.bend - low.bend, high.third - low.third
    )
    start, end, third = near - centre, far - centre, (far - near) / 3
    first, last = gap.at(start), gap.at(end)
    corners = (first, first + third * gap.slope_at(start), last - third * gap.slope_at(end), last)
    return middle, HALF * hull(abs(corner) for corner in corners)[1]
