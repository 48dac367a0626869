"""CMA-ES by pycma: from the middle with a deviation of 0.3 of each range, restarted at random when it stops."""

import cma
import numpy as np

from rivals import Declined
from space import Choice, Integer

PACKAGES = ("cma",)
DEVIATION = 0.3


class Rival:
    def __init__(self, space, seed, budget):
        if space.has(Choice):
            raise Declined("CMA-ES has no choices without order")
        self.space, self.seed, self.generator = space, seed, np.random.default_rng(seed)
        self.start(np.full(len(space), 0.5))

    def start(self, middle):
        """Whole numbers keep their unit, so that pycma can round them; everything else is in the unit cube."""
        parameters = list(self.space.values())
        whole = [j for j, own in enumerate(parameters) if isinstance(own, Integer)]
        self.low = np.array([own.low - 0.5 if isinstance(own, Integer) else 0.0 for own in parameters])
        self.high = np.array([own.high + 0.5 if isinstance(own, Integer) else 1.0 for own in parameters])
        options = {
            "bounds": [self.low.tolist(), self.high.tolist()],
            "CMA_stds": (self.high - self.low).tolist(),
            "seed": self.seed,
            "verbose": -9,
        }
        if whole:
            options["integer_variables"] = whole
        self.strategy = cma.CMAEvolutionStrategy(self.low + middle * (self.high - self.low), DEVIATION, options)
        self.asked, self.told = [], []

    def ask(self):
        if len(self.told) == len(self.asked):
            if self.asked:
                self.strategy.tell(self.asked, self.told)
            if self.strategy.stop():
                self.seed += 1000
                self.start(self.generator.uniform(size=len(self.space)))
            self.asked, self.told = self.strategy.ask(), []
        return {name: value(own, at) for (name, own), at in zip(self.space.items(), self.asked[len(self.told)])}

    def tell(self, point, value):
        self.told.append(value)


def value(own, at):
    if isinstance(own, Integer):
        return int(min(max(round(at), own.low), own.high))
    return own.at(min(max(float(at), 0.0), 1.0))
