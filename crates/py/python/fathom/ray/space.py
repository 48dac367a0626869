"""Ray Tune's search spaces as axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Quantized, Uniform
from ray.tune.search.variant_generator import parse_spec_vars
from ray.tune.utils.util import flatten_dict

import fathom
from fathom._axes import Axes, Axis, Choice, Grid, Line, LogWhole, Point, Whole


def axes(config: Mapping[str, Any], constraints: Sequence[str] = ()) -> Axes:
    """What varies in a `param_space`; nested names are joined by `/`, in constraints by `_`."""
    _, _, grids = parse_spec_vars(dict(config))
    if grids:
        name = "/".join(grids[0][0])
        raise fathom.InputError(f"`{name}` is a grid_search, which is no search space for Fathom: use tune.choice")
    _, domains, _ = parse_spec_vars(flatten_dict(dict(config), prevent_delimiter=True))
    return Axes({"/".join(path): axis("/".join(path), domain) for path, domain in domains}, constraints)


def axis(name: str, domain: Domain) -> Axis:
    """The axis of one domain."""
    sampler, step = domain.get_sampler(), None
    if isinstance(sampler, Quantized):
        sampler, step = sampler.get_sampler(), sampler.q
    is_log = isinstance(sampler, LogUniform)
    if not isinstance(sampler, (Uniform, LogUniform)) or is_log and step not in (None, 1):
        raise _unknown(name, domain)
    match domain:
        case Categorical(categories=[only]):
            return Point(only)
        case Categorical(categories=categories):
            return Choice(tuple(categories))
        case Float(lower=low, upper=high) if low == high:
            return Point(low)
        case Float(lower=low, upper=high):
            return Line(low, high, is_log) if step is None else Grid(low, step, round((high - low) / step))
        case Integer(lower=low, upper=high):
            return _whole(low, high, step, is_log)
    raise _unknown(name, domain)


def _whole(low: int, high: int, step: int | None, is_log: bool) -> Axis:
    """Whole numbers as an axis. Ray leaves the upper end out unless the step is above 1; then it means multiples of the step."""
    if step is None or step == 1:
        last = high - 1
        return Point(low) if low == last else LogWhole(low, last) if is_log else Whole(low, last)
    first, last = -(-low // step), high // step
    return Point(first * step) if first == last else Grid(first * step, step, last - first)


def _unknown(name: str, domain: Domain) -> fathom.InputError:
    return fathom.InputError(
        f"`{name}`: {type(domain).__name__} with {domain.get_sampler()} is nothing that Fathom searches; use "
        "tune.uniform, loguniform, quniform, randint, qrandint, lograndint or choice"
    )
