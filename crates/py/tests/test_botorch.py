"""Certified maxima of BoTorch's acquisition functions."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch, gpytorch and botorch: pip install botorch")
pytest.importorskip("botorch", reason="needs torch, gpytorch and botorch: pip install botorch")

from botorch.acquisition import (  # noqa: E402
    AcquisitionFunction,
    LogExpectedImprovement,
    PosteriorMean,
    ScalarizedPosteriorTransform,
    UpperConfidenceBound,
)
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms.input import ChainedInputTransform, InputStandardize, Normalize, Round  # noqa: E402
from botorch.models.transforms.outcome import Log  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from gpytorch.kernels import LinearKernel, MaternKernel, PeriodicKernel, RBFKernel, ScaleKernel  # noqa: E402
from gpytorch.means import LinearMean, ZeroMean  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402

import fathom  # noqa: E402
from fathom.botorch import optimize_acqf_certified  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

BOUNDS = torch.tensor([[-5.0, 0.0], [10.0, 15.0]], dtype=torch.float64)


def branin(x: Any) -> Any:
    valley = x[:, 1] - 5.1 / (4 * math.pi**2) * x[:, 0] ** 2 + 5 / math.pi * x[:, 0] - 6
    return (valley**2 + 10 * (1 - 1 / (8 * math.pi)) * torch.cos(x[:, 0]) + 10).unsqueeze(-1)


def data(count: int = 15) -> tuple[Any, Any]:
    torch.manual_seed(0)
    x = BOUNDS[0] + torch.rand(count, 2, dtype=torch.float64) * (BOUNDS[1] - BOUNDS[0])
    return x, -branin(x)


def fitted(**arguments: Any) -> SingleTaskGP:
    x, y = data()
    model = SingleTaskGP(x, y, input_transform=arguments.pop("input_transform", Normalize(2, bounds=BOUNDS)), **arguments)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def on_a_grid(function: AcquisitionFunction, steps: int = 81) -> float:
    axes = [torch.linspace(low, high, steps, dtype=torch.float64) for low, high in BOUNDS.T.tolist()]
    grid = torch.cartesian_prod(*axes)
    with torch.no_grad():
        return float(function(grid.unsqueeze(1)).max())


MODELS = {
    "default": lambda: fitted(),
    "scaled RBF": lambda: fitted(covar_module=ScaleKernel(RBFKernel(ard_num_dims=2))),
    "one lengthscale": lambda: fitted(covar_module=ScaleKernel(RBFKernel())),
    "Matérn 1/2": lambda: fitted(covar_module=ScaleKernel(MaternKernel(nu=0.5, ard_num_dims=2))),
    "Matérn 3/2": lambda: fitted(covar_module=ScaleKernel(MaternKernel(nu=1.5, ard_num_dims=2))),
    "Matérn 5/2": lambda: fitted(covar_module=ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=2))),
    "no mean": lambda: fitted(mean_module=ZeroMean()),
    "learned bounds": lambda: fitted(input_transform=Normalize(2)),
    "one input scaled": lambda: fitted(input_transform=Normalize(2, indices=[1])),
    "standardised inputs": lambda: fitted(input_transform=InputStandardize(2)),
    "chained": lambda: fitted(
        input_transform=ChainedInputTransform(one=Normalize(2, bounds=BOUNDS), two=InputStandardize(2))
    ),
    "no outcome transform": lambda: fitted(outcome_transform=None),
    "known noise": lambda: SingleTaskGP(*data(), torch.full((15, 1), 0.1, dtype=torch.float64), input_transform=Normalize(2)),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_point_of_a_grid_is_above_the_bound(name: str) -> None:
    model = MODELS[name]()
    for function in [
        UpperConfidenceBound(model, beta=4.0),
        UpperConfidenceBound(model, beta=0.5, maximize=False),
        PosteriorMean(model),
        PosteriorMean(model, maximize=False),
    ]:
        candidate, value, proven = optimize_acqf_certified(function, BOUNDS, gap=1e-2, return_certificate=True)
        assert candidate.shape == (1, 2) and value.shape == () and candidate.dtype == torch.float64
        assert (candidate >= BOUNDS[0]).all() and (candidate <= BOUNDS[1]).all()
        with torch.no_grad():
            assert float(function(candidate)) == float(value)
        assert proven.certificate.status == "optimal" and -1e-6 * abs(float(value)) <= proven.gap <= 1e-2 * (1 + 1e-3)
        assert on_a_grid(function) <= proven.upper_bound + 1e-6 * abs(proven.upper_bound)


def test_it_takes_the_place_of_optimize_acqf() -> None:
    function = UpperConfidenceBound(fitted(), beta=4.0)
    call = {"bounds": BOUNDS, "q": 1, "num_restarts": 10, "raw_samples": 128}
    _, theirs = optimize_acqf(function, **call)
    _, ours = optimize_acqf_certified(function, **call)
    assert float(ours) >= float(theirs) - 1e-3


def test_constraints_and_fixed_inputs_are_kept() -> None:
    function = UpperConfidenceBound(fitted(), beta=4.0)
    both = torch.tensor([0, 1]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    inside, value = optimize_acqf_certified(function, BOUNDS, inequality_constraints=[(*both, 20.0)], gap=1e-2)
    assert float(inside[0] @ both[1]) >= 20 - 1e-6
    on, _ = optimize_acqf_certified(function, BOUNDS, equality_constraints=[(*both, 20.0)], gap=1e-2)
    assert float(on[0] @ both[1]) == pytest.approx(20, abs=1e-6)
    held, _ = optimize_acqf_certified(function, BOUNDS, fixed_features={0: 2.5}, gap=1e-2)
    assert float(held[0, 0]) == 2.5
    _, free = optimize_acqf_certified(function, BOUNDS, gap=1e-2)
    assert float(free) >= float(value) - 1e-2
    with pytest.raises(fathom.InputError, match="no point"):
        optimize_acqf_certified(function, BOUNDS, inequality_constraints=[(*both, 200.0)])
    with pytest.raises(fathom.InputError, match="one-dimensional"):
        row = torch.tensor([[0, 0], [0, 1]]), both[1], 20.0
        optimize_acqf_certified(function, BOUNDS, inequality_constraints=[row])


def test_what_is_not_understood_is_named() -> None:
    x, y = data()
    model = fitted()
    sums = ScalarizedPosteriorTransform(torch.ones(1, dtype=torch.float64))
    for function, word in [
        (LogExpectedImprovement(model, best_f=0.0), "LogExpectedImprovement"),
        (UpperConfidenceBound(model, beta=1.0, posterior_transform=sums), "posterior_transform"),
        (PosteriorMean(SingleTaskGP(x, y, covar_module=ScaleKernel(PeriodicKernel()))), "PeriodicKernel"),
        (PosteriorMean(SingleTaskGP(x, y, covar_module=RBFKernel() + LinearKernel())), "AdditiveKernel"),
        (PosteriorMean(SingleTaskGP(x, y, covar_module=RBFKernel(active_dims=[0]))), "active_dims"),
        (PosteriorMean(SingleTaskGP(x, y, mean_module=LinearMean(2))), "LinearMean"),
        (PosteriorMean(SingleTaskGP(x, y.exp(), outcome_transform=Log())), "Log"),
        (PosteriorMean(SingleTaskGP(x, y, input_transform=Round(integer_indices=[0]))), "Round"),
        (PosteriorMean(SingleTaskGP(x, y, y.abs())), "noise"),
        (PosteriorMean(SingleTaskGP(x.float(), y.float())), "precision"),
    ]:
        with pytest.raises(fathom.InputError, match=word):
            optimize_acqf_certified(function, BOUNDS)
    with pytest.raises(fathom.InputError, match="q = 2"):
        optimize_acqf_certified(PosteriorMean(model), BOUNDS, q=2)
    with pytest.raises(fathom.InputError, match="2 x 2"):
        optimize_acqf_certified(PosteriorMean(model), torch.zeros(2, 3, dtype=torch.float64))


def test_a_posterior_that_is_not_what_its_parts_say_is_refused() -> None:
    class Crooked(SingleTaskGP):
        def forward(self, x: Any) -> Any:
            return super().forward(x * x)

    x, y = data()
    with pytest.raises(fathom.InputError, match="the model is Crooked"):
        optimize_acqf_certified(PosteriorMean(Crooked(x, y)), BOUNDS)
