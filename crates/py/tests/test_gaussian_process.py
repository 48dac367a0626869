"""`GaussianProcess` has scikit-learn's shape and the user's units."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import fathom

Array = np.ndarray[Any, np.dtype[np.float64]]

rng = np.random.default_rng(1)
X = rng.uniform([-5, 0], [10, 1000], (40, 2))
y = 300 + 50 * np.sin(X[:, 0]) + X[:, 1] / 10


def kernel_matrix(name: str, a: Array, b: Array, lengthscales: Array) -> Array:
    r = np.sqrt((((a[:, None] - b[None]) / lengthscales) ** 2).sum(-1))
    if name == "rbf":
        return np.asarray(np.exp(-(r**2) / 2))
    scaled = math.sqrt(5) * r
    return np.asarray((1 + scaled + scaled**2 / 3) * np.exp(-scaled))


@pytest.mark.parametrize("name", ["matern52", "rbf"])
def test_predictions_are_the_textbooks(name: str) -> None:
    lengthscales, variance, noise, mean = np.array([2.0, 300.0]), 2500.0, 4.0, 310.0
    gp = fathom.GaussianProcess.from_parameters(
        X, y, kernel=name, lengthscales=lengthscales, signal_variance=variance, noise_variance=noise, mean=mean
    )
    new = rng.uniform([-5, 0], [10, 1000], (7, 2))
    K = variance * kernel_matrix(name, X, X, lengthscales) + noise * np.eye(len(X))
    k = variance * kernel_matrix(name, X, new, lengthscales)
    expected = mean + k.T @ np.linalg.solve(K, y - mean)
    variances = variance - (k * np.linalg.solve(K, k)).sum(0)
    means, deviations = gp.predict(new, return_std=True)
    np.testing.assert_allclose(means, expected, rtol=1e-9)
    np.testing.assert_allclose(deviations, np.sqrt(variances), rtol=1e-7)
    np.testing.assert_array_equal(gp.predict(new), means)
    likelihood = -0.5 * (y - mean) @ np.linalg.solve(K, y - mean) - 0.5 * np.linalg.slogdet(K)[1]
    assert gp.log_likelihood == pytest.approx(likelihood - len(y) / 2 * math.log(2 * math.pi), rel=1e-9)


def test_a_fit_is_in_the_users_units_and_generalises() -> None:
    gp = fathom.GaussianProcess("rbf", seed=2)
    assert gp.fit(X, y) is gp
    new = rng.uniform([-4, 100], [9, 900], (50, 2))
    truth = 300 + 50 * np.sin(new[:, 0]) + new[:, 1] / 10
    means, deviations = gp.predict(new, return_std=True)
    assert np.sqrt(np.mean((means - truth) ** 2)) < 5
    assert np.mean(np.abs(means - truth) <= 3 * deviations + 1e-3) > 0.9
    assert 0.5 < gp.lengthscales[0] < 10 and gp.lengthscales[1] > 100
    assert gp.mean == pytest.approx(y.mean()) and gp.signal_variance > 100
    # The same model without fitting is the same to the last bit.
    given = fathom.GaussianProcess.from_parameters(
        gp.X,
        gp.y,
        kernel=gp.kernel,
        lengthscales=gp.lengthscales,
        signal_variance=gp.signal_variance,
        noise_variance=gp.noise_variance,
        mean=gp.mean,
    )
    np.testing.assert_array_equal(given.predict(new), means)
    np.testing.assert_array_equal(gp.X, X)
    np.testing.assert_array_equal(gp.y, y)


def test_noise_is_learned_or_given() -> None:
    noisy = y + rng.normal(0, 10, len(y))
    learned = fathom.GaussianProcess("rbf").fit(X, noisy)
    assert 10 < learned.noise_variance < 1000
    given = fathom.GaussianProcess("rbf", noise=100.0).fit(X, noisy)
    assert given.noise_variance == pytest.approx(100.0)
    repeated = fathom.GaussianProcess("rbf").fit(np.vstack([X, X]), np.concatenate([noisy, 2 * y - noisy]))
    assert len(repeated.y) == 2 * len(y)


def test_one_lengthscale_for_all_is_one_share_of_every_range() -> None:
    gp = fathom.GaussianProcess("rbf", ard=False).fit(X, y)
    shares = gp.lengthscales / (X.max(0) - X.min(0))
    assert shares[0] == pytest.approx(shares[1], rel=1e-12)


def test_groups_add_up() -> None:
    gp = fathom.GaussianProcess("rbf", groups=[[0], [1]]).fit(X, y)
    a, b = np.array([[1.0, 200.0]]), np.array([[4.0, 800.0]])
    mixed = np.array([[1.0, 800.0], [4.0, 200.0]])
    total = gp.predict(a) + gp.predict(b)
    np.testing.assert_allclose(gp.predict(mixed).sum(), total[0], rtol=1e-9)
    parts = fathom.GaussianProcess.from_parameters(X, y, lengthscales=[2, 300], signal_variance=[1, 3], groups=[[0], [1]])
    assert parts.signal_variance == 4


def test_every_kernel_has_its_name() -> None:
    for name in ["matern12", "matern32", "matern52", "matern72", "rbf", "rq", "linear", "polynomial"]:
        gp = fathom.GaussianProcess.from_parameters(X[:5], y[:5], kernel=name, lengthscales=[3.0, 400.0])
        assert gp.kernel == name and np.isfinite(gp.predict(X)).all()
    assert "40 observations of 2 inputs" in repr(fathom.GaussianProcess().fit(X, y))
    assert repr(fathom.GaussianProcess()) == "GaussianProcess(kernel='matern52', no data)"


def test_lists_and_other_arrays_will_do() -> None:
    columns = np.asfortranarray(X.astype(np.float32))
    reference = fathom.GaussianProcess.from_parameters(columns.astype(float), y, lengthscales=[2, 300])
    for given in (columns, columns.tolist(), columns[::-1][::-1]):
        gp = fathom.GaussianProcess.from_parameters(given, y.tolist(), lengthscales=[2, 300])
        np.testing.assert_array_equal(gp.predict(X), reference.predict(X))
    integers = fathom.GaussianProcess.from_parameters([[0], [1], [2]], [1, 0, 1], lengthscales=1)
    assert integers.predict([[1]])[0] == pytest.approx(0, abs=1e-3)


MISTAKES = [
    (lambda: fathom.GaussianProcess("cubic"), "there is no kernel `cubic`: use matern12"),
    (lambda: fathom.GaussianProcess("rq", alpha=-1.0), "alpha"),
    (lambda: fathom.GaussianProcess().predict(X), r"call fit\(X, y\) first"),
    (lambda: fathom.GaussianProcess().fit(X, y[:-1]), "the list of outputs has 39 entries where 40 are needed"),
    (lambda: fathom.GaussianProcess().fit(X[:0], y[:0]), "empty"),
    (lambda: fathom.GaussianProcess().fit(X, np.where(y == y.max(), np.nan, y)), "output .* is NaN"),
    (lambda: fathom.GaussianProcess().fit(X, y).predict(X[:, :1]), "where 2 are needed"),
    (lambda: fathom.GaussianProcess(groups=[[0], [0, 1]]).fit(X, y), "input 0 appears in more than one group"),
    (lambda: fathom.GaussianProcess.from_parameters(X, y, lengthscales=[1]), "the list of lengthscales has 1 entries"),
    (lambda: fathom.GaussianProcess.from_parameters(X, y, lengthscales=-1), "lengthscale"),
    (lambda: fathom.GaussianProcess.from_parameters(X, y, lengthscales=1, noise_variance=-1), "noise"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_named(mistake: object, message: str) -> None:
    with pytest.raises(fathom.InputError, match=message):
        mistake()  # type: ignore[operator]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of addresses are Linux's")
def test_a_model_that_there_is_no_memory_for_is_an_error_and_no_abort() -> None:
    program = """
import resource
import numpy as np
import fathom
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
rng = np.random.default_rng(1)
for n in (15_000, 100_000):
    try:
        fathom.GaussianProcess().fit(rng.random((n, 2)), rng.random(n))
    except fathom.InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    first, second = done.stdout.splitlines()
    assert "15000 observations takes about" in first and "GB of memory" in first
    assert "100000 observations, whose matrix would take 80.0 GB" in second
