"""What can go wrong. Every message names the culprit and the way out."""

from __future__ import annotations

from typing import Any


class FathomError(Exception):
    """Anything that Fathom raises."""


class InputError(FathomError, ValueError):
    """A mistake in what was handed in."""


class StoreError(FathomError, OSError):
    """A store that does not work, or does not hold what was asked for.

    If it did not take a value, `trial` and `value` say which one to which trial (a `value` of None: that it failed), and
    `is_temporary` whether it may well take it later.
    """

    trial: int | None = None
    value: float | None = None
    is_temporary: bool = False


class ProofError(FathomError):
    """A proof that is missing or does not hold."""


class ExhaustedError(FathomError):
    """There is no point left that has not been tried."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `result` is what was found by then: a `Certificate` or a `Result`."""

    def __init__(self, message: str = "", result: Any = None) -> None:
        super().__init__(message)
        self.result = result
