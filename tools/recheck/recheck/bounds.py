"""Quadratics below weighted sums of covariances, and below the terms of fixed multipliers (Lemmas 10, 13, 14)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from .ball import HALF, ONE, ZERO, add_up, column, positive_part, root, square
from .cubic import Cubic
from .frame import Frame, TermOnBox
from .kernel import DotProduct
from .piece import Piece
from .polyline import Polyline
from .quadratic import Quadratic, WeightedSums

NOTHING = Cubic(ZERO)
LEAST_PIVOT = arb(1e-9)


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


def subtract_deviation(quadratic: Quadratic, frame: Frame, factor: arb, prior: arb | None) -> None:
    """Subtracts factor · sqrt(k(x, x)), factor ≥ 0 (Lemmas 14 and 28), or factor · sqrt(prior) if a number is given."""
    variance = frame.model.stationary_variance
    moving = [PriorOnBox(term) for term in frame.terms if not term.term.stationary]
    if prior is not None or not moving:
        quadratic.constant -= factor * root(variance if prior is None else prior)
        return
    ends = [end for term in moving for end in term.ends()]
    middle, sizes = (variance + add_up(ends)).mid(), (variance + add_up(map(abs, ends))).mid()
    pivot = middle.max(LEAST_PIVOT * sizes).mid()
    scale = factor / (2 * root(pivot))
    quadratic.constant -= scale * (variance + pivot)
    for term in moving:
        term.subtract(quadratic, scale)


class PriorOnBox:
    """The prior variance of a term of inner products on a box, below a line in |z|²: a secant of its power, or of its polyline."""

    def __init__(self, term: TermOnBox) -> None:
        self._term = term
        self._kernel = term.term.kernel
        corners = list(zip(term.centre, term.half))
        self._least = add_up(square(positive_part(abs(c) - h)) for c, h in corners)
        self._largest = add_up(square(abs(c) + h) for c, h in corners)

    def ends(self) -> list[arb]:
        """Half of the values at the least and the largest |z|²."""
        return [HALF * self._term.variance * self._kernel.value(end) for end in (self._least, self._largest)]

    def _line(self) -> tuple[arb, arb]:
        """A line above the term: its value at |z|² = 0 and its slope."""
        kernel, variance = self._kernel, self._term.variance
        if isinstance(kernel, Polyline):
            centre = add_up(square(c) + HALF * square(h) for c, h in zip(self._term.centre, self._term.half))
            value, slope = kernel.line(self._least.lower(), self._largest.upper(), centre, False)
            return variance * (value - slope * centre), variance * slope
        assert isinstance(kernel, DotProduct)
        least, largest = kernel.offset + self._least, kernel.offset + self._largest
        slope, power = ZERO, ONE
        for _ in range(kernel.degree):
            slope = slope * least + power
            power *= largest
        return variance * (least**kernel.degree - slope * self._least), variance * slope

    def subtract(self, quadratic: Quadratic, scale: arb) -> None:
        """Subtracts scale times the line, a quadratic in v."""
        term = self._term
        constant, slope = self._line()
        for j, c, h in zip(term.inputs, term.centre, term.half):
            constant += slope * c * c
            quadratic.linear[j] -= scale * slope * 2 * c * h
            quadratic.bend[j][j] -= scale * slope * 2 * h * h
        quadratic.constant -= scale * constant
