"""Proofs that the search wrote: they hold, and they hold no more than they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import writer

import recheck
from recheck.__main__ import check_file

PROOFS = sorted((Path(__file__).parent / "proofs").glob("*.proof"))
NAMES = [path.stem for path in PROOFS]


def bounded() -> list[Path]:
    """Proofs whose claim has a bound that could be raised; every point has a PI of at most 1."""
    return [path for path in PROOFS if path.stem not in ("infeasible_glcb", "linear_pi")]


@pytest.mark.parametrize("path", PROOFS, ids=NAMES)
def test_holds(path: Path) -> None:
    assert recheck.check(path.read_bytes()).boxes > 0


@pytest.mark.parametrize("path", bounded(), ids=lambda path: path.stem)
def test_raised_to_the_value(path: Path) -> None:
    def raise_bound(head: dict[str, Any]) -> None:
        head["claim"]["lower_bound"] = head["claim"]["value"]

    with pytest.raises(recheck.Refused):
        recheck.check(writer.with_head(path.read_bytes(), raise_bound))


@pytest.mark.parametrize("path", bounded(), ids=lambda path: path.stem)
def test_another_value(path: Path) -> None:
    def lower_value(head: dict[str, Any]) -> None:
        claim = head["claim"]
        claim["value"] = claim["lower_bound"] = min(claim["lower_bound"], claim["value"]) - 0.01

    with pytest.raises(recheck.Refused, match="another value"):
        recheck.check(writer.with_head(path.read_bytes(), lower_value))


@pytest.mark.parametrize("path", PROOFS, ids=NAMES)
def test_cut_short(path: Path) -> None:
    with pytest.raises(recheck.Unreadable):
        recheck.check(writer.pack(writer.unpack(path.read_bytes())[:-1]))


def test_piecewise_beside_another_kernel() -> None:
    def add_term(head: dict[str, Any]) -> None:
        problem = head["problem"]
        problem["terms"].append({"kernel": "rbf", "inputs": [1], "sigma_f2": 1.0})
        problem["lengthscales"].append(1.0)
        problem["bounds"].append([0.0, 1.0])
        for point in problem["x"]:
            point.append(0.5)

    data = next(path for path in PROOFS if path.stem == "piecewise_lcb").read_bytes()
    with pytest.raises(recheck.Refused, match="beside"):
        recheck.check(writer.with_head(data, add_term))


def test_least_eigenvalue_is_proven() -> None:
    data = next(path for path in PROOFS if path.stem == "piecewise_lcb").read_bytes()
    for value in (None, 0.0, -1.0, 10.0):
        with pytest.raises(recheck.Refused, match="eigenvalue"):
            recheck.check(writer.with_head(data, lambda head, value=value: head.update(least_eigenvalue=value)))


def test_answers(tmp_path: Path) -> None:
    assert check_file(str(PROOFS[0]), 128).code == 0
    assert check_file(str(tmp_path / "none"), 128).code == 2
    assert "holds" in check_file(str(PROOFS[0]), 128).as_json()
