"""A fitted BoTorch model in numbers.

The model is t(z) ~ GP with a constant mean, where z = (x − offset) / coefficient is its input transform and
y = shift + scale · t undoes its outcome transform. Whatever does not have this form is refused by name (`parts`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from botorch.acquisition import PosteriorMean, UpperConfidenceBound
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import AffineInputTransform, ChainedInputTransform, InputStandardize, Normalize
from botorch.models.transforms.outcome import Standardize
from gpytorch.models.exact_prediction_strategies import DefaultPredictionStrategy

import fathom
from fathom._gpytorch.parts import examine, refusal
from fathom._gpytorch.reading import constant_mean, covariance, noise_variance, numbers, one

# Attributes of input transforms that matter only while they learn from data, or for fantasies.
LEARNING = ("_learn_coefficients", "center", "min_range", "min_std", "transform_on_fantasize")


@dataclass(frozen=True)
class Criterion:
    """sign · mean + κ · deviation, to be maximised."""

    sign: float
    kappa: float


@dataclass(frozen=True)
class Reading:
    """The model's numbers, all in double precision."""

    inputs: np.ndarray
    targets: np.ndarray
    kernel: str
    lengthscales: np.ndarray
    variance: float
    noise: float
    mean: float
    offset: np.ndarray
    coefficient: np.ndarray
    shift: float
    scale: float

    def inward(self, x: np.ndarray) -> np.ndarray:
        """The kernel's coordinates of `x`."""
        return (x - self.offset) / self.coefficient

    def outward(self, z: np.ndarray) -> np.ndarray:
        """`x` at the kernel's coordinates `z`."""
        return self.offset + self.coefficient * z

    def process(self, sign: float) -> Any:
        """The Gaussian process of `sign · t` over z."""
        return fathom.GaussianProcess.from_parameters(
            self.inputs,
            sign * self.targets,
            kernel=self.kernel,
            lengthscales=self.lengthscales,
            signal_variance=self.variance,
            noise_variance=self.noise,
            mean=sign * self.mean,
        )


def read_criterion(function: Any) -> Criterion:
    """The function of the posterior that is maximised."""
    if type(function) is UpperConfidenceBound:
        fresh = UpperConfidenceBound(_fresh_model(1), beta=1.0)
    elif type(function) is PosteriorMean:
        fresh = PosteriorMean(_fresh_model(1))
    else:
        raise refusal("the acquisition function", function, "UpperConfidenceBound or PosteriorMean")
    if function.posterior_transform is not None:
        raise fathom.InputError("the acquisition function has a posterior_transform: apply it to the data instead")
    examine("the acquisition function", function, fresh, read=("beta", "maximize"), parts=("model",))
    # β is kept in single precision unless it was a tensor of its own; BoTorch widens it before it takes the root.
    beta = function.beta.double() if type(function) is UpperConfidenceBound else torch.zeros(1)
    if beta.numel() != 1:
        raise fathom.InputError("beta has several values: certify one at a time")
    if not 0 <= float(beta) < math.inf:
        raise fathom.InputError(f"beta is {float(beta)}: it must be finite and not negative")
    return Criterion(1.0 if function.maximize else -1.0, math.sqrt(float(beta)))


def read(model: Any) -> Reading:
    """All that the posterior of `model`, which is in evaluation mode, depends on."""
    if type(model) is not SingleTaskGP:
        raise refusal("the model", model, "a SingleTaskGP itself")
    if model.num_outputs != 1 or model.batch_shape:
        raise fathom.InputError("the model has several outputs or batches: certify one SingleTaskGP at a time")
    _in_double_precision(model)
    inputs = numbers(model.train_inputs[0])
    count, dim = inputs.shape
    _examine_model(model, dim)
    kernel, lengthscales, variance = covariance(model.covar_module, dim)
    offset, coefficient = _affine(getattr(model, "input_transform", None), dim)
    shift, scale = _outcome(getattr(model, "outcome_transform", None))
    return Reading(
        inputs=inputs,
        targets=numbers(model.train_targets),
        kernel=kernel,
        lengthscales=lengthscales,
        variance=variance,
        noise=noise_variance(model.likelihood, count),
        mean=constant_mean(model.mean_module),
        offset=offset,
        coefficient=coefficient,
        shift=shift,
        scale=scale,
    )


def _in_double_precision(model: Any) -> None:
    tensors = {"train_inputs": model.train_inputs[0], "train_targets": model.train_targets}
    for name, tensor in {**tensors, **dict(model.named_parameters()), **dict(model.named_buffers())}.items():
        # Priors matter only while a model is fitted.
        if tensor.is_floating_point() and tensor.dtype != torch.float64 and "_prior." not in name:
            raise fathom.InputError(
                f"`{name}` of the model is in single precision ({tensor.dtype}), too coarse for a proof: build the model from "
                "data of dtype torch.float64, as BoTorch advises"
            )


def _examine_model(model: Any, dim: int) -> None:
    data = ("train_inputs", "_train_targets", "_original_train_inputs", "_has_transformed_inputs", "prediction_strategy")
    # These say how to take single outputs of several, and where the likelihood came from.
    origin = ("_subset_batch_dict", "_is_custom_likelihood")
    parts = ("likelihood", "mean_module", "covar_module", "input_transform", "outcome_transform")
    examine("the model", model, _fresh_model(dim), read=data + origin, parts=parts)
    if type(model.prediction_strategy) not in (type(None), DefaultPredictionStrategy):
        raise refusal("the prediction_strategy", model.prediction_strategy, "a DefaultPredictionStrategy")


def _fresh_model(dim: int) -> Any:
    ends = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
    return SingleTaskGP(ends.expand(2, dim), ends)


def _affine(transform: Any, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Offset and coefficient of (x − offset) / coefficient."""
    offset, coefficient = np.zeros(dim), np.ones(dim)
    if transform is None:
        return offset, coefficient
    steps = [transform]
    if type(transform) is ChainedInputTransform:
        fresh = ChainedInputTransform(one=Normalize(dim))
        examine("the input transform", transform, fresh, read=LEARNING, parts=list(transform.keys()))
        steps = list(transform.values())
    for step in steps:
        chosen, shift, factor = _affine_step(step, dim)
        # (x − a)/b, then (· − c)/d, is (x − (a + bc)) / bd.
        offset[chosen] += coefficient[chosen] * shift
        coefficient[chosen] *= factor
    if not (np.isfinite(offset).all() and np.isfinite(coefficient).all() and coefficient.all()):
        raise fathom.InputError(f"the input transform divides by {coefficient.tolist()}: no number may be 0 or infinite")
    return offset, coefficient


def _affine_step(step: Any, dim: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """The inputs that a step changes, and the step's own offset and coefficient."""
    makers = {
        AffineInputTransform: lambda: AffineInputTransform(dim, torch.ones(1, dim), torch.zeros(1, dim)),
        InputStandardize: lambda: InputStandardize(dim),
        Normalize: lambda: Normalize(dim),
    }
    if type(step) not in makers:
        raise refusal("the input transform", step, "Normalize, InputStandardize or AffineInputTransform, or a chain of them")
    read = ("_coefficient", "_offset", "indices", *LEARNING)
    examine(f"the input transform {type(step).__name__}", step, makers[type(step)](), read=read)
    chosen = list(range(dim))
    if hasattr(step, "indices"):
        chosen = [int(index) % dim for index in step.indices]
        if len(set(chosen)) < len(chosen):
            raise fathom.InputError(f"the input transform changes one input twice: its indices are {step.indices.tolist()}")
    try:
        given = [np.broadcast_to(numbers(each), (1, len(chosen)))[0] for each in (step.offset, step.coefficient)]
    except ValueError:
        raise fathom.InputError("the input transform has batches, or not one number for each input") from None
    return chosen, given[0], given[1]


def _outcome(transform: Any) -> tuple[float, float]:
    """Shift and scale of y = shift + scale · t."""
    if transform is None:
        return 0.0, 1.0
    if type(transform) is not Standardize:
        raise refusal("the outcome transform", transform, "Standardize, or none")
    read = ("means", "stdvs", "_stdvs_sq", "_is_trained", "_min_stdv")
    examine("the outcome transform", transform, Standardize(1), read=read)
    if not transform._is_trained:
        raise fathom.InputError("the outcome transform has seen no data: build the model with it")
    scale = one("the scale of the outcome transform", transform.stdvs)
    if not scale > 0:
        raise fathom.InputError(f"the outcome transform has the scale {scale}: it must be positive")
    return one("the shift of the outcome transform", transform.means), scale
