"""HEBO with its defaults. It needs NumPy before 1.25 and so an environment of its own (requirements-hebo.txt)."""

import numpy as np
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from space import Choice, Float

PACKAGES = ("HEBO", "torch", "pymoo")

torch.set_num_threads(1)


class Rival:
    def __init__(self, space, seed, budget):
        np.random.seed(seed)
        torch.manual_seed(seed)
        self.space = space
        self.optimiser = HEBO(DesignSpace().parse([parameter(name, own) for name, own in space.items()]), scramble_seed=seed)
        self.suggestion = None

    def ask(self):
        self.suggestion = self.optimiser.suggest(n_suggestions=1)
        row = self.suggestion.iloc[0]
        return {name: plain(own, row[name]) for name, own in self.space.items()}

    def tell(self, point, value):
        self.optimiser.observe(self.suggestion, np.array([[value]]))


def parameter(name, own):
    if isinstance(own, Choice):
        return {"name": name, "type": "cat", "categories": list(own.choices)}
    return {"name": name, "type": "num" if isinstance(own, Float) else "int", "lb": own.low, "ub": own.high}


def plain(own, value):
    return str(value) if isinstance(own, Choice) else float(value) if isinstance(own, Float) else int(value)
