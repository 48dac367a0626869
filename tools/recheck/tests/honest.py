"""Small honest proofs, with a generous shift and a claim that lies a little below the bound of the evidence."""

from __future__ import annotations

from typing import Any

import writer
from conftest import problem_fields
from flint import arb

from recheck.ball import ONE
from recheck.curve import curve_reaches, deviation_range
from recheck.evidence import Multipliers, Prover
from recheck.frame import Frame, Sides

from recheck.model import Model, build_model
from recheck.node import Evidence
from recheck.piece import Piece
from recheck.problem import read_problem

Kind = tuple[int, tuple[float, ...]]


def encoded(kind: Kind) -> bytes:
    """The reason and its parameters."""
    reason, parameters = kind
    if reason == 1:
        return writer.expansion(*parameters)
    if reason in (2, 3):
        return writer.multiplier(0, reason)
    if reason in (4, 5):
        return writer.tilted(*parameters, 0, reason - 2)
    return writer.moving(*parameters, reason - 4)


class Maker:
    """Makes proofs of one problem with one kind of evidence."""

    def __init__(self, kernel: str, kind: Kind, **changes: Any) -> None:
        self.fields = problem_fields(kernel, **changes)
        self.kind = kind
        self.model: Model = build_model(read_problem(self.fields), 128)
        problem = self.model.problem
        kappa = {"lcb": problem.kappa, "deviation": 1.0}.get(problem.acquisition, 0.0)
        mean = 0.0 if problem.acquisition == "deviation" else problem.mean
        self.piece = Piece(self.model, mean, kappa, ONE)
        self.multiplier = [float(weight) for weight in self.piece.weights]
        self._prover = Prover(self.model, self.piece, Multipliers((tuple(self.multiplier),)), None)

    def shift(self, sides: Sides) -> list[float]:
        """A shift that dominates the rows of the quadratic."""
        frame, plain = Frame(self.model, sides), self._evidence([0.0, 0.0])
        if self.model.problem.of_two_moments:
            quadratic = self._prover._bound_of_mean(frame, plain)[0]
        else:
            quadratic = self._prover._bound_of_function(frame, plain)
        return [float(sum(abs(entry) for entry in row)) * 1.001 for row in quadratic.bend]

    def _evidence(self, shift: list[float]) -> Evidence:
        rows = (0.0,) * len(self.model.problem.rows)
        return Evidence(self.kind[0], 0, self.kind[1], tuple(shift), (0.0, 0.0), rows)

    def evidence(self, sides: Sides) -> bytes:
        """Evidence for a box."""
        rows = [0.0] * len(self.model.problem.rows)
        return writer.evidence(encoded(self.kind), self.shift(sides), [0.0, 0.0], rows)

    def largest_claim(self, sides: Sides) -> float:
        """Nearly the largest claim that the evidence proves on a box."""
        proven = self._prover.prove(sides, self._evidence(self.shift(sides)))
        level = proven._minorant.level()
        if proven._curve is None:
            return float(level.lower()) - 1e-9
        sigmas = deviation_range(proven._frame)
        low, high = -1e5, 100.0
        for _ in range(45):
            middle = (low + high) / 2
            if curve_reaches(self.model.problem, middle, arb(level), proven._curve, sigmas):
                low = middle
            else:
                high = middle
        return low

    def head(self, lower_bound: float | None) -> dict[str, Any]:
        piece = {"mean": float(self.piece.mean), "weights": self.multiplier}
        claim = {"point": None, "value": None, "lower_bound": lower_bound}
        return {"problem": self.fields, "claim": claim, "pieces": [piece], "least_eigenvalue": None}

    def file(self, lower_bound: float | None, nodes: bytes) -> bytes:
        return writer.proof(self.head(lower_bound), [self.multiplier], nodes)

    def split_once(self) -> tuple[float, bytes]:
        """A claim, and its proof that splits the first side in the middle."""
        bounds = self.model.problem.bounds
        halves = [((-1.0, 0.0), bounds[1]), ((0.0, 1.0), bounds[1])]
        bound = min(self.largest_claim(half) for half in halves)
        nodes = writer.node(writer.split(self.evidence(bounds), 0, 0.0))
        nodes += b"".join(writer.node(writer.closed(self.evidence(half))) for half in halves)
        return bound, self.file(bound, nodes)
