"""A box in scaled inputs: its centre, its half-widths, and the ranges of the kernels' arguments (sections 5, 6.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from flint import arb

from . import cubic, kinks
from .ball import HALF, ZERO, add_up, dot, double_above, nearest_double, positive_part, root, square
from .cubic import Cubic
from .errors import Void
from .kernel import DotProduct, PiecewiseLinear, Smooth
from .model import CovarianceTerm, Model
from .polyline import Polyline

LEAST_HALF_WIDTH = 2.0**-1022
Sides = tuple[tuple[float, float], ...]


class Frame:
    """The map from the cube [−1, 1]^D to a box."""

    def __init__(self, model: Model, sides: Sides) -> None:
        self.model = model
        self.sides = sides
        self.centre: list[arb] = []
        self.half: list[arb] = []
        for (low, high), length in zip(sides, model.lengthscales):
            centre, half = _centre_and_half(arb(low) / length, arb(high) / length)
            self.centre.append(centre)
            self.half.append(half)

    def cube_coordinate(self, j: int, x: float) -> arb:
        """The coordinate v_j of a number on side j."""
        return (arb(x) / self.model.lengthscales[j] - self.centre[j]) / self.half[j]

    @cached_property
    def terms(self) -> list[TermOnBox]:
        """The terms of the covariance on the box."""
        return [TermOnBox(term, self) for term in self.model.terms]

    @cached_property
    def radius2(self) -> arb:
        """R²: the sum of the squared half-widths."""
        return add_up(square(h) for h in self.half)

    @cached_property
    def covariances(self) -> list[arb]:
        """k(c)."""
        return self.model.covariances(self.centre)

    @cached_property
    def solved_covariances(self) -> list[arb]:
        """K̂⁻¹k(c)."""
        return self.model.solve(self.covariances)

    @cached_property
    def deviation(self) -> arb:
        """σ(c)."""
        explained = dot(self.covariances, self.solved_covariances)
        return root(self.model.prior_variance(self.centre) - explained)

    @cached_property
    def largest_prior(self) -> arb:
        """P: an upper bound of the prior variance on the box."""
        return add_up(term.largest_prior() for term in self.terms)

    @cached_property
    def least_covariance(self) -> arb:
        """k_c: a lower bound of the covariance of the centre and a point of the box, if all terms are stationary."""
        return add_up(term.least_covariance() for term in self.terms)

    @cached_property
    def change2(self) -> arb:
        """A bound of (σ − σ(c))² on the box (Lemma 19)."""
        return add_up(term.change2() for term in self.terms)


def _centre_and_half(low: arb, high: arb) -> tuple[arb, arb]:
    centre = arb(nearest_double(HALF * (low + high)))
    half = max(double_above((centre - low).max(high - centre)), LEAST_HALF_WIDTH)
    if not math.isfinite(half) or not centre.is_finite():
        raise Void("the box has no finite centre and half-widths")
    return centre, arb(half)


class TermOnBox:
    """One term on a box: for each observation i, the argument of φ is centre_i + Δ, and Δ = t + U_iᵀv, |t| ≤ T."""

    def __init__(self, term: CovarianceTerm, frame: Frame) -> None:
        self.term = term
        self.inputs = term.inputs
        self.variance = term.variance
        self.centre = term.own(frame.centre)
        self.half = term.own(frame.half)
        self.spread = HALF * add_up(square(h) for h in self.half) if term.stationary else ZERO
        self.arguments: list[arb] = []
        self.rates: list[list[arb]] = []
        self.ranges: list[tuple[arb, arb]] = []
        for z in term.observations:
            self._add_distance(z) if term.stationary else self._add_product(z)

    def _add_distance(self, z: Sequence[arb]) -> None:
        near = far = middle = ZERO
        rates = []
        for entry, c, h in zip(z, self.centre, self.half):
            d = entry - c
            size = abs(d)
            least, largest = positive_part(size - h), size + h
            near, far, middle = near + least * least, far + largest * largest, middle + size * size
            rates.append(-2 * h * d)
        self.arguments.append(middle + self.spread)
        self.ranges.append((positive_part(near.lower()).lower(), far.upper()))
        self.rates.append(rates)

    def _add_product(self, z: Sequence[arb]) -> None:
        self.arguments.append(add_up(entry * c for entry, c in zip(z, self.centre)))
        self.rates.append([h * entry for entry, h in zip(z, self.half)])

    def one_sided(self, i: int, from_below: bool, order: int) -> Cubic:
        """A cubic in Δ on one side of φ for an observation (Lemmas 7 to 9)."""
        kernel = self.term.kernel
        if isinstance(kernel, DotProduct):
            middle, rest = self._power(kernel, i)
            return middle.shifted(-rest if from_below else rest)
        if isinstance(kernel, Polyline):
            centre, reach = self.arguments[i], add_up(abs(rate) for rate in self.rates[i])
            return Cubic(*kernel.line((centre - reach).lower(), (centre + reach).upper(), centre, from_below))
        near, far = self.ranges[i]
        if isinstance(kernel, PiecewiseLinear):
            return kinks.bound(kernel, near, far, self.arguments[i], from_below)
        side = cubic.below if from_below else cubic.above
        return side(kernel, near, far, self.arguments[i], order)

    def midway(self, i: int, order: int) -> tuple[Cubic, arb]:
        """A cubic in Δ between both sides of φ, and its margin (Lemma 12)."""
        kernel = self.term.kernel
        if isinstance(kernel, DotProduct):
            return self._power(kernel, i)
        if not isinstance(kernel, Smooth):
            raise Void("a midway polynomial of a piecewise-linear kernel")
        (near, far), centre = self.ranges[i], self.arguments[i]
        low, high = cubic.below(kernel, near, far, centre, order), cubic.above(kernel, near, far, centre, order)
        return cubic.midway(low, high, near, far, centre)

    def _power(self, kernel: DotProduct, i: int) -> tuple[Cubic, arb]:
        reach = add_up(abs(rate) for rate in self.rates[i])
        coefficients, rest = kernel.coefficients(self.arguments[i] + kernel.offset, reach)
        return Cubic(*coefficients), rest

    def largest_prior(self) -> arb:
        """An upper bound of the term's part of the prior variance on the box."""
        if self.term.stationary:
            return self.variance
        if isinstance(self.term.kernel, Polyline):
            raise Void("a piecewise-linear kernel has no range of σ")
        return self.variance * self.term.kernel.value(self._farthest())

    def _farthest(self) -> arb:
        """The largest squared length of a point of the box, in the inputs of the term."""
        return add_up(square(abs(c) + h) for c, h in zip(self.centre, self.half))

    def change2(self) -> arb:
        """A bound of the squared distance between the features of the centre and of a point of the box."""
        kernel, radius2 = self.term.kernel, add_up(square(h) for h in self.half)
        if isinstance(kernel, PiecewiseLinear):
            raise Void("a piecewise-linear kernel has no range of σ")
        if not isinstance(kernel, DotProduct):
            return 2 * self.variance * (1 - kernel.value(radius2))
        power = (kernel.offset + self._farthest()) ** (kernel.degree - 1)
        return self.variance * kernel.degree**2 * power * radius2

    def least_covariance(self) -> arb:
        """A lower bound of a stationary term's part of the covariance with the centre."""
        if not self.term.stationary:
            raise Void("a dot product has no least covariance")
        return self.variance * self.term.kernel.value(add_up(square(h) for h in self.half))
