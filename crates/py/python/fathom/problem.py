"""Problem files: one acquisition problem in a file that the command line solves too."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _fathom
from ._fathom import GaussianProcess
from .constraint import Row
from .errors import InputError, StoreError


@dataclass(frozen=True)
class Problem:
    """The problem `p` of a problem file: `minimize_acquisition(p.gp, p.bounds, **p.keywords)` solves it."""

    name: str
    """The name that the problem gives itself."""
    gp: GaussianProcess
    """The model with its data."""
    bounds: list[tuple[float, float]]
    """A pair (low, high) for each input."""
    keywords: dict[str, Any]
    """What is minimised and where: acquisition and its numbers, integers, constraints. A category of the file is a constraint between
    whole numbers."""


def read_problem(path: str | os.PathLike[str]) -> Problem:
    """Reads the problem file at `path` (docs/reference/problem.md), every number to the last bit; `GaussianProcess.to_problem` writes one.

    An unknown field, or a number that cannot be, is refused by its name.
    """
    file, text = problem_text(path)
    name, gp, bounds, rows, keywords = _fathom.read_problem(file, text)
    if rows:
        keywords["constraints"] = [Row(*row) for row in rows]
    return Problem(name, gp, bounds, keywords)


def problem_text(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The name of the file, and its text."""
    file = Path(path)
    try:
        return str(file), file.read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"could not read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a problem file: it is no text") from error
