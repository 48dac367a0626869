"""What can go wrong. Every message names the culprit and the way out."""

from __future__ import annotations

from typing import Any


class FathomError(Exception):
    """The base of all errors that Fathom raises. Messages name the culprit and the way out."""


class InputError(FathomError, ValueError):
    """A mistake in what was handed in; also a `ValueError`."""


class StoreError(FathomError, OSError):
    """A store that does not work, or does not hold what was asked for; a file that cannot be read or written."""

    trial: int | None = None
    """The trial whose value the store did not take."""
    value: float | None = None
    """That value; `None` if the trial failed."""
    is_temporary: bool = False
    """Whether the store may well take it later."""


class ProofError(FathomError):
    """A proof that is missing or does not hold."""


class ExhaustedError(FathomError):
    """There is no point left that has not been tried."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed. `result` is what was found by then: a `Certificate` or a `Result`."""

    def __init__(self, message: str = "", result: Any = None) -> None:
        super().__init__(message)
        self.result = result
