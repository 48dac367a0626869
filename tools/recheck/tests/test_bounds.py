"""Quadratics lie below the functions that they bound, at sampled points of the box."""

from __future__ import annotations

import random

import pytest
from conftest import DOT, SMOOTH, make_model
from flint import arb

from recheck.ball import HALF, ONE, dot, root
from recheck.bounds import subtract_deviation, multiplier_quadratic
from recheck.curve import ExpansionCurve, MovingCurve, MultiplierCurve, TiltedCurve, deviation_range
from recheck.expansion import expansion_quadratic
from recheck.frame import Frame
from recheck.model import Model
from recheck.moving import moving_quadratic
from recheck.piece import Piece

BOXES = [
    ((-1.0, 1.0), (-1.0, 1.0)),
    ((-0.3, 0.2), (0.1, 0.4)),
    ((0.5, 0.53), (-0.22, -0.2)),
    ((0.5, 0.5), (-0.22, -0.2)),
]
SMALL = BOXES[2]
TRIFLE = arb(1e-25)


def points(frame: Frame, tried: int = 40) -> list[list[arb]]:
    """Points of the box, with its corners, in coordinates of the cube."""
    source = random.Random(3)
    spots = [[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)]
    spots += [[source.random(), source.random()] for _ in range(tried)]
    found = []
    for spot in spots:
        x = [low + share * (high - low) for share, (low, high) in zip(spot, frame.sides)]
        clipped = [min(max(entry, low), high) for entry, (low, high) in zip(x, frame.sides)]
        found.append([frame.cube_coordinate(j, entry) for j, entry in enumerate(clipped)])
    return found


def moments(piece: Piece, frame: Frame, v: list[arb]) -> tuple[arb, arb]:
    """μ_p and σ at a point of the cube."""
    z = [c + h * entry for c, h, entry in zip(frame.centre, frame.half, v)]
    return piece.mean + dot(piece.weights, piece.model.covariances(z)), root(piece.model.variance(z))


def make_piece(model: Model) -> Piece:
    return Piece(model, 0.1, model.problem.kappa, ONE)


def multiplier(piece: Piece) -> list[arb]:
    source = random.Random(5)
    return [arb(float(a) + source.gauss(0, 0.1)) for a in piece.weights]


@pytest.mark.parametrize("sides", BOXES)
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("kernel", [*SMOOTH, *DOT, "piecewise", "polyline", "polylines"])
def test_a_multiplier_gives_a_quadratic_below_the_lcb(kernel: str, order: int, sides: tuple) -> None:
    model = make_model(kernel)
    piece, frame = make_piece(model), Frame(model, sides)
    g = multiplier(piece)
    quadratic = multiplier_quadratic(frame, piece, g, order)
    subtract_deviation(quadratic, frame, root(arb(1.3) ** 2 + piece.energy(0, g)), None)
    for v in points(frame):
        mean, sigma = moments(piece, frame, v)
        assert quadratic.at(v) <= mean - arb(1.3) * sigma + TRIFLE


@pytest.mark.parametrize("sides", BOXES)
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("kernel", [*SMOOTH, *DOT])
def test_a_moving_multiplier_gives_a_quadratic_below_mean_minus_variance(kernel: str, order: int, sides: tuple) -> None:
    model = make_model(kernel)
    piece, frame, w = make_piece(model), Frame(model, sides), arb(1.7)
    quadratic = moving_quadratic(frame, piece, w, order)
    for v in points(frame):
        mean, sigma = moments(piece, frame, v)
        assert quadratic.at(v) <= mean - HALF * w * sigma * sigma + TRIFLE


@pytest.mark.parametrize("kernel", [*SMOOTH, *DOT])
def test_a_moving_multiplier_is_tight_on_a_small_box(kernel: str) -> None:
    model = make_model(kernel)
    piece, frame, w = make_piece(model), Frame(model, SMALL), arb(1.7)
    for v in points(frame):
        mean, sigma = moments(piece, frame, v)
        gap = mean - HALF * w * sigma * sigma - moving_quadratic(frame, piece, w, 3).at(v)
        assert gap < 2e-3


@pytest.mark.parametrize("sides", BOXES)
def test_an_expansion_gives_a_quadratic_below_the_lcb(sides: tuple) -> None:
    model = make_model("rbf")
    piece, frame, kappa = make_piece(model), Frame(model, sides), arb(1.3)
    quadratic = expansion_quadratic(frame, piece, arb(0.4), kappa)
    for v in points(frame):
        mean, sigma = moments(piece, frame, v)
        assert quadratic.at(v) <= mean - kappa * sigma + TRIFLE


def test_an_expansion_is_tight_on_a_small_box() -> None:
    model = make_model("rbf")
    piece, frame, kappa = make_piece(model), Frame(model, SMALL), arb(1.3)
    deviation = moments(piece, frame, [arb(0), arb(0)])[1] / root(model.stationary_variance)
    quadratic = expansion_quadratic(frame, piece, deviation.mid(), kappa)
    for v in points(frame):
        mean, sigma = moments(piece, frame, v)
        assert mean - kappa * sigma - quadratic.at(v) < 1e-3


@pytest.mark.parametrize("sides", BOXES)
@pytest.mark.parametrize("kernel", [*SMOOTH, *DOT])
def test_quadratics_with_their_curves_lie_below_the_mean(kernel: str, sides: tuple) -> None:
    model = make_model(kernel)
    piece, frame, w, tau = make_piece(model), Frame(model, sides), arb(1.7), arb(0.8)
    g = multiplier(piece)
    fixed = multiplier_quadratic(frame, piece, g, 2)
    pairs = [
        (fixed, MultiplierCurve(frame, piece.energy(0, g))),
        (moving_quadratic(frame, piece, w, 2), MovingCurve(w)),
    ]
    if kernel in SMOOTH:
        pairs.append((fixed, TiltedCurve(frame, piece, g, tau)))
    if kernel == "rbf":
        pairs.append((expansion_quadratic(frame, piece, arb(0.4), w), ExpansionCurve(frame, arb(0.4), w)))
    low, high = deviation_range(frame)
    for v in points(frame, 15):
        mean, sigma = moments(piece, frame, v)
        assert low - TRIFLE <= sigma <= high + TRIFLE
        for quadratic, curve in pairs:
            for touch in (low, (low + high) / 2, high):
                line = curve.line(touch.mid())
                assert quadratic.at(v) + line.start + line.slope * sigma <= mean + TRIFLE
