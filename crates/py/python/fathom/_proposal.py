"""The next point of a search that another library keeps the record of.

Optuna's storage and Ray's trial runner know what was tried and what came of it; a proposal is made from that record
alone, by a study that lives as long as the question. So nothing has to be kept in step, and whoever has the same record
gets the same answer.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fathom
from fathom._axes import Axes

# What is not a study's own default: Matérn 5/2, as other libraries have it, and an end to thinking (in seconds) that
# people who did not ask for a proof will bear.
DEFAULTS: Mapping[str, Any] = {"kernel": "matern52", "time_limit": 10.0}


@dataclass(frozen=True)
class Past:
    """One earlier trial: its point in the other library's terms, and its value; `None` where it failed."""

    name: str
    params: Mapping[str, Any]
    value: float | None


@dataclass(frozen=True)
class Record:
    """All earlier trials, in the order in which they were asked for."""

    finished: Sequence[Past]
    pending: Sequence[Mapping[str, Any]]
    # How many of them a model chose: β grows with it.
    chosen: int


@dataclass(frozen=True)
class Proposal:
    """A point in the other library's terms, and its certificate, where a model chose it."""

    params: dict[str, Any]
    certificate: Any | None
    # What can still be gained under the model, in the objective's units; `None` where nothing is proven.
    gain: float | None
    # Whether a model chose it, rather than the initial design.
    is_chosen: bool


def propose(axes: Axes, record: Record, direction: str, strategy: Mapping[str, Any]) -> Proposal:
    """The next point after `record`. Same record, same strategy, same point."""
    study = reconstruct(axes, record, direction, strategy)
    trial = study.ask()
    params, certificate = axes.decode(trial.params), trial.certificate
    tried = [axes.part(params) for params in (*(past.params for past in record.finished), *record.pending)]
    if axes.rounds and params in tried:
        # The search avoids points that were tried, but rounding led back to one. Nothing is proven of its neighbour.
        params, certificate = axes.beside(params, tried), None
    return Proposal(params, certificate, trial.remaining_gain, trial.origin == "model")


def reconstruct(axes: Axes, record: Record, direction: str, strategy: Mapping[str, Any]) -> Any:
    """A study in memory that knows `record`."""
    strategy = {**strategy, "beta": beta(strategy.get("beta", "paper"), record.chosen + 1, axes.free)}
    study = fathom.Study(axes.space, constraints=axes.constraints, direction=direction, **strategy)
    for past in record.finished:
        # A value that is no number is as good as none.
        value = past.value if past.value is not None and math.isfinite(past.value) else None
        try:
            study.add(axes.encode(past.params), value)
        except fathom.InputError as error:
            # Somebody queued a point that is not in the space; the model does without it.
            warnings.warn(f"{past.name} is left out of the model: {error}", stacklevel=3)
    for params in record.pending:
        try:
            study.add_pending(axes.encode(params))
        except fathom.InputError:
            continue
    return study


def beta(given: Any, iteration: int, inputs: int) -> float:
    """β of one iteration. The study is new at every question, so it cannot count them itself."""
    if given == "paper":
        return 0.2 * inputs * math.log(2 * iteration)
    if isinstance(given, (list, tuple)):
        return float(given[min(iteration, len(given)) - 1])
    return float(given)
