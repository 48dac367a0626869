"""Constraints between the inputs of a model, as people write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Union

import numpy as np

from .errors import InputError


@dataclass(frozen=True)
class Row:
    """A constraint by its coefficients: lower <= sum c_j x_j + sum q_jk x_j x_k <= upper.

    `Row({0: 1, 1: 3}, upper=18)` is x0 + 3 x1 <= 18; `Row(quadratic={(0, 0): 1, (1, 1): 1}, lower=1)` is the outside of
    a disc.
    """

    linear: Mapping[int, float] = field(default_factory=dict)
    """The coefficients c_j by input, counted from 0."""
    quadratic: Mapping[tuple[int, int], float] = field(default_factory=dict)
    """The coefficients q_jk by pair of inputs."""
    lower: float | None = None
    """The lower side; `None` for none."""
    upper: float | None = None
    """The upper side; `None` for none."""


class Linear(Protocol):
    """SciPy's `LinearConstraint`: lb <= A x <= ub, a row or several."""

    A: Any
    lb: Any
    ub: Any


Constraint = Union[str, Row, Linear]
"""Text, a `Row`, or SciPy's `LinearConstraint`."""

WAY_OUT = 'write it as text, "x0*x1 <= 4", or as a fathom.Row; at most quadratic'


def read_constraints(given: Iterable[Constraint]) -> list[str | Row]:
    """The constraints as text and rows; what is neither is refused with the way out."""
    if isinstance(given, str):
        raise InputError("constraints is one string: put it into a list")
    # One constraint of SciPy's is as good as a list of one; SciPy's own functions take it, too.
    several = [given] if _scipy(given) or isinstance(given, Row) else given
    try:
        listed = list(several)
    except TypeError as error:
        raise InputError(f"constraints: {error}; put them into a list") from error
    return [row for constraint in listed for row in _rows(constraint)]


def read_bounds(given: Any) -> Any:
    """The bounds as pairs, if they are SciPy's `Bounds`; else as they are."""
    if _scipy(given) != "Bounds":
        return given
    return np.stack(np.broadcast_arrays(np.atleast_1d(given.lb), np.atleast_1d(given.ub)), axis=1)


def _rows(constraint: Any) -> list[str | Row]:
    name = _scipy(constraint)
    if name == "LinearConstraint":
        return list(_linear(constraint))
    if name == "NonlinearConstraint" or callable(constraint) or isinstance(constraint, dict):
        what = name or ("a function" if callable(constraint) else "a dict")
        raise InputError(f"constraints: {what} is a program, and a proof needs the formula: {WAY_OUT}")
    if not isinstance(constraint, (str, Row)) and not hasattr(constraint, "linear"):
        raise InputError(f"constraints: {type(constraint).__name__} is no constraint: {WAY_OUT}")
    return [constraint]


def _linear(constraint: Any) -> Iterable[Row]:
    """Each row of lb <= A x <= ub; a side that is infinite is none."""
    matrix = constraint.A.toarray() if hasattr(constraint.A, "toarray") else constraint.A
    matrix = np.atleast_2d(np.asarray(matrix, dtype=float))
    low, high = (np.broadcast_to(np.asarray(side, dtype=float), len(matrix)) for side in (constraint.lb, constraint.ub))
    for coefficients, lower, upper in zip(matrix, low, high):
        sides = [None if np.isinf(side) else float(side) for side in (lower, upper)]
        if lower == np.inf or upper == -np.inf:
            raise InputError(f"constraints: LinearConstraint has a row between {lower} and {upper}, which no point keeps")
        if sides == [None, None]:
            continue
        yield Row({j: float(c) for j, c in enumerate(coefficients) if c != 0}, {}, *sides)


def _scipy(given: Any) -> str | None:
    """The name of a class of `scipy.optimize`, if `given` is of one; SciPy is not imported for that."""
    kind = type(given)
    return kind.__name__ if kind.__module__.startswith("scipy.optimize") else None
