"""The checking of proofs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

from . import _fathom
from ._fathom import Trial, Verification
from .errors import InputError, StoreError
from .problem import problem_text
from .study import Study

Of = Union[str, "os.PathLike[str]", Trial, tuple[Study, Union[Trial, int]]]
"""A problem file, or a trial of a study."""


def verify(proof: bytes | str | os.PathLike[str], of: Of | None = None) -> Verification:
    """Checks a proof with separate code in interval arithmetic, and raises `ProofError` if it does not hold.

    A proof carries its own problem, `Verification.problem`. If it is not about what `of` names, number for number, `ProofError` names the
    first difference.

    Args:
        proof: the path of a proof file, or its bytes.
        of: what the proof must be about: the path of a problem file, a trial, or a trial by its number, `(study, 30)`. Without it, any
            problem will do.
    """
    content = bytes(proof) if isinstance(proof, (bytes, bytearray, memoryview)) else _read(proof)
    if of is None:
        return _fathom.verify(content)
    if isinstance(of, Trial):
        return _fathom.verify(content, trial=of)
    if isinstance(of, tuple):
        return _fathom.verify(content, trial=_trial(of))
    if isinstance(of, (str, os.PathLike)):
        return _fathom.verify(content, problem=problem_text(of))
    raise InputError(f"of cannot be {of!r}: use the path of a problem file, a trial, or (study, number)")


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise StoreError(f"could not read {path}: {error.strerror}") from error


def _trial(of: tuple[Study, Trial | int]) -> Trial:
    if len(of) == 2 and isinstance(of[0], Study):
        return of[0].find(of[1])
    raise InputError(f"of cannot be {of!r}: use the path of a problem file, a trial, or (study, number)")
