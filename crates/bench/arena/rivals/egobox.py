"""EGObox, efficient global optimisation in Rust, with its defaults; its initial design is a Latin hypercube of max(5, D + 1) points.

EGObox plans that design only within its own loop, so the design is drawn from EGObox's sampler here.
"""

import egobox
import numpy as np

from space import Choice, Float

PACKAGES = ("egobox",)


class Rival:
    def __init__(self, space, seed, budget):
        self.space, self.seed = space, seed
        self.specs = [spec(own) for own in space.values()]
        self.design = egobox.lhs(self.specs, max(5, len(space) + 1), seed=seed)
        self.optimiser = egobox.Egor(self.specs, seed=seed)
        self.x, self.y = [], []

    def ask(self):
        if len(self.y) < len(self.design):
            at = self.design[len(self.y)]
        else:
            at = self.optimiser.suggest(np.array(self.x), np.array(self.y)[:, None])[0]
        return {name: value(own, coordinate) for (name, own), coordinate in zip(self.space.items(), at)}

    def tell(self, point, value):
        code = lambda own, at: own.choices.index(at) if isinstance(own, Choice) else at
        self.x.append([float(code(own, point[name])) for name, own in self.space.items()])
        self.y.append(value)


def spec(own):
    if isinstance(own, Choice):
        return egobox.XSpec(egobox.XType.ENUM, [len(own.choices)])
    return egobox.XSpec(egobox.XType.FLOAT if isinstance(own, Float) else egobox.XType.INT, [own.low, own.high])


def value(own, at):
    if isinstance(own, Choice):
        return own.choices[min(max(round(at), 0), len(own.choices) - 1)]
    at = min(max(float(at), own.low), own.high)
    return at if isinstance(own, Float) else round(at)
