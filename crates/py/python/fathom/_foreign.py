"""Models that were trained in other libraries, as a `GaussianProcess` in the user's units.

A model is read by an allow-list, and what was read is compared with what the library itself predicts (`_agreement`): a
model that cannot be represented exactly is refused, and the message names the part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._agreement import COARSEST, Comparison, Values, agreement, probes
from ._fathom import GaussianProcess
from .errors import InputError

# What else may be where a model is expected: the module that a class or a class below it comes from, and the way out.
WAYS = {
    "sklearn": "GaussianProcess.from_sklearn(model)",
    "botorch": "GaussianProcess.from_botorch(model)",
    "gpytorch": "GaussianProcess.from_gpytorch(model)",
}


@dataclass(frozen=True)
class Foreign:
    """What was read of a model, in the user's units, and what its library predicts."""

    library: str
    inputs: np.ndarray
    outputs: np.ndarray
    kernel: str
    lengthscales: np.ndarray
    variance: float
    noise: float
    mean: float
    # Mean and deviation at the rows of an array, as the library has them.
    predict: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    # How the user can give the model more noise, if rounding decides about its predictions.
    more_noise: str
    # The kernel's own numbers, by their keywords.
    fields: dict[str, Any] = field(default_factory=dict)
    # The variance of noise that the library's deviation contains.
    contained: float = 0.0
    names: list[str] | None = None
    # Whether the library computes distances to half of the digits, which a kernel with a kink at 0 shows.
    has_coarse_distances: bool = False

    def process(self) -> GaussianProcess:
        """The same model, after its predictions were found to be those of the library."""
        process = GaussianProcess.from_parameters(
            self.inputs,
            self.outputs,
            kernel=self.kernel,
            lengthscales=self.lengthscales,
            signal_variance=self.variance,
            noise_variance=self.noise,
            mean=self.mean,
            names=self.names,
            **self.fields,
        )
        self._compare(process)
        return process

    def _compare(self, process: GaussianProcess) -> None:
        def ours(x: np.ndarray) -> Values:
            mean, deviation = process.predict(x, return_std=True)
            return _values(mean, np.sqrt(deviation**2 + self.contained))

        largest = self._largest_variance()
        is_coarse = self.has_coarse_distances and self.kernel == "matern12"
        tolerance = Values.tolerance(
            COARSEST if is_coarse else agreement(len(self.outputs), largest, self.noise),
            spread=float(np.abs(self.outputs - self.mean).max()),
            prior_deviation=math.sqrt(largest + self.contained),
            kappa=0.0,
            size=float(np.abs(self.outputs).max() + abs(self.mean)),
        )
        low, high = self.inputs.min(axis=0), self.inputs.max(axis=0)
        x = probes(low, high, self.inputs, self.lengthscales, np.random.default_rng(0))
        comparison = Comparison(self.library, ours, lambda x: _values(*self.predict(x)), tolerance)
        try:
            comparison.look(x, np.zeros(len(x), dtype=bool))
        except InputError as error:
            if self.noise < 1e-8 * largest:
                raise InputError(
                    f"{error}. The noise is {self.noise:.2g} beside a prior variance of {largest:.2g}, so rounding decides: "
                    f"{self.more_noise}, and fit again"
                ) from error
            raise

    def _largest_variance(self) -> float:
        """The prior variance; of a kernel of inner products, the largest one at an input."""
        if self.kernel not in ("linear", "polynomial"):
            return self.variance
        inner = ((self.inputs / self.lengthscales) ** 2).sum(axis=1).max() + self.fields["offset"]
        return float(self.variance * inner ** self.fields.get("degree", 1))


def _values(mean: np.ndarray, deviation: np.ndarray) -> Values:
    return Values(mean, deviation, mean)


def from_sklearn(model: Any) -> GaussianProcess:
    """The body of `GaussianProcess.from_sklearn`."""
    from ._sklearn import read_sklearn

    return read_sklearn(model).process()


def from_gpytorch(model: Any) -> GaussianProcess:
    """The body of `GaussianProcess.from_gpytorch`; a model of BoTorch's is one of GPyTorch's too."""
    _needs("gpytorch", "GPyTorch")
    if _library(model) == "botorch":
        return from_botorch(model)
    from ._gpytorch.exact import read_exact

    return read_exact(model).process()


def from_botorch(model: Any) -> GaussianProcess:
    """The body of `GaussianProcess.from_botorch`."""
    _needs("botorch", "BoTorch")
    from .botorch.whole import read_whole

    return read_whole(model).process()


def _needs(module: str, library: str) -> None:
    try:
        __import__(module)
    except ImportError as error:
        raise ImportError(f"this needs {library}: pip install {module}") from error


def no_model(given: Any) -> InputError:
    """The error for something that is no model; a model of another library gets the way to make it one."""
    library = _library(given)
    way = f"use {WAYS[library]}" if library else "use a GaussianProcess or a pair of arrays (X, y)"
    return InputError(f"{type(given).__name__} is no model of Fathom's: {way}")


def _library(given: Any) -> str | None:
    """The library that the class of `given`, or the first known one above it, comes from."""
    modules = (base.__module__.partition(".")[0] for base in type(given).__mro__)
    return next((module for module in modules if module in WAYS), None)
