"""An `ExactGP` of the user's own, with one mean, one kernel and one likelihood."""

from __future__ import annotations

import copy
from typing import Any

import gpytorch
import numpy as np
import torch
from gpytorch.kernels import Kernel
from gpytorch.means import Mean
from gpytorch.models import ExactGP

import fathom
from fathom._foreign import Foreign
from fathom._gpytorch.parts import refusal
from fathom._gpytorch.reading import constant_mean, covariance, noise_variance, numbers

# Points that are predicted at once: GPyTorch computes their joint covariance.
BATCH = 256


def in_double_precision(model: Any) -> Any:
    """A copy in evaluation mode and double precision, without cached predictions; the user's model stays as it is."""
    try:
        twin = copy.deepcopy(model).double()
    except Exception as error:
        raise fathom.InputError(f"the model cannot be copied, so it cannot be examined without changing it: {error}") from error
    return twin.eval()


def read_exact(model: Any) -> Foreign:
    """All that the posterior of `model` depends on, provided that its `forward` is what its parts say."""
    if not isinstance(model, ExactGP):
        raise refusal("the model", model, "an ExactGP (variational and deep ones have no exact posterior)")
    if model.train_inputs is None or model.train_targets is None:
        raise fathom.InputError("the model has no training data: build it as ExactGP(train_x, train_y, likelihood)")
    twin = in_double_precision(model)
    inputs, targets = _data(twin)
    parts = {"likelihood": twin.likelihood, "mean": None, "kernel": None}
    for name, child in twin.named_children():
        kind = "mean" if isinstance(child, Mean) else "kernel" if isinstance(child, Kernel) else None
        if child is twin.likelihood:
            continue
        if kind is None or parts[kind] is not None:
            what = f"a second {kind}" if kind else f"neither a mean nor a kernel ({type(child).__name__})"
            raise fathom.InputError(
                f"`{name}` of the model is {what}: a model is read from one mean, one kernel and one likelihood. Apply what it "
                "does to the data instead"
            )
        parts[kind] = child
    for kind in ("mean", "kernel"):
        if parts[kind] is None:
            raise fathom.InputError(f"the model has no {kind} among its modules: set one in its `__init__`")
    kernel, lengthscales, variance = covariance(parts["kernel"], inputs.shape[1])
    return Foreign(
        library="GPyTorch",
        inputs=inputs,
        outputs=targets,
        kernel=kernel,
        lengthscales=lengthscales,
        variance=variance,
        noise=noise_variance(twin.likelihood, len(targets)),
        mean=constant_mean(parts["mean"]),
        predict=lambda x: _predict(twin, x),
        # torch.cdist takes distances as roots of differences of squares.
        has_coarse_distances=True,
        more_noise="raise the likelihood's noise",
    )


def _data(model: Any) -> tuple[np.ndarray, np.ndarray]:
    if len(model.train_inputs) != 1:
        raise fathom.InputError(f"the model has {len(model.train_inputs)} tensors of inputs: put them into one")
    inputs, targets = numbers(model.train_inputs[0]), numbers(model.train_targets)
    if inputs.ndim == 1:
        inputs = inputs[:, None]
    if inputs.ndim != 2 or targets.shape != inputs.shape[:1]:
        shapes = f"{tuple(model.train_inputs[0].shape)} and {tuple(model.train_targets.shape)}"
        raise fathom.InputError(f"the training data have the shapes {shapes}: several outputs and batches are read one at a time")
    return inputs, targets


def _predict(model: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the function, without noise, by Cholesky's method whatever the number of observations."""
    device = model.train_targets.device
    means, deviations = [], []
    exact = gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.max_cholesky_size(2**31 - 1)
    with torch.no_grad(), exact[0], exact[1]:
        for points in torch.as_tensor(x, dtype=torch.float64, device=device).split(BATCH):
            posterior = model(points)
            means.append(numbers(posterior.mean).reshape(-1))
            deviations.append(np.sqrt(np.maximum(numbers(posterior.variance).reshape(-1), 0.0)))
    return np.concatenate(means), np.concatenate(deviations)
