"""A fitted `SingleTaskGP` in the user's units."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from fathom._foreign import Foreign
from fathom._gpytorch.exact import BATCH, in_double_precision
from fathom._gpytorch.reading import numbers
from fathom.botorch.reading import read


def read_whole(model: Any) -> Foreign:
    """All that the posterior of `model` depends on; its transforms become part of inputs, outputs and hyperparameters."""
    # A copy in evaluation mode has its inputs transformed, whatever the mode of the user's model.
    twin = in_double_precision(model) if isinstance(model, torch.nn.Module) else model
    found = read(twin)
    return Foreign(
        library="BoTorch",
        inputs=found.outward(found.inputs),
        outputs=found.shift + found.scale * found.targets,
        kernel=found.kernel,
        lengthscales=found.lengthscales * np.abs(found.coefficient),
        variance=found.variance * found.scale**2,
        noise=found.noise * found.scale**2,
        mean=found.shift + found.scale * found.mean,
        predict=lambda x: _predict(twin, x),
        # torch.cdist takes distances as roots of differences of squares.
        has_coarse_distances=True,
        more_noise="give train_Yvar, or a likelihood with more noise",
    )


def _predict(model: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the function, without noise."""
    device = model.train_targets.device
    means, deviations = [], []
    with torch.no_grad():
        for points in torch.as_tensor(x, dtype=torch.float64, device=device).unsqueeze(1).split(BATCH):
            posterior = model.posterior(points)
            means.append(numbers(posterior.mean).reshape(-1))
            deviations.append(np.sqrt(np.maximum(numbers(posterior.variance).reshape(-1), 0.0)))
    return np.concatenate(means), np.concatenate(deviations)
