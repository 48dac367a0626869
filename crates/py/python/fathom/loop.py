"""The whole loop in one call."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ._fathom import Certificate, Trial
from .errors import Interrupted, StoreError
from .space import Space
from .study import Study


@dataclass(frozen=True)
class Result:
    """What a minimisation found. `x` and `value` are those of the best trial."""

    study: Study
    trials: list[Trial]
    x: dict[str, Any] | None
    value: float | None

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the last suggestion that has one: what was proven of the minimum of its acquisition function."""
        return next((trial.certificate for trial in reversed(self.trials) if trial.certificate is not None), None)

    @property
    def remaining_gain(self) -> float | None:
        """What can still be gained under the model, found by a minimisation (see `Study.remaining_gain`)."""
        return self.study.remaining_gain


def minimize(
    f: Callable[[dict[str, Any]], float | None],
    space: Space,
    n_trials: int = 50,
    *,
    constraints: Iterable[str] = (),
    seed: int = 0,
    callback: Callable[[Study, Trial], bool | None] | None = None,
    store: str | None = None,
    name: str = "study",
    **strategy: Any,
) -> Result:
    """Minimises `f`, a function of a dict with a value for every parameter, in `n_trials` evaluations.

    `f` returns `None` or NaN if it has no value: that trial counts as failed and the loop goes on. What `f` raises is raised
    here, and the trial counts as failed. `callback` is called after every trial is told; the loop ends if it returns True. In
    a `store` several processes may share a study, up to `n_trials` in all; a loop that was interrupted or killed goes on
    where it was left, and evaluates its last trial again. Ctrl-C raises `Interrupted`, whose `result` is what was found by
    then.
    """
    study = Study(space, name=name, constraints=constraints, seed=seed, store=store, **strategy)
    try:
        while (trial := study._handle.take(n_trials)) is not None:
            _evaluate(study, trial, f)
            if callback is not None and callback(study, _told(study, trial)):
                break
    except KeyboardInterrupt as interrupt:
        raise Interrupted("stopped; what was found so far is this exception's `result`", _result(study)) from interrupt
    return _result(study)


def _evaluate(study: Study, trial: Trial, f: Callable[[dict[str, Any]], float | None]) -> None:
    try:
        value = f(trial.params)
    except Exception as error:
        study.tell_failed(trial, f"{type(error).__name__}: {error}")
        raise
    except BaseException:
        # Ctrl-C or the end of the program says nothing of the trial.
        study._handle.give_up(trial.id)
        raise
    if value is None or not math.isfinite(value):
        _report(lambda: study.tell_failed(trial, f"the function gave {value}"))
    else:
        _report(lambda: study.tell(trial, float(value)))


def _report(tell: Callable[[], None]) -> None:
    """Tells what was measured, however long it takes: a store that is busy or away may be back."""
    pause = 0.1
    while True:
        try:
            return tell()
        except StoreError as error:
            if not error.is_temporary:
                raise
            warnings.warn(f"{error}; trying again until it works or Ctrl-C", RuntimeWarning, stacklevel=4)
            try:
                time.sleep(pause)
            except KeyboardInterrupt:
                # The exception carries what was measured.
                raise error from None
            pause = min(2 * pause, 5.0)


def _told(study: Study, trial: Trial) -> Trial:
    return study.trials[trial.id - 1]


def _result(study: Study) -> Result:
    best = study.best
    if best is None:
        return Result(study, study.trials, None, None)
    return Result(study, study.trials, best.params, best.value)
