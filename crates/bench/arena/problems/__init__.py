"""Problems by name; each family is a file. A name says everything: `bbob-f08-i09-d3`, with noise `bbob-f08-i09-d3-noisy`, with known
constraints `bbob-f08-i09-d3-cut`.
"""

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Callable

import numpy as np

from space import Space

# The deviation of noise relative to that of values at random points.
NOISE = 0.05
# Random points that a problem's scale is learned from.
SAMPLE = 1000


@dataclass(frozen=True)
class Problem:
    """What is minimised. Rivals see the space and values alone."""

    name: str
    family: str
    space: Space
    value: Callable
    optimum: float
    # What regrets of different problems are divided by: the median of values at random points, less the optimum.
    scale: float
    # The deviation of the noise on what rivals are told.
    noise: float = 0.0


def sample(space, value):
    """Values at random points, the same ones in every run."""
    generator = np.random.default_rng(0)
    units = (generator.uniform(size=len(space)) for _ in itertools.count())
    return np.array([value(space.first(units)) for _ in range(SAMPLE)])


@lru_cache(maxsize=4)
def problem(name):
    """The problem called `name`."""
    from problems import bbob, classic, tables

    for family in (bbob, classic, tables):
        found = family.problem(name)
        if found is not None:
            return found
    raise ValueError(f"there is no problem {name}; the sets in sets.toml show how problems are called")
