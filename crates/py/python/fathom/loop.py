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
    """What a minimisation found."""

    study: Study
    """The study behind it: `result.study.verify(30)`, `result.study.report("report.html")`."""
    trials: list[Trial]
    """All trials, by number."""
    x: dict[str, Any] | None
    """The parameters of the best trial; `None` if no trial has a value."""
    value: float | None
    """The value of the best trial."""

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
    """Minimises a function in `n_trials` evaluations.

    What `f` raises is raised here, and the trial counts as failed. Ctrl-C raises `Interrupted`, whose `result` is what was found
    by then. In a store, a loop that was interrupted or killed goes on where it was left, and evaluates its last trial again.

    Args:
        f: the function, of a dict with a value for every parameter. If it returns `None` or NaN, it has no value there: that trial
            counts as failed, and the loop goes on.
        space: the parameters by name; a pair (low, high) is a `Float`.
        n_trials: how many evaluations there are in all, those of earlier calls and of other processes with the same study included.
        constraints: what every point must keep, as text over the names: `["x1 + 3*x2 <= 18"]`.
        seed: the same seed gives the same points.
        callback: called with the study and the trial after each trial is told; the loop ends if it returns True.
        store: where the study is kept, `sqlite://FILE` or `postgres://…`; several processes may share it. Without a store the study ends
            with the process.
        name: the study's name in the store.
        **strategy: the keywords of `Study`: `deterministic`, `best_possible`, and the keys of `[strategy]` in a study file.
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
