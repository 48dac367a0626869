"""What BoTorch itself computes, without a trace in the user's model."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

import fathom
from fathom._agreement import Evaluation, Values

# Points that are evaluated at once.
BATCH = 512


def duplicate(function: Any) -> Any:
    """A copy in evaluation mode, without a cached prediction: GPyTorch's copies begin without one."""
    try:
        twin = copy.deepcopy(function)
    except Exception as error:
        raise fathom.InputError(f"the model cannot be copied, so it cannot be examined without changing it: {error}") from error
    twin.eval()
    return twin


def in_place(function: Any) -> Any | None:
    """`function` for evaluations on the user's model itself, caches and all; `None` if that would change the model.

    BoTorch puts a model into evaluation mode before it evaluates the model, which moves training inputs; BoTorch drops all
    caches then, so a copy is as good. The function's own numbers are copied: BoTorch changes their precision to that of the
    points.
    """
    model = function.model
    has_moved_inputs = not hasattr(model, "input_transform") or model._has_transformed_inputs
    if model.training or not has_moved_inputs:
        return None
    return copy.deepcopy(function, {id(model): model})


def evaluation(function: Any) -> Evaluation:
    """Posterior and function at the rows of an array, in double precision."""
    model = function.model
    device = model.train_targets.device

    def at(x: np.ndarray) -> Values:
        mean, deviation, value = [], [], []
        with torch.no_grad(), _untouched(model):
            for points in torch.as_tensor(x, dtype=torch.float64, device=device).unsqueeze(1).split(BATCH):
                posterior = model.posterior(points)
                mean.append(_flat(posterior.mean, len(points)))
                deviation.append(np.sqrt(np.maximum(_flat(posterior.variance, len(points)), 0.0)))
                value.append(_flat(function(points), len(points)))
        return Values(np.concatenate(mean), np.concatenate(deviation), np.concatenate(value))

    return at


@contextmanager
def _untouched(model: Any) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    had_cache = model.prediction_strategy is not None
    try:
        yield
    finally:
        # The mode is not set by `train()`, which does more than that.
        for module, mode in modes:
            module.training = mode
        if not had_cache:
            model.prediction_strategy = None


def _flat(tensor: torch.Tensor, count: int) -> np.ndarray:
    if tensor.numel() != count:
        raise fathom.InputError(f"BoTorch computes {tensor.numel()} values at {count} points: something has batches")
    return tensor.detach().cpu().numpy().reshape(-1)
