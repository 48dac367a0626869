"""What a study can still gain under the model, and stopping by it.

The statement is that of Fathom's own studies (docs/guide/studies.md): a cautious model whose deviations are widened by its errors on the
study's own trials, and the certified minimum of its confidence bound. Optuna's own evaluator takes the extreme over 2048 samples, which
can be less than the true extreme.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial

from fathom._proposal import reconstruct
from fathom.optuna import space
from fathom.optuna.record import GAIN, read

with warnings.catch_warnings():
    # Optuna 4.9 and later announce that this module will move.
    warnings.simplefilter("ignore", FutureWarning)
    from optuna.terminator import BaseImprovementEvaluator


class CertifiedRegretBound(BaseImprovementEvaluator):
    """An improvement evaluator for `optuna.terminator.Terminator`: what can still be gained at most, in the objective's units.

    It is infinite as long as nothing is said about it: before there are max(20, 3 D + 3) values, and while more than half of
    the range seen so far is left open.

    Args:
        search_space, constraints, seed, **strategy: as for `FathomSampler`.
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
        self._strategy = {**strategy, "seed": seed}

    def evaluate(self, trials: list[FrozenTrial], study_direction: StudyDirection) -> float:
        search_space = self._search_space or intersection_search_space(trials)
        if not search_space:
            return math.inf
        axes = space.axes(search_space, self._constraints)
        direction = "maximize" if study_direction == StudyDirection.MAXIMIZE else "minimize"
        gain = reconstruct(axes, read(trials, axes), direction, self._strategy).gain()
        return math.inf if gain is None else gain


class StopAtGain:
    """A callback for `Study.optimize` that stops the study by what can still be gained.

    The callback reads what `FathomSampler` left in the trial, so it costs nothing; the trial at which it stops is evaluated.

    Args:
        gain: the study stops once no more than this can be gained under the model, in the objective's units.
    """

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        gain = trial.system_attrs.get(GAIN)
        if gain is not None and gain <= self.gain:
            study.stop()
