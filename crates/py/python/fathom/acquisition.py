"""One acquisition function: its certified minimum, and how far someone else's point is from it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from numpy.typing import ArrayLike

from . import _fathom
from ._fathom import Audit, Certificate, GaussianProcess
from .constraint import Constraint, read_bounds, read_constraints
from .errors import InputError

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
    constraints: Iterable[Constraint] = (),
    integers: Sequence[int] = (),
    one_of: Sequence[Sequence[int]] = (),
    names: Sequence[str] | None = None,
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
        bounds: a pair (low, high) for each input, or SciPy's `Bounds`.
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
        constraints: text over x0, x1, … (`"x0 + 3*x1 <= 18"`), `Row`s or SciPy's `LinearConstraint`s, at most quadratic.
        names: of the inputs, for constraints (`"T + 3*time <= 18"`) and messages, in place of those of the model
            (`GaussianProcess(names=...)`, or the columns of the table that a model of scikit-learn was fitted to).
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
        "names": names,
        "proof": proof,
        "seed": seed,
        "threads": threads,
        "pool": pool,
    }
    return _fathom.minimize_acquisition(_model(gp), read_bounds(bounds), _lists(keywords))


def audit(
    x: ArrayLike, gp: Model, bounds: ArrayLike, acquisition: str = "lcb", *, tolerance: float = 0.0, **keywords: Any
) -> Audit:
    """How far above the certified minimum of an acquisition function is a point, someone else's suggestion?

    `Audit.shortfall`, the lower end, is the difference of two values in floating point and not a proof; `Audit.shortfall_at_most` rests
    on the search's bound and on the value at the point, which is evaluated in floating point. With `proof=True` the proof of the
    `certificate` covers that bound and not the audit.

    A point outside the region has no shortfall, but local solvers keep constraints roughly: with a `tolerance` a point that breaks
    bounds, whole numbers and constraints by at most so much, in their own units, gets a verdict, too. Such a point may be
    lower than every point inside; then `shortfall_at_most` may be negative. `violations` names all that it breaks.

    Args:
        x: the point.
        gp, bounds, acquisition: as for `minimize_acquisition`.
        tolerance: by how much the point may break bounds, whole numbers and constraints.
        **keywords: the other keywords of `minimize_acquisition`.
    """
    known = minimize_acquisition.__kwdefaults__ or {}
    if unknown := keywords.keys() - known.keys():
        raise TypeError(f"audit() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    complete = _lists({**known, **keywords, "acquisition": acquisition})
    return _fathom.audit(x, _model(gp), read_bounds(bounds), complete, tolerance)


def _model(gp: Model) -> GaussianProcess:
    if isinstance(gp, GaussianProcess):
        return gp
    if isinstance(gp, tuple) and len(gp) == 2:
        return GaussianProcess().fit(*gp)
    # Only whoever makes this mistake needs to know other libraries.
    from ._foreign import no_model

    raise no_model(gp)


def _lists(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords with iterables as lists, which the compiled half takes."""
    return {
        **keywords,
        "constraints": read_constraints(keywords["constraints"]),
        "names": None if keywords["names"] is None else list(keywords["names"]),
        "integers": _sides("integers", keywords["integers"]),
        "one_of": [_sides("one_of", group) for group in keywords["one_of"]],
    }


def _sides(name: str, given: Iterable[Any]) -> list[int]:
    try:
        return [operator.index(side) for side in given]
    except TypeError as error:
        raise InputError(f"{name} counts inputs from 0: {error}") from error
