"""The range of a constraint on a box, in exact rational arithmetic (Lemma 25 of the document)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .problem import Row

Side = tuple[Fraction, Fraction]
TOLERANCE = Fraction(1, 10**9)


def exact_side(low: float, high: float) -> Side:
    """A side with exact ends."""
    return Fraction(low), Fraction(high)


def _sum(first: Side, second: Side) -> Side:
    return first[0] + second[0], first[1] + second[1]


def _product(first: Side, second: Side) -> Side:
    corners = [a * b for a in first for b in second]
    return min(corners), max(corners)


def _scaled(side: Side, factor: Fraction) -> Side:
    return _product(side, (factor, factor))


def _parabola(bend: Fraction, slope: Fraction, side: Side) -> Side:
    """The range of bend·x² + slope·x."""
    values = [(bend * x + slope) * x for x in side]
    if bend and side[0] < -slope / (2 * bend) < side[1]:
        values.append(-slope * slope / (4 * bend))
    return min(values), max(values)


def _parabolas(bend: Fraction, slopes: Side, side: Side) -> Side:
    """The range of bend·x² + slope·x over all slopes in an interval; the expression is linear in the slope."""
    first, second = (_parabola(bend, slope, side) for slope in slopes)
    return min(first[0], second[0]), max(first[1], second[1])


def row_range(row: Row, sides: Sequence[Side], collected: int) -> Side:
    """An enclosure of the row's value on a box. The terms of input `collected` are collected first."""
    bends: dict[int, Fraction] = {}
    slopes: dict[int, Side] = {}
    nothing = (Fraction(0), Fraction(0))
    total = nothing
    for j, factor in row.linear:
        slopes[j] = exact_side(factor, factor)
    for j, k, factor in row.quadratic:
        exact = Fraction(factor)
        if j == k:
            bends[j] = exact
        elif collected in (j, k):
            other = k if j == collected else j
            slopes[collected] = _sum(slopes.get(collected, nothing), _scaled(sides[other], exact))
        else:
            total = _sum(total, _scaled(_product(sides[j], sides[k]), exact))
    for j in {*bends, *slopes}:
        part = _parabolas(bends.get(j, Fraction(0)), slopes.get(j, nothing), sides[j])
        total = _sum(total, part)
    return total


def is_violated(row: Row, sides: Sequence[Side], collected: int) -> bool:
    """Whether no point of the box satisfies the row."""
    low, high = row_range(row, sides, collected)
    above = row.upper is not None and low > Fraction(row.upper)
    below = row.lower is not None and high < Fraction(row.lower)
    return above or below


def holds_at(row: Row, point: Sequence[float]) -> bool:
    """Whether a point satisfies the row up to the tolerance of section 4.6."""
    x = [Fraction(entry) for entry in point]
    terms = [Fraction(factor) * x[j] for j, factor in row.linear]
    terms += [Fraction(factor) * x[j] * x[k] for j, k, factor in row.quadratic]
    value, largest = sum(terms, Fraction(0)), max(map(abs, terms), default=Fraction(0))

    def slack(side: Fraction) -> Fraction:
        return TOLERANCE * max(largest, abs(side))

    if row.upper is not None and value > Fraction(row.upper) + slack(Fraction(row.upper)):
        return False
    return row.lower is None or value >= Fraction(row.lower) - slack(Fraction(row.lower))
