"""What can go wrong. Every message names the culprit and the way out."""

from __future__ import annotations

from typing import Any


class FathomError(Exception):
    """Anything that Fathom raises."""


class InputError(FathomError, ValueError):
    """A mistake in what was handed in."""


class StoreError(FathomError, OSError):
    """A store that does not work, or does not hold what was asked for.

    If the store did not take a value, `trial` and `value` say which value of which trial (a `value` of None says that the
    trial failed), and `is_temporary` says whether the store may well take it later.
    """

    trial: int | None = None
    value: float | None = None
    is_temporary: bool = False


class ProofError(FathomError):
    """A proof that is missing or does not hold."""


class ExhaustedError(FathomError):
    """There is no point left that has not been tried."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed. `result` is what was found by then: a `Certificate` or a `Result`."""

    def __init__(self, message: str = "", result: Any = None) -> None:
        super().__init__(message)
        self.result = result
