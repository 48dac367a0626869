"""From a quadratic to a bound: multipliers of rows, the shift, and slabs (Lemmas 22 and 23 of the document)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from .ball import HALF, ZERO, add_up, hull, least
from .definite import positive_definite
from .errors import Void
from .frame import Frame
from .node import Evidence
from .problem import Row
from .quadratic import Quadratic

EXTRAS = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3)
LEAST_EXTRA = 1e-200
WHOLE = (arb(-1), arb(1))


def add_rows(quadratic: Quadratic, frame: Frame, rows: Sequence[Row], multipliers: Sequence[float]) -> None:
    """Adds ν (R(x) − side) for each row, which is never positive at a point of the region."""
    centres = [length * c for length, c in zip(frame.model.lengthscales, frame.centre)]
    halves = [length * h for length, h in zip(frame.model.lengthscales, frame.half)]
    for row, multiplier in zip(rows, multipliers):
        if multiplier != 0:
            _add_row(quadratic, row, multiplier, centres, halves)


def _add_row(quadratic: Quadratic, row: Row, multiplier: float, centres: list[arb], halves: list[arb]) -> None:
    side = row.upper if multiplier > 0 else row.lower
    if side is None:
        raise Void("a multiplier belongs to a side that its row does not have")
    nu = arb(multiplier)
    quadratic.constant -= nu * arb(side)
    for j, factor in row.linear:
        amount = nu * arb(factor)
        quadratic.constant += amount * centres[j]
        quadratic.linear[j] += amount * halves[j]
    for j, k, factor in row.quadratic:
        amount = nu * arb(factor)
        quadratic.constant += amount * centres[j] * centres[k]
        quadratic.linear[j] += amount * halves[j] * centres[k]
        quadratic.linear[k] += amount * halves[k] * centres[j]
        quadratic.add_product(j, k, amount * halves[j] * halves[k])


class Minorant:
    """constant + Σ_j (p_j v_j − ½ δ_j v_j²), below the quadratic on the cube."""

    def __init__(self, quadratic: Quadratic, evidence: Evidence) -> None:
        if quadratic.third:
            raise ValueError("terms of third order are left")
        point = [arb(entry) for entry in evidence.point]
        self._shift = _convex_shift(quadratic.bend, evidence.shift)
        pull = []
        for j, row in enumerate(quadratic.bend):
            pull.append(add_up(a * v for a, v in zip(row, point)) + self._shift[j] * point[j])
        self._slopes = [b + force for b, force in zip(quadratic.linear, pull)]
        tangent = HALF * add_up(v * force for v, force in zip(point, pull))
        self._constant = quadratic.constant - quadratic.error - tangent
        self._parts = [self._least_on(j, WHOLE) for j in range(len(point))]

    def level(self) -> arb:
        """A lower bound on the whole cube."""
        return self._constant + add_up(self._parts)

    def slab_level(self, j: int, start: arb, end: arb) -> arb:
        """A lower bound on the slab with v_j between start and end."""
        others = add_up(part for k, part in enumerate(self._parts) if k != j)
        return self._constant + others + self._least_on(j, (start, end))

    def _least_on(self, j: int, ends: tuple[arb, arb]) -> arb:
        """The least value of p v − ½ δ v² between two ends."""
        slope, shift = self._slopes[j], self._shift[j]
        values = [(slope - HALF * shift * v) * v for v in ends]
        if not shift >= 0:
            vertex = slope / shift
            if not (vertex < ends[0] or vertex > ends[1]):
                values.append(slope * slope / (2 * shift))
        return least(values)


def _convex_shift(bend: Sequence[Sequence[arb]], suggested: Sequence[float]) -> list[arb]:
    """The file's shift, raised by little until the quadratic is certainly convex."""
    size = len(suggested)
    largest = hull(abs(entry) for row in bend for entry in row)[1]
    radii = [2 * add_up(entry.rad() for entry in row) for row in bend]
    for extra in (*EXTRAS, 2.0 * size):
        shift = [
            (arb(delta) + radius + arb(extra) * largest + arb(LEAST_EXTRA)).upper()
            for delta, radius in zip(suggested, radii)
        ]
        table = [[entry + (shift[j] if j == k else ZERO) for k, entry in enumerate(row)] for j, row in enumerate(bend)]
        if positive_definite(table):
            return shift
    raise Void("the shift does not make the quadratic convex")
