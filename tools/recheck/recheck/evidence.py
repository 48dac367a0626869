"""Evidence on a box: its requirements, its minorant, and whether the minorant reaches the claim (section 7)."""

from __future__ import annotations

import math
from itertools import chain

from flint import arb

from .ball import HALF, root
from .bounds import subtract_deviation, multiplier_quadratic
from .curve import Curve, ExpansionCurve, MovingCurve, MultiplierCurve, TiltedCurve, curve_reaches, deviation_range
from .errors import Void
from .expansion import expansion_quadratic
from .frame import Frame, Sides
from .minorant import Minorant, add_rows
from .model import Model
from .moving import moving_quadratic
from .node import EXPANSION, MOVING, MULTIPLIER, TILTED, Evidence
from .piece import Piece
from .quadratic import Quadratic


class Multipliers:
    """The file's table of multipliers."""

    def __init__(self, table: tuple[tuple[float, ...], ...]) -> None:
        self._table = table

    def get(self, index: int) -> list[arb]:
        """A multiplier, if the table has it and all of its entries are finite."""
        if index >= len(self._table):
            raise Void("the multiplier's index is beyond the table")
        if not all(map(math.isfinite, self._table[index])):
            raise Void("the multiplier is not finite")
        return [arb(entry) for entry in self._table[index]]


class Proven:
    """A minorant on a box, and its curve for the functions of section 6.5."""

    def __init__(
        self, frame: Frame, minorant: Minorant, bound: float | None, curve: Curve | None
    ) -> None:
        self._frame = frame
        self._minorant = minorant
        self._bound = bound
        self._curve = curve
        self._sigmas = deviation_range(frame) if curve is not None and bound is not None else None

    def reaches(self) -> bool:
        """Whether the claim certainly holds on the whole box."""
        return self._enough(self._minorant.level())

    def reaches_on_slab(self, j: int, low: float, high: float) -> bool:
        """Whether the claim certainly holds on the slab with side j between two numbers."""
        ends = self._frame.cube_coordinate(j, low), self._frame.cube_coordinate(j, high)
        return self._enough(self._minorant.slab_level(j, *ends))

    def _enough(self, level: arb) -> bool:
        if self._bound is None:
            return False
        if self._curve is None or self._sigmas is None:
            return bool(level >= arb(self._bound))
        return curve_reaches(self._frame.model.problem, self._bound, level, self._curve, self._sigmas)


class Prover:
    """Turns the evidence of one piece into minorants."""

    def __init__(self, model: Model, piece: Piece, multipliers: Multipliers, bound: float | None) -> None:
        self._model = model
        self._problem = model.problem
        self._piece = piece
        self._multipliers = multipliers
        self._bound = bound

    def prove(self, sides: Sides, evidence: Evidence) -> Proven:
        """The minorant that the evidence proves on a box; the file is refused if the evidence is void."""
        self._check(evidence)
        frame = Frame(self._model, sides)
        if self._problem.of_two_moments:
            quadratic, curve = self._bound_of_mean(frame, evidence)
        else:
            quadratic, curve = self._bound_of_function(frame, evidence), None
        add_rows(quadratic, frame, self._problem.rows, evidence.row_multipliers)
        return Proven(frame, Minorant(quadratic, evidence), self._bound, curve)

    def _check(self, evidence: Evidence) -> None:
        suggestions = chain(evidence.parameters, evidence.shift, evidence.point, evidence.row_multipliers)
        if not all(map(math.isfinite, suggestions)):
            raise Void("a suggestion is not finite")
        if evidence.reason == EXPANSION:
            self._check_expansion(*evidence.parameters)
        elif evidence.reason in TILTED:
            if not self._problem.of_two_moments:
                raise Void("tilted evidence does not belong to this acquisition function")
            if not all(term.smooth for term in self._model.terms):
                raise Void("tilted evidence needs smooth kernels")
            if not evidence.parameters[0] > 0:
                raise Void("τ is not positive")
        elif evidence.reason in MOVING:
            if self._problem.piecewise:
                raise Void("moving evidence needs kernels that are not piecewise linear")
            if not evidence.parameters[0] > 0:
                raise Void("w is not positive")

    def _check_expansion(self, scale: float, kappa: float) -> None:
        terms = self._problem.terms
        if len(terms) != 1 or terms[0].kernel != "rbf":
            raise Void("an expansion needs a single rbf kernel")
        if not (scale > 0 and kappa >= 0):
            raise Void("S0 is not positive or κ is negative")
        if not self._problem.of_two_moments and kappa != self._piece.kappa:
            raise Void("κ is not that of the piece")

    def _bound_of_function(self, frame: Frame, evidence: Evidence) -> Quadratic:
        """A quadratic below μ_p − κ_p σ (section 6.4)."""
        piece, kappa = self._piece, arb(self._piece.kappa)
        if evidence.reason == EXPANSION:
            return expansion_quadratic(frame, piece, *map(arb, evidence.parameters))
        if evidence.reason in MULTIPLIER:
            multiplier = self._multipliers.get(evidence.index)
            quadratic = multiplier_quadratic(frame, piece, multiplier, evidence.order)
            energy = piece.energy(evidence.index, multiplier)
            subtract_deviation(quadratic, frame, root(kappa * kappa + energy), piece.prior)
            return quadratic
        w = arb(evidence.parameters[0])
        quadratic = moving_quadratic(frame, piece, w, evidence.order)
        quadratic.constant -= HALF * kappa * kappa / w
        return quadratic

    def _bound_of_mean(self, frame: Frame, evidence: Evidence) -> tuple[Quadratic, Curve]:
        """A quadratic below the mean minus a curve of σ (the stand-in of section 6.5), and the curve."""
        piece = self._piece
        if evidence.reason == EXPANSION:
            scale, kappa = map(arb, evidence.parameters)
            return expansion_quadratic(frame, piece, scale, kappa), ExpansionCurve(frame, scale, kappa)
        if evidence.reason in MOVING:
            w = arb(evidence.parameters[0])
            return moving_quadratic(frame, piece, w, evidence.order), MovingCurve(w)
        multiplier = self._multipliers.get(evidence.index)
        quadratic = multiplier_quadratic(frame, piece, multiplier, evidence.order)
        if evidence.reason in TILTED:
            return quadratic, TiltedCurve(frame, piece, multiplier, arb(evidence.parameters[0]))
        return quadratic, MultiplierCurve(frame, piece.energy(evidence.index, multiplier))
