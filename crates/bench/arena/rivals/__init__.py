"""Rivals by name; each is one file with a class `Rival` and the packages whose versions are written down.

    PACKAGES = ("optuna",)
    KEEPS_ROWS = True                                   # if it takes known linear constraints (`space.rows`)

    class Rival:
        def __init__(self, space, seed, budget): ...    # keys after a colon in the name arrive as keywords
        def ask(self): ...                              # a point of the space: a dict
        def tell(self, point, value): ...               # what is to be minimised, at the point asked for last
        def recommend(self): ...                        # if there is such a word: the point to use at the end; else the one told the least
        def claim(self): ...                            # if there is such a word: what can still be gained at most, or None

A rival is called by its file (`optuna-tpe` is optuna_tpe.py), with keys if it takes any (`fathom:strategy.initial=8`), and under
another name if two of a kind meet (`eight@fathom:strategy.initial=8`). A file may have a function `build`, if versions alone do not tell
two builds apart. `Declined` says that a rival has no way to take a problem.
"""

import importlib
import re
from importlib import metadata


class Declined(Exception):
    """The rival cannot take such a space."""


class Builder:
    """Makes the rival of a name for a study."""

    def __init__(self, name):
        head, _, keys = name.partition(":")
        file = head.rpartition("@")[2]
        module = "rivals." + file.replace("-", "_")
        try:
            self.module = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name == module:
                raise ValueError(f"there is no rival {file}: rivals/ has a file for each") from None
            raise
        # A comma within a list is the list's own.
        self.keys = dict(key.split("=", 1) for key in re.split(r",(?![^\[]*\])", keys)) if keys else {}

    def __call__(self, space, seed, budget):
        if space.rows and not getattr(self.module, "KEEPS_ROWS", False):
            raise Declined("it has no place for known constraints")
        return self.module.Rival(space, seed, budget, **self.keys)

    def version(self):
        versions = [f"{package} {metadata.version(package)}" for package in self.module.PACKAGES]
        if hasattr(self.module, "build"):
            versions.append(f"build {self.module.build()}")
        return ", ".join(versions)


def rival(name):
    return Builder(name)
