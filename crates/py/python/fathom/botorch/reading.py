"""A fitted BoTorch model in numbers.

The model is t(z) ~ GP with a constant mean, where z = (x − offset) / coefficient is its input transform and
y = shift + scale · t undoes its outcome transform. Whatever does not have this form is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import AffineInputTransform, ChainedInputTransform, InputStandardize, Normalize
from botorch.models.transforms.outcome import Standardize
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood
from gpytorch.means import ConstantMean, ZeroMean

import fathom

MATERN = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


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
        """Back from them."""
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


def read(model: Any) -> Reading:
    """All that the posterior of `model` depends on."""
    if not isinstance(model, SingleTaskGP):
        raise refusal("the model", model, "a SingleTaskGP")
    if model.num_outputs != 1 or model.batch_shape:
        raise fathom.InputError("the model has several outputs or batches: certify one SingleTaskGP at a time")
    if model.train_targets.dtype != torch.float64:
        raise fathom.InputError("the model is in single precision, too coarse for a proof: build it from data of "
                                "dtype torch.float64, as BoTorch advises")
    # Its inputs are the transformed ones from here on, as whenever a posterior is asked for.
    model.eval()
    inputs = _numbers(model.train_inputs[0])
    dim = inputs.shape[1]
    kernel, lengthscales, variance = _covariance(model.covar_module, dim)
    offset, coefficient = _affine(getattr(model, "input_transform", None), dim)
    shift, scale = _outcome(getattr(model, "outcome_transform", None))
    return Reading(
        inputs=inputs,
        targets=_numbers(model.train_targets),
        kernel=kernel,
        lengthscales=lengthscales,
        variance=variance,
        noise=_noise(model.likelihood),
        mean=_mean(model.mean_module),
        offset=offset,
        coefficient=coefficient,
        shift=shift,
        scale=scale,
    )


def refusal(what: str, found: Any, wanted: str) -> fathom.InputError:
    """Says what is not understood, and what is."""
    return fathom.InputError(f"{what} is {type(found).__name__}, and a certificate needs {wanted}")


def _covariance(kernel: Kernel, dim: int) -> tuple[str, np.ndarray, float]:
    variance = 1.0
    if type(kernel) is ScaleKernel:
        kernel, variance = kernel.base_kernel, float(kernel.outputscale)
    if type(kernel) is RBFKernel:
        name = "rbf"
    elif type(kernel) is MaternKernel:
        name = MATERN[kernel.nu]
    else:
        raise refusal("the kernel", kernel, "an RBFKernel or a MaternKernel, alone or in one ScaleKernel")
    if kernel.active_dims is not None:
        raise fathom.InputError("the kernel sees some inputs only (active_dims): leave the others out of the model")
    return name, np.broadcast_to(_numbers(kernel.lengthscale).ravel(), dim), variance


def _noise(likelihood: Any) -> float:
    if type(likelihood) not in (GaussianLikelihood, FixedNoiseGaussianLikelihood):
        raise refusal("the likelihood", likelihood, "a GaussianLikelihood, or fixed noise that is the same everywhere")
    noise = _numbers(likelihood.noise).ravel()
    if noise.min() < noise.max():
        raise fathom.InputError("the noise differs between observations (train_Yvar), and a certificate needs one "
                                "variance for all")
    return float(noise[0])


def _mean(mean: Any) -> float:
    if type(mean) is ConstantMean:
        return float(mean.constant)
    if type(mean) is ZeroMean:
        return 0.0
    raise refusal("the mean", mean, "a ConstantMean or a ZeroMean")


def _affine(transform: Any, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Offset and coefficient of (x − offset) / coefficient."""
    offset, coefficient = np.zeros(dim), np.ones(dim)
    if transform is None:
        return offset, coefficient
    for step in transform.values() if isinstance(transform, ChainedInputTransform) else [transform]:
        is_affine = type(step) in (AffineInputTransform, InputStandardize, Normalize)
        if not is_affine or step.reverse or not step.transform_on_eval:
            raise refusal("the input transform", step, "Normalize or InputStandardize, forwards, in evaluation too")
        chosen = step.indices.tolist() if hasattr(step, "indices") else slice(None)
        # (x − a)/b, then (· − c)/d, is (x − (a + bc)) / bd.
        offset[chosen] += coefficient[chosen] * _numbers(step.offset).ravel()
        coefficient[chosen] *= _numbers(step.coefficient).ravel()
    return offset, coefficient


def _outcome(transform: Any) -> tuple[float, float]:
    """Shift and scale of y = shift + scale · t."""
    if transform is None:
        return 0.0, 1.0
    if type(transform) is not Standardize:
        raise refusal("the outcome transform", transform, "Standardize, or none")
    return float(transform.means), float(transform.stdvs)


def _numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy().astype(float)
