"""A strict reader of JSON, which refuses unknown fields, repeated fields, and numbers that are not finite."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .errors import Unreadable

Item = TypeVar("Item")


def parse(text: bytes) -> Any:
    """The JSON value in UTF-8 text."""
    try:
        return json.loads(
            text.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite
        )
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the head is not JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Unreadable(f"field {key!r} is repeated")
        found[key] = value
    return found


def _no_constant(text: str) -> Any:
    raise Unreadable(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unreadable(f"{text[:40]} is not a finite double")
    return value


class Fields:
    """One JSON object. A reader takes its fields one by one and then calls `end`."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            raise Unreadable(f"{what} is not an object")
        self._left = dict(value)
        self._what = what

    def take(self, key: str, read: Callable[[Any, str], Item]) -> Item:
        """A field that must be present."""
        if key not in self._left:
            raise Unreadable(f"{self._what} has no {key!r}")
        return read(self._left.pop(key), f"{key!r} of {self._what}")

    def maybe(self, key: str, read: Callable[[Any, str], Item]) -> Item | None:
        """A field that may be missing, but not null."""
        return self.take(key, read) if key in self._left else None

    def nullable(self, key: str, read: Callable[[Any, str], Item]) -> Item | None:
        """A field that must be present and may be null."""
        return self.take(key, lambda value, what: None if value is None else read(value, what))

    def end(self) -> None:
        """Refuses fields that were not taken."""
        if self._left:
            raise Unreadable(f"{self._what} has unknown fields: {', '.join(map(repr, sorted(self._left)[:5]))}")


def number(value: Any, what: str) -> float:
    """The double nearest to a JSON number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable(f"{what} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise Unreadable(f"{what} is not a finite double") from None


def count(value: Any, what: str) -> int:
    """A whole number that is not negative, written without a point."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Unreadable(f"{what} is not a count")
    return value


def text(value: Any, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Unreadable(f"{what} is not a text")
    return value


def items(read: Callable[[Any, str], Item]) -> Callable[[Any, str], list[Item]]:
    """A reader of lists whose entries `read` reads."""

    def read_list(value: Any, what: str) -> list[Item]:
        if not isinstance(value, list):
            raise Unreadable(f"{what} is not a list")
        return [read(entry, f"an entry of {what}") for entry in value]

    return read_list


def group(*readers: Callable[[Any, str], Any]) -> Callable[[Any, str], tuple[Any, ...]]:
    """A reader of lists of a fixed length, with a reader for each entry."""

    def read_group(value: Any, what: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(readers):
            raise Unreadable(f"{what} is not a list of {len(readers)}")
        return tuple(read(entry, what) for read, entry in zip(readers, value))

    return read_group


numbers = items(number)
counts = items(count)


def all_within(values: Iterable[float], limit: float) -> bool:
    """Whether no number is larger than the limit in size."""
    return all(abs(value) <= limit for value in values)
