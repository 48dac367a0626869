"""Points of workers that think at the same time.

Two workers with the same record find the same point. So a point is claimed in the storage before it is used: announced,
compared with what the others have announced since, and settled. If two announce the same point, the trial with the
lower number has it, unless the other has settled already; the one without it thinks again, and knows the other's point.

Each writes before it reads, so at least one of two sees the other. A lower number that sees an unsettled higher one
cannot know whether the other has seen it: it waits, as the other is about to settle or to give way.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from optuna.distributions import BaseDistribution, distribution_to_json
from optuna.study import Study
from optuna.trial import FrozenTrial

from fathom._axes import Axes
from fathom.optuna.record import CLAIM, point

# Seconds to wait for a worker between announcing and settling, which takes a worker that lives milliseconds.
PATIENCE = 10.0
PAUSE = 0.01

# Points that differ by less than this part of their range, in every parameter, are as good as the same to a model.
CLOSE = 1e-2


def claim(
    study: Study,
    trial: FrozenTrial,
    params: Mapping[str, Any],
    space: Mapping[str, BaseDistribution],
    axes: Axes,
    known: Mapping[int, Mapping[str, Any]],
) -> bool:
    """Whether `trial` has the point `params` of `space` from now on; if not, another trial has a point like it.

    `known` are the points of other trials, by their numbers, that the choice of `params` took into account.
    """
    ranges = {name: distribution_to_json(distribution) for name, distribution in space.items()}
    announced = {"params": dict(params), "space": ranges, "settled": False}
    _write(study, trial, announced)
    patience = time.monotonic() + PATIENCE
    while True:
        others = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
        news = [other for other in others if point(other) != known.get(other.number)]
        rivals = [other for other in news if axes.are_close(point(other), params, CLOSE)]
        if any(_is_settled(rival) or rival.number < trial.number for rival in rivals):
            break
        if not rivals:
            _write(study, trial, {**announced, "settled": True})
            return True
        if time.monotonic() > patience:
            break
        time.sleep(PAUSE)
    # Nobody should wait for, or keep away from, a point that is given up.
    _write(study, trial, None)
    return False


def _is_settled(trial: FrozenTrial) -> bool:
    announced = trial.system_attrs.get(CLAIM)
    return trial.state.is_finished() or announced is None or announced["settled"]


def _write(study: Study, trial: FrozenTrial, value: Any) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, CLAIM, value)
