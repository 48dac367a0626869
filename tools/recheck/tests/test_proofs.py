"""Proofs that the search wrote hold, and stronger claims are refused."""

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
    """Proofs whose bound can be raised; in `linear_pi` the value is −1, which no point is below."""
    return [path for path in PROOFS if path.stem not in ("infeasible_glcb", "linear_pi")]


@pytest.mark.parametrize("path", PROOFS, ids=NAMES)
def test_a_proof_of_the_search_holds(path: Path) -> None:
    assert recheck.check(path.read_bytes()).boxes > 0


@pytest.mark.parametrize("path", bounded(), ids=lambda path: path.stem)
def test_a_bound_raised_to_the_value_is_refused(path: Path) -> None:
    def raise_bound(head: dict[str, Any]) -> None:
        head["claim"]["lower_bound"] = head["claim"]["value"]

    with pytest.raises(recheck.Refused):
        recheck.check(writer.with_head(path.read_bytes(), raise_bound))


@pytest.mark.parametrize("path", bounded(), ids=lambda path: path.stem)
def test_a_wrong_value_is_refused(path: Path) -> None:
    def lower_value(head: dict[str, Any]) -> None:
        claim = head["claim"]
        claim["value"] = claim["lower_bound"] = min(claim["lower_bound"], claim["value"]) - 0.01

    with pytest.raises(recheck.Refused, match="another value"):
        recheck.check(writer.with_head(path.read_bytes(), lower_value))


@pytest.mark.parametrize("path", PROOFS, ids=NAMES)
def test_a_file_that_is_cut_short_cannot_be_read(path: Path) -> None:
    with pytest.raises(recheck.Unreadable):
        recheck.check(writer.pack(writer.unpack(path.read_bytes())[:-1]))


def test_a_piecewise_linear_kernel_beside_another_kernel_is_refused() -> None:
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


def test_a_wrong_least_eigenvalue_is_refused() -> None:
    data = next(path for path in PROOFS if path.stem == "piecewise_lcb").read_bytes()
    for value in (None, 0.0, -1.0, 10.0):
        with pytest.raises(recheck.Refused, match="eigenvalue"):
            recheck.check(writer.with_head(data, lambda head, value=value: head.update(least_eigenvalue=value)))


def test_a_proof_holds_and_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    assert check_file(str(PROOFS[0]), 128).code == 0
    assert check_file(str(tmp_path / "none"), 128).code == 2
    assert "holds" in check_file(str(PROOFS[0]), 128).as_json()
