"""`optimize_acqf` with a certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

import fathom
from fathom._agreement import Comparison, Values, agreement, near, probes
from fathom.botorch.evaluation import duplicate, evaluation, in_place
from fathom.botorch.reading import Criterion, Reading, read, read_criterion
from fathom.botorch.region import Region, Row, read_region


@dataclass(frozen=True)
class Certified:
    """What the search proved of the function that was read, in the units of BoTorch's function, which is maximised."""

    upper_bound: float
    """The function is nowhere larger within the bounds and the constraints; infinite if time ran out before anything was proven."""
    gap: float
    """The bound less the value at the candidate, as BoTorch evaluates it."""
    compared: int
    """At how many points BoTorch's posterior and values were compared with those of the model that was read."""
    disagreement: float
    """The largest difference of the values there."""
    certificate: Any
    """Fathom's own `Certificate`: of the function's negative, in the coordinates of the kernel and the units of its targets. It has no
    proof, so its `verify` raises `ProofError`."""


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
    """The certified maximum of `acq_function` over `bounds`: a `1 x d` candidate and the value there.

    Takes `UpperConfidenceBound` and `PosteriorMean` of a fitted `SingleTaskGP`; an error says what is in the way of others. The
    model stays as it is. What was read of it is compared with what BoTorch computes, and BoTorch's values with the bound; if
    they contradict each other, `InputError` says so and nothing is certified.

    Args:
        acq_function: the function to maximise.
        bounds: the lower and the upper ends, a `2 x d` tensor. All numbers are taken in double precision, so the candidate is in double
            precision too.
        q: 1; a certificate is about one candidate.
        num_restarts, raw_samples: without effect; they are there so that a call can be changed by its name alone.
        inequality_constraints: triples (indices, coefficients, rhs) with `Σ coefficients · x[indices] >= rhs`, as for
            `botorch.optim.optimize_acqf`.
        equality_constraints: the same with `=`.
        fixed_features: values by index, for inputs that are not varied.
        gap: how far below the maximum the value may be, in its units.
        timeout_sec: seconds after which the search ends with what is proven by then.
        threads: threads of the search; the answer does not depend on their number.
        seed: the seed of the first samples, and of the points of comparison.
        return_certificate: whether to return a `Certified` as a third item.
    """
    if q != 1:
        raise fathom.InputError(f"q = {q}: a certificate is about one candidate; ask with q=1, condition the model, ask again")
    criterion = read_criterion(acq_function)
    # The user's own model is read first, as a copy may differ; then a copy in evaluation mode, whose inputs are transformed.
    read(acq_function.model)
    twin = duplicate(acq_function)
    model = read(twin.model)
    region = read_region(len(model.offset), bounds, fixed_features, inequality_constraints, equality_constraints)
    process = model.process(-criterion.sign)
    comparison = _compared(acq_function, twin, model, process, criterion, region, seed)
    found = fathom.minimize_acquisition(
        process,
        region.box(model),
        acquisition="lcb",
        beta=criterion.kappa**2,
        gap=gap / model.scale,
        time_limit=timeout_sec,
        constraints=region.rows(model),
        threads=threads,
        seed=seed,
    )
    if not len(found.x):
        raise fathom.InputError("the constraints leave no point within the bounds")
    lower_bound = -math.inf if found.lower_bound is None else found.lower_bound
    upper_bound = criterion.sign * model.shift - model.scale * lower_bound
    x = region.settled(model.outward(np.asarray(found.x)))[None]
    value = float(comparison.look(x, np.array([True])).value[0])
    around = region.clamped(near(x, model.lengthscales * np.abs(model.coefficient), np.random.default_rng(seed)))
    comparison.look(around, region.contains(around))
    comparison.hold_against(upper_bound)
    reached = criterion.sign * model.shift - model.scale * found.value
    if not value >= reached - comparison.tolerance:
        raise fathom.InputError(
            f"the search found the value {reached:.9g}, and BoTorch has {value:.9g} at the point after it was rounded to keep "
            "bounds and constraints: nothing is certified of that one"
        )
    given = {"dtype": torch.float64, "device": acq_function.model.train_targets.device}
    candidate, at_candidate = torch.tensor(x, **given), torch.tensor(value, **given)
    if not return_certificate:
        return candidate, at_candidate
    proven = Certified(upper_bound, upper_bound - value, comparison.points, comparison.disagreement, found)
    return candidate, at_candidate, proven


def _compared(
    function: AcquisitionFunction,
    twin: AcquisitionFunction,
    model: Reading,
    process: Any,
    criterion: Criterion,
    region: Region,
    seed: int,
) -> Comparison:
    """What was read, after it was found to be what BoTorch computes: at the training inputs, near them and elsewhere."""

    def ours(x: np.ndarray) -> Values:
        mean, deviation = process.predict(model.inward(x), return_std=True)
        value = criterion.sign * model.shift - model.scale * (mean - criterion.kappa * deviation)
        return Values(model.shift - criterion.sign * model.scale * mean, model.scale * deviation, value)

    spread = np.abs(model.targets - model.mean).max()
    size = np.abs(model.shift) + model.scale * (np.abs(model.targets).max() + np.abs(model.mean))
    tolerance = Values.tolerance(
        agreement(len(model.targets), model.variance, model.noise),
        spread=model.scale * spread,
        prior_deviation=model.scale * math.sqrt(model.variance),
        kappa=criterion.kappa,
        size=size,
    )
    itself = in_place(function)
    comparison = Comparison("BoTorch", ours, evaluation(twin if itself is None else itself), tolerance)
    inputs, lengthscales = model.outward(model.inputs), model.lengthscales * np.abs(model.coefficient)
    anywhere = probes(region.low, region.high, inputs, lengthscales, np.random.default_rng(seed))
    inside = region.clamped(anywhere)
    x = np.vstack([anywhere, inside])
    try:
        comparison.look(x, region.contains(x))
    except fathom.InputError:
        # If they agree without the cache, the cache is of parameters or data that the model had before.
        if itself is not None and not ours(x).beyond(evaluation(twin)(x), tolerance):
            raise fathom.InputError(
                "GPyTorch has cached predictions (prediction_strategy) that do not belong to the model's parameters and data as "
                "they are now: call model.train() and model.eval() after changing them"
            ) from None
        raise
    return comparison
