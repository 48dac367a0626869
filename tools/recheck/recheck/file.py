"""The file: its first line, its zlib stream, its checksum, and its parts (section 3 of the document)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

from .errors import Refused, Unreadable, demand
from .fields import Fields, items, number, numbers, parse
from .problem import Problem, read_problem

FIRST_LINE = b"FATHOM PROOF 5\n"
FNV_START = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Claim:
    """The file's claim about its problem."""

    point: tuple[float, ...] | None
    value: float | None
    lower_bound: float | None


@dataclass(frozen=True)
class SuggestedPiece:
    """A suggested prior mean and suggested weights."""

    mean: float
    weights: tuple[float, ...]


class Reader:
    """A reader of bytes from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def copy(self) -> Reader:
        """A second reader of the same bytes, from the same position."""
        other = Reader(self._data)
        other._at = self._at
        return other

    @property
    def left(self) -> int:
        """The number of bytes that are left."""
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size > self.left:
            raise Unreadable("the file is cut short")
        start = self._at
        self._at += size
        return self._data[start : self._at]

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def u32(self) -> int:
        """The next count."""
        return int(struct.unpack("<I", self.take(4))[0])

    def f64(self) -> float:
        """The next double."""
        return float(struct.unpack("<d", self.take(8))[0])

    def doubles(self, size: int) -> tuple[float, ...]:
        """The next doubles."""
        return struct.unpack(f"<{size}d", self.take(8 * size))


@dataclass(frozen=True)
class Proof:
    """The parts of a file. The walk reads the nodes."""

    problem: Problem
    claim: Claim
    pieces: tuple[SuggestedPiece, ...]
    least_eigenvalue: float | None
    multipliers: tuple[tuple[float, ...], ...]
    nodes: Reader


def fnv1a(data: bytes) -> int:
    """The checksum of the format."""
    state = FNV_START
    for byte in data:
        state = ((state ^ byte) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return state


def inflate(data: bytes) -> bytes:
    """The content of the zlib stream after the first line, without the checksum, which must be right."""
    if not data.startswith(FIRST_LINE):
        raise Unreadable(f"the first line is not {FIRST_LINE.decode().strip()}")
    stream = data[len(FIRST_LINE) :]
    limit = 24 * len(data) + MEBIBYTE
    inflater = zlib.decompressobj()
    try:
        inflated = inflater.decompress(stream, limit + 1)
    except zlib.error as error:
        raise Unreadable(f"the zlib stream is damaged: {error}") from None
    if len(inflated) > limit:
        raise Unreadable("the file is too large when inflated")
    if not inflater.eof:
        raise Unreadable("the zlib stream is cut short")
    if inflater.unused_data or inflater.unconsumed_tail:
        raise Unreadable("there are bytes after the zlib stream")
    if len(inflated) < 8 or fnv1a(inflated[:-8]) != int.from_bytes(inflated[-8:], "little"):
        raise Unreadable("the checksum is wrong")
    return inflated[:-8]


def read_proof(data: bytes) -> Proof:
    """The parts of a file."""
    reader = Reader(inflate(data))
    length = reader.u32()
    if length > 8 * MEBIBYTE:
        raise Unreadable("the head is too long")
    head = Fields(parse(reader.take(length)), "the head")
    problem = head.take("problem", lambda value, _: read_problem(value))
    claim = head.take("claim", _read_claim)
    pieces = tuple(head.take("pieces", items(_read_piece)))
    least_eigenvalue = head.nullable("least_eigenvalue", number)
    head.end()
    _check_claim(claim, problem)
    _check_pieces(pieces, problem)
    multipliers = _read_multipliers(reader, problem.observations)
    return Proof(problem, claim, pieces, least_eigenvalue, multipliers, reader)


def _read_claim(value: Any, what: str) -> Claim:
    fields = Fields(value, what)
    point = fields.nullable("point", numbers)
    claim = Claim(
        point=None if point is None else tuple(point),
        value=fields.nullable("value", number),
        lower_bound=fields.nullable("lower_bound", number),
    )
    fields.end()
    return claim


def _read_piece(value: Any, what: str) -> SuggestedPiece:
    fields = Fields(value, what)
    piece = SuggestedPiece(mean=fields.take("mean", number), weights=tuple(fields.take("weights", numbers)))
    fields.end()
    return piece


def _check_claim(claim: Claim, problem: Problem) -> None:
    demand((claim.point is None) == (claim.value is None), "the claim has a point without a value, or the reverse")
    if claim.point is not None:
        demand(len(claim.point) == problem.inputs, "the point has the wrong length")
    if claim.lower_bound is None:
        demand(claim.point is None, "the claim has a point of an empty region")
    elif claim.value is not None and not claim.lower_bound <= claim.value:
        raise Refused("the lower bound is above the value")


def _check_pieces(pieces: tuple[SuggestedPiece, ...], problem: Problem) -> None:
    right = all(len(piece.weights) == problem.observations for piece in pieces)
    demand(right, "the weights of a piece have the wrong length")


def _read_multipliers(reader: Reader, observations: int) -> tuple[tuple[float, ...], ...]:
    size = reader.u32()
    if size * observations * 8 > reader.left:
        raise Unreadable("the file is cut short: it has no room for its multipliers")
    return tuple(reader.doubles(observations) for _ in range(size))
