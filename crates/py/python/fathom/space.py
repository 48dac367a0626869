"""What is varied, as plain objects, and the study file that says the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .errors import InputError


class Parameter:
    """What one parameter ranges over."""

    def table(self) -> dict[str, Any]:
        """The parameter in a study file."""
        raise NotImplementedError


@dataclass(frozen=True)
class Float(Parameter):
    """The numbers from `low` to `high`; with `log`, searched in their logarithm."""

    low: float
    high: float
    log: bool = False

    def table(self) -> dict[str, Any]:
        table = {"type": "float", "low": float(self.low), "high": float(self.high)}
        return {**table, "scale": "log"} if self.log else table


@dataclass(frozen=True)
class Integer(Parameter):
    """The whole numbers from `low` to `high`."""

    low: int
    high: int

    def table(self) -> dict[str, Any]:
        return {"type": "integer", "low": float(self.low), "high": float(self.high)}


@dataclass(frozen=True)
class Categorical(Parameter):
    """One of several strings, without order."""

    choices: Sequence[str]

    def table(self) -> dict[str, Any]:
        return {"type": "categorical", "choices": list(self.choices)}


@dataclass(frozen=True)
class Fixed(Parameter):
    """Always the same value."""

    value: Union[int, float, str]

    def table(self) -> dict[str, Any]:
        return {"type": "fixed", "value": self.value}


Space = Mapping[str, Union[Parameter, tuple[float, float]]]
"""Parameters by name; a pair (low, high) is a `Float`."""

_GOALS = {"minimize": "minimise", "minimise": "minimise", "maximize": "maximise", "maximise": "maximise"}


def study_file(
    space: Space, *, name: str, constraints: Iterable[str], direction: str, strategy: Mapping[str, Any]
) -> str:
    """The text of the study file (docs/studies.md) that says the same."""
    if direction not in _GOALS:
        raise InputError(f"direction is {direction!r}: use 'minimize' or 'maximize'")
    if isinstance(constraints, str):
        raise InputError("constraints is one string: put it into a list")
    lines = [
        f"name = {_written(name)}",
        f"goal = {_written(_GOALS[direction])}",
        f"constraints = {_written(list(constraints))}",
        "[parameters]",
    ]
    lines += [f"{_written(key)} = {_written(_parameter(key, value).table())}" for key, value in space.items()]
    lines.append("[strategy]")
    lines += [f"{_written(key)} = {_written(value)}" for key, value in map(_strategy, strategy.items()) if value is not None]
    return "\n".join(lines) + "\n"


def _parameter(name: str, given: Parameter | tuple[float, float]) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return Float(*given)
    raise InputError(f"parameter `{name}` is {given!r}: use Float, Integer, Categorical, Fixed or a pair (low, high)")


def _strategy(item: tuple[str, Any]) -> tuple[str, Any]:
    """A key as files have it: their spelling, and times as text."""
    key, value = item
    if key == "optimizer":
        key = "optimiser"
    if key == "acquisition" and isinstance(value, str):
        value = value.replace("_", "-")
    if key == "time_limit" and isinstance(value, (int, float)):
        if not 0 <= value < float("inf"):
            raise InputError(f"time_limit is {value}: it must be a number of seconds, not negative")
        value = f"{round(value * 1e6)}us"
    return key, value


def _written(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's strings are TOML's, but for one character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_written(key)} = {_written(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_written, value)) + "]"
    if hasattr(value, "item"):  # a number of NumPy's
        return _written(value.item())
    if isinstance(value, (int, float)):
        return repr(value)
    raise InputError(f"{value!r} has no place in a study file: use numbers, strings, booleans and lists of them")
