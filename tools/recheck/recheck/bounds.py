"""Quadratics below weighted sums of covariances, and below the terms of fixed multipliers (Lemmas 10, 13, 14)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from .ball import HALF, ONE, ZERO, add_up, column, positive_part, root, square
from .cubic import Cubic
from .frame import Frame, TermOnBox
from .kernel import DotProduct
from .piece import Piece
from .quadratic import Quadratic, WeightedSums

NOTHING = Cubic(ZERO)


def weighted_covariances(frame: Frame, weights: Sequence[arb], order: int) -> Quadratic:
    """A polynomial below gᵀk on the box, with its terms of third order."""
    total = Quadratic(len(frame.half))
    for term in frame.terms:
        cubics, error = _sided_cubics(term, weights, order)
        WeightedSums(term, cubics, column(weights)).add_to(total, 0, enclosed=False)
        total.error += error
    return total


def _sided_cubics(term: TermOnBox, weights: Sequence[arb], order: int) -> tuple[list[Cubic], arb]:
    """For each observation a cubic on the side that its weight needs, or midway if the sign of the weight is not known."""
    cubics, error = [], ZERO
    for i, weight in enumerate(weights):
        if weight > 0:
            cubics.append(term.one_sided(i, True, order))
        elif weight.is_zero():
            cubics.append(NOTHING)
        elif weight < 0:
            cubics.append(term.one_sided(i, False, order))
        else:
            middle, margin = term.midway(i, order)
            cubics.append(middle)
            error += abs(weight) * margin * term.variance
    return cubics, error


def multiplier_quadratic(frame: Frame, piece: Piece, multiplier: Sequence[arb], order: int) -> Quadratic:
    """A quadratic below m_p + gᵀk on the box."""
    total = weighted_covariances(frame, multiplier, order)
    total.economise()
    total.constant += piece.mean
    return total


def subtract_deviation(quadratic: Quadratic, frame: Frame, factor: arb) -> None:
    """Subtracts factor · sqrt(k(x, x)), factor ≥ 0 (Lemma 14)."""
    variance = frame.model.stationary_variance
    powers = [PriorPower(term) for term in frame.terms if isinstance(term.term.kernel, DotProduct)]
    if not powers:
        quadratic.constant -= factor * root(variance)
        return
    pivot = (variance + add_up(power.average() for power in powers)).mid()
    scale = factor / (2 * root(pivot))
    quadratic.constant -= scale * (variance + pivot)
    for power in powers:
        power.subtract(quadratic, scale)


class PriorPower:
    """The prior variance of a dot-product term on a box, below a secant of its power."""

    def __init__(self, term: TermOnBox) -> None:
        kernel = term.term.kernel
        assert isinstance(kernel, DotProduct)
        self._term = term
        self._offset = kernel.offset
        self._degree = kernel.degree
        corners = list(zip(term.centre, term.half))
        self._least = self._offset + add_up(square(positive_part(abs(c) - h)) for c, h in corners)
        self._largest = self._offset + add_up(square(abs(c) + h) for c, h in corners)

    def average(self) -> arb:
        """The middle between the least and the largest value."""
        low, high = self._least**self._degree, self._largest**self._degree
        return HALF * self._term.variance * (low + high)

    def _secant_slope(self) -> arb:
        total, power = ZERO, ONE
        for _ in range(self._degree):
            total = total * self._least + power
            power *= self._largest
        return self._term.variance * total

    def subtract(self, quadratic: Quadratic, scale: arb) -> None:
        """Subtracts scale times the secant, a quadratic in v."""
        term, slope = self._term, self._secant_slope()
        constant = term.variance * self._least**self._degree + slope * (self._offset - self._least)
        for j, c, h in zip(term.inputs, term.centre, term.half):
            constant += slope * c * c
            quadratic.linear[j] -= scale * slope * 2 * c * h
            quadratic.bend[j][j] -= scale * slope * 2 * h * h
        quadratic.constant -= scale * constant
