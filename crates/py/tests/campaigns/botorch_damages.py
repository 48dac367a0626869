"""What may be wrong with a model, an acquisition function or a region of BoTorch's, as changes to honest ones.

Each must be refused, with a word that names it. A case has two inputs or more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from botorch.acquisition import LogExpectedImprovement, PosteriorMean, ScalarizedPosteriorTransform, UpperConfidenceBound
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms.input import AffineInputTransform, ChainedInputTransform, InputTransform, Normalize, Round, Warp
from botorch.models.transforms.outcome import Bilog, ChainedOutcomeTransform, Standardize
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.kernels import LinearKernel, MaternKernel, PeriodicKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood
from gpytorch.means import ConstantMean, LinearMean

DOUBLE = torch.float64


@dataclass
class Case:
    """One call of `optimize_acqf_certified`."""

    function: Any
    bounds: Any
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> Any:
        return self.function.model

    @property
    def dim(self) -> int:
        return int(self.bounds.shape[-1])

    def replace(self, **parts: Any) -> None:
        """Puts other modules into the model, or takes them out."""
        self.model.train()
        for name, part in parts.items():
            if part is not None:
                setattr(self.model, name, part.double())
            elif hasattr(self.model, name):
                delattr(self.model, name)
        self.model.eval()


class OwnModel(SingleTaskGP):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return super().forward(x * x)


class OwnKernel(RBFKernel):  # type: ignore[misc]
    pass


class OwnLikelihood(GaussianLikelihood):  # type: ignore[misc]
    pass


class OwnMean(ConstantMean):  # type: ignore[misc]
    pass


class OwnFunction(PosteriorMean):  # type: ignore[misc]
    pass


class OwnTransform(Normalize):  # type: ignore[misc]
    pass


def shadow(part: str, name: str, value: Any) -> Callable[[Case], None]:
    """Replaces an attribute on an instance."""

    def change(case: Case) -> None:
        object.__setattr__(case.model.get_submodule(part), name, value)

    return change


def hook(part: str) -> Callable[[Case], None]:
    def change(case: Case) -> None:
        case.model.get_submodule(part).register_forward_hook(lambda module, given, found: found)

    return change


def kernel(make: Callable[[Case], Any]) -> Callable[[Case], None]:
    return lambda case: case.replace(covar_module=make(case))


def inputs(make: Callable[[Case], InputTransform]) -> Callable[[Case], None]:
    return lambda case: case.replace(input_transform=make(case))


def function(make: Callable[[Case], Any]) -> Callable[[Case], None]:
    def change(case: Case) -> None:
        case.function = make(case)

    return change


def region(**arguments: Any) -> Callable[[Case], None]:
    return lambda case: case.arguments.update(arguments)


def row(index: Any, coefficients: Any, rhs: Any) -> dict[str, Any]:
    indices = index if isinstance(index, torch.Tensor) else torch.tensor(index)
    factors = coefficients if isinstance(coefficients, torch.Tensor) else torch.tensor(coefficients, dtype=DOUBLE)
    return {"inequality_constraints": [(indices, factors, rhs)]}


def bounds(change: Callable[[Any], Any]) -> Callable[[Case], None]:
    def changed(case: Case) -> None:
        case.bounds = change(case.bounds)

    return changed


def stale(change: Callable[[Any], None]) -> Callable[[Case], None]:
    """A cache of how the model was before."""

    def changed(case: Case) -> None:
        case.model.eval()
        with torch.no_grad():
            case.function(case.bounds.to(DOUBLE).unsqueeze(1))
            change(case.model)

    return changed


def shifted_mean(model: Any) -> None:
    model.mean_module = ConstantMean().double()
    model.mean_module.constant = float(model.train_targets.max()) + 3.0


def moved(change: Callable[[Any, int], None]) -> Callable[[Case], None]:
    return lambda case: change(case.model, case.dim)


def half(case: Case) -> Any:
    return Normalize(case.dim, bounds=torch.stack([-torch.ones(case.dim), torch.ones(case.dim)]).to(DOUBLE))


def set_flag(name: str, value: Any) -> Callable[[Case], None]:
    def change(case: Case) -> None:
        case.replace(input_transform=half(case))
        setattr(case.model.input_transform, name, value)

    return change


def outcome(make: Callable[[], Any]) -> Callable[[Case], None]:
    return lambda case: case.replace(outcome_transform=make())


def untrained(case: Case) -> None:
    case.replace(outcome_transform=Standardize(1))


def outputs(case: Case) -> None:
    transform = Standardize(1, outputs=[0])
    transform(torch.tensor([[0.0], [2.0]], dtype=DOUBLE))
    case.replace(outcome_transform=transform)


def pending(case: Case) -> None:
    case.function.X_pending = case.bounds


def noises(case: Case) -> None:
    count = len(case.model.train_targets)
    case.replace(likelihood=FixedNoiseGaussianLikelihood(torch.linspace(0.1, 0.2, count, dtype=DOUBLE)))


def data(case: Case) -> tuple[Any, Any]:
    case.model.train()
    return case.model.train_inputs[0].detach(), case.model.train_targets.detach().unsqueeze(-1)


def in_batches(case: Case) -> Any:
    x, y = data(case)
    return PosteriorMean(SingleTaskGP(x.expand(2, -1, -1), y.expand(2, -1, -1)))


def with_fantasies(case: Case) -> Any:
    x, y = data(case)
    return PosteriorMean(SingleTaskGP(x, y).fantasize(x[:1], SobolQMCNormalSampler(torch.Size([4]))))


def lengthscales(model: Any, dim: int) -> None:
    model.covar_module = RBFKernel(ard_num_dims=dim).double()
    model.covar_module.raw_lengthscale = torch.nn.Parameter(torch.zeros(1, dim + 1, dtype=DOUBLE))


def zero_coefficient(case: Case) -> Any:
    coefficient = torch.ones(1, case.dim, dtype=DOUBLE)
    coefficient[0, 0] = 0.0
    return AffineInputTransform(case.dim, coefficient, torch.zeros(1, case.dim, dtype=DOUBLE))


OUT_OF_PLACE = "extra"

DAMAGES: dict[str, tuple[Callable[[Case], None], str]] = {
    # W1
    "active_dims of a ScaleKernel": (kernel(lambda case: ScaleKernel(RBFKernel(), active_dims=(0,))), "`active_dims`"),
    "active_dims of a kernel": (kernel(lambda case: RBFKernel(active_dims=(0,))), "`active_dims`"),
    "active_dims of both": (kernel(lambda case: ScaleKernel(MaternKernel(active_dims=(0,)))), "`active_dims`"),
    # W4
    "a cache of other noise": (stale(lambda model: setattr(model, "likelihood", noisier(model))), "prediction_strategy"),
    "a cache of another mean": (stale(shifted_mean), "prediction_strategy"),
    "a cache of other targets": (
        stale(lambda model: object.__setattr__(model, "_train_targets", model.train_targets.flip(0) + 1.0)),
        "prediction_strategy",
    ),
    "a cache of its own": (shadow("", "prediction_strategy", object()), "prediction_strategy"),
    # These types are not exact.
    "a subclass of the model": (function(lambda case: PosteriorMean(OwnModel(*data(case)))), "OwnModel"),
    "a subclass of the kernel": (kernel(lambda case: OwnKernel()), "OwnKernel"),
    "a subclass of the mean": (lambda case: case.replace(mean_module=OwnMean()), "OwnMean"),
    "a subclass of the likelihood": (lambda case: case.replace(likelihood=OwnLikelihood()), "OwnLikelihood"),
    "a subclass of a transform": (inputs(lambda case: OwnTransform(case.dim)), "OwnTransform"),
    "a subclass of the function": (function(lambda case: OwnFunction(case.model)), "OwnFunction"),
    "another function": (function(lambda case: LogExpectedImprovement(case.model, best_f=0.0)), "LogExpectedImprovement"),
    "a periodic kernel": (kernel(lambda case: ScaleKernel(PeriodicKernel())), "PeriodicKernel"),
    "a sum of kernels": (kernel(lambda case: RBFKernel() + LinearKernel()), "AdditiveKernel"),
    "two ScaleKernels": (kernel(lambda case: ScaleKernel(ScaleKernel(RBFKernel()))), "ScaleKernel"),
    "a linear mean": (lambda case: case.replace(mean_module=LinearMean(case.dim)), "LinearMean"),
    "a list of models": (function(lambda case: PosteriorMean(ModelListGP(case.model))), "ModelListGP"),
    "batches of models": (function(in_batches), "batches"),
    "fantasies": (function(with_fantasies), "batches"),
    "noise that differs": (noises, "noise differs"),
    # These instances were tampered with.
    "forward replaced on the model": (shadow("", "forward", lambda x: None), "`forward`"),
    "posterior replaced on the model": (shadow("", "posterior", lambda x: None), "`posterior`"),
    "a copy of its own choosing": (shadow("", "__deepcopy__", lambda memo: None), "__deepcopy__"),
    "forward replaced on the kernel": (shadow("covar_module", "forward", lambda a, b, **more: None), "`forward`"),
    "forward replaced on the mean": (shadow("mean_module", "forward", lambda x: None), "`forward`"),
    "an ensemble": (shadow("", "_is_ensemble", True), "ensemble"),
    "a kernel with batches": (shadow("covar_module", "_batch_shape", torch.Size([2])), "`batch_shape`"),
    "a hook on the model": (hook(""), "hook"),
    "a hook on the kernel": (hook("covar_module"), "hook"),
    "a hook on the mean": (hook("mean_module"), "hook"),
    "a hook on the likelihood": (hook("likelihood"), "hook"),
    "an unknown module": (lambda case: case.model.add_module(OUT_OF_PLACE, torch.nn.Linear(1, 1).double()), "`extra`"),
    "an unknown buffer": (lambda case: case.model.register_buffer(OUT_OF_PLACE, torch.zeros(1, dtype=DOUBLE)), "`extra`"),
    "an unknown buffer of the function": (lambda case: case.function.register_buffer(OUT_OF_PLACE, torch.zeros(1)), "`extra`"),
    "an unknown attribute": (shadow("covar_module", OUT_OF_PLACE, 1.0), "`extra`"),
    "another number of lengthscales": (moved(lengthscales), "lengthscales of the shape"),
    "single precision": (lambda case: case.model.float(), "single precision"),
    "single precision in a part": (lambda case: case.model.covar_module.float(), "single precision"),
    # Transforms.
    "an input transform backwards": (set_flag("reverse", True), "`reverse`"),
    "an input transform not for evaluation": (set_flag("transform_on_eval", False), "`transform_on_eval`"),
    "an input transform not for training": (set_flag("transform_on_train", False), "`transform_on_train`"),
    "an input transform that divides by zero": (inputs(zero_coefficient), "divides by|NaN|nan"),
    "an input transform that bends": (inputs(lambda case: Warp(case.dim, indices=[0])), "Warp"),
    "an input transform that rounds": (inputs(lambda case: Round(integer_indices=[0])), "Round"),
    "one that rounds in a chain": (
        inputs(lambda case: ChainedInputTransform(one=half(case), two=Round(integer_indices=[0]))),
        "Round",
    ),
    "an outcome transform without data": (untrained, "seen no data"),
    "an outcome transform of some outputs": (outputs, "`outputs`"),
    "an outcome transform that bends": (outcome(Bilog), "Bilog"),
    "chained outcome transforms": (outcome(lambda: ChainedOutcomeTransform(one=Bilog())), "ChainedOutcomeTransform"),
    # The function.
    "a posterior transform": (
        function(
            lambda case: PosteriorMean(
                case.model, posterior_transform=ScalarizedPosteriorTransform(torch.tensor([2.0], dtype=DOUBLE))
            )
        ),
        "posterior_transform",
    ),
    "a pending point": (pending, "X_pending"),
    "several betas": (function(lambda case: UpperConfidenceBound(case.model, torch.tensor([1.0, 2.0]))), "beta has several"),
    "a negative beta": (function(lambda case: UpperConfidenceBound(case.model, beta=-1.0)), "beta is -1"),
    "a beta that is no number": (function(lambda case: UpperConfidenceBound(case.model, beta=math.nan)), "beta is nan"),
    "several candidates": (region(q=2), "q = 2"),
    # W2
    "a fixed value above the bounds": (region(fixed_features={0: 1e9}), "outside its bounds"),
    "a fixed value below the bounds": (region(fixed_features={-1: -1e9}), "outside its bounds"),
    "a fixed value that is no number": (region(fixed_features={0: math.nan}), "nan"),
    "a fixed input that is none": (region(fixed_features={9: 0.0}), "index 9"),
    # W3 and its relatives
    "a constraint on no input": (region(**row([9], [1.0], 0.0)), "index 9"),
    "a constraint on a negative input": (region(**row([-1], [1.0], 0.0)), "index -1"),
    "a constraint with infinite coefficients": (region(**row([0], [math.inf], 0.0)), "must be finite"),
    "a constraint without a right-hand side": (region(**row([0], [1.0], math.nan)), "right-hand side"),
    "a constraint of two lengths": (region(**row([0, 1], [1.0], 0.0)), "2 indices"),
    "a constraint that no point keeps": (region(**row([0, 0], [1.0, -1.0], 1.0)), "no point"),
    # W5
    "reversed bounds": (bounds(lambda given: given.flip(0)), "reversed"),
    "one reversed bound": (bounds(lambda given: torch.cat([given.flip(0)[:, :1], given[:, 1:]], 1)), "input 0 are reversed"),
    "bounds that are no numbers": (bounds(lambda given: given * math.nan), "finite"),
    "infinite bounds": (bounds(lambda given: torch.stack([given[0], given[1] + math.inf])), "finite"),
    "bounds of another shape": (bounds(lambda given: given[:, :1]), "2 x"),
}


def noisier(model: Any) -> Any:
    likelihood = GaussianLikelihood().double()
    likelihood.noise = 10.0
    return likelihood.eval()
