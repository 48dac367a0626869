"""Nodes of the tree: steps, ends and evidence, as they are laid out in the file (section 3 of the document)."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Unreadable
from .file import Reader

EXPANSION = 1
MULTIPLIER = (2, 3)
TILTED = (4, 5)
MOVING = (6, 7)


@dataclass(frozen=True)
class Evidence:
    """A reason with its parameters, and the numbers that turn its quadratic into a bound."""

    reason: int
    index: int
    parameters: tuple[float, ...]
    shift: tuple[float, ...]
    point: tuple[float, ...]
    row_multipliers: tuple[float, ...]

    @property
    def order(self) -> int:
        """The order of the polynomials."""
        return 3 if self.reason in (3, 5, 7) else 2


@dataclass(frozen=True)
class Narrowed:
    """A step: evidence cuts the box down to these sides."""

    evidence: Evidence
    lower: tuple[float, ...]
    upper: tuple[float, ...]


@dataclass(frozen=True)
class Cut:
    """A row cuts one side down."""

    row: int
    coordinate: int
    lower: float
    upper: float


@dataclass(frozen=True)
class CutByRows:
    """A step: cuts, one after the other."""

    cuts: tuple[Cut, ...]


@dataclass(frozen=True)
class Inherited:
    """An end: the bound of a box around this box is enough."""


@dataclass(frozen=True)
class Closed:
    """An end: evidence bounds the box."""

    evidence: Evidence


@dataclass(frozen=True)
class Split:
    """An end: the box is split into two halves."""

    floor: Evidence
    coordinate: int
    position: float


@dataclass(frozen=True)
class Empty:
    """An end: no point of the box satisfies the row."""

    row: int


Step = Narrowed | CutByRows
End = Inherited | Closed | Split | Empty


class NodeReader:
    """Reads nodes one by one."""

    def __init__(self, reader: Reader, inputs: int, rows: int) -> None:
        self._reader = reader
        self._inputs = inputs
        self._rows = rows

    def steps(self) -> list[Step]:
        """The steps of the next node."""
        return [self._step() for _ in range(self._reader.byte())]

    def _step(self) -> Step:
        code = self._reader.byte()
        if code == 0:
            return Narrowed(self._evidence(), self._reader.doubles(self._inputs), self._reader.doubles(self._inputs))
        if code == 1:
            size = self._reader.u32()
            if size * 24 > self._reader.left:
                raise Unreadable("the file is cut short: it has no room for its cuts")
            return CutByRows(tuple(self._cut() for _ in range(size)))
        raise Unreadable(f"the step has the unknown code {code}")

    def _cut(self) -> Cut:
        return Cut(self._reader.u32(), self._reader.u32(), self._reader.f64(), self._reader.f64())

    def end(self) -> End:
        """The end of the node whose steps were read."""
        code = self._reader.byte()
        if code == 0:
            return Inherited()
        if code == 1:
            return Closed(self._evidence())
        if code == 2:
            return Split(self._evidence(), self._reader.byte(), self._reader.f64())
        if code == 3:
            return Empty(self._reader.u32())
        raise Unreadable(f"the end has the unknown code {code}")

    def _evidence(self) -> Evidence:
        reader, reason = self._reader, self._reader.byte()
        index = 0
        parameters: tuple[float, ...] = ()
        if reason == EXPANSION:
            parameters = reader.doubles(2)
        elif reason in MULTIPLIER:
            index = reader.u32()
        elif reason in TILTED:
            index, parameters = reader.u32(), reader.doubles(1)
        elif reason in MOVING:
            parameters = reader.doubles(1)
        else:
            raise Unreadable(f"the evidence has the unknown reason {reason}")
        shift, point = reader.doubles(self._inputs), reader.doubles(self._inputs)
        return Evidence(reason, index, parameters, shift, point, reader.doubles(self._rows))


def check_layout(reader: Reader, trees: int, inputs: int, rows: int) -> None:
    """Refuses bytes that are not exactly `trees` trees, whatever the trees claim."""
    nodes = NodeReader(reader, inputs, rows)
    for _ in range(trees):
        open_boxes = 1
        while open_boxes:
            nodes.steps()
            open_boxes += 1 if isinstance(nodes.end(), Split) else -1
    if reader.left:
        raise Unreadable("there are bytes after the last node")
