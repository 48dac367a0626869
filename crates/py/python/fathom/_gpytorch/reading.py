"""The parts of a GPyTorch model in numbers: kernel, noise and mean. Whatever is none of these is refused by name (`parts`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood
from gpytorch.likelihoods.noise_models import FixedGaussianNoise, HomoskedasticNoise
from gpytorch.means import ConstantMean, ZeroMean

import fathom
from fathom._gpytorch.parts import examine, refusal

MATERN = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


def covariance(kernel: Any, dim: int) -> tuple[str, np.ndarray, float]:
    """The kernel's name, its lengthscales and its variance."""
    variance = 1.0
    if type(kernel) is ScaleKernel:
        _sees_all(kernel)
        fresh = ScaleKernel(RBFKernel())
        examine("the ScaleKernel", kernel, fresh, read=("raw_outputscale",), parts=("base_kernel",))
        kernel, variance = kernel.base_kernel, one("the outputscale", kernel.outputscale)
    if type(kernel) is RBFKernel:
        name, fresh = "rbf", RBFKernel()
    elif type(kernel) is MaternKernel:
        name, fresh = MATERN[kernel.nu], MaternKernel()
    else:
        raise refusal("the kernel", kernel, "an RBFKernel or a MaternKernel, alone or in one ScaleKernel")
    _sees_all(kernel)
    examine(f"the {type(kernel).__name__}", kernel, fresh, read=("raw_lengthscale", "ard_num_dims", "nu"))
    lengthscales = numbers(kernel.lengthscale)
    if lengthscales.shape not in ((1, 1), (1, dim)):
        raise fathom.InputError(f"the kernel has lengthscales of the shape {lengthscales.shape}, and the model {dim} inputs")
    return name, np.array(np.broadcast_to(lengthscales[0], dim)), variance


def _sees_all(kernel: Any) -> None:
    if kernel.active_dims is not None:
        raise fathom.InputError(
            f"the {type(kernel).__name__} sees some inputs only (`active_dims` = {kernel.active_dims.tolist()}): leave the others "
            "out of the model"
        )


def noise_variance(likelihood: Any, count: int) -> float:
    """The variance of the noise, which is the same for all `count` observations."""
    if type(likelihood) is GaussianLikelihood:
        examine("the likelihood", likelihood, GaussianLikelihood(), parts=("noise_covar",))
        examine("the noise", likelihood.noise_covar, HomoskedasticNoise(), read=("raw_noise",))
        return one("the noise", likelihood.noise)
    if type(likelihood) is not FixedNoiseGaussianLikelihood:
        raise refusal("the likelihood", likelihood, "a GaussianLikelihood, or fixed noise that is the same everywhere")
    same = torch.ones(count, dtype=torch.float64)
    parts = ("noise_covar", "second_noise_covar")
    examine("the likelihood", likelihood, FixedNoiseGaussianLikelihood(same), read=("second_noise_covar",), parts=parts)
    examine("the noise", likelihood.noise_covar, FixedGaussianNoise(same), read=("noise",))
    if likelihood.second_noise_covar is not None:
        examine("the additional noise", likelihood.second_noise_covar, HomoskedasticNoise(), read=("raw_noise",))
    noise = numbers(likelihood.noise)
    if noise.shape != (count,) or noise.min() < noise.max():
        raise fathom.InputError("the noise differs between observations (train_Yvar), and a certificate needs one "
                                "variance for all")
    return float(noise[0])


def constant_mean(mean: Any) -> float:
    """The prior mean, which is the same everywhere."""
    if type(mean) is ConstantMean:
        examine("the mean", mean, ConstantMean(), read=("raw_constant",))
        return one("the mean", mean.constant)
    if type(mean) is ZeroMean:
        examine("the mean", mean, ZeroMean())
        return 0.0
    raise refusal("the mean", mean, "a ConstantMean or a ZeroMean")


def one(what: str, tensor: torch.Tensor) -> float:
    """The only number of a tensor."""
    if tensor.numel() != 1:
        raise fathom.InputError(f"{what} has the shape {tuple(tensor.shape)}: a certificate needs one number")
    return float(tensor.detach())


def numbers(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array in double precision."""
    return tensor.detach().cpu().numpy().astype(float)
