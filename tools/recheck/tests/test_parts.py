"""Kernels, the normal distribution, rows and definiteness, against simple computations in doubles."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from conftest import KERNELS, SMOOTH
from flint import arb

from recheck.cubic import above, below
from recheck.definite import positive_definite
from recheck.kernel import PiecewiseLinear, Smooth
from recheck.kinks import bound
from recheck.model import make_kernel
from recheck.normal import distribution, log_h, log_improvement
from recheck.problem import Row, Term
from recheck.rows import exact_side, holds_at, misses, row_range

PLAIN = {
    "matern12": lambda s: math.exp(-math.sqrt(s)),
    "matern32": lambda s: (1 + math.sqrt(3 * s)) * math.exp(-math.sqrt(3 * s)),
    "matern52": lambda s: (1 + math.sqrt(5 * s) + 5 * s / 3) * math.exp(-math.sqrt(5 * s)),
    "matern72": lambda s: (
        (1 + math.sqrt(7 * s) + 14 * s / 5 + (7 * s) ** 1.5 / 15) * math.exp(-math.sqrt(7 * s))
    ),
    "rbf": lambda s: math.exp(-s / 2),
    "rq": lambda s: (1 + s / 1.6) ** -0.8,
}
KNOTS = ((0.0, 1.0), (0.4, 0.7), (1.0, 0.65), (1.7, 0.1), (3.0, -0.2), (6.0, -0.3))


def kernel_of(name: str) -> Smooth:
    fields = {key: value for key, value in KERNELS[name][0].items() if key != "inputs"}
    kernel = make_kernel(Term(inputs=(0, 1), **fields))
    assert isinstance(kernel, Smooth)
    return kernel


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("s", [0.01, 0.7, 9.0])
def test_kernel_and_slope(name: str, s: float) -> None:
    value, slope = kernel_of(name).both(arb(s))
    plain, step = PLAIN[name], 1e-6 * s
    assert math.isclose(float(value), plain(s), rel_tol=1e-14)
    assert math.isclose(float(slope), (plain(s + step) - plain(s - step)) / (2 * step), rel_tol=1e-5)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("ends", [(0.0, 2.0), (0.3, 0.4), (1.0, 30.0), (1.0, 1.0), (0.0, 0.0)])
def test_sides_of_a_kernel(name: str, order: int, ends: tuple[float, float]) -> None:
    near, far = map(arb, ends)
    centre, kernel = (near + far) / 2, kernel_of(name)
    low, high = (side(kernel, near, far, centre, order) for side in (below, above))
    for share in range(101):
        s = near + (far - near) * share / 100
        value = kernel.value(s)
        assert low.at(s - centre) <= value + 1e-30
        assert high.at(s - centre) >= value - 1e-30


@pytest.mark.parametrize("ends", [(0.0, 9.0), (0.1, 0.15), (0.1, 1.2), (0.9, 3.0), (0.16, 0.9), (4.0, 50.0)])
def test_sides_of_a_piecewise_linear_kernel(ends: tuple[float, float]) -> None:
    kernel = PiecewiseLinear(KNOTS)
    near, far = map(arb, ends)
    centre = (near + far) / 2
    low, high = bound(kernel, near, far, centre, True), bound(kernel, near, far, centre, False)
    for share in range(301):
        s = near + (far - near) * share / 300
        assert low.at(s - centre) <= kernel.value(s) + 1e-30
        assert high.at(s - centre) >= kernel.value(s) - 1e-30
    assert high.at(arb(0)) - low.at(arb(0)) < 0.4


@pytest.mark.parametrize("zeta", [-4.99, -1.0, 0.0, 2.0])
def test_log_h(zeta: float) -> None:
    plain = math.exp(-zeta * zeta / 2) / math.sqrt(2 * math.pi) + zeta * 0.5 * math.erfc(-zeta / math.sqrt(2))
    assert math.isclose(float(log_h(arb(zeta))), math.log(plain), rel_tol=1e-9)


def test_log_h_in_the_tail() -> None:
    near, far = log_h(arb(-5) + arb(1e-30)), log_h(arb(-5) - arb(1e-30))
    assert abs(near - far) < 1e-25
    y = arb(40)
    direct = (-y * y / 2).exp() / (2 * arb.pi()).sqrt() - y * distribution(-y)
    assert abs(direct.log() - log_h(-y)) < 1e-20
    assert abs(log_h(arb(-1e30)) + arb(5e59)) < 1e45


def test_log_improvement_at_the_best_value() -> None:
    assert math.isclose(float(log_improvement(arb(0), arb(2))), math.log(2 / math.sqrt(2 * math.pi)))


def test_row_range_holds_all_values() -> None:
    source = random.Random(1)
    for _ in range(50):
        linear = ((0, source.uniform(-1, 1)), (2, 1.0))
        row = Row(linear, ((0, 0, -1.5), (0, 1, 2.0), (1, 2, -0.5), (1, 1, 1.0)), None, None)
        sides = [tuple(sorted((source.uniform(-2, 2), source.uniform(-2, 2)))) for _ in range(3)]
        exact = [exact_side(*side) for side in sides]
        for gathered in range(3):
            low, high = row_range(row, exact, gathered)
            for _ in range(20):
                x = [source.uniform(*side) for side in sides]
                value = sum(c * x[j] for j, c in row.linear) + sum(q * x[j] * x[k] for j, k, q in row.quadratic)
                assert low - Fraction(1, 10**12) <= value <= high + Fraction(1, 10**12)


def test_row_of_one_input_is_exact() -> None:
    row = Row(((0, 1.0),), ((0, 0, -1.0),), 0.3, None)
    assert row_range(row, [exact_side(0.0, 2.0)], 0) == (Fraction(-2), Fraction(1, 4))
    assert misses(row, [exact_side(0.0, 2.0)], 0)


def test_row_at_a_point_has_a_relative_tolerance_only() -> None:
    row = Row(((0, 1.0), (1, -1.0)), (), 0.0, 0.0)
    assert holds_at(row, [1.0, 1.0 + 1e-10])
    assert not holds_at(row, [1.0, 1.0 + 1e-8])
    assert not holds_at(Row(((0, 1.0), (1, 1.0)), (), None, -1.0), [-1.0, 1e-8])


def test_definite() -> None:
    size = 60
    table = [[arb(1) / (1 + abs(j - k)) for k in range(size)] for j in range(size)]
    assert positive_definite(table)
    table[50][50] = arb(-1)
    assert not positive_definite(table)
    assert not positive_definite([[arb("nan")]])
    assert not positive_definite([[arb(0)]])
