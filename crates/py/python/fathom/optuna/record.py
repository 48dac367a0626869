"""What Optuna's storage knows about earlier trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from optuna.distributions import json_to_distribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from fathom._axes import Axes
from fathom._proposal import Past, Record

# Attributes of a trial. The certificate is a system attribute as JSON, and a user attribute in words.
CLAIM = "fathom:claim"
CERTIFICATE = "fathom:certificate"
GAIN = "fathom:gain"
FORECAST = "fathom:forecast"


def read(trials: Iterable[FrozenTrial], axes: Axes) -> Record:
    """The trials that have a value on every axis.

    Complete ones count with their value, failed and pruned ones as failures, running and queued ones as pending. A
    failure that was tried again counts as the later trial does.
    """
    placed = [(trial, params) for trial in trials if axes.has_all(params := point(trial))]
    again = [params for trial, params in placed if trial.state not in (TrialState.FAIL, TrialState.PRUNED)]
    finished, pending = [], []
    for trial, params in placed:
        if trial.state == TrialState.COMPLETE:
            forecast = trial.system_attrs.get(FORECAST)
            expected = (float(forecast[0]), float(forecast[1])) if forecast else None
            finished.append(Past(f"trial {trial.number}", params, trial.value, expected))
        elif not trial.state.is_finished():
            pending.append(params)
        elif params not in again:
            finished.append(Past(f"trial {trial.number}", params, None))
    chosen = sum(not {CERTIFICATE, GAIN}.isdisjoint(trial.system_attrs) for trial, _ in placed)
    return Record(finished, pending, chosen)


def point(trial: FrozenTrial) -> dict[str, Any]:
    """The point of a trial, as far as it is known."""
    if trial.state.is_finished():
        return trial.params
    claim = trial.system_attrs.get(CLAIM) or {"params": {}}
    return {**claim["params"], **trial.system_attrs.get("fixed_params", {}), **trial.params}


def changed(trial: FrozenTrial, is_complete: bool) -> str | None:
    """What somebody has changed of the point that was suggested for `trial`, or of the ranges that it was chosen from."""
    claim = trial.system_attrs.get(CLAIM) or {}
    for name, text in claim.get("space", {}).items():
        if name not in trial.params:
            if is_complete:
                return f"`{name}` was not asked for"
        elif _plain(trial.params[name]) != _plain(claim["params"][name]):
            return f"`{name}` is {trial.params[name]!r}, and {claim['params'][name]!r} was suggested"
        elif trial.distributions[name] != (known := json_to_distribution(text)):
            return f"`{name}` was asked for from {trial.distributions[name]}, and suggested from {known}"
    return None


def _plain(value: Any) -> Any:
    """A value as storages that write JSON give it back."""
    return list(value) if isinstance(value, tuple) else value


def withdraw(study: Study, trial: FrozenTrial, reason: str) -> bool:
    """Takes the certificate, and what can be gained, from a trial. Returns whether the trial had either."""
    storage, key = study._storage, trial._trial_id
    attributes = storage.get_trial_system_attrs(key)
    if attributes.get(FORECAST) is not None:
        # It was made for another point.
        storage.set_trial_system_attr(key, FORECAST, None)
    named = [name for name in (CERTIFICATE, GAIN) if attributes.get(name) is not None]
    for name in named:
        # Storages forget nothing, so the names stay.
        storage.set_trial_system_attr(key, name, None)
        storage.set_trial_user_attr(key, name, None)
    if named:
        storage.set_trial_user_attr(key, CERTIFICATE, f"withdrawn: {reason}")
    return bool(named)


def in_words(certificate: Mapping[str, Any]) -> str:
    """A certificate in words, for people who look at a table of trials."""
    boxes = f"{certificate['nodes']} boxes, {certificate['status']}"
    if certificate["gap"] is None:
        return f"nothing is proven ({boxes})"
    return f"no point has an acquisition value more than {certificate['gap']:.2g} lower ({boxes})"
