"""Balls: real numbers that are known up to a radius.

Every double is an exact ball. A comparison of balls is true only if it is certain, and an unknown ball (NaN) makes every
comparison false.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from flint import arb, arb_mat

ZERO = arb(0)
ONE = arb(1)
HALF = arb(0.5)


def power_of_two(exponent: int) -> arb:
    """2 to the power of the exponent, exactly."""
    return arb((1, exponent))


def positive_part(ball: arb) -> arb:
    """The larger of the number and 0; unknown if the number is unknown."""
    return ball.max(ZERO)


def root(ball: arb) -> arb:
    """The square root of the positive part; unknown if the number is unknown."""
    if ball >= 0:
        return ball.sqrt()
    return ZERO.union(positive_part(ball.upper()).sqrt())


def square(ball: arb) -> arb:
    """The square, which is never negative."""
    return positive_part(ball * ball)


def add_up(balls: Iterable[arb]) -> arb:
    """The sum."""
    return sum(balls, ZERO)


def hull(balls: Iterable[arb]) -> tuple[arb, arb]:
    """The least lower end and the largest upper end, both exact; unknown if a ball is unknown."""
    listed = list(balls)
    low, high = listed[0].lower(), listed[0].upper()
    for ball in listed[1:]:
        low, high = low.min(ball.lower()), high.max(ball.upper())
    return low.lower(), high.upper()


def least(balls: Iterable[arb]) -> arb:
    """An exact lower bound of the least of the balls."""
    return hull(balls)[0]


def column(entries: Sequence[arb]) -> arb_mat:
    """A matrix with one column."""
    return arb_mat(len(entries), 1, list(entries))


def dot(first: Sequence[arb], second: Sequence[arb]) -> arb:
    """The inner product."""
    size = len(first)
    product = arb_mat(1, size, list(first)) * arb_mat(size, 1, list(second))
    return product[0, 0]


def times(matrix: arb_mat, vector: Sequence[arb]) -> list[arb]:
    """The product of a matrix and a vector."""
    return (matrix * column(vector)).entries()


def nearest_double(ball: arb) -> float:
    """A double near the middle of a finite ball."""
    return float(ball.mid())


def double_above(ball: arb) -> float:
    """A double that is certainly at least as large as the ball; infinite or NaN if there is none."""
    guess = float(ball.upper())
    while math.isfinite(guess) and not arb(guess) >= ball:
        guess = math.nextafter(guess, math.inf)
    return guess
