"""Constraints as people write them, and points that keep them roughly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fathom

Square = list[tuple[float, float]]


def named(model: fathom.GaussianProcess, names: list[str] | None) -> fathom.GaussianProcess:
    return fathom.GaussianProcess.from_parameters(
        model.X, model.y, kernel="matern52", lengthscales=0.5, noise_variance=1e-6, names=names
    )


def test_constraints_use_the_names_of_inputs(model: fathom.GaussianProcess, square: Square) -> None:
    plain = fathom.minimize_acquisition(model, square, constraints=["x0 + 2*x1 >= 0.5"])
    own = named(model, ["T", "time"])
    assert own.names == ["T", "time"] and model.names is None
    by_model = fathom.minimize_acquisition(own, square, constraints=["T + 2*time >= 0.5"])
    by_call = fathom.minimize_acquisition(model, square, constraints=["T + 2*time >= 0.5"], names=["T", "time"])
    other = fathom.minimize_acquisition(own, square, constraints=["a + 2*b >= 0.5"], names=("a", "b"))
    assert [found.lower_bound for found in (by_model, by_call, other)] == [plain.lower_bound] * 3
    for unknown in ("x0 <= 1", "Time <= 1"):
        with pytest.raises(fathom.InputError, match="there are T, time"):
            fathom.minimize_acquisition(own, square, constraints=[unknown])


def test_names_are_kept_by_a_fit_and_written_into_problems(model: fathom.GaussianProcess, square: Square, tmp_path: Any) -> None:
    gp = fathom.GaussianProcess(names=["T", "time"]).fit(model.X, model.y)
    assert gp.names == ["T", "time"]
    gp.to_problem(tmp_path / "one.json", square, constraints=["T + time <= 0.5"])
    gp.to_problem(tmp_path / "two.json", square, constraints=["a + b <= 0.5"], names=["a", "b"])
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()
    assert fathom.read_problem(tmp_path / "one.json").keywords["constraints"] == [fathom.Row({0: 1.0, 1: 1.0}, upper=0.5)]


def test_mistakes_with_names_are_named(model: fathom.GaussianProcess, square: Square) -> None:
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: fathom.GaussianProcess(names=["T", "T"]), "`T` names two inputs"),
        (lambda: fathom.GaussianProcess(names=["T"]).fit(model.X, model.y), "names has 1 entries, and the model has 2 inputs"),
        (lambda: named(model, ["T"]), "names has 1 entries"),
        (lambda: fathom.minimize_acquisition(model, square, names=["a", "b", "c"]), "names has 3 entries"),
    ]
    for mistake, message in mistakes:
        with pytest.raises(fathom.InputError, match=message):
            mistake()


def test_constraints_of_scipy_are_rows(model: fathom.GaussianProcess, square: Square, tmp_path: Any) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    sparse = pytest.importorskip("scipy.sparse")
    text = fathom.minimize_acquisition(model, square, constraints=["x0 + 2*x1 >= 0.5", "x0 - x1 <= 0.25"])
    matrix, low, high = np.array([[1, 2], [1, -1]]), [0.5, -np.inf], [np.inf, 0.25]
    for rows in (matrix, sparse.csr_array(matrix)):
        constraint = optimize.LinearConstraint(rows, low, high)
        for given in (constraint, [constraint]):
            found = fathom.minimize_acquisition(model, optimize.Bounds([-1, -1], [1, 1]), constraints=given)
            assert found.lower_bound == pytest.approx(text.lower_bound, abs=1e-6) and found.status == "optimal"
    one = optimize.LinearConstraint([1, 2], ub=0.5)
    found = fathom.minimize_acquisition(model, square, constraints=[one, "x0 <= 0.5"])
    assert found.x @ [1, 2] <= 0.5 + 1e-9 and found.x[0] <= 0.5 + 1e-9
    model.to_problem(tmp_path / "one.json", optimize.Bounds(-1, [1, 1]), constraints=[one])
    assert fathom.read_problem(tmp_path / "one.json").keywords["constraints"] == [fathom.Row({0: 1.0, 1: 2.0}, upper=0.5)]


def test_what_is_no_constraint_is_told_the_way_out(model: fathom.GaussianProcess, square: Square) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    mistakes: list[tuple[Any, str]] = [
        ([optimize.NonlinearConstraint(lambda x: x[0] * x[1], 0, 1)], 'NonlinearConstraint is a program, .* as text, "x0\\*x1 <= 4"'),
        ([lambda x: x[0]], "a function is a program"),
        ([{"type": "ineq", "fun": lambda x: x[0]}], "a dict is a program"),
        ([3], "int is no constraint: write it as text"),
        ([optimize.LinearConstraint([[1, 2]], np.inf, np.inf)], "which no point keeps"),
        ("x0 <= 1", "one string: put it into a list"),
        (3, "put them into a list"),
        ([fathom.Row({"T": 1}, upper=1)], "a Row has numbers by the numbers of inputs"),  # type: ignore[dict-item]
    ]
    for given, message in mistakes:
        with pytest.raises(fathom.InputError, match=message):
            fathom.minimize_acquisition(model, square, constraints=given)


def test_a_point_that_is_almost_inside_gets_a_verdict(model: fathom.GaussianProcess, square: Square) -> None:
    own = named(model, ["T", "time"])
    limits: dict[str, Any] = {"constraints": ["T + 2*time <= 0.5", fathom.Row({1: 1.0}, lower=-0.75)]}
    near = [0.5, 2e-8]
    outside = fathom.audit(near, own, square, **limits)
    assert not outside.feasible and outside.shortfall is None and repr(outside).startswith("Audit(feasible=False, value=")
    assert outside.violations == ["constraint 1 (T + 2*time <= 0.5) is violated by 4e-8"]
    tolerated = fathom.audit(near, own, square, tolerance=1e-6, **limits)
    inside = fathom.audit([0.5, 0.0], own, square, **limits)
    assert tolerated.feasible and tolerated.tolerance == 1e-6 and tolerated.violations == outside.violations
    assert tolerated.shortfall == pytest.approx(inside.shortfall, abs=1e-5) and repr(tolerated).startswith("Audit(feasible=True")
    far = fathom.audit([1.5, -1.0], own, square, tolerance=1e-6, integers=[0], **limits)
    assert not far.feasible and far.violations == [
        "T is 0.5 outside the box",
        "T is 0.5 from a whole number",
        "constraint 2 (time >= -0.75) is violated by 0.25",
    ]
    for tolerance in (-1.0, float("nan"), float("inf")):
        with pytest.raises(fathom.InputError, match="tolerance is"):
            fathom.audit(near, own, square, tolerance=tolerance)
