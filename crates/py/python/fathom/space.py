"""What is varied, as plain objects, and the keys of the study file that says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .errors import InputError


class Parameter:
    """What one parameter ranges over: `Float`, `Integer`, `Categorical` or `Fixed`."""

    def table(self) -> dict[str, Any]:
        """The parameter in a study file."""
        raise NotImplementedError


@dataclass(frozen=True)
class Float(Parameter):
    """The numbers from `low` to `high`; with `log`, searched in their logarithm."""

    low: float
    """The lower end."""
    high: float
    """The upper end, which is above the lower one."""
    log: bool = False
    """Whether powers of ten matter more than differences; `low` must be positive then."""

    def table(self) -> dict[str, Any]:
        table = {"type": "float", "low": float(self.low), "high": float(self.high)}
        return {**table, "scale": "log"} if self.log else table


@dataclass(frozen=True)
class Integer(Parameter):
    """The whole numbers from `low` to `high`."""

    low: int
    """The least."""
    high: int
    """The largest."""

    def table(self) -> dict[str, Any]:
        return {"type": "integer", "low": float(self.low), "high": float(self.high)}


@dataclass(frozen=True)
class Categorical(Parameter):
    """One of several strings, without order."""

    choices: Sequence[str]
    """The strings; there are at least two."""

    def table(self) -> dict[str, Any]:
        return {"type": "categorical", "choices": list(self.choices)}


@dataclass(frozen=True)
class Fixed(Parameter):
    """Always the same value."""

    value: Union[int, float, str]
    """The value that every trial has."""

    def table(self) -> dict[str, Any]:
        return {"type": "fixed", "value": self.value}


Space = Mapping[str, Union[Parameter, tuple[float, float]]]
"""Parameters by name; a pair (low, high) is a `Float`."""

_GOALS = {"minimize": "minimise", "minimise": "minimise", "maximize": "maximise", "maximise": "maximise"}


def settings(
    space: Space, *, name: str, constraints: Iterable[str], direction: str, strategy: Mapping[str, Any]
) -> dict[str, Any]:
    """The keys of the study file (docs/guide/studies.md) that says the same."""
    if direction not in _GOALS:
        raise InputError(f"direction is {direction!r}: use 'minimize' or 'maximize'")
    if isinstance(constraints, str):
        raise InputError("constraints is one string: put it into a list")
    return {
        "name": name,
        "goal": _GOALS[direction],
        "constraints": list(constraints),
        "parameters": {key: _parameter(key, value).table() for key, value in space.items()},
        "strategy": dict(map(_strategy, strategy.items())),
    }


def _parameter(name: str, given: Parameter | tuple[float, float]) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return Float(*given)
    raise InputError(f"parameter `{name}` is {given!r}: use Float, Integer, Categorical, Fixed or a pair (low, high)")


def _strategy(item: tuple[str, Any]) -> tuple[str, Any]:
    """A key as study files have it: in their spelling, and with times as text."""
    key, value = item
    if key == "optimizer":
        key = "optimiser"
    if key == "acquisition" and isinstance(value, str):
        value = value.replace("_", "-")
    elif key == "acquisition" and isinstance(value, (list, tuple)):
        value = [name.replace("_", "-") if isinstance(name, str) else name for name in value]
    if key in ("time_limit", "patience") and isinstance(value, (int, float)):
        if not 0 <= value < float("inf"):
            raise InputError(f"{key} is {value}: it must be a number of seconds, not negative")
        value = f"{round(value * 1e6)}us"
    return key, value
