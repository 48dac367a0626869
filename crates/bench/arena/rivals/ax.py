"""Ax with its default strategy: the centre, four Sobol' points, then BoTorch as Ax sets it up."""

import logging

import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from space import Choice, Float

PACKAGES = ("ax-platform", "botorch", "torch")
KEEPS_ROWS = True

torch.set_num_threads(1)
logging.disable(logging.WARNING)


class Rival:
    def __init__(self, space, seed, budget):
        self.client = Client(random_seed=seed)
        parameters = [parameter(name, own) for name, own in space.items()]
        self.client.configure_experiment(parameters, parameter_constraints=[text(row) for row in space.rows])
        self.client.configure_optimization("-value")
        self.number = None

    def ask(self):
        ((self.number, point),) = self.client.get_next_trials(max_trials=1).items()
        return dict(point)

    def tell(self, point, value):
        self.client.complete_trial(self.number, {"value": value})


def text(row):
    """Ax reads no number without a parameter on the left."""
    return str(row).removeprefix("0 + ").replace("0 - ", "-", 1)


def parameter(name, own):
    if isinstance(own, Choice):
        return ChoiceParameterConfig(name, list(own.choices), "str", is_ordered=False)
    return RangeParameterConfig(name, (own.low, own.high), "float" if isinstance(own, Float) else "int")
