"""SMAC3: its facade for black boxes (a Gaussian process) where all parameters are numbers, else the one for hyperparameters."""

import logging
import tempfile

import ConfigSpace
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.runhistory import TrialValue

from space import Choice, Float

PACKAGES = ("smac", "ConfigSpace", "scikit-learn")

logging.disable(logging.WARNING)


class Rival:
    def __init__(self, space, seed, budget):
        self.space = space
        self.folder = tempfile.TemporaryDirectory()
        configurations = ConfigSpace.ConfigurationSpace(seed=seed)
        configurations.add([parameter(name, own) for name, own in space.items()])
        scenario = Scenario(configurations, n_trials=budget, deterministic=True, seed=seed, output_directory=self.folder.name)
        facade = HyperparameterOptimizationFacade if space.has(Choice) else BlackBoxFacade
        self.facade = facade(scenario, lambda configuration, seed: 0.0, overwrite=True, logging_level=False)
        self.trial = None

    def ask(self):
        self.trial = self.facade.ask()
        return {name: plain(self.trial.config[name]) for name in self.space}

    def tell(self, point, value):
        self.facade.tell(self.trial, TrialValue(cost=value))


def parameter(name, own):
    if isinstance(own, Choice):
        return ConfigSpace.Categorical(name, list(own.choices))
    kind = ConfigSpace.Float if isinstance(own, Float) else ConfigSpace.Integer
    return kind(name, (own.low, own.high))


def plain(value):
    """A number of Python's own, or a word."""
    return value.item() if hasattr(value, "item") else str(value) if isinstance(value, str) else value
