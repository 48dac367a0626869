"""Models that were trained in GPyTorch and BoTorch, as a GaussianProcess in their own units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch, gpytorch and botorch: pip install botorch")
pytest.importorskip("gpytorch", reason="needs torch, gpytorch and botorch: pip install botorch")
pytest.importorskip("botorch", reason="needs torch, gpytorch and botorch: pip install botorch")

from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms.input import InputStandardize, Normalize  # noqa: E402
from gpytorch.distributions import MultivariateNormal  # noqa: E402
from gpytorch.kernels import LinearKernel, MaternKernel, RBFKernel, ScaleKernel  # noqa: E402
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood  # noqa: E402
from gpytorch.means import ConstantMean, LinearMean, ZeroMean  # noqa: E402
from gpytorch.models import ExactGP  # noqa: E402

import fathom  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


class Exact(ExactGP):
    """A model as GPyTorch's first tutorial has it."""

    def __init__(self, x: Any, y: Any, likelihood: Any, kernel: Any, mean: Any) -> None:
        super().__init__(x, y, likelihood)
        self.mean_module, self.covar_module = mean, kernel

    def forward(self, x: Any) -> Any:
        return MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Crooked(Exact):
    """A model whose inputs go through something that its parts do not show."""

    def forward(self, x: Any) -> Any:
        return super().forward(torch.sin(x))


def data(dtype: Any, count: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (count, 2))
    y = 4 + np.sin(3 * x[:, 0]) + x[:, 1] ** 2 + 0.05 * rng.standard_normal(count)
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


def exact(kernel: Any, mean: Any = None, likelihood: Any = None, dtype: Any = torch.float64, kind: Any = Exact) -> Any:
    likelihood = likelihood or GaussianLikelihood()
    model = kind(*data(dtype), likelihood, kernel, mean or ConstantMean())
    model = model.to(dtype)
    with torch.no_grad():
        if isinstance(likelihood, GaussianLikelihood):
            likelihood.noise = 0.01
        if isinstance(model.mean_module, ConstantMean):
            model.mean_module.constant = 3.5
    return model


def scaled(base: Any, size: float = 2.5, scale: Any = 0.6) -> Any:
    kernel = ScaleKernel(base)
    kernel.outputscale = size
    base.lengthscale = torch.as_tensor(scale)
    return kernel


EXACT = {
    "scaled RBF": lambda: exact(scaled(RBFKernel())),
    "ARD": lambda: exact(scaled(RBFKernel(ard_num_dims=2), scale=[0.4, 1.3])),
    "bare Matérn 1/2": lambda: exact(MaternKernel(nu=0.5)),
    "Matérn 3/2": lambda: exact(scaled(MaternKernel(nu=1.5))),
    "Matérn 5/2": lambda: exact(scaled(MaternKernel(nu=2.5, ard_num_dims=2), scale=[0.4, 1.3])),
    "no mean": lambda: exact(scaled(RBFKernel()), ZeroMean()),
    "known noise": lambda: exact(scaled(RBFKernel()), likelihood=FixedNoiseGaussianLikelihood(torch.full((30,), 0.02).double())),
}


def latent(model: Any, x: Any) -> tuple[Any, Any]:
    """GPyTorch's own mean and deviation of the function, without noise."""
    model.eval()
    with torch.no_grad():
        posterior = model(torch.tensor(x, dtype=model.train_targets.dtype))
    return posterior.mean.numpy(), np.sqrt(posterior.variance.numpy())


@pytest.mark.parametrize("name", EXACT)
def test_predictions_are_those_of_gpytorch(name: str) -> None:
    model = EXACT[name]()
    gp = fathom.GaussianProcess.from_gpytorch(model)
    assert model.training, "the model stays as it is"
    x = np.random.default_rng(0).uniform(-1.5, 1.5, (100, 2))
    mean, deviation = gp.predict(x, return_std=True)
    their_mean, their_deviation = latent(model, x)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-7)
    np.testing.assert_allclose(deviation, their_deviation, rtol=1e-7)


def test_numbers_in_single_precision_are_taken_as_they_are() -> None:
    model = exact(scaled(RBFKernel()), dtype=torch.float32)
    gp = fathom.GaussianProcess.from_gpytorch(model)
    assert model.train_targets.dtype == torch.float32
    np.testing.assert_array_equal(gp.X, model.train_inputs[0].numpy().astype(float))
    x = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    np.testing.assert_allclose(gp.predict(x), latent(model, x)[0], rtol=1e-3)
    model.train()  # which drops the predictions in single precision
    np.testing.assert_allclose(gp.predict(x), latent(model.double(), x)[0], rtol=1e-7)


def test_one_input_may_come_without_a_column() -> None:
    x, y = data(torch.float64)
    model = Exact(x[:, 0], y, GaussianLikelihood(), scaled(RBFKernel()), ConstantMean()).double()
    assert fathom.GaussianProcess.from_gpytorch(model).X.shape == (30, 1)


def test_what_gpytorch_has_and_a_certificate_has_not_is_named() -> None:
    x, y = data(torch.float64)
    fixed = FixedNoiseGaussianLikelihood(torch.linspace(0.01, 0.1, 30).double())
    hooked = exact(scaled(RBFKernel()))
    hooked.more = torch.nn.Linear(2, 2)
    twice = exact(scaled(RBFKernel()))
    twice.other_kernel = RBFKernel()
    for model, word in [
        (exact(scaled(RBFKernel()), kind=Crooked), "GPyTorch's posterior and the one that was read"),
        (exact(LinearKernel()), "LinearKernel"),
        (exact(RBFKernel() + LinearKernel()), "AdditiveKernel"),
        (exact(RBFKernel(active_dims=[0])), "active_dims"),
        (exact(scaled(RBFKernel()), LinearMean(2)), "LinearMean"),
        (exact(scaled(RBFKernel()), likelihood=fixed), "noise differs between observations"),
        (hooked, "`more` of the model is neither a mean nor a kernel"),
        (twice, "`other_kernel` of the model is a second kernel"),
        (torch.nn.Linear(2, 1), "Linear, and a certificate needs an ExactGP"),
        (Exact(None, None, GaussianLikelihood(), RBFKernel(), ZeroMean()), "no training data"),
    ]:
        with pytest.raises(fathom.InputError, match=word):
            fathom.GaussianProcess.from_gpytorch(model)


BOTORCH = {
    "default": lambda x, y: SingleTaskGP(x, y),
    "normalised": lambda x, y: SingleTaskGP(x, y, input_transform=Normalize(2)),
    "standardised": lambda x, y: SingleTaskGP(x, y, input_transform=InputStandardize(2)),
    "no outcome transform": lambda x, y: SingleTaskGP(x, y, outcome_transform=None, covar_module=scaled(MaternKernel(nu=2.5))),
    "known noise": lambda x, y: SingleTaskGP(x, y, torch.full_like(y, 0.02)),
}


@pytest.mark.parametrize("name", BOTORCH)
def test_predictions_are_those_of_botorch(name: str) -> None:
    x, y = data(torch.float64)
    model = BOTORCH[name](10 * x - 3, y[:, None])
    gp = fathom.GaussianProcess.from_botorch(model)
    again = fathom.GaussianProcess.from_gpytorch(model)
    assert model.training, "the model stays as it is"
    new = 10 * np.random.default_rng(0).uniform(-1.2, 1.2, (100, 2)) - 3
    mean, deviation = gp.predict(new, return_std=True)
    posterior = model.posterior(torch.tensor(new))
    np.testing.assert_allclose(mean, posterior.mean.detach().numpy()[:, 0], rtol=1e-7)
    np.testing.assert_allclose(deviation, np.sqrt(posterior.variance.detach().numpy()[:, 0]), rtol=1e-7)
    np.testing.assert_array_equal(again.predict(new), mean)
    np.testing.assert_allclose(gp.X, 10 * x - 3, rtol=1e-12)
    np.testing.assert_allclose(gp.y, y, rtol=1e-12)


def test_a_foreign_model_is_told_the_way_in() -> None:
    x, y = data(torch.float64)
    for model, way in [(SingleTaskGP(x, y[:, None]), "from_botorch"), (exact(RBFKernel()), "from_gpytorch")]:
        with pytest.raises(fathom.InputError, match=f"use GaussianProcess.{way}"):
            fathom.minimize_acquisition(model, [(-1, 1)] * 2)
    with pytest.raises(fathom.InputError, match="a SingleTaskGP itself"):
        fathom.GaussianProcess.from_botorch(exact(RBFKernel()))
