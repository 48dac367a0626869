"""The whole check of one file."""

from __future__ import annotations

from dataclasses import dataclass

from flint import ctx

from .errors import Refused
from .file import Proof, read_proof
from .model import build_model
from .node import check_layout
from .piece import make_pieces
from .point import check_point
from .walk import Walk

PRECISION = 128


@dataclass(frozen=True)
class Verdict:
    """The claim that an accepted file proves."""

    boxes: int
    lower_bound: float | None
    value: float | None


def check(data: bytes, precision: int = PRECISION) -> Verdict:
    """Checks the bytes of a file. Raises `Refused` (or its subclass `Unreadable`) unless every claim holds."""
    before = ctx.prec
    try:
        return _check_proof(read_proof(data), precision)
    except (ZeroDivisionError, OverflowError, MemoryError) as error:
        raise Refused(f"a number is not known: {error}") from None
    finally:
        ctx.prec = before


def _check_proof(proof: Proof, precision: int) -> Verdict:
    problem = proof.problem
    check_layout(proof.nodes.copy(), len(proof.pieces), problem.inputs, len(problem.rows))
    model = build_model(problem, precision)
    pieces = make_pieces(proof, model)
    claim = proof.claim
    if claim.point is not None and claim.value is not None:
        check_point(model, claim.point, claim.value)
    walk = Walk(proof, model, pieces)
    walk.run()
    return Verdict(walk.boxes, claim.lower_bound, claim.value)
