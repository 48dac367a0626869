"""What is varied, as plain objects, and the keys of the study file that says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from .errors import InputError


class Parameter:
    """What one parameter ranges over: `Float`, `Integer`, `Categorical` or `Fixed`."""

    def table(self) -> dict[str, Any]:
        """The parameter in a study file."""
        raise NotImplementedError


@dataclass(frozen=True)
class Float(Parameter):
    """The numbers from `low` to `high`; with `log`, searched in their logarithm; with `step`, only `low`, `low + step`, …, `high`."""

    low: float
    """The lower end."""
    high: float
    """The upper end, which is above the lower one."""
    log: bool = False
    """Whether powers of ten matter more than differences; `low` must be positive then."""
    step: Optional[float] = None
    """The distance between the numbers that are allowed; `None` allows all."""

    def table(self) -> dict[str, Any]:
        return _range("float", self)


@dataclass(frozen=True)
class Integer(Parameter):
    """The whole numbers from `low` to `high`; with `log`, searched in their logarithm; with `step`, only every so many."""

    low: int
    """The least."""
    high: int
    """The largest."""
    log: bool = False
    """Whether powers of ten matter more than differences; `low` must be positive then."""
    step: Optional[int] = None
    """The distance between the numbers that are allowed; `None` is 1."""

    def table(self) -> dict[str, Any]:
        return _range("integer", self)


@dataclass(frozen=True)
class Values(Parameter):
    """These numbers and none between them; with `log`, at the distances of their logarithms."""

    values: Sequence[float]
    """The numbers."""
    log: bool = False
    """Whether powers of ten matter more than differences; all numbers must be positive then."""

    def table(self) -> dict[str, Any]:
        values = [_plain(value) for value in self.values]
        kind = "integer" if all(isinstance(value, int) for value in values) else "float"
        table = {"type": kind, "values": values}
        return {**table, "scale": "log"} if self.log else table


@dataclass(frozen=True)
class Categorical(Parameter):
    """One of several strings, numbers or booleans, without order; with `ordered`, each is as far from the next."""

    choices: Sequence[Union[str, int, float, bool]]
    """The choices; there are at least two."""
    ordered: bool = False
    """Whether the choices have an order, each as far from the next."""

    def table(self) -> dict[str, Any]:
        choices = [_plain(choice) for choice in self.choices]
        for choice in choices:
            if not isinstance(choice, (str, int, float)):
                raise InputError(f"{choice!r} is no choice: use strings, numbers or booleans")
        table = {"type": "categorical", "choices": choices}
        return {**table, "ordered": True} if self.ordered else table


@dataclass(frozen=True)
class Boolean(Parameter):
    """True or false."""

    def table(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Fixed(Parameter):
    """Always the same value."""

    value: Union[int, float, str, bool]
    """The value that every trial has."""

    def table(self) -> dict[str, Any]:
        return {"type": "fixed", "value": self.value}


Space = Mapping[str, Union[Parameter, tuple[float, float], list[Any], range]]
"""Parameters by name; a pair (low, high) is a `Float`, a list a `Categorical` (of `True` and `False` a `Boolean`), a `range` an
`Integer`."""

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
        "parameters": {key: _table(key, value) for key, value in space.items()},
        "strategy": dict(map(_strategy, strategy.items())),
    }


def _table(name: str, given: Any) -> dict[str, Any]:
    try:
        return _parameter(name, given).table()
    except (InputError, TypeError, ValueError) as error:
        text = str(error)
        raise InputError(text if f"`{name}`" in text else f"parameter `{name}`: {text}") from None


def _parameter(name: str, given: Any) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if isinstance(given, range):
        if len(given) < 2:
            raise InputError(f"parameter `{name}` is {given!r}, which has {len(given)} numbers: use at least two, or Fixed")
        low, high = min(given), max(given)
        return Integer(low, high, step=abs(given.step) if abs(given.step) > 1 else None)
    if isinstance(given, tuple) and len(given) == 2 and all(map(_is_number, given)):
        return Float(*given)
    if isinstance(given, list):
        if len(given) == 2 and all(map(_is_number, given)):
            raise InputError(
                f"parameter `{name}` is {given!r}: write ({given[0]!r}, {given[1]!r}) for the numbers between, or "
                f"Values({given!r}) for these two"
            )
        return Categorical(given)
    raise InputError(
        f"parameter `{name}` is {given!r}: use Float, Integer, Values, Categorical, Boolean, Fixed, a pair (low, high), a list of "
        "choices or a range"
    )


def _is_number(value: Any) -> bool:
    value = _plain(value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """A number of NumPy's as one of Python's."""
    item = getattr(value, "item", None)
    return item() if callable(item) and not isinstance(value, (str, int, float)) else value


def _range(kind: str, of: Union[Float, Integer]) -> dict[str, Any]:
    table: dict[str, Any] = {"type": kind, "low": float(of.low), "high": float(of.high)}
    if of.step is not None:
        table["step"] = float(of.step)
    return {**table, "scale": "log"} if of.log else table


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
