"""Writes proof files for the tests, right or wrong."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from recheck.file import FIRST_LINE, fnv1a


def doubles(values: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def evidence(parameters: bytes, shift: Sequence[float], point: Sequence[float], rows: Sequence[float] = ()) -> bytes:
    """Evidence; the parameters begin with the reason."""
    return parameters + doubles(shift) + doubles(point) + doubles(rows)


def multiplier(index: int = 0, order: int = 2) -> bytes:
    return struct.pack("<BI", order, index)


def tilted(tau: float, index: int = 0, order: int = 2) -> bytes:
    return struct.pack("<BId", order + 2, index, tau)


def moving(w: float, order: int = 2) -> bytes:
    return struct.pack("<Bd", order + 4, w)


def expansion(scale: float, kappa: float) -> bytes:
    return struct.pack("<Bdd", 1, scale, kappa)


def node(end: bytes, *steps: bytes) -> bytes:
    return bytes([len(steps)]) + b"".join(steps) + end


def narrowed(proof: bytes, lower: Sequence[float], upper: Sequence[float]) -> bytes:
    return b"\x00" + proof + doubles(lower) + doubles(upper)


def cuts(*listed: tuple[int, int, float, float]) -> bytes:
    return struct.pack("<BI", 1, len(listed)) + b"".join(struct.pack("<IIdd", *cut) for cut in listed)


INHERITED = b"\x00"


def closed(proof: bytes) -> bytes:
    return b"\x01" + proof


def split(floor: bytes, coordinate: int, position: float) -> bytes:
    return b"\x02" + floor + struct.pack("<Bd", coordinate, position)


def empty(row: int) -> bytes:
    return b"\x03" + struct.pack("<I", row)


def pack(inflated: bytes) -> bytes:
    """The file with these inflated bytes, which come without the checksum."""
    return FIRST_LINE + zlib.compress(inflated + fnv1a(inflated).to_bytes(8, "little"))


def unpack(data: bytes) -> bytes:
    """The inflated bytes of a file, without the checksum."""
    return zlib.decompress(data[len(FIRST_LINE) :])[:-8]


def body(head: dict[str, Any], multipliers: Sequence[Sequence[float]], nodes: bytes) -> bytes:
    text = json.dumps(head).encode()
    table = struct.pack("<I", len(multipliers)) + b"".join(map(doubles, multipliers))
    return struct.pack("<I", len(text)) + text + table + nodes


def proof(head: dict[str, Any], multipliers: Sequence[Sequence[float]], nodes: bytes) -> bytes:
    """A proof file."""
    return pack(body(head, multipliers, nodes))


def split_body(inflated: bytes) -> tuple[dict[str, Any], bytes]:
    """The head, and everything after it."""
    size = struct.unpack_from("<I", inflated)[0]
    return json.loads(inflated[4 : 4 + size]), inflated[4 + size :]


def with_head(data: bytes, change: Any) -> bytes:
    """The file with a changed head; `change` changes the head in place."""
    head, rest = split_body(unpack(data))
    change(head)
    text = json.dumps(head).encode()
    return pack(struct.pack("<I", len(text)) + text + rest)
