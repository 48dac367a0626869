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

    * `bounds`: a pair (low, high) per input, or SciPy's `Bounds`; `integers` are whole numbers, of each group in `one_of`
      exactly one is 1 and the others are 0, and `constraints` are text over x0, x1, ... ("x0 + 3*x1 <= 18"), `Row`s or
      SciPy's `LinearConstraint`s, at most quadratic.
    * `names` of the inputs, for constraints ("T + 3*time <= 18") and messages, in place of those of the model
      (`GaussianProcess(names=...)`, or the columns of the table that a model of scikit-learn was fitted to).
    * `acquisition`: "lcb" (mean - sqrt(beta) deviation), "mean", "deviation", "glcb" (with `rho` and `imprecision`), "ei",
      "log_ei" or "pi" (over `best`, the smallest output by default), all as functions to be minimised.
    * `method`: "certified"; "pk", the paper's method, which minimises the piecewise-linear function (the certificate's
      `piecewise_linear`) and then lets the certified search bound the true one (`true_function_estimate` is what the
      paper's theorem estimates); "pk-groups", the same for each group of an additive model alone; or a local
      method, which proves nothing: "multistart", "l-bfgs-b", "nelder-mead", "cobyla", "slsqp", "trust-constr".
    * `pk`: settings of the paper's method, a dict with the keys of `[strategy.pk]` (docs/guide/paper.md), such as
      {"engine": "scip", "segments": 40}; `preset="paper"` is the configuration of the paper's Appendix B.
    * `gap`, `relative_gap`: how far the proven bound may be below the value, in the outputs' units and relative to the
      value; the larger allowance counts. The default is 1e-4 of the prior deviation, or a millionth of a value that is larger;
      a hundredth of the value for "ei" and "pi"; 1e-4 for "log_ei"; 1e-3 for "pk".
    * `time_limit` in seconds, `node_limit` in boxes, `memory_limit` in bytes or as "4GB", `None` for no limit (of memory:
      half of what is free): the certificate has what is proven by then, and says that a limit ended the search.
    * `proof`: also write the proof, for `Certificate.verify()`. `pool`: also the best distinct local minima.

    The answer does not depend on `threads`. Ctrl-C raises `Interrupted`, whose `result` is the certificate so far.
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
    """How far above the certified minimum of an acquisition function is `x`, someone else's suggestion?

    `shortfall`, the lower end, is the difference of two values in floating point and not a proof; `shortfall_at_most` rests
    on the search's bound and on the value at `x`, which is evaluated in floating point. With `proof=True` the proof of
    `certificate` covers that bound and not the audit. All other keywords are those of `minimize_acquisition`.

    A point outside the region has no shortfall, but local solvers keep constraints roughly: with `tolerance` a point that breaks
    bounds, whole numbers and constraints by at most so much, in their own units, gets a verdict, too. Such a point may be
    lower than every point inside; then `shortfall_at_most` may be negative. `violations` names all that it breaks.
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
