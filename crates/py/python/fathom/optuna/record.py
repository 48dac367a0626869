"""What Optuna's storage knows about earlier trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from fathom._axes import Axes
from fathom._proposal import Past, Record

# Attributes of a trial. The certificate is a system attribute as JSON, and a user attribute in words.
CLAIM = "fathom:claim"
CERTIFICATE = "fathom:certificate"
GAIN = "fathom:gain"


def read(trials: Iterable[FrozenTrial], axes: Axes) -> Record:
    """The trials that have a value on every axis.

    Complete ones count with their value, failed and pruned ones as failures, running and queued ones as pending. A
    failure that was tried again counts as what came of that.
    """
    placed = [(trial, params) for trial in trials if axes.has_all(params := point(trial))]
    again = [params for trial, params in placed if trial.state not in (TrialState.FAIL, TrialState.PRUNED)]
    finished, pending = [], []
    for trial, params in placed:
        if trial.state == TrialState.COMPLETE:
            finished.append(Past(f"trial {trial.number}", params, trial.value))
        elif not trial.state.is_finished():
            pending.append(params)
        elif params not in again:
            finished.append(Past(f"trial {trial.number}", params, None))
    chosen = sum(not {CERTIFICATE, GAIN}.isdisjoint(trial.system_attrs) for trial, _ in placed)
    return Record(finished, pending, chosen)


def point(trial: FrozenTrial) -> dict[str, Any]:
    """Where a trial is, or will be as far as it is known."""
    if trial.state.is_finished():
        return trial.params
    claim = trial.system_attrs.get(CLAIM) or {"params": {}}
    return {**claim["params"], **trial.system_attrs.get("fixed_params", {}), **trial.params}


def in_words(certificate: Mapping[str, Any]) -> str:
    """For people who look at a table of trials."""
    boxes = f"{certificate['nodes']} boxes, {certificate['status']}"
    if certificate["gap"] is None:
        return f"nothing is proven ({boxes})"
    return f"no point has an acquisition value more than {certificate['gap']:.2g} lower ({boxes})"
