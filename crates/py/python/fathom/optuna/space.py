"""Optuna's distributions as axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

import fathom
from fathom._axes import Axes, Axis, Choice, Grid, Line, LogWhole, Point, Whole


def axes(space: Mapping[str, BaseDistribution], constraints: Sequence[str] = ()) -> Axes:
    """The axes of a search space, under constraints between its parameters."""
    return Axes({name: axis(name, distribution) for name, distribution in space.items()}, constraints)


def axis(name: str, distribution: BaseDistribution) -> Axis:
    """The axis of one distribution."""
    match distribution:
        case CategoricalDistribution(choices=[only]):
            return Point(only)
        case CategoricalDistribution(choices=choices):
            return Choice(tuple(choices))
        case FloatDistribution() | IntDistribution() if distribution.single():
            return Point(distribution.low)
        case FloatDistribution(low=low, high=high, step=None, log=log):
            return Line(low, high, log)
        case IntDistribution(low=low, high=high, log=True):
            return LogWhole(low, high)
        case IntDistribution(low=low, high=high, step=1):
            return Whole(low, high)
        case FloatDistribution(low=low, high=high, step=step) | IntDistribution(low=low, high=high, step=step):
            return Grid(low, step, round((high - low) / step))
    raise fathom.InputError(f"`{name}`: {distribution} is no distribution that Fathom knows; use suggest_float, "
                            "suggest_int or suggest_categorical")
