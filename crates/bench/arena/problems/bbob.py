"""COCO's suites bbob and bbob-mixint (`pip install coco-experiment`): `bbob-f08-i09-d3` is function 8, instance 9, in 3D.

`-noisy` adds noise to what rivals are told. `-cut` adds two linear constraints, known to everybody, whose planes go through the optimal
point in random directions: the optimum is what it was, and lies where both are active.

The optimal value is that of the suite's own optimal point. COCO tells it to nobody but a file in the working directory, which
is read in a folder of its own.
"""

import os
import re
import tempfile
from functools import lru_cache

import numpy as np

from problems import NOISE, Problem, sample
from space import Float, Integer, Row, Space

NAME = re.compile(r"(bbob|bbob-mixint)-f(\d+)-i(\d+)-d(\d+)(-noisy|-cut)?")


@lru_cache
def suite(name, instance, dimension):
    import cocoex

    return cocoex.Suite(name, f"instances: {instance}", f"dimensions: {dimension}")


def problem(name):
    parts = NAME.fullmatch(name)
    if parts is None:
        return None
    of, noisy, cut = parts[1], parts[5] == "-noisy", parts[5] == "-cut"
    function, instance, dimension = (int(parts[i]) for i in (2, 3, 4))
    own = lambda: suite(of, instance, dimension).get_problem_by_function_dimension_instance(function, dimension, instance)
    coco = own()
    where, optimum = best(own())
    space = Space()
    for j, (low, high) in enumerate(zip(coco.lower_bounds, coco.upper_bounds)):
        whole = j < coco.number_of_integer_variables
        space[f"x{j + 1}"] = Integer(int(low), int(high)) if whole else Float(float(low), float(high))
    if cut:
        generator = np.random.default_rng([function, instance, dimension])
        space.rows = tuple(row(list(space), where, generator.standard_normal(dimension)) for _ in range(2))
    value = lambda point: float(coco(np.array(list(point.values()), dtype=float)))
    values = sample(space, value)
    family = "mixed integers" if of == "bbob-mixint" else "noisy" if noisy else "constrained" if cut else "bbob"
    noise = NOISE * float(np.std(values)) if noisy else 0.0
    return Problem(name, family, space, value, optimum, float(np.median(values)) - optimum, noise)


def row(names, where, direction):
    """The constraint in a direction whose plane goes through a point."""
    weights = {name: float(weight) for name, weight in zip(names, direction / np.linalg.norm(direction))}
    return Row(weights, float(sum(weight * at for weight, at in zip(weights.values(), where))))


def best(coco):
    """The optimal point and its value."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            coco._best_parameter("print")
            where = np.loadtxt("._bbob_problem_best_parameter.txt", ndmin=1)
            return where, float(coco(where))
        finally:
            os.chdir(here)
