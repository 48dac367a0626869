"""What a study can still gain under the model, and stopping by it.

Under the model, with the confidence β, nothing below min LCB is expected anywhere. Optuna's own evaluator takes the
extreme of the confidence bound over 2048 samples, which can be less than the true extreme; the minimum here is certified, so
the bound holds.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial

from fathom._proposal import reconstruct, with_defaults
from fathom.optuna import space
from fathom.optuna.record import GAIN, read

with warnings.catch_warnings():
    # Optuna 4.9 and later announce that this module will move.
    warnings.simplefilter("ignore", FutureWarning)
    from optuna.terminator import BaseImprovementEvaluator


class CertifiedRegretBound(BaseImprovementEvaluator):
    """An improvement evaluator for `optuna.terminator.Terminator`: best value so far less the certified minimum of the
    lower confidence bound over the search space, in the objective's units; for studies that maximise, the other way round.

    It is infinite if fewer than two trials are complete. The arguments are those of `FathomSampler`; `gap`, in standard
    deviations of the values, is how much larger than necessary the bound may be.
    """

    def __init__(
        self,
        *,
        search_space: Mapping[str, BaseDistribution] | None = None,
        constraints: Sequence[str] = (),
        seed: int = 0,
        **strategy: Any,
    ) -> None:
        self._search_space = search_space
        self._constraints = list(constraints)
        self._strategy = {**with_defaults(strategy), "seed": seed}

    def evaluate(self, trials: list[FrozenTrial], study_direction: StudyDirection) -> float:
        search_space = self._search_space or intersection_search_space(trials)
        if not search_space:
            return math.inf
        axes = space.axes(search_space, self._constraints)
        direction = "maximize" if study_direction == StudyDirection.MAXIMIZE else "minimize"
        record = read(trials, axes)
        # β counts every finished trial as a step, whoever chose it.
        record = replace(record, chosen=len(record.finished))
        gain = reconstruct(axes, record, direction, self._strategy).gain()
        return math.inf if gain is None else gain


class StopAtGain:
    """A callback for `Study.optimize`: stops once no more than `gain` can be gained under the model, by the certificate's bound.

    The callback reads what `FathomSampler` left in the trial, so it costs nothing; the trial at which it stops is evaluated.
    """

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        gain = trial.system_attrs.get(GAIN)
        if gain is not None and gain <= self.gain:
            study.stop()
