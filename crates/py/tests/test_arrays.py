"""Numbers are read exactly as they were meant, or refused by name (S7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fathom

X = np.random.default_rng(0).random((12, 2))
y = np.sin(5 * X[:, 0]) + X[:, 1]
POINT = np.array([[0.3, 0.4]])


def given(x: Any = X, targets: Any = y, **arguments: Any) -> fathom.GaussianProcess:
    return fathom.GaussianProcess.from_parameters(x, targets, **{"lengthscales": [0.5, 0.5], **arguments})


def masked(array: Any, *place: int) -> Any:
    """The values with one entry masked, below which there is a value that nobody means."""
    hidden = np.ma.masked_array(np.array(array, dtype=float))
    hidden.data[place] = 77.0
    hidden[place] = np.ma.masked
    return hidden


GP = given()
BOX = np.array([[0.0, 1.0], [0.0, 1.0]])

MASKED: dict[str, Callable[[], Any]] = {
    "X": lambda: given(masked(X, 3, 0)),
    "y": lambda: given(X, masked(y, 11)),
    "X of fit": lambda: fathom.GaussianProcess().fit(masked(X, 3, 0), y),
    "y of fit": lambda: fathom.GaussianProcess().fit(X, masked(y, 11)),
    "X, to predict": lambda: GP.predict(masked(POINT, 0, 0)),
    "lengthscales": lambda: given(lengthscales=masked([0.5, 0.5], 1)),
    "signal_variance": lambda: given(groups=[[0], [1]], signal_variance=masked([0.5, 0.5], 1)),
    "bounds": lambda: fathom.minimize_acquisition(GP, masked(BOX, 0, 1)),
    "bounds, of an audit": lambda: fathom.audit(POINT, GP, masked(BOX, 0, 1)),
    "x": lambda: fathom.audit(masked(POINT, 0, 0), GP, BOX),
    "y, in a list": lambda: given(X[:2], [1.0, np.ma.masked]),
    "X, in a list": lambda: given([masked(X[0], 0), X[1]], y[:2]),
    "X, in a pair": lambda: fathom.minimize_acquisition((masked(X, 3, 0), y), BOX),
    "bounds, in a list": lambda: fathom.minimize_acquisition(GP, [(0, 1), masked([0, 1], 1)]),
}


@pytest.mark.parametrize("where", MASKED)
@pytest.mark.filterwarnings("ignore")
def test_s7_masked_entries_are_refused(where: str) -> None:
    name = where.split(",")[0].split(" ")[0]
    with pytest.raises(fathom.InputError, match=f"^{name} is a masked array, and some of its entries are masked"):
        MASKED[where]()


def test_s7_masked_bounds_of_a_problem_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(fathom.InputError, match="bounds is a masked array"):
        GP.to_problem(tmp_path / "problem.json", masked(BOX, 0, 1))


def test_a_masked_array_without_masked_entries_is_an_array() -> None:
    for mask in (np.ma.nomask, False, np.zeros_like(X, dtype=bool)):
        whole = np.ma.masked_array(X, mask=mask)
        np.testing.assert_array_equal(given(whole).predict(whole), GP.predict(X))


NO_NUMBERS: dict[str, Any] = {
    "truth values": y > 0,
    "complex numbers": y + 0j,
    "text": [str(value) for value in y],
    "dates or times": np.array(["2020-01-01"] * len(y), dtype="M8[D]"),
    "objects": y.astype(object),
    "objects: astype": [None, *y[1:]],
}


@pytest.mark.parametrize("what", NO_NUMBERS)
def test_what_is_no_number_is_named(what: str) -> None:
    with pytest.raises(fathom.InputError, match=f"^y is no array of numbers but of {what}"):
        given(X, NO_NUMBERS[what])
    box = np.resize(np.asarray(NO_NUMBERS[what]), (2, 2))
    with pytest.raises(fathom.InputError, match="^bounds is no array of numbers"):
        fathom.minimize_acquisition(GP, box)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", ">f8", "i1", "u1", "i4", "i8", "g"])
def test_every_type_of_number_arrives_exactly(dtype: str) -> None:
    table = (100 * X).astype(dtype)
    reference = given(table.astype(float), y, lengthscales=50)
    for same in (table, np.asfortranarray(table), table[::-1][::-1], np.repeat(table, 2, axis=0)[::2]):
        same.setflags(write=False)
        np.testing.assert_array_equal(given(same, y, lengthscales=50).predict(same), reference.predict(table.astype(float)))
        np.testing.assert_array_equal(given(same, y, lengthscales=50).X, table.astype(float))


def test_numbers_that_double_precision_cannot_hold_are_refused() -> None:
    for too_many in (np.array([2**53 + 1] + [0] * 11), np.array([2**64 - 1] + [0] * 11, dtype="u8")):
        with pytest.raises(fathom.InputError, match="y has numbers that double precision cannot hold"):
            given(X, too_many)
    np.testing.assert_array_equal(given(X, np.array([2**53] * 12)).y, [2.0**53] * 12)
    finer = y.astype(np.longdouble) + np.finfo(np.longdouble).eps
    if np.finfo(np.longdouble).eps < np.finfo(float).eps:
        with pytest.raises(fathom.InputError, match="double precision cannot hold"):
            given(X, finer)


def test_tables_of_pandas_are_read() -> None:
    pandas = pytest.importorskip("pandas")
    frame, series = pandas.DataFrame(X, columns=["a", "b"]), pandas.Series(y)
    np.testing.assert_array_equal(given(frame, series).predict(frame), GP.predict(X))
    hole = frame.copy()
    hole.iloc[3, 0] = np.nan
    for targets in (series.where(series < 1), series.where(series < 1).astype("Float64")):
        with pytest.raises(fathom.InputError, match="NaN|objects"):
            given(frame, targets)
    with pytest.raises(fathom.InputError, match="NaN"):
        given(hole, series)
    with pytest.raises(fathom.InputError, match="objects"):
        given(frame.assign(c="text"), series)


def test_points_to_predict_must_be_finite() -> None:
    for bad in (np.nan, np.inf):
        with pytest.raises(fathom.InputError, match="NaN|inf|finite"):
            GP.predict([[bad, 0.5]])


def test_sides_that_are_whole_are_named_by_whole_numbers() -> None:
    with pytest.raises(fathom.InputError, match="integers"):
        fathom.minimize_acquisition(GP, BOX, integers=[0.7])  # type: ignore[list-item]
    with pytest.raises(fathom.InputError, match="one_of"):
        fathom.minimize_acquisition(GP, BOX, one_of=[[0, 1.5]])  # type: ignore[list-item]
