"""The next point of a search whose record another library keeps.

Optuna's storage and Ray's trial runner know what was tried and what came of it; a proposal is made from that record
alone. So nothing has to be kept in step: the same record gives the same answer.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fathom
from fathom import _fathom
from fathom._axes import Axes
from fathom.space import settings

# Ways to fill the rest of a point of which some values are given.
COMPLETIONS = 32


@dataclass(frozen=True)
class Past:
    """One earlier trial: its point in the other library's terms, and its value; `None` if it failed."""

    name: str
    params: Mapping[str, Any]
    value: float | None
    # Mean and deviation of what was expected of it.
    forecast: tuple[float, float] | None = None


@dataclass(frozen=True)
class Record:
    """All earlier trials, in the order in which they were asked for."""

    finished: Sequence[Past]
    pending: Sequence[Mapping[str, Any]]
    # How many of the trials a model chose: β grows with this number.
    chosen: int


@dataclass(frozen=True)
class Proposal:
    """A point in the other library's terms, and its certificate, if a model chose it and nobody has changed it since."""

    params: dict[str, Any]
    certificate: Any | None
    # What can still be gained under the model, in the objective's units; `None` if nothing is proven.
    gain: float | None
    # Whether a model chose the point, rather than the initial design.
    is_chosen: bool
    # Mean and deviation of what is expected of the point.
    forecast: tuple[float, float] | None


def propose(axes: Axes, record: Record, direction: str, strategy: Mapping[str, Any]) -> Proposal:
    """The next point after `record`. The same record and strategy give the same point."""
    trial = reconstruct(axes, record, direction, strategy).propose()
    params = axes.decode(trial.params)
    tried = _tried(axes, record)
    if axes.rounds and params in tried:
        # The search avoids points that were tried, but rounding led back to such a point.
        params = axes.beside(params, tried)
    # Nothing is proven of a point that is not the search's own.
    is_own = axes.encode(params) == dict(trial.params)
    certificate, forecast = (trial.certificate, trial.forecast) if is_own else (None, None)
    return Proposal(params, certificate, trial.remaining_gain, trial.origin == "model", forecast)


def complete(
    axes: Axes, record: Record, direction: str, strategy: Mapping[str, Any], held: Mapping[str, Any], proposed: Mapping[str, Any]
) -> dict[str, Any] | None:
    """A point under the constraints for somebody who has decided on some of its values; `None` if there is none.

    The candidates are the proposed point with those values, and some points that fill the rest; the model expects most of the
    one that is returned. It is a good one of a few, so there is no certificate.
    """
    first = {**axes.part(proposed), **held}
    candidates = [first] if axes.has_all({**proposed, **held}) and axes.allows(first) else []
    try:
        # Every question has another design.
        seed = strategy["seed"] + len(record.finished) + len(record.pending) + 1
        design = fathom.Study(axes.space_holding(held), constraints=axes.constraints, seed=seed, initial=COMPLETIONS)
        for _ in range(COMPLETIONS):
            candidates.append({**axes.decode(design.ask().params), **held})
    except (TypeError, ValueError, fathom.ExhaustedError):
        # There are no more points, or a value that was decided on is not on its axis.
        pass
    tried = _tried(axes, record)
    candidates = [point for point in candidates if point not in tried] or candidates
    if not candidates:
        return None
    try:
        known = reconstruct(axes, record, direction, strategy)
        expected = known.predict([axes.encode(point) for point in candidates])
    except (TypeError, ValueError, fathom.FathomError):
        # There is no model yet, or a value that was decided on is out of its range.
        return candidates[0]
    sign = -1.0 if direction == "maximize" else 1.0
    scores = [sign * mean - known.kappa * deviation for mean, deviation in expected]
    return candidates[scores.index(min(scores))]


def _tried(axes: Axes, record: Record) -> list[dict[str, Any]]:
    return [axes.part(params) for params in (*(past.params for past in record.finished), *record.pending)]


def reconstruct(axes: Axes, record: Record, direction: str, strategy: Mapping[str, Any]) -> _fathom.Record:
    """The record in Fathom's terms."""
    keys = settings(axes.space, name="record", constraints=axes.constraints, direction=direction, strategy=strategy)
    known = _fathom.Record(keys, record.chosen)
    for past in record.finished:
        # A value that is no number counts as none.
        value = past.value if past.value is not None and math.isfinite(past.value) else None
        try:
            known.add(axes.encode(past.params), value, past.forecast)
        except fathom.InputError as error:
            # Somebody queued a point that is not in the space; the model does without it.
            warnings.warn(f"{past.name} is left out of the model: {error}", stacklevel=3)
    for params in record.pending:
        try:
            known.add_pending(axes.encode(params))
        except fathom.InputError:
            continue
    return known
