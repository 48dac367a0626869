"""Adaptors certify only what they read.

A function that another library computes is certified in three steps, whichever the library:

1. The adaptor reads the model by an allow-list: it refuses by name whatever it does not understand.
2. The model that was read and the library's own are compared, here: posterior mean, deviation and the function itself, at
   the training inputs, near them, where their coordinates are crossed, at random, in corners, at the candidate and near it.
3. The library's own values are held against the bound. A value beyond the bound refutes the certificate.

Steps 2 and 3 see some points, not all: they are there for what step 1 cannot see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import fathom

# Two posteriors agree if they differ by less than a part of their own size (see `Values.tolerance`): the coarsest part,
# whatever rounding may come to, and the finest, if rounding comes to little.
COARSEST = 1e-6
FINEST = 1e-9
# The part of the numbers that posteriors are computed from: shifts, say.
ROUNDING = 1e-12

# How far from another point its neighbours are, in lengthscales.
DISTANCES = (1e-3, 0.03, 0.1, 0.3, 1.0, 3.0)

RANDOM, CORNERS = 64, 16
# All training inputs are compared, but the neighbourhoods of at most so many, since each takes several evaluations.
NEIGHBOURHOODS = 64


@dataclass(frozen=True)
class Values:
    """A posterior and a function of it at some points, or how far two such values may differ."""

    mean: np.ndarray
    deviation: np.ndarray
    value: np.ndarray

    @classmethod
    def tolerance(cls, part: float, *, spread: float, prior_deviation: float, kappa: float, size: float) -> Values:
        """How far two values may differ that are the same but for rounding.

        `part` is that of `agreement`, `spread` the largest distance of a target from the prior mean, `size` the largest number
        that occurs on the way; the value is ± mean + κ deviation.
        """
        mean = part * spread + ROUNDING * size
        deviation = part * prior_deviation + ROUNDING * size
        return cls(np.asarray(mean), np.asarray(deviation), np.asarray(mean + kappa * deviation))

    def beyond(self, other: Values, tolerance: Values) -> list[str]:
        """What differs by more than `tolerance`; NaN differs from everything."""
        return [
            f"the {name} by {gap:.2g} (agreement is {allowed:.2g})"
            for name in ("mean", "deviation", "value")
            if not (gap := _largest(getattr(self, name) - getattr(other, name))) <= (allowed := float(getattr(tolerance, name)))
        ]


def agreement(count: int, variance: float, noise: float) -> float:
    """How close two computations of one posterior are, relative to its size.

    K̂ = K + noise · I has at most the condition 1 + count · variance / noise, and solving with it takes sums of `count` terms.
    """
    condition = 1 + count * variance / noise if noise > 0 else np.inf
    return float(np.clip(np.finfo(float).eps / 2 * count * condition, FINEST, COARSEST))


Evaluation = Callable[[np.ndarray], Values]


class Comparison:
    """A comparison of what was read with what the library computes, at more and more points."""

    def __init__(self, library: str, ours: Evaluation, theirs: Evaluation, tolerance: Values) -> None:
        self._library = library
        self._ours, self._theirs, self._tolerance = ours, theirs, tolerance
        self.points = 0
        # The largest difference of the values that was seen.
        self.disagreement = 0.0
        self._highest, self._there = -np.inf, np.empty(0)

    @property
    def tolerance(self) -> float:
        """How far two values of the function may differ that are the same but for rounding."""
        return float(self._tolerance.value)

    def look(self, x: np.ndarray, inside: np.ndarray) -> Values:
        """Compares at the rows of `x`, of which some are `inside` the region; refuses if the two differ."""
        ours, theirs = self._ours(x), self._theirs(x)
        if differences := ours.beyond(theirs, self._tolerance):
            raise fathom.InputError(
                f"{self._library}'s posterior and the one that was read from the model differ: {', '.join(differences)}. "
                "Something changes the posterior in a way that cannot be seen from its parts, or rounding does: a certificate "
                "would be about another function"
            )
        self.points += len(x)
        self.disagreement = max(self.disagreement, _largest(ours.value - theirs.value))
        if inside.any():
            place = int(np.argmax(np.where(inside, theirs.value, -np.inf)))
            if theirs.value[place] > self._highest:
                self._highest, self._there = float(theirs.value[place]), x[place]
        return theirs

    def hold_against(self, upper_bound: float) -> None:
        """Refuses a bound that one of the library's own values exceeds."""
        if not self._highest <= upper_bound + self.tolerance:
            raise fathom.InputError(
                f"{self._library} computes {self._highest:.9g} at {self._there.tolist()}, above the bound {upper_bound:.9g} "
                "that the search proved of the function that was read: nothing is certified"
            )


def probes(
    low: np.ndarray, high: np.ndarray, inputs: np.ndarray, lengthscales: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Points at which a misread model would show.

    Far from all data every model falls back to its prior, so most of these points are near the data. Inputs with one
    coordinate changed show which coordinates the kernel sees.
    """
    dim = len(low)
    chosen = inputs[rng.permutation(len(inputs))[:NEIGHBOURHOODS]]
    crossed = np.repeat(chosen, 2, axis=0)
    rows, columns = np.arange(len(crossed)), rng.integers(dim, size=len(crossed))
    crossed[rows, columns] = (low + rng.random((len(crossed), dim)) * (high - low))[rows, columns]
    anywhere = low + rng.random((RANDOM, dim)) * (high - low)
    corners = np.where(rng.random((CORNERS, dim)) < 0.5, low, high)
    return np.vstack([inputs, crossed, near(chosen, lengthscales, rng), anywhere, corners])


def near(points: np.ndarray, lengthscales: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A neighbour of each point at every one of `DISTANCES`, in random directions."""
    directions = rng.standard_normal((len(DISTANCES), *points.shape))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    neighbours: np.ndarray = points + np.reshape(DISTANCES, (-1, 1, 1)) * directions * lengthscales
    return neighbours.reshape(-1, points.shape[1])


def _largest(differences: np.ndarray) -> float:
    """The largest difference; NaN if one difference is NaN."""
    return float(np.abs(differences).max()) if np.size(differences) else 0.0
