"""One acquisition function: its certified minimum, and how far someone else's point is from it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from numpy.typing import ArrayLike

from . import _fathom
from ._fathom import Audit, Certificate, GaussianProcess
from .errors import InputError


@dataclass(frozen=True)
class Row:
    """A constraint by its coefficients: lower <= sum c_j x_j + sum q_jk x_j x_k <= upper.

    `Row({0: 1, 1: 3}, upper=18)` is x0 + 3 x1 <= 18; `Row(quadratic={(0, 0): 1, (1, 1): 1}, lower=1)` is the outside of
    a disc.
    """

    linear: Mapping[int, float] = field(default_factory=dict)
    """The coefficients c_j by input, counted from 0."""
    quadratic: Mapping[tuple[int, int], float] = field(default_factory=dict)
    """The coefficients q_jk by pair of inputs."""
    lower: float | None = None
    """The lower side; `None` for none."""
    upper: float | None = None
    """The upper side; `None` for none."""


Model = Union[GaussianProcess, tuple[ArrayLike, ArrayLike]]
"""A model, or arrays (X, y) that a model is fitted to."""


def minimize_acquisition(
    gp: Model,
    bounds: ArrayLike,
    *,
    acquisition: str = "lcb",
    beta: float = 4.0,
    best: float | None = None,
    rho: float = 1.0,
    imprecision: float = 1.0,
    method: str = "certified",
    gap: float | None = None,
    relative_gap: float | None = None,
    time_limit: float | None = 60.0,
    node_limit: int | None = None,
    memory_limit: int | str | None = None,
    preset: str | None = None,
    pk: Mapping[str, Any] | None = None,
    constraints: Iterable[str | Row] = (),
    integers: Sequence[int] = (),
    one_of: Sequence[Sequence[int]] = (),
    proof: bool = False,
    seed: int = 0,
    threads: int = 1,
    pool: int = 0,
) -> Certificate:
    """The global minimum of an acquisition function of `gp` over a box, certified.

    All acquisition functions are minimised. The answer does not depend on `threads`. Ctrl-C raises `Interrupted`, whose `result` is the
    certificate so far.

    Args:
        gp: the model, or a pair of arrays (X, y) that one is fitted to.
        bounds: a pair (low, high) for each input.
        acquisition: `"lcb"` (mean − √beta · deviation), `"mean"`, `"deviation"` (its negative), `"glcb"`, `"ei"`, `"log_ei"` or `"pi"`
            (negatives, too).
        beta: of `"lcb"` and `"glcb"`: the weight of the deviation, squared.
        best: of `"ei"`, `"log_ei"` and `"pi"`: the value to improve on, by default the smallest output.
        rho, imprecision: of `"glcb"`: the weight of its imprecision, and the degree of it.
        method: `"certified"`; `"pk"`, the paper's method, which minimises the piecewise-linear function (the certificate's
            `piecewise_linear`) and then lets the certified search bound the true one; `"pk-groups"`, the same for each group of an
            additive model alone; or a local method, which proves nothing: `"multistart"`, `"l-bfgs-b"`, `"nelder-mead"`, `"cobyla"`,
            `"slsqp"`, `"trust-constr"`.
        gap, relative_gap: how far the proven bound may be below the value, in the outputs' units and relative to the value; the larger
            allowance counts. The default is 1e-4 of the prior deviation, or a millionth of a value that is larger; a hundredth of the
            value for `"ei"` and `"pi"`; 1e-4 for `"log_ei"`; 1e-3 for `"pk"`.
        time_limit, node_limit, memory_limit: in seconds, in boxes, and in bytes or as `"4GB"`; `None` is no limit (of memory: half of
            what is free). The certificate has what is proven by then, and says that a limit ended the search.
        preset: `"paper"` is the configuration of the paper's Appendix B.
        pk: settings of the paper's method by the keys of `[strategy.pk]` (docs/guide/paper.md), such as `{"engine": "scip", "segments": 40}`.
        constraints: text over x0, x1, … (`"x0 + 3*x1 <= 18"`) or `Row`s, at most quadratic.
        integers: inputs that are whole numbers, counted from 0.
        one_of: groups of inputs of which exactly one is 1 and the others are 0.
        proof: whether to write the proof, for `Certificate.verify` and `Certificate.proof`.
        seed: the seed of the first samples.
        threads: threads of the search.
        pool: how many of the best distinct local minima to keep, in `Certificate.pool`.
    """
    keywords = {
        "acquisition": acquisition,
        "beta": beta,
        "best": best,
        "rho": rho,
        "imprecision": imprecision,
        "method": method,
        "gap": gap,
        "relative_gap": relative_gap,
        "time_limit": time_limit,
        "node_limit": node_limit,
        "memory_limit": memory_limit,
        "preset": preset,
        "pk": None if pk is None else dict(pk),
        "constraints": constraints,
        "integers": integers,
        "one_of": one_of,
        "proof": proof,
        "seed": seed,
        "threads": threads,
        "pool": pool,
    }
    return _fathom.minimize_acquisition(_model(gp), bounds, _lists(keywords))


def audit(x: ArrayLike, gp: Model, bounds: ArrayLike, acquisition: str = "lcb", **keywords: Any) -> Audit:
    """How far above the certified minimum of an acquisition function is a point, someone else's suggestion?

    `Audit.shortfall`, the lower end, is the difference of two values in floating point and not a proof; `Audit.shortfall_at_most` rests
    on the search's bound and on the value at the point, which is evaluated in floating point. With `proof=True` the proof of the
    `certificate` covers that bound and not the audit.

    Args:
        x: the point.
        gp, bounds, acquisition: as for `minimize_acquisition`.
        **keywords: the other keywords of `minimize_acquisition`.
    """
    known = minimize_acquisition.__kwdefaults__ or {}
    if unknown := keywords.keys() - known.keys():
        raise TypeError(f"audit() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    complete = _lists({**known, **keywords, "acquisition": acquisition})
    return _fathom.audit(x, _model(gp), bounds, complete)


def _model(gp: Model) -> GaussianProcess:
    if isinstance(gp, GaussianProcess):
        return gp
    if isinstance(gp, tuple) and len(gp) == 2:
        return GaussianProcess().fit(*gp)
    raise InputError(f"{type(gp).__name__} is no model: use a GaussianProcess or a pair of arrays (X, y)")


def _lists(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords with iterables as lists, which the compiled half takes."""
    if isinstance(keywords["constraints"], str):
        raise InputError("constraints is one string: put it into a list")
    return {
        **keywords,
        "constraints": list(keywords["constraints"]),
        "integers": _sides("integers", keywords["integers"]),
        "one_of": [_sides("one_of", group) for group in keywords["one_of"]],
    }


def _sides(name: str, given: Iterable[Any]) -> list[int]:
    try:
        return [operator.index(side) for side in given]
    except TypeError as error:
        raise InputError(f"{name} counts inputs from 0: {error}") from error
