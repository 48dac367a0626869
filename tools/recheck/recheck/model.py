"""The model: its matrix K̂, a verified inverse, means and variances (sections 5 and 6.1 of the document).

Each entry of the inverse is a ball that certainly contains the true entry. So weights, explained variances and energies are
enclosed, and nothing needs the residual of an approximate solution.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat, ctx

from .ball import ONE, ZERO, add_up, dot, hull, power_of_two, square, times
from .definite import positive_definite
from .errors import Refused, demand
from .kernel import PLAIN, DotProduct, Kernel, PiecewiseLinear, RationalQuadratic
from .polyline import Polyline
from .problem import INNER_PRODUCT, Problem, Term

GROWTH = (1, 2, 4, 8)
ENOUGH = power_of_two(-64)


def make_kernel(term: Term) -> Kernel:
    """The kernel of a term."""
    if term.piecewise:
        return Polyline(term.knots) if term.argument == INNER_PRODUCT else PiecewiseLinear(term.knots)
    if term.dot_product:
        return DotProduct(arb(term.offset), term.degree)
    if term.kernel == "rq":
        return RationalQuadratic(arb(term.alpha))
    return PLAIN[term.kernel]()


class CovarianceTerm:
    """A term with its kernel and its observations in scaled inputs."""

    def __init__(self, term: Term, scaled: Sequence[Sequence[arb]]) -> None:
        self.kernel: Kernel = make_kernel(term)
        self.inputs = term.inputs
        self.smooth = term.smooth
        self.variance = arb(term.sigma_f2)
        self.observations = [[z[j] for j in term.inputs] for z in scaled]

    @property
    def stationary(self) -> bool:
        """Whether the term is a function of a distance."""
        return not isinstance(self.kernel, DotProduct | Polyline)

    def own(self, z: Sequence[arb]) -> list[arb]:
        """The inputs of a point that belong to this term."""
        return [z[j] for j in self.inputs]

    def argument(self, first: Sequence[arb], second: Sequence[arb]) -> arb:
        """The squared distance or the inner product of two points, both in the inputs of this term."""
        if self.stationary:
            return add_up(square(a - b) for a, b in zip(first, second))
        return add_up(a * b for a, b in zip(first, second))

    def covariance(self, first: Sequence[arb], second: Sequence[arb]) -> arb:
        """The term's part of the covariance of two points."""
        return self.variance * self.kernel.value(self.argument(first, second))

    def prior_variance(self, own: Sequence[arb]) -> arb:
        """The term's part of the prior variance of a point."""
        return self.variance if self.stationary else self.covariance(own, own)


    def largest_cross(self, low: Sequence[arb], high: Sequence[arb]) -> arb:
        """A bound of the size of the term's covariance of a point of a box and an observation, if it is piecewise linear."""
        if not isinstance(self.kernel, Polyline):
            return self.variance
        products: list[arb] = []
        for z in self.observations:
            ends = [hull([a * entry, b * entry]) for a, b, entry in zip(low, high, z)]
            products += [add_up(least for least, _ in ends), add_up(largest for _, largest in ends)]
        least, largest = self.kernel.range(*hull(products))
        return self.variance * abs(least).max(abs(largest))


class Model:
    """K̂, its inverse, and what follows from both."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lengthscales = [arb(length) for length in problem.lengthscales]
        self.scaled = [self.scale(x) for x in problem.x]
        self.terms = [CovarianceTerm(term, self.scaled) for term in problem.terms]
        self.y = [arb(y) for y in problem.y]
        self.nugget = arb(problem.noise) + arb(problem.jitter)
        self.stationary_variance = add_up(term.variance for term in self.terms if term.stationary)
        self.matrix = self._matrix()
        self.inverse = self._inverse()
        self._solved_ones: list[arb] | None = None

    def scale(self, x: Sequence[float]) -> list[arb]:
        """A point in scaled inputs."""
        return [arb(entry) / length for entry, length in zip(x, self.lengthscales)]

    def _matrix(self) -> arb_mat:
        size = len(self.y)
        matrix = arb_mat(size, size)
        for i in range(size):
            matrix[i, i] = self.nugget + self.prior_variance(self.scaled[i])
            for j in range(i):
                entries = (term.covariance(term.observations[i], term.observations[j]) for term in self.terms)
                matrix[i, j] = matrix[j, i] = add_up(entries)
        return matrix

    def _inverse(self) -> arb_mat | None:
        try:
            inverse = self.matrix.inv()
        except ZeroDivisionError:
            return None
        known = all(entry.is_finite() for entry in inverse.entries())
        return inverse if known else None

    def accurate(self) -> bool:
        """Whether the inverse and the weights are known closely enough for tight bounds."""
        if self.inverse is None:
            return False
        return _known_closely(self.inverse.entries()) and _known_closely(self.solve(self.y))

    def solve(self, vector: Sequence[arb]) -> list[arb]:
        """K̂⁻¹ times a vector."""
        return times(self._known_inverse(), vector)

    def solve_all(self, columns: arb_mat) -> arb_mat:
        """K̂⁻¹ times a matrix."""
        return self._known_inverse() * columns

    def _known_inverse(self) -> arb_mat:
        if self.inverse is None:
            raise Refused("the matrix of the model is too nearly singular for this precision")
        return self.inverse

    def prior_variance(self, z: Sequence[arb]) -> arb:
        """k(x, x)."""
        return add_up(term.prior_variance(term.own(z)) for term in self.terms)

    def covariances(self, z: Sequence[arb]) -> list[arb]:
        """k(x): the covariances of a point and the observations."""
        total = [ZERO] * len(self.y)
        for term in self.terms:
            own = term.own(z)
            for i, observation in enumerate(term.observations):
                total[i] += term.covariance(own, observation)
        return total

    def solved_ones(self) -> list[arb]:
        """K̂⁻¹1."""
        if self._solved_ones is None:
            self._solved_ones = self.solve([ONE] * len(self.y))
        return self._solved_ones

    def variance(self, z: Sequence[arb]) -> arb:
        """σ² of a point; it can be negative if a kernel is piecewise linear."""
        k = self.covariances(z)
        return self.prior_variance(z) - dot(k, self.solve(k))

    def energy(self, vector: Sequence[arb]) -> arb:
        """vᵀK̂v."""
        return dot(vector, times(self.matrix, vector))

    def prove_eigenvalue(self, least: float) -> bool:
        """Whether every eigenvalue of K̂ is certainly larger than `least`."""
        table = self.matrix.tolist()
        for i, row in enumerate(table):
            row[i] -= arb(least)
        return positive_definite(table)

    def largest_cross(self) -> arb:
        """kmax: a bound of the size of every covariance of a point of the box and an observation, under piecewise-linear kernels."""
        low, high = (self.scale(ends) for ends in zip(*self.problem.bounds))
        return add_up(term.largest_cross(term.own(low), term.own(high)) for term in self.terms)

    def check_domain(self) -> None:
        """Refuses kernels of a distance that are piecewise linear and leave [−1, 1] at a distance that can occur (section 4.3)."""
        sides = [self.scale(ends) for ends in zip(*self.problem.bounds)]
        for term in self.terms:
            if isinstance(term.kernel, PiecewiseLinear) and term.stationary:
                low, high = (term.own(side) for side in sides)
                _check_term_domain(term, term.kernel, low, high)


def _check_term_domain(term: CovarianceTerm, kernel: PiecewiseLinear, low: list[arb], high: list[arb]) -> None:
    farthest = ZERO
    for i, z in enumerate(term.observations):
        to_box = add_up(square(abs(a - e).max(abs(b - e))) for a, b, e in zip(low, high, z))
        farthest = farthest.max(to_box)
        for other in term.observations[:i]:
            farthest = farthest.max(term.argument(z, other))
    demand(kernel.value(farthest) >= -1, "a piecewise-linear kernel falls below −1 within the region")


def _known_closely(balls: Sequence[arb]) -> bool:
    largest = hull(abs(ball) for ball in balls)[1]
    widest = hull(ball.rad() for ball in balls)[1]
    return bool(widest <= ENOUGH * largest)


def build_model(problem: Problem, precision: int) -> Model:
    """The model at the given precision, or at a multiple of it if the matrix needs more."""
    for factor in GROWTH:
        ctx.prec = precision * factor
        model = Model(problem)
        if model.accurate():
            break
    model.check_domain()
    return model
