"""`minimize_acquisition`: the certified minimum, by every method, under every limit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fathom

Array = np.ndarray[Any, np.dtype[np.float64]]
Box = list[tuple[float, float]]


def grid(count: int = 201) -> Array:
    side = np.linspace(-1, 1, count)
    return np.asarray(np.array(np.meshgrid(side, side)).reshape(2, -1).T)


def values(gp: fathom.GaussianProcess, points: Array, acquisition: str, beta: float) -> Array:
    means, deviations = gp.predict(points, return_std=True)
    z = (gp.y.min() - means) / np.maximum(deviations, 1e-75)
    cdf = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in z])
    ei = deviations * (np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) + z * cdf)
    with np.errstate(divide="ignore"):
        by_name = {
            "lcb": means - math.sqrt(beta) * deviations,
            "mean": means,
            "deviation": -deviations,
            "ei": -ei,
            "log_ei": -np.log(np.maximum(ei, 0)),
        }
    return np.asarray(by_name[acquisition])


@pytest.mark.parametrize("acquisition", ["lcb", "mean", "deviation", "ei", "log_ei"])
def test_no_point_of_a_grid_is_below_the_proven_bound(
    model: fathom.GaussianProcess, square: Box, acquisition: str
) -> None:
    certificate = fathom.minimize_acquisition(model, square, acquisition=acquisition, beta=2.0, gap=1e-3, proof=True)
    assert certificate.status == "optimal" and certificate.lower_bound is not None
    everywhere = values(model, grid(), acquisition, 2.0)
    assert everywhere.min() >= certificate.lower_bound - 1e-9
    assert certificate.value <= everywhere.min() + 1e-3
    here = values(model, certificate.x[None], acquisition, 2.0)[0]
    assert certificate.value == pytest.approx(here, rel=1e-6)
    assert certificate.verify().lower_bound == certificate.lower_bound


def test_probability_of_improvement_and_the_generalised_bound(model: fathom.GaussianProcess, square: Box) -> None:
    pi = fathom.minimize_acquisition(model, square, acquisition="pi", best=-1.5, gap=1e-2)
    assert pi.status == "optimal" and -1 <= pi.value <= 0
    plain = fathom.minimize_acquisition(model, square, beta=1.0)
    general = fathom.minimize_acquisition(model, square, acquisition="glcb", beta=1.0, rho=2.0, imprecision=3.0)
    assert general.status == "optimal" and general.value < plain.value


def test_constraints_whole_numbers_and_categories(model: fathom.GaussianProcess, square: Box) -> None:
    free = fathom.minimize_acquisition(model, square)
    text = fathom.minimize_acquisition(model, square, constraints=["x0 + 2*x1 <= -0.3", "x0^2 + x1^2 >= 0.5"])
    assert text.x[0] + 2 * text.x[1] <= -0.3 + 1e-8 and (text.x**2).sum() >= 0.5 - 1e-8
    points = grid()
    keeps = (points @ [1, 2] <= -0.3) & ((points**2).sum(1) >= 0.5)
    least = values(model, points[keeps], "lcb", 4.0).min()
    assert text.lower_bound is not None and text.lower_bound <= least and text.value <= least + 1e-3
    rows = [
        fathom.Row({0: 1, 1: 2}, upper=-0.3),
        fathom.Row(quadratic={(0, 0): 1, (1, 1): 1}, lower=0.5),
    ]
    by_rows = fathom.minimize_acquisition(model, square, constraints=rows)
    assert by_rows.value == pytest.approx(text.value, abs=2e-4) and by_rows.value > free.value
    whole = fathom.minimize_acquisition(model, square, integers=[1])
    assert whole.x[1] in (-1, 0, 1) and whole.value >= free.value - 1e-4
    one = fathom.minimize_acquisition(model, [(0, 1), (0, 1)], one_of=[[0, 1]])
    assert sorted(one.x) == [0, 1]
    fixed = fathom.minimize_acquisition(model, [(-1, 1), (0.5, 0.5)], constraints=["x0 + x1 >= 0.6"])
    assert fixed.x[1] == 0.5 and fixed.x[0] >= 0.1 - 1e-8


def test_a_region_without_points_is_proven_empty(model: fathom.GaussianProcess, square: Box) -> None:
    rows = [fathom.Row({0: 1, 1: 1}, lower=1.5), fathom.Row(quadratic={(0, 0): 1, (1, 1): 1}, upper=1)]
    certificate = fathom.minimize_acquisition(model, square, constraints=rows, proof=True)
    assert certificate.status == "infeasible" and certificate.x.size == 0 and certificate.value == math.inf
    assert certificate.verify().value is None
    assert fathom.Certificate.from_json(certificate.to_json()) == certificate


def test_limits_end_the_search_and_what_is_proven_holds(model: fathom.GaussianProcess, square: Box) -> None:
    whole = fathom.minimize_acquisition(model, square, gap=1e-6)
    short = fathom.minimize_acquisition(model, square, gap=0, node_limit=40, proof=True)
    assert short.status == "node_limit" and short.nodes < whole.nodes
    assert short.lower_bound is not None and short.lower_bound <= whole.value <= short.value + 1e-9
    assert short.verify().boxes > 0
    none = fathom.minimize_acquisition(model, square, gap=0, time_limit=0)
    assert none.status == "time_limit" and none.nodes == 0
    relative = fathom.minimize_acquisition(model, square, relative_gap=0.1)
    assert relative.relative_gap is not None and 0 <= relative.relative_gap <= 0.1 and relative.nodes <= whole.nodes


def test_threads_change_nothing_but_time(model: fathom.GaussianProcess, square: Box) -> None:
    one = fathom.minimize_acquisition(model, square, gap=1e-6, proof=True)
    three = fathom.minimize_acquisition(model, square, gap=1e-6, proof=True, threads=3)
    assert np.array_equal(one.x, three.x) and (one.value, one.lower_bound, one.nodes) == (
        three.value,
        three.lower_bound,
        three.nodes,
    )
    assert one.proof == three.proof


def test_local_methods_prove_nothing(model: fathom.GaussianProcess, square: Box) -> None:
    certified = fathom.minimize_acquisition(model, square)
    for method in ["multistart", "l-bfgs-b", "nelder-mead", "cobyla", "slsqp", "trust-constr"]:
        local = fathom.minimize_acquisition(model, square, method=method)
        assert local.lower_bound is None and local.gap is None and local.proof is None
        assert local.status in ("local", "iteration_limit") and local.value >= certified.lower_bound  # type: ignore[operator]
        with pytest.raises(fathom.ProofError, match="without a proof"):
            local.verify()


def test_the_papers_method_goes_by_way_of_the_piecewise_linear_function(
    model: fathom.GaussianProcess, square: Box
) -> None:
    certified = fathom.minimize_acquisition(model, square)
    pk = fathom.minimize_acquisition(model, square, method="pk", proof=True)
    assert pk.value >= certified.lower_bound  # type: ignore[operator]
    # The certified search bounds the true function; Theorem 4.3 gives an estimate, which is called one.
    assert pk.status == "optimal" and pk.lower_bound is not None and pk.gap is not None
    assert pk.lower_bound <= certified.value and pk.gap <= 1e-3
    assert pk.true_function_estimate is not None and pk.true_function_estimate <= certified.value
    assert "estimate" in str(pk) and "lower bound" in str(pk)
    assert pk.pk is not None and pk.pk["solver"] == "Fathom" and pk.pk["segments"] > 0 and pk.pk["kernel_error"] > 0
    assert pk.pk["value_before_polishing"] >= pk.value and len(pk.pk["pool"]) >= 1
    assert 0 < pk.pk["theory"]["mean_error"] <= pk.pk["theory"]["printed_mean_error"]
    approximated = pk.piecewise_linear
    assert approximated is not None and '"piecewise_linear"' in approximated.to_json()
    assert approximated.status == "optimal" and approximated.verify().lower_bound == approximated.lower_bound
    with pytest.raises(fathom.ProofError, match=r"verify \.piecewise_linear"):
        pk.verify()
    assert certified.piecewise_linear is None and certified.true_function_estimate is None and certified.pk is None
    alone = fathom.minimize_acquisition(model, square, method="pk", pk={"true_bound": "theorem"})
    assert alone.lower_bound is None and alone.gap is None and alone.status == "local"
    assert "nothing is proven" in str(alone) and "lower bound" not in str(alone)
    assert fathom.Certificate.from_json(pk.to_json()).value == pk.value


def test_what_theorem_4_3_says_is_an_estimate_and_can_be_wrong() -> None:
    # The true minimum is -0.989: as a lower bound, the estimate would be false.
    model = fathom.GaussianProcess.from_parameters(
        [[0.0], [6.83e-9]], [1e-8, -1e-8], kernel="matern52", lengthscales=0.9, signal_variance=1.0, noise_variance=3.4e-20
    )
    pk = fathom.minimize_acquisition(
        model, [(-3, 3)], acquisition="mean", method="pk", gap=1e-3, pk={"true_bound": "theorem"}
    )
    assert pk.true_function_estimate is not None and pk.true_function_estimate > -0.98
    assert pk.lower_bound is None and pk.status == "local"
    assert pk.piecewise_linear is not None and pk.piecewise_linear.status == "optimal"
    assert "not a proof" in (type(pk).true_function_estimate.__doc__ or "")


def test_the_papers_method_has_its_settings(model: fathom.GaussianProcess, square: Box) -> None:
    coarse = fathom.minimize_acquisition(model, square, method="pk", pool=3, pk={"segments": 5})
    fine = fathom.minimize_acquisition(model, square, method="pk", pk={"kernel_error": 1e-5})
    assert coarse.pk is not None and fine.pk is not None
    assert coarse.pk["segments"] == 5 and len(coarse.pk["pool"]) <= 3
    assert fine.pk["kernel_error"] <= 1.001e-5 and fine.value == pytest.approx(coarse.value, abs=1e-3)
    paper = fathom.minimize_acquisition(model, square, method="pk", preset="paper", relative_gap=0.5)
    assert paper.lower_bound is None and paper.true_function_estimate is None
    limited = fathom.minimize_acquisition(model, square, method="pk", node_limit=3)
    assert limited.piecewise_linear is not None and limited.piecewise_linear.nodes < 100


def test_the_papers_method_has_solvers(model: fathom.GaussianProcess, square: Box) -> None:
    settings = {"engine": "scip", "segments": 4, "program_time": "2s"}
    try:
        found = fathom.minimize_acquisition(model, square, method="pk", time_limit=4, pk=settings)
    except fathom.FathomError as error:
        if "was not found" not in str(error):
            raise
        pytest.skip(str(error))
    assert found.pk is not None and str(found.pk["solver"]).startswith("SCIP ")
    assert found.piecewise_linear is not None and '"external_solver"' in found.piecewise_linear.to_json()
    assert found.lower_bound is not None and found.lower_bound <= found.value
    with pytest.raises(fathom.InputError, match="a solver's bound comes without one"):
        fathom.minimize_acquisition(model, square, method="pk", proof=True, pk=settings)


def test_a_pool_holds_distinct_minima_best_first(model: fathom.GaussianProcess, square: Box) -> None:
    certificate = fathom.minimize_acquisition(model, square, pool=4)
    xs, found = zip(*certificate.pool)
    assert 2 <= len(found) <= 4 and list(found) == sorted(found) and found[0] == certificate.value
    assert np.array_equal(xs[0], certificate.x) and np.abs(xs[0] - xs[1]).max() > 0.01


def test_arrays_will_do_in_place_of_a_model(square: Box) -> None:
    X = np.random.default_rng(3).uniform(-1, 1, (12, 2))
    y = (X**2).sum(1)
    fitted = fathom.minimize_acquisition(fathom.GaussianProcess().fit(X, y), np.array(square))
    assert fathom.minimize_acquisition((X, y), square).value == fitted.value


def test_gaps_are_in_the_users_units(model: fathom.GaussianProcess, square: Box) -> None:
    parameters = {"kernel": "matern52", "lengthscales": 0.5}
    scaled = fathom.GaussianProcess.from_parameters(
        model.X, 1000 * model.y, signal_variance=1e6, noise_variance=1.0, **parameters  # type: ignore[arg-type]
    )
    plain, large = fathom.minimize_acquisition(model, square), fathom.minimize_acquisition(scaled, square)
    assert plain.gap is not None and large.gap is not None
    assert plain.gap <= 1e-4 < large.gap <= 0.1 and large.value == pytest.approx(1000 * plain.value, rel=1e-3)


MISTAKES = [
    ({"acquisition": "ucb"}, "there is no acquisition function `ucb`: use lcb"),
    ({"method": "newton"}, "there is no method `newton`: use certified, pk, pk-groups, multistart"),
    ({"method": "cobyla", "proof": True}, "proof: method cobyla proves nothing"),
    ({"method": "cobyla", "pool": 3}, "pool: method cobyla keeps no pool"),
    ({"method": "cobyla", "node_limit": 3}, "node_limit: method cobyla bounds no boxes"),
    ({"pk": {"segments": 3}}, "pk: method certified has none of these settings"),
    ({"method": "pk", "pk": {"segment": 3}}, "unknown field `segment`"),
    ({"method": "pk", "pk": {"segments": 0}}, "segments must be"),
    ({"method": "pk", "pk": {"tolerance": 1e-6}}, "`tolerance`: the certified search has no use for it"),
    ({"method": "pk", "preset": "prose"}, "unknown variant `prose`"),
    ({"memory_limit": "much"}, "memory_limit cannot be much"),
    ({"method": "pk", "acquisition": "ei"}, "ei"),
    ({"beta": -1}, "beta is -1"),
    ({"gap": -1}, "the gap is -1"),
    ({"time_limit": -1}, "time_limit is -1"),
    ({"threads": 0}, "the thread count is 0"),
    ({"constraints": "x0 <= 1"}, "put it into a list"),
    ({"constraints": ["x0 + x2 <= 1"]}, "x2"),
    ({"constraints": ["x0^3 <= 1"]}, "at most quadratic"),
    ({"constraints": ["at most 1 of x0, x1"]}, "counts inputs, which studies can"),
    ({"constraints": [fathom.Row({0: 1})]}, "needs `lower`, `upper` or both"),
    ({"constraints": [fathom.Row({5: 1}, upper=1)]}, "there is no side 5"),
    ({"integers": [7]}, "there is no side 7"),
    ({"one_of": [[0, 0]]}, "belongs to two categorical groups, or twice to one"),
]


@pytest.mark.parametrize(("keywords", "message"), MISTAKES)
def test_a_mistake_is_named(
    model: fathom.GaussianProcess, square: Box, keywords: dict[str, object], message: str
) -> None:
    with pytest.raises(fathom.InputError, match=message):
        fathom.minimize_acquisition(model, square, **keywords)  # type: ignore[arg-type]


def test_mistakes_in_model_and_bounds(model: fathom.GaussianProcess) -> None:
    for gp, bounds, message in [
        (model, [(0, 1)], "the region has 1 sides, the model has 2 inputs"),
        (model, [(1, 0), (0, 1)], "side 0 of the region"),
        (model, [0, 1], r"bounds has shape \(2,\)"),
        (None, [(0, 1)], "NoneType is no model"),
        (fathom.GaussianProcess(), [(0, 1)], "call fit"),
    ]:
        with pytest.raises(fathom.InputError, match=message):
            fathom.minimize_acquisition(gp, bounds)  # type: ignore[arg-type]
