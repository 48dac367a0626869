"""Models that were trained in scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install scikit-learn")

from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import (  # noqa: E402
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import fathom  # noqa: E402

Array = np.ndarray[Any, np.dtype[np.float64]]

KERNELS: dict[str, Callable[[np.random.Generator], Any]] = {
    "constant * RBF": lambda rng: ConstantKernel(rng.uniform(0.5, 3)) * RBF(rng.uniform(0.3, 2)) + WhiteKernel(0.01),
    "ARD": lambda rng: 2.5 * RBF(rng.uniform(0.3, 2, 3)) + WhiteKernel(0.02),
    "without white noise": lambda rng: RBF(rng.uniform(0.3, 0.6)),
    "Matérn 1/2": lambda rng: WhiteKernel(0.1) + 3.0 * Matern(rng.uniform(0.3, 2, 3), nu=0.5),
    "Matérn 3/2": lambda rng: Matern(rng.uniform(0.3, 2, 3), nu=1.5) * 0.5 + WhiteKernel(0.01),
    "Matérn 5/2": lambda rng: 4.0 * Matern(rng.uniform(0.3, 2, 3), nu=2.5) + WhiteKernel(0.01),
    "Matérn 7/2": lambda rng: 4.0 * Matern(rng.uniform(0.3, 2), nu=3.5) + WhiteKernel(0.01),
    "Matérn ∞": lambda rng: Matern(rng.uniform(0.3, 2), nu=np.inf) + WhiteKernel(0.01),
    "rational quadratic": lambda rng: 2.0 * RationalQuadratic(rng.uniform(0.5, 2), rng.uniform(0.3, 3)) + WhiteKernel(0.01),
    "dot product": lambda rng: 2.0 * DotProduct(rng.uniform(0.1, 2)) + WhiteKernel(0.1),
    "polynomial": lambda rng: 0.5 * DotProduct(rng.uniform(0.5, 1)) ** 3 + WhiteKernel(0.1),
    "product of dot products": lambda rng: DotProduct(0.5) * DotProduct(0.5) + WhiteKernel(0.1),
    "constant + dot product": lambda rng: ConstantKernel(1.5) + 3.0 * DotProduct(0.5) + WhiteKernel(0.1),
    "sum of dot products": lambda rng: DotProduct(0.5) + 2.0 * DotProduct(1.5) + WhiteKernel(0.1),
    "product of RBFs": lambda rng: RBF(rng.uniform(0.5, 2, 3)) * RBF(rng.uniform(0.5, 2)) + WhiteKernel(0.01),
    "power of an RBF": lambda rng: (2.0 * RBF(rng.uniform(0.5, 2, 3))) ** 1.7 + WhiteKernel(0.01),
    "power of a Matérn 1/2": lambda rng: Matern(rng.uniform(0.5, 2, 3), nu=0.5) ** 2 + WhiteKernel(0.01),
    "power of a rational quadratic": lambda rng: RationalQuadratic(1.0, 0.7) ** 2.5 + WhiteKernel(0.01),
    "the same twice": lambda rng: 2.0 * RBF(0.7) + RBF(0.7) + WhiteKernel(0.01),
    "two kinds of noise": lambda rng: RBF(0.7) + 3.0 * WhiteKernel(0.01) + WhiteKernel(0.02),
    "noise in brackets": lambda rng: 3.0 * (RBF(0.7) + WhiteKernel(0.01)),
    "noise times a kernel": lambda rng: (2.0 + WhiteKernel(0.01)) * RBF(0.7),
}


def data(rng: np.random.Generator, count: int = 40) -> tuple[Array, Array]:
    x = rng.uniform(-1, 1, (count, 3))
    return x, 50 + 7 * (np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.05 * rng.standard_normal(count))


def white(model: Any) -> float:
    """The noise in scikit-learn's deviation, read off its prior covariance: with an input's row itself, and with a copy."""
    x = model.X_train_[:1]
    return float(model.kernel_(x)[0, 0] - model.kernel_(x, x.copy())[0, 0]) * spread(model)


def spread(model: Any) -> float:
    """The variance that scikit-learn divides outputs by."""
    return float(np.reshape(model._y_train_std, -1)[0]) ** 2


def compared(model: Any, rng: np.random.Generator) -> fathom.GaussianProcess:
    """The model as Fathom has it, after mean and deviation were found to be scikit-learn's; the noise rule is what docs say."""
    gp = fathom.GaussianProcess.from_sklearn(model)
    x = rng.uniform(-1.5, 1.5, (200, 3))
    mean, deviation = gp.predict(x, return_std=True)
    their_mean, their_deviation = model.predict(x, return_std=True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-7)
    np.testing.assert_allclose(np.sqrt(deviation**2 + white(model)), their_deviation, rtol=1e-7)
    return gp


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("normalize_y", [False, True])
def test_predictions_are_those_of_scikit_learn(name: str, normalize_y: bool) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, y = data(rng)
        alpha = float(10 ** rng.uniform(-5, -2))
        model = GaussianProcessRegressor(KERNELS[name](rng), alpha=alpha, optimizer=None, normalize_y=normalize_y)
        gp = compared(model.fit(x, y if seed else y[:, None]), rng)
        assert gp.noise_variance == pytest.approx(white(model) + alpha * spread(model), rel=1e-9)


def test_a_model_that_scikit_learn_fitted_is_minimised_with_a_proof() -> None:
    rng = np.random.default_rng(4)
    x, y = data(rng, 60)
    model = GaussianProcessRegressor(ConstantKernel() * Matern([1.0] * 3, nu=2.5) + WhiteKernel(), normalize_y=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x, y)
    gp = compared(model, rng)
    found = fathom.minimize_acquisition(gp, [(-1, 1)] * 3, acquisition="mean", constraints=["x0 + x1 >= 0.5"], proof=True)
    assert found.status == "optimal" and found.verify().lower_bound == found.lower_bound
    grid = rng.uniform(-1, 1, (20000, 3))
    grid = grid[grid[:, 0] + grid[:, 1] >= 0.5]
    assert found.lower_bound is not None and model.predict(grid).min() >= found.lower_bound - 1e-6


def test_the_default_kernel_is_read() -> None:
    rng = np.random.default_rng(5)
    x, y = data(rng)
    gp = compared(GaussianProcessRegressor(alpha=1e-4, normalize_y=True).fit(x, y), rng)
    assert gp.kernel == "rbf" and gp.names is None


def test_names_of_columns_are_names_of_inputs() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(6)
    x, y = data(rng)
    table = pandas.DataFrame(x, columns=["T", "time", "share (%)"])
    gp = fathom.GaussianProcess.from_sklearn(GaussianProcessRegressor(alpha=1e-3, normalize_y=True).fit(table, y))
    assert gp.names == ["T", "time", "share (%)"]
    found = fathom.minimize_acquisition(gp, [(-1, 1)] * 3, acquisition="mean", constraints=["T + time <= -0.5", "`share (%)` >= 0"])
    assert found.x[0] + found.x[1] <= -0.5 + 1e-9 and found.x[2] >= 0
    with pytest.raises(fathom.InputError, match="T, time, `share"):
        fathom.minimize_acquisition(gp, [(-1, 1)] * 3, constraints=["x0 <= 0"])


def fitted(kernel: Any, **settings: Any) -> Any:
    x, y = data(np.random.default_rng(1))
    return GaussianProcessRegressor(kernel, optimizer=None, **{"alpha": 1e-3, **settings}).fit(x, y)


def stale() -> Any:
    model = fitted(RBF(0.7))
    model.kernel_ = RBF(0.5)
    return model


def two_outputs() -> Any:
    x, y = data(np.random.default_rng(1))
    return GaussianProcessRegressor(alpha=1e-3).fit(x, np.stack([y, -y], axis=1))


class Mine(RBF):  # type: ignore[misc]
    """A kernel of somebody's own."""


class Ours(GaussianProcessRegressor):  # type: ignore[misc]
    """A regressor of somebody's own."""


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "sum of kernels": (lambda: fitted(RBF(0.7) + Matern(0.5, nu=1.5)), r"sum of different kernels, RBF\(length_scale=0.7\) \+ Matern"),
    "periodic": (lambda: fitted(ExpSineSquared(), alpha=20.0), "ExpSineSquared is none that a certificate knows: use RBF"),
    "nu": (lambda: fitted(Matern(0.5, nu=1.0)), "nu = 1: Fathom has Matérn kernels"),
    "added constant": (lambda: fitted(RBF(0.7) + ConstantKernel(2.0)), "adds a ConstantKernel of 2 to RBF.*normalize_y=True"),
    "product": (lambda: fitted(RBF(0.7) * Matern(0.5)), "the product RBF.* is"),
    "noise that grows": (lambda: fitted(DotProduct(1.0) * WhiteKernel(0.1) + RBF(1.0)), "the product DotProduct"),
    "root": (lambda: fitted(DotProduct(1.0) ** 0.5), "the power DotProduct"),
    "power of a sum": (lambda: fitted((RBF(1.0) + ConstantKernel(1.0)) ** 2), "a power of a sum"),
    "nothing": (lambda: fitted(ConstantKernel(1.0) + WhiteKernel(1.0)), "nothing but constants and noise"),
    "own kernel": (lambda: fitted(Mine(0.7)), "Mine is none"),
    "own regressor": (lambda: Ours(RBF(), alpha=1e-3).fit(*data(np.random.default_rng(1))), "the model is Ours"),
    "noise of each": (lambda: fitted(RBF(0.7), alpha=np.linspace(0.01, 0.1, 40)), "alpha has a number for each observation"),
    "no data": (lambda: GaussianProcessRegressor(), r"call fit\(X, y\) first"),
    "another model": (lambda: LinearRegression(), "LinearRegression, and what can be read is"),
    "pipeline": (lambda: make_pipeline(StandardScaler(), fitted(RBF())), r"from_sklearn\(pipeline\[-1\]\)"),
    "two outputs": (two_outputs, "2 outputs"),
    "changed afterwards": (stale, "scikit-learn's posterior and the one that was read from the model differ"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_represented_is_refused_by_name(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(fathom.InputError, match=message):
        fathom.GaussianProcess.from_sklearn(make())


def test_an_array_of_equal_alphas_is_one_alpha() -> None:
    model = fitted(RBF(0.7), alpha=np.full(40, 0.02))
    assert fathom.GaussianProcess.from_sklearn(model).noise_variance == pytest.approx(0.02)


def test_a_foreign_model_is_told_the_way_in() -> None:
    with pytest.raises(fathom.InputError, match=r"GaussianProcessRegressor is no model .* use GaussianProcess.from_sklearn\(model\)"):
        fathom.minimize_acquisition(fitted(RBF()), [(-1, 1)] * 3)
    with pytest.raises(fathom.InputError, match="use a GaussianProcess or a pair of arrays"):
        fathom.minimize_acquisition(3, [(-1, 1)] * 3)  # type: ignore[arg-type]
