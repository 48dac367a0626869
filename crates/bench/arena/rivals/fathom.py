"""Fathom through its Python package, with its default settings but for keys of a study file: `fathom:strategy.acquisition=log-ei`.

With `batch=8` points come eight at a time after the design, from `ask(8)`.
"""

import hashlib
import tomllib
from pathlib import Path

import fathom

from space import Choice, Float

PACKAGES = ("fathom-bo",)
KEEPS_ROWS = True
# Points of the initial design, which come one by one.
DESIGN = 8


class Rival:
    def __init__(self, space, seed, budget, batch=1, **keys):
        self.batch, self.waiting, self.told = int(batch), [], 0
        parameters = {name: parameter(own) for name, own in space.items()}
        self.study = fathom.Study(parameters, constraints=map(str, space.rows), seed=seed, **strategy(keys))
        self.trial = None

    def ask(self):
        self.waiting = self.waiting or self.study.ask(self.batch if self.told >= DESIGN else 1)
        self.trial = self.waiting.pop(0)
        return self.trial.params

    def tell(self, point, value):
        self.study.tell(self.trial, value)
        self.told += 1

    def recommend(self):
        """The best point by the model; without noise that is the best one told."""
        recommended = self.study.recommended
        best = self.study.best if recommended is None else recommended.trial
        return best.params

    def claim(self):
        return self.study.remaining_gain


def build():
    """Which build of the version it is: two wheels may have the same number."""
    return hashlib.sha256(Path(fathom._fathom.__file__).read_bytes()).hexdigest()[:8]


def parameter(own):
    if isinstance(own, Choice):
        return fathom.Categorical(list(own.choices))
    return fathom.Float(own.low, own.high) if isinstance(own, Float) else fathom.Integer(own.low, own.high)


def strategy(keys):
    """`[strategy]` of a study file from keys such as `strategy.initial=8`; words need no quotation marks."""
    lines = [f"{key} = {quoted(value)}" for key, value in keys.items()]
    table = tomllib.loads("\n".join(lines))
    foreign = set(table) - {"strategy"}
    if foreign:
        raise ValueError(f"{', '.join(sorted(foreign))}: only keys under `strategy.` are Fathom's to choose here")
    return table.get("strategy", {})


def quoted(value):
    try:
        tomllib.loads(f"value = {value}")
        return value
    except tomllib.TOMLDecodeError:
        return f'"{value}"'
