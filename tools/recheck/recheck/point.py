"""The best point: whether it belongs to the region and has the claimed value (sections 4.6 and 4.7 of the document)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from .ball import ONE, ZERO, dot, hull, root
from .errors import demand
from .model import Model
from .normal import value_range
from .piece import width
from .problem import Problem
from .rows import holds_at

RELATIVE = arb(1e-9)
KNOWN = arb(1e-6)
COARSE = arb(1e-3)
ROUNDING = arb(1e-12)
TINY = arb(1e-300)


def check_point(model: Model, point: Sequence[float], value: float) -> None:
    """Refuses a point that lies outside of the region, or whose value is not the claimed one."""
    problem = model.problem
    _check_region(problem, point)
    z = model.scale(point)
    prior, variance = model.prior_variance(z), model.variance(z)
    if problem.negative_variance == "excluded":
        demand(not variance < 0, "the best point is excluded: its variance is negative")
    mean, sigma = _mean(model, z), root(variance)
    if problem.of_two_moments:
        _check_two_moments(problem, mean, sigma, prior, arb(value))
        return
    found = _linear_value(model, z, mean, sigma)
    scale = abs(arb(value)) + root(prior)
    demand(2 * found.rad() <= KNOWN * scale, "the value of the best point is not known closely enough")
    apart = abs(found.mid() - arb(value)) - found.rad()
    demand(apart <= RELATIVE * scale, "the best point has another value")


def _check_region(problem: Problem, point: Sequence[float]) -> None:
    inside = all(low <= x <= high for x, (low, high) in zip(point, problem.bounds))
    demand(inside, "the best point lies outside of the box")
    demand(all(point[j] == int(point[j]) for j in problem.integers), "the best point is not whole")
    listed = all(point[j] in values for j, values in problem.values.items())
    demand(listed, "the best point is not one of the listed values")
    demand(all(holds_at(row, point) for row in problem.rows), "the best point violates a row")


def _mean(model: Model, z: Sequence[arb]) -> arb:
    prior = arb(model.problem.mean)
    weights = model.solve([y - prior for y in model.y])
    return prior + dot(model.covariances(z), weights)


def _linear_value(model: Model, z: Sequence[arb], mean: arb, sigma: arb) -> arb:
    problem = model.problem
    if problem.acquisition == "mean":
        return mean
    if problem.acquisition == "deviation":
        return -sigma
    value = mean - arb(problem.kappa) * sigma
    if problem.acquisition == "glcb":
        value -= width(model) * abs(ONE - dot(model.covariances(z), model.solved_ones()))
    return value


def _check_two_moments(problem: Problem, mean: arb, sigma: arb, prior: arb, value: arb) -> None:
    gap, deviation = arb(problem.best) - mean, root(prior)
    slack = (RELATIVE * (abs(mean) + deviation)).upper()
    gaps = hull([gap - slack, gap + slack])
    low, high = hull([sigma - RELATIVE * deviation, sigma + RELATIVE * deviation])
    sigmas = low.max(ZERO).lower(), high.max(ZERO).upper()
    start, end = value_range(problem.acquisition, gaps, sigmas)
    size = 1 + abs(value) if problem.acquisition == "log_ei" else abs(value)
    demand(end - start <= COARSE * size + TINY, "the value of the best point is not known closely enough")
    rounding = ROUNDING * size + TINY
    demand(start - rounding <= value <= end + rounding, "the best point has another value")
