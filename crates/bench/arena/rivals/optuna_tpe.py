"""Optuna's Parzen trees with their defaults."""

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from space import Choice, Float

PACKAGES = ("optuna",)

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Rival:
    sampler = optuna.samplers.TPESampler

    def __init__(self, space, seed, budget):
        self.study = optuna.create_study(sampler=self.sampler(seed=seed))
        self.distributions = {name: distribution(own) for name, own in space.items()}
        self.trial = None

    def ask(self):
        self.trial = self.study.ask(self.distributions)
        return self.trial.params

    def tell(self, point, value):
        self.study.tell(self.trial, value)


def distribution(own):
    if isinstance(own, Choice):
        return CategoricalDistribution(own.choices)
    return (FloatDistribution if isinstance(own, Float) else IntDistribution)(own.low, own.high)
