"""The walk over the trees: steps, ends, and which boxes are covered (section 7 of the document)."""

from __future__ import annotations

from .errors import Refused, Unreadable, demand
from .evidence import Multipliers, Prover
from .file import Proof
from .frame import Sides
from .model import Model
from .node import Closed, Cut, CutByRows, Empty, Inherited, Narrowed, NodeReader, Split
from .piece import Piece
from .problem import Problem
from .rows import exact_side, is_violated


def replaced(sides: Sides, j: int, low: float, high: float) -> Sides:
    """The box with side j replaced."""
    return (*sides[:j], (low, high), *sides[j + 1 :])


def before(problem: Problem, j: int, end: float) -> float:
    """The last number of input j below `end`, which it may have itself; `end` if it is continuous."""
    if j in problem.integers:
        return end - 1.0
    if j in problem.values:
        return max(value for value in problem.values[j] if value < end)
    return end


def after(problem: Problem, j: int, end: float) -> float:
    """The first number of input j above `end`, which it may have itself; `end` if it is continuous."""
    if j in problem.integers:
        return end + 1.0
    if j in problem.values:
        return min(value for value in problem.values[j] if value > end)
    return end


def demand_end(problem: Problem, j: int, end: float, done: str) -> None:
    """Refuses an end that a whole or a listed side does not have."""
    if j in problem.integers:
        demand(end.is_integer(), f"a whole side is {done} between whole numbers")
    if j in problem.values:
        demand(end in problem.values[j], f"a listed side is {done} between the numbers of its list")


def cut_off(problem: Problem, j: int, side: tuple[float, float], low: float, high: float) -> list[tuple[float, float]]:
    """The slabs of side j that a smaller side does not contain (Lemma 24)."""
    demand(side[0] <= low <= high <= side[1], "a side is cut to what it does not contain")
    demand_end(problem, j, low, "cut")
    demand_end(problem, j, high, "cut")
    slabs = []
    if low > side[0]:
        slabs.append((side[0], before(problem, j, low)))
    if high < side[1]:
        slabs.append((after(problem, j, high), side[1]))
    return slabs


class Walk:
    """Walks the trees of all pieces and counts the boxes."""

    def __init__(self, proof: Proof, model: Model, pieces: list[Piece]) -> None:
        self._problem: Problem = proof.problem
        self._bound = proof.claim.lower_bound
        self._pieces = pieces
        self._model = model
        self._multipliers = Multipliers(proof.multipliers)
        self._nodes = NodeReader(proof.nodes, self._problem.inputs, len(self._problem.rows))
        self.boxes = 0

    def run(self) -> None:
        """Checks every node."""
        for piece in self._pieces:
            self._walk_tree(Prover(self._model, piece, self._multipliers, self._bound))

    def _walk_tree(self, prover: Prover) -> None:
        trivial = self._problem.acquisition == "pi" and self._bound is not None and self._bound <= -1
        stack: list[tuple[Sides, bool]] = [(self._problem.bounds, trivial)]
        while stack:
            sides, covered = stack.pop()
            try:
                stack += self._node(prover, sides, covered)
            except Unreadable:
                raise
            except Refused as refusal:
                raise Refused(f"box {self.boxes} {_shown(sides)}: {refusal}") from None
            self.boxes += 1

    def _node(self, prover: Prover, sides: Sides, covered: bool) -> list[tuple[Sides, bool]]:
        """Checks one node and returns its halves, the next box last."""
        for step in self._nodes.steps():
            if isinstance(step, Narrowed):
                sides = self._narrow(prover, sides, step)
            else:
                sides = self._cut_by_rows(sides, step)
        end = self._nodes.end()
        if isinstance(end, Inherited):
            demand(covered, "it inherits a bound, but no box around it has one")
        elif isinstance(end, Empty):
            demand(self._is_violated(end.row, sides, 0), "it is called empty, but the row can hold")
        elif isinstance(end, Closed):
            demand(prover.prove(sides, end.evidence).reaches(), "its bound is below the claim")
        else:
            return self._split(prover, sides, covered, end)
        return []

    def _narrow(self, prover: Prover, sides: Sides, step: Narrowed) -> Sides:
        proven = prover.prove(sides, step.evidence)
        new = tuple(zip(step.lower, step.upper))
        for j, (side, (low, high)) in enumerate(zip(sides, new)):
            for slab in cut_off(self._problem, j, side, low, high):
                demand(proven.reaches_on_slab(j, *slab), f"side {j} is narrowed without proof")
        return new

    def _cut_by_rows(self, sides: Sides, step: CutByRows) -> Sides:
        for cut in step.cuts:
            sides = self._cut(sides, cut)
        return sides

    def _cut(self, sides: Sides, cut: Cut) -> Sides:
        j = cut.coordinate
        demand(j < self._problem.inputs, "a cut names an input that does not exist")
        for slab in cut_off(self._problem, j, sides[j], cut.lower, cut.upper):
            demand(self._is_violated(cut.row, replaced(sides, j, *slab), j), f"side {j} is cut by a row without proof")
        return replaced(sides, j, cut.lower, cut.upper)

    def _is_violated(self, row: int, sides: Sides, collected: int) -> bool:
        demand(row < len(self._problem.rows), "a row is named that does not exist")
        return is_violated(self._problem.rows[row], [exact_side(*side) for side in sides], collected)

    def _split(self, prover: Prover, sides: Sides, covered: bool, end: Split) -> list[tuple[Sides, bool]]:
        floor = prover.prove(sides, end.floor)
        covered = covered or floor.reaches()
        j = end.coordinate
        demand(j < self._problem.inputs, "a split names an input that does not exist")
        low, high = sides[j]
        demand(low <= end.position <= high, "it is split outside of itself")
        start = end.position
        if j in self._problem.integers or j in self._problem.values:
            demand_end(self._problem, j, end.position, "split")
            demand(end.position < high, "a whole or listed side is split at its end")
            start = after(self._problem, j, end.position)
        halves = [replaced(sides, j, start, high), replaced(sides, j, low, end.position)]
        return [(half, covered) for half in halves]


def _shown(sides: Sides) -> str:
    return " × ".join(f"[{low:.9g}, {high:.9g}]" for low, high in sides)
