"""Random BoTorch models against their certificates.

    python crates/py/tests/campaigns/botorch_models.py FOLDER [--accepted 1000] [--refused 200] [--points 10000] [--seed 1]

writes FOLDER/raw.csv with a row for each model. Honest ones, of every kind that `fathom.botorch` accepts, are certified, and
BoTorch's own function is evaluated at many points of the region: random ones, near the training inputs and near the
candidate. None may be above the bound by more than rounding. Damaged ones must be refused, each for its own reason. Exits with
1 if there was a failure.
"""

from __future__ import annotations

import argparse
import copy
import csv
import math
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from botorch.acquisition import PosteriorMean, UpperConfidenceBound
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import AffineInputTransform, ChainedInputTransform, InputStandardize, Normalize
from botorch.optim.parameter_constraints import evaluate_feasibility
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood
from gpytorch.means import ConstantMean, ZeroMean
from gpytorch.priors import LogNormalPrior

sys.path.insert(0, str(Path(__file__).parent))

import fathom  # noqa: E402
from botorch_damages import DAMAGES, DOUBLE, Case  # noqa: E402
from fathom.botorch import optimize_acqf_certified  # noqa: E402

# Kinds of rows that should not be.
FAILURES = ("above", "wrong", "certified", "refused for another", "failed")

# BoTorch and Fathom round differently. This is what rounding may come to, relative to the size of the numbers: σ_f, the
# targets and their shift, times N and the condition of K̂, below 1e7 here.
ROUNDING = 1e-9

KERNELS = ("rbf", "matern12", "matern32", "matern52")
TRANSFORMS = ("none", "bounds", "learned", "indices", "standardise", "affine", "chain")
STATES = ("training", "evaluation", "asked", "copied", "conditioned")
COLUMNS = (
    "number", "kind", "dim", "count", "kernel", "ard", "scaled", "inputs", "outcome", "noise", "mean", "state", "function",
    "fixed", "rows", "single_precision", "status", "upper_bound", "value", "gap", "highest", "excess", "allowed", "points",
    "compared", "disagreement", "seconds", "message",
)  # fmt: skip


def honest(rng: np.random.Generator, least: int = 1) -> tuple[Case, dict[str, Any]]:
    """A model of a kind that is accepted, and its description."""
    dim, count = int(rng.integers(least, 5)), int(rng.integers(3, 31))
    width, low = 10 ** rng.uniform(-2, 2, dim), rng.uniform(-3, 3, dim)
    bounds = torch.tensor(np.stack([low, low + width]), dtype=DOUBLE)
    x = low + width * rng.random((count, dim))
    y = 10 ** rng.uniform(-1, 2) * (np.sin(x / width @ rng.uniform(1, 9, dim)) + 0.1 * rng.standard_normal(count))
    y += rng.choice([0.0, 100.0]) * rng.standard_normal()
    told: dict[str, Any] = {"dim": dim, "count": count}
    transform = _inputs(rng, told, bounds)
    covariance = _kernel(rng, told, np.ones(dim) if told["inputs"] not in ("none", "indices") else width)
    # Without standardised outputs the prior is of their size.
    told["outcome"] = str(rng.choice(["standardise", "none"]))
    size = 1.0 if told["outcome"] == "standardise" else float(np.std(y)) or 1.0
    if told["scaled"]:
        covariance.outputscale = size**2 * 10 ** rng.uniform(-1, 1)
    targets, likelihood = torch.tensor(y, dtype=DOUBLE).unsqueeze(-1), _noise(rng, told, size**2 if told["scaled"] else 1.0, count)
    model = SingleTaskGP(
        torch.tensor(x, dtype=DOUBLE),
        targets,
        likelihood=likelihood,
        covar_module=covariance,
        mean_module=_mean(rng, told, size),
        input_transform=transform,
        **({"outcome_transform": None} if told["outcome"] == "none" else {}),
    )
    model = _state(rng, told, model, bounds)
    case = Case(_function(rng, told, model), bounds)
    _region(rng, told, case)
    return case, told


def _inputs(rng: np.random.Generator, told: dict[str, Any], bounds: Any) -> Any:
    dim = told["dim"]
    told["inputs"] = kind = str(rng.choice(TRANSFORMS))
    if kind == "none":
        return None
    if kind == "indices":
        chosen = sorted(rng.choice(dim, int(rng.integers(1, dim + 1)), replace=False).tolist())
        return Normalize(dim, indices=chosen, bounds=bounds)
    if kind == "affine":
        # The input runs backwards if the coefficient is negative.
        signs = torch.tensor(rng.choice([-1.0, 1.0], (1, dim)), dtype=DOUBLE)
        return AffineInputTransform(dim, signs * (bounds[1] - bounds[0]), bounds[:1].clone())
    known = Normalize(dim, bounds=bounds)
    chain = {"chain": lambda: ChainedInputTransform(one=known, two=InputStandardize(dim))}
    makers = {"bounds": lambda: known, "learned": lambda: Normalize(dim), "standardise": lambda: InputStandardize(dim), **chain}
    return makers[kind]()


def _kernel(rng: np.random.Generator, told: dict[str, Any], unit: np.ndarray) -> Any:
    dim = told["dim"]
    told["kernel"], told["ard"], told["scaled"] = str(rng.choice(KERNELS)), bool(rng.random() < 0.6), bool(rng.random() < 0.7)
    arguments: dict[str, Any] = {"ard_num_dims": dim if told["ard"] else None}
    if rng.random() < 0.3:
        arguments["lengthscale_prior"] = LogNormalPrior(0.0, 1.0)
    if rng.random() < 0.3:
        arguments["lengthscale_constraint"] = Interval(1e-6, 1e6) if rng.random() < 0.5 else GreaterThan(1e-6)
    nu = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
    kernel = RBFKernel(**arguments) if told["kernel"] == "rbf" else MaternKernel(nu=nu[told["kernel"]], **arguments)
    kernel = kernel.double()
    scales = 10 ** rng.uniform(-1.3, 0.3, dim) * unit
    kernel.lengthscale = torch.tensor(scales if told["ard"] else [scales.mean()], dtype=DOUBLE)
    return ScaleKernel(kernel).double() if told["scaled"] else kernel


def _noise(rng: np.random.Generator, told: dict[str, Any], variance: float, count: int) -> Any:
    told["noise"] = kind = str(rng.choice(["learned", "fixed", "fixed and learned"]))
    if kind == "learned":
        likelihood = GaussianLikelihood(noise_constraint=GreaterThan(1e-9)).double()
        likelihood.noise = variance * 10 ** rng.uniform(-5, -0.5)
        return likelihood
    known = torch.full((count,), variance * 10 ** rng.uniform(-5, -0.5), dtype=DOUBLE)
    return FixedNoiseGaussianLikelihood(known, learn_additional_noise=kind != "fixed").double()


def _mean(rng: np.random.Generator, told: dict[str, Any], size: float) -> Any:
    told["mean"] = str(rng.choice(["constant", "zero"]))
    if told["mean"] == "zero":
        return ZeroMean()
    mean = ConstantMean().double()
    mean.constant = float(size * rng.standard_normal())
    return mean


def _state(rng: np.random.Generator, told: dict[str, Any], model: Any, bounds: Any) -> Any:
    told["state"] = state = str(rng.choice(STATES))
    model.train(state == "training")
    if state in ("asked", "conditioned"):
        with torch.no_grad():
            model.posterior(bounds)
    if state == "copied":
        return copy.deepcopy(model)
    if state == "conditioned":
        # The new points have the noise of the others, if it is given.
        more = {} if told["noise"] == "learned" else {"noise": model.likelihood.noise_covar.noise[:1].reshape(1, 1)}
        with torch.no_grad():
            return model.condition_on_observations(bounds.mean(0, keepdim=True), model.posterior(bounds[:1]).mean, **more)
    return model


def _function(rng: np.random.Generator, told: dict[str, Any], model: Any) -> Any:
    is_maximised = bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        told["function"] = f"mean {'max' if is_maximised else 'min'}"
        return PosteriorMean(model, maximize=is_maximised)
    told["function"] = f"ucb {'max' if is_maximised else 'min'}"
    return UpperConfidenceBound(model, beta=float(10 ** rng.uniform(-2, 1.2)), maximize=is_maximised)


def _region(rng: np.random.Generator, told: dict[str, Any], case: Case) -> None:
    dim, (low, high) = case.dim, case.bounds.numpy()
    told["single_precision"] = bool(rng.random() < 0.15)
    if told["single_precision"]:
        case.bounds = case.bounds.float()
        low, high = case.bounds.double().numpy()
    inside = low + (high - low) * rng.uniform(0.2, 0.8, dim)
    held = rng.choice(dim, int(rng.integers(1, dim)), replace=False).tolist() if dim > 1 and rng.random() < 0.3 else []
    told["fixed"] = len(held)
    if held:
        case.arguments["fixed_features"] = {int(j) - (dim if rng.random() < 0.3 else 0): float(inside[j]) for j in held}
    told["rows"] = ""
    free = [j for j in range(dim) if j not in held]
    if rng.random() < 0.3:
        # An index may come twice.
        indices = rng.choice(free, int(rng.integers(1, 2 * len(free) + 1)))
        factors = rng.standard_normal(len(indices)) / (high - low)[indices]
        level = float(factors @ inside[indices]) - abs(0.3 * rng.standard_normal())
        case.arguments["inequality_constraints"] = [(torch.tensor(indices), torch.tensor(factors, dtype=DOUBLE), level)]
        told["rows"] += "inequality"
    if len(free) > 1 and rng.random() < 0.2:
        factors = rng.standard_normal(len(free)) / (high - low)[free]
        row = torch.tensor(free), torch.tensor(factors, dtype=DOUBLE), float(factors @ inside[free])
        case.arguments["equality_constraints"] = [row]
        told["rows"] += " equality"


def feasible(case: Case, candidate: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points of the region: everywhere, near the training inputs and near the candidate.

    The region is convex and has the candidate in it: each point is approached from there as far as the region goes.
    """
    dim, (low, high) = case.dim, case.bounds.double().numpy()
    with torch.no_grad():
        inputs = case.model.train_inputs[0] if case.model.training else getattr(case.model, "_original_train_inputs", None)
        inputs = case.model.train_inputs[0] if inputs is None else inputs
        inputs = inputs.numpy()
    points: np.ndarray
    spread = 10 ** rng.uniform(-6, 0, (count, 1)) * rng.standard_normal((count, dim)) * (high - low)
    kinds = rng.integers(3, size=count)
    goals = np.where((kinds == 0)[:, None], low + (high - low) * rng.random((count, dim)), 0.0)
    goals = np.where((kinds == 1)[:, None], inputs[rng.integers(len(inputs), size=count)] + spread, goals)
    goals = np.where((kinds == 2)[:, None], candidate + spread, goals)
    ways = np.clip(goals, low, high) - candidate
    for index in case.arguments.get("fixed_features", {}):
        ways[:, index] = 0.0
    equations = [_weights(row, dim) for row in case.arguments.get("equality_constraints", ())]
    for index in case.arguments.get("fixed_features", {}):
        for weights in equations:
            weights[index] = 0.0
    for weights in equations:
        ways -= np.outer(ways @ weights / (weights @ weights), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(ways > 0, (high - candidate) / ways, np.where(ways < 0, (low - candidate) / ways, np.inf))
        reach = np.minimum(room.min(axis=1), 1.0)
        for row in case.arguments.get("inequality_constraints", ()):
            falls, slack = -(ways @ _weights(row, dim)), _weights(row, dim) @ candidate - float(row[2])
            reach = np.minimum(reach, np.where(falls > 0, np.maximum(slack, 0.0) / falls, np.inf))
    points = np.clip(candidate + ways * reach[:, None], low, high)
    # Some of the points are on the way: its end is on the boundary.
    points = np.where((rng.random(count) < 0.3)[:, None], candidate + (points - candidate) * rng.random((count, 1)), points)
    for index, value in case.arguments.get("fixed_features", {}).items():
        points[:, index] = value
    return points


def _weights(row: Any, dim: int) -> np.ndarray:
    weights = np.zeros(dim)
    np.add.at(weights, row[0].numpy(), row[1].double().numpy())
    return weights


def highest(case: Case, points: np.ndarray) -> float:
    """BoTorch's own largest value at the points."""
    with torch.no_grad():
        batches = torch.tensor(points, dtype=DOUBLE).unsqueeze(1).split(1000)
        return max(float(case.function(batch).max()) for batch in batches)


def certify(case: Case, told: dict[str, Any], points: int, rng: np.random.Generator, seconds: float) -> dict[str, Any]:
    """One honest model, certified and attacked."""
    targets = case.model.train_targets.detach()
    scale = float(case.model.outcome_transform.stdvs) if told["outcome"] == "standardise" else 1.0
    kernel = case.model.covar_module
    deviation = scale * math.sqrt(float(kernel.outputscale)) if told["scaled"] else scale
    # A bound that is close to the maximum hides nothing.
    gap = deviation * float(10 ** rng.uniform(-5, -2))
    began = time.perf_counter()
    candidate, value, proven = optimize_acqf_certified(
        case.function, case.bounds, gap=gap, timeout_sec=seconds, return_certificate=True, **case.arguments
    )
    took = time.perf_counter() - began
    x = candidate.numpy()[0]
    rows = {name: rows for name, rows in case.arguments.items() if name.endswith("constraints")}
    assert bool(evaluate_feasibility(candidate.unsqueeze(0), **rows)), "the candidate is not feasible as BoTorch checks it"
    assert ((case.bounds.double()[0] <= candidate) & (candidate <= case.bounds.double()[1])).all(), "outside the bounds"
    for index, held in case.arguments.get("fixed_features", {}).items():
        assert x[index] == held, "a fixed feature was moved"
    top = max(highest(case, feasible(case, x, points, rng)), float(value))
    size = abs(proven.upper_bound) + deviation + scale * float(targets.abs().max()) + abs(float(value))
    return {
        **told,
        "status": proven.certificate.status,
        "upper_bound": proven.upper_bound,
        "value": float(value),
        "gap": proven.gap,
        "highest": top,
        "excess": top - proven.upper_bound,
        "allowed": ROUNDING * size,
        "points": points,
        "compared": proven.compared,
        "disagreement": proven.disagreement,
        "seconds": round(took, 3),
    }


def campaign(accepted: int, refused: int, points: int, seed: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A row for each model."""
    number = certified = 0
    while certified < accepted:
        rng = np.random.default_rng([seed, number])
        torch.manual_seed(number)
        case, told = honest(rng)
        row = {"number": number, "kind": "accepted", **told}
        try:
            row |= certify(case, told, points, rng, seconds)
            row["kind"] = "above the bound" if row["excess"] > row["allowed"] else "accepted"
            certified += 1
        except fathom.InputError as error:
            row |= {"kind": "honest, refused", "message": str(error)}
        except AssertionError as error:
            row |= {"kind": "wrong candidate", "message": str(error)}
            certified += 1
        yield row
        number += 1
    for place in range(refused):
        name, (damage, word) = list(DAMAGES.items())[place % len(DAMAGES)]
        rng = np.random.default_rng([seed, 1, place])
        torch.manual_seed(place)
        case, told = honest(rng, least=2)
        row = {"number": number + place, "kind": f"refused: {name}", **told}
        # Nothing else may be in the way, and a cached prediction needs a prediction.
        case.arguments.clear()
        try:
            damage(case)
            optimize_acqf_certified(case.function, case.bounds, timeout_sec=seconds, **case.arguments)
            row["kind"] = f"certified: {name}"
        except fathom.InputError as error:
            row["message"] = str(error)
            if not re.search(word, str(error)):
                row["kind"] = f"refused for another reason: {name}"
        except Exception as error:
            row |= {"kind": f"failed otherwise: {name}", "message": f"{type(error).__name__}: {error}"}
        yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--accepted", type=int, default=1000)
    parser.add_argument("--refused", type=int, default=200)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each search")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    given.folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    with (given.folder / "raw.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in campaign(given.accepted, given.refused, given.points, given.seed, given.seconds):
            writer.writerow(row)
            file.flush()
            if row["kind"].startswith(FAILURES):
                failures += 1
                print(row, file=sys.stderr)
    print(f"{failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
