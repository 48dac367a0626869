"""Where BoTorch's function is maximised: bounds, fixed features and linear constraints, as `optimize_acqf` writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

import fathom
from fathom.botorch.reading import Reading

# Σ coefficients · x[indices] against a number, as BoTorch writes constraints.
Row = tuple[Tensor, Tensor, float]

# By how much BoTorch allows a constraint to be broken in double precision (`get_constraint_tolerance`), and how often a point
# is moved towards it.
TOLERANCE = 1e-8
STEPS = 100


@dataclass(frozen=True)
class Halfspace:
    """Σ weights · x >= level, or = level."""

    weights: np.ndarray
    level: float
    is_equation: bool

    def missing(self, x: np.ndarray) -> np.ndarray:
        """By how much the sum must grow at each row of `x`; negative if the sum of an equation must shrink."""
        missing = self.level - (x * self.weights).sum(axis=-1)
        return missing if self.is_equation else np.maximum(missing, 0.0)


@dataclass(frozen=True)
class Region:
    """A box, whose fixed sides are points, and halfspaces."""

    low: np.ndarray
    high: np.ndarray
    halfspaces: Sequence[Halfspace]

    def box(self, model: Reading) -> np.ndarray:
        """Pairs of ends in the kernel's coordinates."""
        return np.sort(model.inward(np.stack([self.low, self.high])), axis=0).T

    def rows(self, model: Reading) -> list[fathom.Row]:
        """The halfspaces in the kernel's coordinates."""
        return [_inward(model, halfspace) for halfspace in self.halfspaces]

    def clamped(self, x: np.ndarray) -> np.ndarray:
        """The nearest points of the box."""
        return np.clip(x, self.low, self.high)

    def contains(self, x: np.ndarray) -> np.ndarray:
        """Whether each row of `x` is in the region that a bound is about; equations are kept to rounding."""
        return self._keeps(x, 0.0)

    def accepts(self, x: np.ndarray) -> bool:
        """Whether BoTorch would call the point `x` feasible."""
        return bool(self._keeps(x, TOLERANCE))

    def _keeps(self, x: np.ndarray, tolerance: float) -> np.ndarray:
        kept = [((self.low <= x) & (x <= self.high)).all(axis=-1)]
        for halfspace in self.halfspaces:
            missing = halfspace.missing(x)
            kept.append(np.abs(missing) < TOLERANCE if halfspace.is_equation else missing <= tolerance)
        return np.all(kept, axis=0)

    def settled(self, x: np.ndarray) -> np.ndarray:
        """`x` as BoTorch wants it: the search keeps constraints in other coordinates and to another rounding."""
        x, free = self.clamped(x), self.low < self.high
        for _ in range(STEPS):
            if self.accepts(x):
                return x
            for halfspace in self.halfspaces:
                direction = np.where(free, halfspace.weights, 0.0)
                if (length := float(direction @ direction)) > 0:
                    x = self.clamped(x + direction * float(halfspace.missing(x)) / length)
        raise fathom.InputError(
            f"no point near the maximum keeps the constraints to {TOLERANCE}, as BoTorch checks them: divide their coefficients "
            "and right-hand sides by a common number"
        )


def read_region(
    dim: int,
    bounds: Any,
    fixed: Mapping[int, Any] | None,
    inequalities: Iterable[Row] | None,
    equations: Iterable[Row] | None,
) -> Region:
    """The region that was handed in, checked."""
    low, high = _ends(dim, bounds)
    for index, value in _fixed(dim, fixed or {}).items():
        if not low[index] <= value <= high[index]:
            raise fathom.InputError(
                f"fixed_features holds input {index} at {value}, outside its bounds [{low[index]}, {high[index]}]: widen them"
            )
        low[index] = high[index] = value
    halfspaces = [
        *(_halfspace(f"inequality constraint {place}", dim, row, False) for place, row in enumerate(inequalities or ())),
        *(_halfspace(f"equality constraint {place}", dim, row, True) for place, row in enumerate(equations or ())),
    ]
    return Region(low, high, halfspaces)


def _ends(dim: int, bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    ends = _doubles("bounds", bounds)
    if ends.shape != (2, dim):
        raise fathom.InputError(f"bounds has the shape {ends.shape}, and the model {dim} inputs: it must be 2 x {dim}")
    for index, (low, high) in enumerate(ends.T.tolist()):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise fathom.InputError(f"the bounds of input {index} are [{low}, {high}]: they must be finite")
        if low > high:
            raise fathom.InputError(f"the bounds of input {index} are reversed: {low} is above {high}")
    return ends[0], ends[1]


def _fixed(dim: int, fixed: Mapping[int, Any]) -> dict[int, float]:
    """Fixed features by indices from 0; BoTorch counts negative ones from the end."""
    found: dict[int, float] = {}
    for index, given in fixed.items():
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not -dim <= index < dim:
            raise fathom.InputError(f"fixed_features has the index {index!r}, and the inputs are 0 to {dim - 1}")
        place, value = int(index) % dim, _double(f"fixed_features[{index}]", given)
        if place in found:
            raise fathom.InputError(f"fixed_features holds input {place} twice")
        found[place] = value
    return found


def _halfspace(what: str, dim: int, row: Any, is_equation: bool) -> Halfspace:
    try:
        indices, coefficients, rhs = row
    except (TypeError, ValueError):
        raise fathom.InputError(f"{what} must be (indices, coefficients, rhs)") from None
    if not isinstance(indices, Tensor) or indices.ndim != 1:
        raise fathom.InputError(
            f"{what}: give its indices as a one-dimensional tensor; a constraint between several candidates means nothing for one"
        )
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise fathom.InputError(f"{what}: its indices are {indices.dtype}, and must be whole numbers")
    places, factors = indices.tolist(), _doubles(f"the coefficients of {what}", coefficients)
    if factors.shape != (len(places),) or not places:
        raise fathom.InputError(f"{what} has {len(places)} indices and coefficients of the shape {factors.shape}")
    if not np.isfinite(factors).all():
        raise fathom.InputError(f"{what} has the coefficients {factors.tolist()}: they must be finite")
    weights = np.zeros(dim)
    for place, factor in zip(places, factors):
        if not 0 <= place < dim:
            raise fathom.InputError(f"{what} has the index {place}, and the inputs are 0 to {dim - 1}")
        # An index may come twice; its coefficients add up.
        weights[place] += factor
    return Halfspace(weights, _double(f"the right-hand side of {what}", rhs), is_equation)


def _inward(model: Reading, halfspace: Halfspace) -> fathom.Row:
    level = halfspace.level - float(halfspace.weights @ model.offset)
    weights = (halfspace.weights * model.coefficient).tolist()
    linear = {side: weight for side, weight in enumerate(weights) if weight}
    return fathom.Row(linear=linear, lower=level, upper=level if halfspace.is_equation else None)


def _doubles(what: str, given: Any) -> np.ndarray:
    """A tensor's numbers in double precision, which holds those of every narrower type exactly."""
    if not isinstance(given, Tensor) or given.is_complex() or given.dtype == torch.bool:
        kind = given.dtype if isinstance(given, Tensor) else type(given).__name__
        raise fathom.InputError(f"{what} must be a tensor of numbers, not {kind}")
    return given.detach().cpu().numpy().astype(float)


def _double(what: str, given: Any) -> float:
    if isinstance(given, Tensor) and given.numel() == 1:
        given = given.item()
    if isinstance(given, (bool, complex)) or not isinstance(given, (int, float, np.number)) or not math.isfinite(given):
        raise fathom.InputError(f"{what} is {given!r}: it must be a finite number")
    return float(given)
