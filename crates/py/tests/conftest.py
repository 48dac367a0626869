"""What the tests share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fathom

ROOT = Path(__file__).resolve().parents[3]


def silent_optuna() -> tuple[Any, Any, Any, Any]:
    """Optuna, which says nothing but errors, and its distributions of floats, whole numbers and choices.

    Without Optuna the test that asks is skipped.
    """
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kinds = optuna.distributions
    return optuna, kinds.FloatDistribution, kinds.IntDistribution, kinds.CategoricalDistribution


@pytest.fixture
def branin() -> Callable[[dict[str, float]], float]:
    """Branin's function; its minimum is 0.397887."""

    def function(x: dict[str, float]) -> float:
        a, b = x["x1"], x["x2"]
        valley = b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6
        return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10

    return function


@pytest.fixture
def model() -> fathom.GaussianProcess:
    """A model of a wavy function over the square from -1 to 1."""
    X = np.random.default_rng(7).uniform(-1, 1, (25, 2))
    y = np.sin(4 * X[:, 0]) + np.cos(3 * X[:, 1]) * X[:, 0]
    return fathom.GaussianProcess.from_parameters(X, y, kernel="matern52", lengthscales=0.5, noise_variance=1e-6)


@pytest.fixture
def square() -> list[tuple[float, float]]:
    return [(-1.0, 1.0), (-1.0, 1.0)]


@pytest.fixture
def program() -> Callable[[str], str]:
    """Where a program of the workspace is: in the directory FATHOM_PROGRAMS, or in what `cargo build` leaves."""

    def find(name: str) -> str:
        given = os.environ.get("FATHOM_PROGRAMS")
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        places = [Path(given)] if given else [target / "debug", target / "release"]
        for place in (folder / name for place in places for folder in (place, place / "examples")):
            if place.is_file():
                return str(place)
        message = f"no {name} in {', '.join(map(str, places))}: cargo build -p fathom-bo -p fathom-py --bins --examples"
        # Somebody who says where the programs are wants them tested.
        return pytest.fail(message) if given else pytest.skip(message)

    return find
