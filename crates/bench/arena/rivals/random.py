"""Independent random points."""

import numpy as np

PACKAGES = ("numpy",)


class Rival:
    def __init__(self, space, seed, budget):
        self.space, self.generator = space, np.random.default_rng(seed)

    def ask(self):
        return self.space.point(self.generator.uniform(size=len(self.space)))

    def tell(self, point, value):
        pass
