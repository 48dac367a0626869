"""Functions that need nothing installed but NumPy, for tests of the arena itself."""

import math

import numpy as np

from problems import Problem, sample
from space import Choice, Float, Integer, Space


def branin(point):
    a, b = point["x1"], point["x2"]
    valley = b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def mixture(point):
    """A valley for each colour."""
    middle = {"red": 0.2, "green": 0.5, "blue": 0.8}[point["colour"]]
    return (point["x"] - middle) ** 2 + 0.1 * abs(point["steps"] - 3) + (point["colour"] != "green")


# Function, space and optimal value; Branin's is less by 1e-12 than the value at a computed minimum, for its rounding.
FUNCTIONS = {
    "branin": (branin, Space(x1=Float(-5.0, 10.0), x2=Float(0.0, 15.0)), 0.39788735772973816 - 1e-12),
    "mixture": (
        mixture,
        Space(x=Float(0.0, 1.0), steps=Integer(1, 5), colour=Choice(("red", "green", "blue"))),
        0.0,
    ),
}


def problem(name):
    if name not in FUNCTIONS:
        return None
    value, space, optimum = FUNCTIONS[name]
    return Problem(name, "classic", space, value, optimum, float(np.median(sample(space, value))) - optimum)
