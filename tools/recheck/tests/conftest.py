"""Small problems, and a fixed precision for all tests."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from flint import ctx  # noqa: E402

from recheck.model import Model, build_model  # noqa: E402
from recheck.problem import read_problem  # noqa: E402

KNOTS = [[0.0, 1.0], [0.4, 0.7], [1.0, 0.45], [1.7, 0.1], [3.0, -0.2], [6.0, -0.3]]
SQUARE = [[q / 2, (q / 2 + 0.5) ** 2] for q in range(-9, 10)]
CUBE = [[q / 2, (q / 2 + 0.2) ** 3] for q in range(-4, 5)]
KERNELS: dict[str, list[dict[str, Any]]] = {
    "matern12": [{"kernel": "matern12", "inputs": [0, 1], "sigma_f2": 1.5}],
    "matern32": [{"kernel": "matern32", "inputs": [0, 1], "sigma_f2": 1.5}],
    "matern52": [{"kernel": "matern52", "inputs": [0, 1], "sigma_f2": 1.5}],
    "matern72": [{"kernel": "matern72", "inputs": [0, 1], "sigma_f2": 1.5}],
    "rbf": [{"kernel": "rbf", "inputs": [0, 1], "sigma_f2": 1.5}],
    "rq": [{"kernel": "rq", "inputs": [0, 1], "sigma_f2": 1.5, "alpha": 0.8}],
    "linear": [{"kernel": "linear", "inputs": [0, 1], "sigma_f2": 0.7, "offset": 0.3}],
    "polynomial": [{"kernel": "polynomial", "inputs": [0, 1], "sigma_f2": 0.2, "offset": 0.5, "degree": 5}],
    "sum": [
        {"kernel": "matern52", "inputs": [1], "sigma_f2": 0.8},
        {"kernel": "polynomial", "inputs": [0], "sigma_f2": 0.3, "offset": 0.5, "degree": 4},
    ],
    "polyline": [{"kernel": "piecewise_linear", "argument": "inner_product", "inputs": [0, 1], "sigma_f2": 0.4, "knots": SQUARE}],
    "polylines": [
        {"kernel": "piecewise_linear", "inputs": [0], "sigma_f2": 1.1, "knots": KNOTS},
        {"kernel": "piecewise_linear", "argument": "inner_product", "inputs": [1], "sigma_f2": 0.3, "knots": CUBE},
    ],
    "piecewise": [{"kernel": "piecewise_linear", "inputs": [0, 1], "sigma_f2": 1.1, "knots": KNOTS}],
}
SMOOTH = ["matern12", "matern32", "matern52", "matern72", "rbf", "rq"]
DOT = ["linear", "polynomial", "sum"]


def problem_fields(kernel: str, **changes: Any) -> dict[str, Any]:
    """The JSON of a small problem."""
    source = random.Random(7)
    fields: dict[str, Any] = {
        "terms": KERNELS[kernel],
        "lengthscales": [0.6, 0.9],
        "noise": 1e-2,
        "x": [[source.uniform(-1, 1), source.uniform(-1, 1)] for _ in range(7)],
        "y": [source.gauss(0, 1) for _ in range(7)],
        "bounds": [[-1.0, 1.0], [-1.0, 1.0]],
        "acquisition": "lcb",
        "kappa": 1.3,
        "mean": 0.1,
    }
    if kernel in ("piecewise", "polyline", "polylines"):
        fields |= {"negative_variance": "clamped", "noise": 2.0}
    fields |= changes
    if fields["acquisition"] not in ("lcb", "glcb"):
        del fields["kappa"]
    return fields


def make_model(kernel: str, **changes: Any) -> Model:
    """The model of a small problem."""
    return build_model(read_problem(problem_fields(kernel, **changes)), 128)


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    """The usual working precision."""
    before, ctx.prec = ctx.prec, 128
    yield
    ctx.prec = before
