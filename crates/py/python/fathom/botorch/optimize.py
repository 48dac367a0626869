"""`optimize_acqf` with a certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction, PosteriorMean, UpperConfidenceBound
from torch import Tensor

import fathom
from fathom.botorch.reading import Reading, read, refusal

# Points at which BoTorch's function and the one that was read must agree, to this part of their size.
PROBES = 16
AGREEMENT = 1e-6

# Σ coefficients · x[indices] against a number, as BoTorch writes constraints.
Row = tuple[Tensor, Tensor, float]


@dataclass(frozen=True)
class Certified:
    """What the search proved of the function that was read, in the units of BoTorch's and to be maximised."""

    # Nowhere within the bounds and the constraints is it larger; infinite where time ran out before anything was proven.
    upper_bound: float
    # That less the value at the candidate, as BoTorch evaluates it.
    gap: float
    # As Fathom has it: of the function's negative, in the coordinates of the kernel and the units of its targets; it has no
    # proof, so its `verify` raises `ProofError`.
    certificate: Any


@overload
def optimize_acqf_certified(
    acq_function: AcquisitionFunction,
    bounds: Tensor,
    q: int = ...,
    num_restarts: int | None = ...,
    raw_samples: int | None = ...,
    *,
    inequality_constraints: Sequence[Row] | None = ...,
    equality_constraints: Sequence[Row] | None = ...,
    fixed_features: Mapping[int, float] | None = ...,
    gap: float = ...,
    timeout_sec: float | None = ...,
    threads: int = ...,
    seed: int = ...,
    return_certificate: Literal[False] = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def optimize_acqf_certified(
    acq_function: AcquisitionFunction,
    bounds: Tensor,
    q: int = ...,
    num_restarts: int | None = ...,
    raw_samples: int | None = ...,
    *,
    inequality_constraints: Sequence[Row] | None = ...,
    equality_constraints: Sequence[Row] | None = ...,
    fixed_features: Mapping[int, float] | None = ...,
    gap: float = ...,
    timeout_sec: float | None = ...,
    threads: int = ...,
    seed: int = ...,
    return_certificate: Literal[True],
) -> tuple[Tensor, Tensor, Certified]: ...
def optimize_acqf_certified(
    acq_function: AcquisitionFunction,
    bounds: Tensor,
    q: int = 1,
    num_restarts: int | None = None,
    raw_samples: int | None = None,
    *,
    inequality_constraints: Sequence[Row] | None = None,
    equality_constraints: Sequence[Row] | None = None,
    fixed_features: Mapping[int, float] | None = None,
    gap: float = 1e-3,
    timeout_sec: float | None = None,
    threads: int = 1,
    seed: int = 0,
    return_certificate: bool = False,
) -> tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Certified]:
    """The certified maximum of `acq_function` over `bounds`; a `1 x d` candidate and the value there.

    Takes `UpperConfidenceBound` and `PosteriorMean` of a fitted `SingleTaskGP`; says what is in the way of others.

    Args:
        acq_function, bounds, inequality_constraints (`Σ coefficients · x[indices] >= rhs`), equality_constraints,
            fixed_features: as for `botorch.optim.optimize_acqf`.
        q: 1; a certificate is about one candidate.
        num_restarts, raw_samples: without effect, so that a call can be changed by its name alone.
        gap: how far below the maximum the value may be, in its units.
        timeout_sec: seconds after which the search ends with what is proven by then.
        threads: of the search; the answer does not depend on it.
        seed: of the first samples.
        return_certificate: whether to return a `Certified` as a third item.
    """
    if q != 1:
        raise fathom.InputError(f"q = {q}: a certificate is about one candidate; ask with q=1, condition the model, ask again")
    sign, kappa = _criterion(acq_function)
    model = read(acq_function.model)
    box = _box(model, bounds, fixed_features or {})
    process = model.process(-sign)
    _agree(acq_function, model, process, kappa, sign, bounds)
    found = fathom.minimize_acquisition(
        process,
        box,
        acquisition="lcb",
        beta=kappa**2,
        gap=gap / model.scale,
        time_limit=timeout_sec,
        constraints=[
            *(_row(model, row, is_equation=False) for row in inequality_constraints or ()),
            *(_row(model, row, is_equation=True) for row in equality_constraints or ()),
        ],
        threads=threads,
        seed=seed,
    )
    if not len(found.x):
        raise fathom.InputError("the constraints leave no point within the bounds")
    # Rounding on the way out must not lead across the bounds.
    x = torch.as_tensor(model.outward(np.asarray(found.x)), dtype=bounds.dtype, device=bounds.device)
    candidate = torch.clamp(x, bounds[0], bounds[1]).unsqueeze(0)
    with torch.no_grad():
        value = acq_function(candidate).squeeze()
    if not return_certificate:
        return candidate, value
    lower_bound = -math.inf if found.lower_bound is None else found.lower_bound
    upper_bound = sign * model.shift - model.scale * lower_bound
    return candidate, value, Certified(upper_bound, upper_bound - float(value), found)


def _criterion(function: AcquisitionFunction) -> tuple[float, float]:
    """s and κ of s · mean + κ · deviation."""
    if type(function) not in (UpperConfidenceBound, PosteriorMean):
        raise refusal("the acquisition function", function, "UpperConfidenceBound or PosteriorMean")
    if function.posterior_transform is not None:
        raise fathom.InputError("the acquisition function has a posterior_transform: apply it to the data instead")
    sign = 1.0 if function.maximize else -1.0
    if isinstance(function, PosteriorMean):
        return sign, 0.0
    if function.beta.numel() != 1:
        raise fathom.InputError("beta has several values: certify one at a time")
    return sign, float(function.beta.sqrt())


def _box(model: Reading, bounds: Tensor, fixed: Mapping[int, float]) -> np.ndarray:
    """Pairs of ends in the kernel's coordinates."""
    ends = bounds.detach().cpu().numpy().astype(float)
    dim = len(model.offset)
    if ends.shape != (2, dim):
        raise fathom.InputError(f"bounds has the shape {ends.shape}, and the model {dim} inputs: it must be 2 x {dim}")
    for feature, value in fixed.items():
        ends[:, feature] = float(value)
    return np.sort(model.inward(ends), axis=0).T


def _row(model: Reading, row: Row, is_equation: bool) -> fathom.Row:
    """The same row in the kernel's coordinates."""
    indices, coefficients, rhs = row
    if indices.ndim != 1:
        raise fathom.InputError("a constraint between several candidates means nothing for one: give its indices as a "
                                "one-dimensional tensor")
    sides, weights = indices.cpu().numpy(), coefficients.detach().cpu().numpy().astype(float)
    level = float(rhs) - float(weights @ model.offset[sides])
    linear = {int(side): float(weight) for side, weight in zip(sides, weights * model.coefficient[sides])}
    return fathom.Row(linear=linear, lower=level, upper=level if is_equation else None)


def _agree(function: AcquisitionFunction, model: Reading, process: Any, kappa: float, sign: float, bounds: Tensor) -> None:
    """Whether what was read is what BoTorch computes: a subclass or a hook could have changed it unseen."""
    low, high = bounds.detach().cpu().numpy().astype(float)
    x = low + np.random.default_rng(0).random((PROBES, len(low))) * (high - low)
    with torch.no_grad():
        theirs = function(torch.as_tensor(x, dtype=bounds.dtype, device=bounds.device).unsqueeze(1)).cpu().numpy()
    mean, deviation = process.predict(model.inward(x), return_std=True)
    ours = sign * model.shift - model.scale * (mean - kappa * deviation)
    size = np.abs(theirs).max() + model.scale * np.sqrt(model.variance)
    if np.abs(ours - theirs).max() > AGREEMENT * size:
        raise fathom.InputError(
            f"BoTorch's function and the one that was read from the model differ by {np.abs(ours - theirs).max():.2g}: "
            "something changes the posterior in a way that cannot be seen from its parts"
        )
