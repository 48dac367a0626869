"""Scrambled Sobol' points."""

import itertools

from scipy.stats.qmc import Sobol

PACKAGES = ("scipy",)
KEEPS_ROWS = True


class Rival:
    def __init__(self, space, seed, budget):
        sequence = Sobol(len(space), seed=seed)
        self.space, self.units = space, (sequence.random(1)[0] for _ in itertools.count())

    def ask(self):
        return self.space.first(self.units)

    def tell(self, point, value):
        pass
