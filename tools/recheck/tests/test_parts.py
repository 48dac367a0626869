"""Kernels, the normal distribution, rows and definiteness agree with simple computations in doubles."""

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
from recheck.polyline import Polyline
from recheck.problem import Row, Term
from recheck.rows import exact_side, holds_at, is_violated, row_range

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
def test_a_kernel_and_its_slope_agree_with_ordinary_arithmetic(name: str, s: float) -> None:
    value, slope = kernel_of(name).both(arb(s))
    plain, step = PLAIN[name], 1e-6 * s
    assert math.isclose(float(value), plain(s), rel_tol=1e-14)
    assert math.isclose(float(slope), (plain(s + step) - plain(s - step)) / (2 * step), rel_tol=1e-5)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("ends", [(0.0, 2.0), (0.3, 0.4), (1.0, 30.0), (1.0, 1.0), (0.0, 0.0)])
def test_cubics_lie_below_and_above_a_smooth_kernel(name: str, order: int, ends: tuple[float, float]) -> None:
    near, far = map(arb, ends)
    centre, kernel = (near + far) / 2, kernel_of(name)
    low, high = (side(kernel, near, far, centre, order) for side in (below, above))
    for share in range(101):
        s = near + (far - near) * share / 100
        value = kernel.value(s)
        assert low.at(s - centre) <= value + 1e-30
        assert high.at(s - centre) >= value - 1e-30


@pytest.mark.parametrize("ends", [(0.0, 9.0), (0.1, 0.15), (0.1, 1.2), (0.9, 3.0), (0.16, 0.9), (4.0, 50.0)])
def test_cubics_lie_below_and_above_a_piecewise_linear_kernel(ends: tuple[float, float]) -> None:
    kernel = PiecewiseLinear(KNOTS)
    near, far = map(arb, ends)
    centre = (near + far) / 2
    low, high = bound(kernel, near, far, centre, True), bound(kernel, near, far, centre, False)
    for share in range(301):
        s = near + (far - near) * share / 300
        assert low.at(s - centre) <= kernel.value(s) + 1e-30
        assert high.at(s - centre) >= kernel.value(s) - 1e-30
    assert high.at(arb(0)) - low.at(arb(0)) < 0.4


@pytest.mark.parametrize("ends", [(-9.0, 9.0), (-0.3, 0.1), (0.1, 0.4), (0.5, 0.5), (-6.0, -5.0), (5.0, 7.0), (-1.0, 0.5)])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_lines_lie_below_and_above_a_polyline(ends: tuple[float, float], power: int) -> None:
    kernel = Polyline(tuple((q / 2, (q / 2 + 0.25) ** power) for q in range(-8, 9)))
    low, high = map(arb, ends)
    centre = (low + high) / 2
    (under, up), (over, down) = (kernel.line(low, high, centre, side) for side in (True, False))
    least, largest = kernel.range(low, high)
    for share in range(301):
        q = low + (high - low) * share / 300
        value = kernel.value(q)
        assert under + up * (q - centre) <= value + 1e-30
        assert over + down * (q - centre) >= value - 1e-30
        assert least <= value + 1e-30 and value <= largest + 1e-30
    if power == 1:
        assert over - under < 1e-12


def test_a_polyline_of_an_unknown_number_is_unknown() -> None:
    kernel, unknown = Polyline(((-1.0, 1.0), (0.0, 0.0), (1.0, 1.0))), arb("nan")
    assert not kernel.value(unknown).is_finite()
    assert not kernel.line(unknown, unknown, unknown, True)[0].is_finite()
    assert not kernel.line(arb(0), arb("inf"), arb(0), True)[0].is_finite()


@pytest.mark.parametrize("zeta", [-4.99, -1.0, 0.0, 2.0])
def test_log_h_agrees_with_ordinary_arithmetic(zeta: float) -> None:
    plain = math.exp(-zeta * zeta / 2) / math.sqrt(2 * math.pi) + zeta * 0.5 * math.erfc(-zeta / math.sqrt(2))
    assert math.isclose(float(log_h(arb(zeta))), math.log(plain), rel_tol=1e-9)


def test_log_h_is_continuous_and_accurate_in_the_tail() -> None:
    near, far = log_h(arb(-5) + arb(1e-30)), log_h(arb(-5) - arb(1e-30))
    assert abs(near - far) < 1e-25
    y = arb(40)
    direct = (-y * y / 2).exp() / (2 * arb.pi()).sqrt() - y * distribution(-y)
    assert abs(direct.log() - log_h(-y)) < 1e-20
    assert abs(log_h(arb(-1e30)) + arb(5e59)) < 1e45


def test_log_improvement_at_the_best_value_is_its_formula() -> None:
    assert math.isclose(float(log_improvement(arb(0), arb(2))), math.log(2 / math.sqrt(2 * math.pi)))


def test_the_range_of_a_row_contains_all_of_its_values() -> None:
    source = random.Random(1)
    for _ in range(50):
        linear = ((0, source.uniform(-1, 1)), (2, 1.0))
        row = Row(linear, ((0, 0, -1.5), (0, 1, 2.0), (1, 2, -0.5), (1, 1, 1.0)), None, None)
        sides = [tuple(sorted((source.uniform(-2, 2), source.uniform(-2, 2)))) for _ in range(3)]
        exact = [exact_side(*side) for side in sides]
        for collected in range(3):
            low, high = row_range(row, exact, collected)
            for _ in range(20):
                x = [source.uniform(*side) for side in sides]
                value = sum(c * x[j] for j, c in row.linear) + sum(q * x[j] * x[k] for j, k, q in row.quadratic)
                assert low - Fraction(1, 10**12) <= value <= high + Fraction(1, 10**12)


def test_the_range_of_a_row_of_one_input_is_exact() -> None:
    row = Row(((0, 1.0),), ((0, 0, -1.0),), 0.3, None)
    assert row_range(row, [exact_side(0.0, 2.0)], 0) == (Fraction(-2), Fraction(1, 4))
    assert is_violated(row, [exact_side(0.0, 2.0)], 0)


def test_a_row_at_a_point_has_only_a_relative_tolerance() -> None:
    row = Row(((0, 1.0), (1, -1.0)), (), 0.0, 0.0)
    assert holds_at(row, [1.0, 1.0 + 1e-10])
    assert not holds_at(row, [1.0, 1.0 + 1e-8])
    assert not holds_at(Row(((0, 1.0), (1, 1.0)), (), None, -1.0), [-1.0, 1e-8])


def test_only_positive_definite_matrices_are_found_positive_definite() -> None:
    size = 60
    table = [[arb(1) / (1 + abs(j - k)) for k in range(size)] for j in range(size)]
    assert positive_definite(table)
    table[50][50] = arb(-1)
    assert not positive_definite(table)
    assert not positive_definite([[arb("nan")]])
    assert not positive_definite([[arb(0)]])
