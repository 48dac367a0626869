"""Spaces of other libraries in Fathom's terms.

Floats, whole numbers, steps and whole numbers on a log scale are Fathom's own. A grid whose step is no decimal of 15 digits is the
whole number that counts its points. A choice, which may be any object, goes by its place in the list. A whole number on a log scale
that has more than 10000 values is a float on a log scale, rounded: only this axis has a certificate of another point than the one that
is handed out.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fathom

# A name in a constraint; the letter of 1e5 is none.
NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")

# So many whole numbers have places of their own on a log scale.
MOST_LISTED = 10_000

# The digits of a decimal that Fathom's steps are exact in.
DIGITS = 15

# A value belongs to a grid if it is at most so far off, in steps.
OFF_GRID = 1e-6


@dataclass(frozen=True)
class Line:
    """The numbers from `low` to `high`."""

    low: float
    high: float
    log: bool = False

    def parameter(self) -> Any:
        return fathom.Float(self.low, self.high, log=self.log)

    def encode(self, value: Any) -> float:
        return float(value)

    def decode(self, value: Any) -> float:
        return float(value)

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        place = math.log if self.log else float
        return abs(place(one) - place(other)) <= part * (place(self.high) - place(self.low))

    def formula(self, alias: str) -> str:
        return alias


@dataclass(frozen=True)
class Whole:
    """The whole numbers from `low` to `high`."""

    low: int
    high: int

    def parameter(self) -> Any:
        return fathom.Integer(self.low, self.high)

    def encode(self, value: Any) -> int:
        if value != round(value):
            raise fathom.InputError(f"{value!r} is no whole number")
        return int(value)

    def decode(self, value: Any) -> int:
        return int(value)

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        return self.encode(one) == self.encode(other)

    def formula(self, alias: str) -> str:
        return alias


@dataclass(frozen=True)
class Grid:
    """The numbers `low`, `low + step`, …, `steps` steps in all; whole if `low` and `step` are."""

    low: float
    step: float
    steps: int

    @property
    def is_decimal(self) -> bool:
        """Whether ends and step are decimals of few digits, as people write them."""
        places = min(_places(self.low), _places(self.step))
        return -22 <= places and max(abs(self.low), abs(self._at(self.steps))) < 10.0 ** (DIGITS + places)

    def _at(self, count: int) -> float:
        """The decimal after so many steps, not the float that sums of floats make of it."""
        at = Decimal(repr(self.low)) + count * Decimal(repr(self.step))
        return int(at) if isinstance(self.low, int) and isinstance(self.step, int) else float(at)

    def parameter(self) -> Any:
        if not self.is_decimal:
            return fathom.Integer(0, self.steps)
        high = self._at(self.steps)
        if isinstance(high, int):
            return fathom.Integer(int(self.low), high, step=int(self.step))
        return fathom.Float(self.low, high, step=self.step)

    def _count(self, value: Any) -> int:
        count = (float(value) - self.low) / self.step
        # Other programs round the grid's values when they write them.
        if abs(count - round(count)) > OFF_GRID:
            raise fathom.InputError(f"{value!r} is not {self.low} and a multiple of {self.step}")
        return round(count)

    def encode(self, value: Any) -> float:
        count = self._count(value)
        return self._at(count) if self.is_decimal else count

    def decode(self, value: Any) -> float:
        return self._at(self._count(value)) if self.is_decimal else self.low + int(value) * self.step

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        return self._count(one) == self._count(other)

    def formula(self, alias: str) -> str:
        return alias if self.is_decimal else f"({self.low!r} + {self.step!r}*{alias})"


@dataclass(frozen=True)
class LogWhole:
    """The whole numbers from `low` to `high` on a log scale. If there are very many, the search may go between them, and its answer
    is rounded."""

    low: int
    high: int

    @property
    def rounds(self) -> bool:
        """Whether the search may go between the numbers."""
        return self.high - self.low >= MOST_LISTED

    def parameter(self) -> Any:
        if self.rounds:
            return fathom.Float(self.low, self.high, log=True)
        return fathom.Integer(self.low, self.high, log=True)

    def encode(self, value: Any) -> float:
        if self.rounds:
            return float(value)
        if value != round(value):
            raise fathom.InputError(f"{value!r} is no whole number")
        return int(value)

    def decode(self, value: Any) -> int:
        return min(max(round(float(value)), self.low), self.high)

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        return self.encode(one) == self.encode(other)

    def formula(self, alias: str) -> str:
        if not self.rounds:
            return alias
        raise fathom.InputError(
            f"`{alias}` has more than {MOST_LISTED} whole numbers on a log scale; it is rounded and so could break a constraint: "
            "drop its log scale, or leave it out of the constraints"
        )


@dataclass(frozen=True)
class Choice:
    """One of several objects."""

    choices: tuple[Any, ...]

    def parameter(self) -> Any:
        return fathom.Categorical([str(place) for place in range(len(self.choices))])

    def encode(self, value: Any) -> str:
        for same in (lambda choice: choice is value, lambda choice: choice == value):
            for place, choice in enumerate(self.choices):
                if same(choice):
                    return str(place)
        raise fathom.InputError(f"{value!r} is none of the choices {list(self.choices)!r}")

    def decode(self, value: Any) -> Any:
        return self.choices[int(value)]

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        return self.encode(one) == self.encode(other)

    def formula(self, alias: str) -> str:
        return alias


@dataclass(frozen=True)
class Point:
    """The only value of an axis that does not vary."""

    value: Any

    def parameter(self) -> Any:
        number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        return fathom.Fixed(self.value if number else str(self.value))

    def encode(self, value: Any) -> Any:
        return self.parameter().value

    def decode(self, value: Any) -> Any:
        return self.value

    def are_close(self, one: Any, other: Any, part: float) -> bool:
        return True

    def formula(self, alias: str) -> str:
        return alias


Axis = Line | Whole | Grid | LogWhole | Choice | Point


class Axes:
    """Named axes under constraints.

    Names that Fathom's constraints cannot spell are written with underscores there: `layers/0` as `layers_0`.
    """

    def __init__(self, axes: Mapping[str, Axis], constraints: Sequence[str] = ()) -> None:
        self._axes = dict(axes)
        self._aliases = _aliases(self._axes)
        self.constraints = [self._translated(text) for text in constraints]

    @property
    def space(self) -> dict[str, Any]:
        """The space for `fathom.Study`."""
        return {self._aliases[name]: axis.parameter() for name, axis in self._axes.items()}

    def space_holding(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The same with some axes held at values."""
        held = {self._aliases[name]: fathom.Fixed(self._axes[name].encode(value)) for name, value in values.items()}
        return {alias: held.get(alias, parameter) for alias, parameter in self.space.items()}

    @property
    def rounds(self) -> bool:
        """Whether a point of the search may be rounded before it is handed out."""
        return any(isinstance(axis, LogWhole) and axis.rounds for axis in self._axes.values())

    def encode(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """A value for every axis, as Fathom's study knows it."""
        return {self._aliases[name]: axis.encode(values.get(name)) for name, axis in self._axes.items()}

    def decode(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point of Fathom's study, as the other library knows it."""
        return {name: axis.decode(point[self._aliases[name]]) for name, axis in self._axes.items()}

    def has_all(self, values: Mapping[str, Any]) -> bool:
        """Whether every axis that varies has a value."""
        return all(name in values or isinstance(axis, Point) for name, axis in self._axes.items())

    def has(self, name: str) -> bool:
        """Whether there is an axis of that name that varies."""
        return name in self._axes and not isinstance(self._axes[name], Point)

    def part(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of these axes, from a point that may have others too."""
        fixed = {name: axis.value for name, axis in self._axes.items() if isinstance(axis, Point)}
        return {name: fixed.get(name, values.get(name)) for name in self._axes}

    def beside(self, values: Mapping[str, Any], tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The nearest point that was not tried along the axes that round; the same point if there is none."""
        for distance in range(1, len(tried) + 2):
            for name, axis in self._axes.items():
                if not (isinstance(axis, LogWhole) and axis.rounds):
                    continue
                for value in (values[name] - distance, values[name] + distance):
                    moved = {**values, name: value}
                    if axis.low <= value <= axis.high and moved not in tried:
                        return moved
        return dict(values)

    def allows(self, values: Mapping[str, Any]) -> bool:
        """Whether a point keeps ranges and constraints."""
        try:
            fathom.Study(self.space, constraints=self.constraints).add_pending(self.encode(values))
        except (TypeError, ValueError):
            return False
        return True

    def are_close(self, one: Mapping[str, Any], other: Mapping[str, Any], part: float) -> bool:
        """Whether two points differ by at most `part` of the range of every line, and in nothing else."""
        if not (self.has_all(one) and self.has_all(other)):
            return False
        try:
            return all(axis.are_close(one.get(name), other.get(name), part) for name, axis in self._axes.items())
        except (TypeError, ValueError):
            # One of the two is no point of these axes.
            return False

    def _translated(self, text: str) -> str:
        names = {alias: name for name, alias in self._aliases.items()}

        def formula(match: re.Match[str]) -> str:
            alias = match.group()
            return self._axes[names[alias]].formula(alias) if alias in names else alias

        return NAME.sub(formula, text)


def _places(number: float) -> int:
    """The place of the last digit of a decimal: −2 for 0.25, 0 for whole numbers."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return min(int(exponent), 0)


def _aliases(names: Iterable[str]) -> dict[str, str]:
    """Different identifiers for names; a name that is an identifier stays."""
    aliases = {name: name for name in names if name.isidentifier()}
    taken = set(aliases)
    for name in names:
        if name in aliases:
            continue
        alias = re.sub(r"\W", "_", name)
        alias = alias if alias.isidentifier() else f"_{alias}"
        while alias in taken:
            alias += "_"
        taken.add(alias)
        aliases[name] = alias
    return aliases
