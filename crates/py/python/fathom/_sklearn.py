"""A fitted `GaussianProcessRegressor` of scikit-learn in numbers.

Its kernel is written out as a sum of terms, a factor times a kernel each. What remains after equal terms are added must be
one kernel of Fathom's, and noise. scikit-learn's types are known by their names, so that nothing is imported here.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._foreign import Foreign
from .errors import InputError

MATERN = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52", 3.5: "matern72", math.inf: "rbf"}

CONSTANT, WHITE, DOT = "ConstantKernel", "WhiteKernel", "polynomial"


@dataclass(frozen=True)
class Shape:
    """A kernel without its factor. `name` is Fathom's, CONSTANT or WHITE."""

    name: str
    # What scikit-learn calls it, for messages.
    written: str
    lengthscales: tuple[float, ...] = ()
    alpha: float = 1.0
    offset: float = 0.0
    degree: int = 1

    def same(self, other: Shape) -> bool:
        """Whether the two are one kernel."""
        mine, theirs = (
            (each.name, each.lengthscales, each.alpha, each.offset, each.degree) for each in (self, other)
        )
        return mine == theirs


@dataclass(frozen=True)
class Term:
    """A factor times a kernel."""

    factor: float
    shape: Shape


def read_sklearn(model: Any) -> Foreign:
    """All that the predictions of `model` depend on, in the units of its data."""
    _examine(model)
    inputs = np.asarray(model.X_train_, dtype=float)
    targets = np.asarray(model.y_train_, dtype=float)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise InputError(f"the model has {targets.shape[1]} outputs: fit one GaussianProcessRegressor for each")
    shift, scale = (_one(name, getattr(model, f"_y_train_{name}", None)) for name in ("mean", "std"))
    kernel, white = _gathered(_terms(model.kernel_, inputs.shape[1]))
    alpha = np.asarray(model.alpha, dtype=float)
    if alpha.ndim and alpha.size and alpha.min() < alpha.max():
        raise InputError(
            "alpha has a number for each observation, and a Fathom model has one variance of noise for all: fit again with one "
            "`alpha`, or with a WhiteKernel in place of it"
        )
    noise = white + float(alpha.flat[0])
    shape = kernel.shape
    fields = {"rq": {"alpha": shape.alpha}, "linear": {"offset": shape.offset}}.get(shape.name, {})
    if shape.name == DOT:
        fields = {"offset": shape.offset, "degree": shape.degree}
    names = getattr(model, "feature_names_in_", None)
    return Foreign(
        library="scikit-learn",
        inputs=inputs,
        outputs=shift + scale * targets,
        kernel=shape.name,
        lengthscales=np.array(shape.lengthscales),
        variance=kernel.factor * scale**2,
        noise=noise * scale**2,
        mean=shift,
        predict=_prediction(model),
        more_noise="use a larger `alpha` (1e-8 of the prior variance or more) or add a WhiteKernel",
        fields=fields,
        contained=white * scale**2,
        names=None if names is None else [str(name) for name in names],
    )


def _examine(model: Any) -> None:
    if not _is(model, "GaussianProcessRegressor"):
        if _is(model, "Pipeline"):
            raise InputError(
                "the model is a Pipeline: give its last step, GaussianProcess.from_sklearn(pipeline[-1]), whose inputs are what "
                "the steps before it return; bounds and constraints are in those units"
            )
        raise InputError(f"the model is {type(model).__name__}, and what can be read is a GaussianProcessRegressor itself")
    if not hasattr(model, "kernel_") or not hasattr(model, "X_train_"):
        raise InputError("the GaussianProcessRegressor has no data yet: call fit(X, y) first")
    if not hasattr(model.X_train_, "ndim") or np.ndim(model.X_train_) != 2 or model.X_train_.dtype.kind not in "fiu":
        raise InputError("the inputs of the GaussianProcessRegressor (X_train_) are no table of numbers")


def _is(given: Any, name: str) -> bool:
    """Whether `given` is of that class of scikit-learn's, and of no class below it."""
    return type(given).__name__ == name and type(given).__module__.partition(".")[0] == "sklearn"


def _one(name: str, number: Any) -> float:
    if number is None:
        raise InputError(f"this version of scikit-learn keeps no `_y_train_{name}`: use GaussianProcess.from_parameters")
    return float(np.asarray(number, dtype=float).reshape(-1)[0])


def _prediction(model: Any) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    def predict(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with warnings.catch_warnings():
            # Of arrays without the names of their columns, and of variances that rounding made negative.
            warnings.simplefilter("ignore")
            mean, deviation = model.predict(x, return_std=True)
        return np.asarray(mean, dtype=float).reshape(-1), np.asarray(deviation, dtype=float).reshape(-1)

    return predict


def _terms(kernel: Any, dim: int) -> list[Term]:
    """`kernel` as a sum."""
    if _is(kernel, "Sum"):
        return _terms(kernel.k1, dim) + _terms(kernel.k2, dim)
    if _is(kernel, "Product"):
        return [_product(a, b) for a in _terms(kernel.k1, dim) for b in _terms(kernel.k2, dim)]
    if _is(kernel, "Exponentiation"):
        base = _terms(kernel.kernel, dim)
        if len(base) > 1:
            raise InputError(f"the kernel has a power of a sum, {kernel}, which no kernel of Fathom's is")
        return [_power(base[0], float(kernel.exponent), str(kernel))]
    return [_single(kernel, dim)]


def _single(kernel: Any, dim: int) -> Term:
    if _is(kernel, CONSTANT):
        return Term(float(kernel.constant_value), Shape(CONSTANT, str(kernel)))
    if _is(kernel, WHITE):
        return Term(float(kernel.noise_level), Shape(WHITE, str(kernel)))
    if _is(kernel, "DotProduct"):
        return Term(1.0, Shape("linear", str(kernel), (1.0,) * dim, offset=float(kernel.sigma_0) ** 2))
    if _is(kernel, "RationalQuadratic"):
        scales = _lengthscales(kernel, dim)
        return Term(1.0, Shape("rq", str(kernel), scales, alpha=float(kernel.alpha)))
    if _is(kernel, "RBF"):
        return Term(1.0, Shape("rbf", str(kernel), _lengthscales(kernel, dim)))
    if _is(kernel, "Matern"):
        if (name := MATERN.get(float(kernel.nu))) is None:
            raise InputError(f"the kernel is {kernel} with nu = {kernel.nu:g}: Fathom has Matérn kernels of nu 0.5, 1.5, 2.5 and 3.5")
        return Term(1.0, Shape(name, str(kernel), _lengthscales(kernel, dim)))
    raise InputError(
        f"the kernel has {kernel}, and {type(kernel).__name__} is none that a certificate knows: use RBF, Matern (nu 0.5, 1.5, 2.5, "
        "3.5), RationalQuadratic or DotProduct, with ConstantKernel and WhiteKernel"
    )


def _lengthscales(kernel: Any, dim: int) -> tuple[float, ...]:
    scales = np.atleast_1d(np.asarray(kernel.length_scale, dtype=float))
    return tuple(float(scale) for scale in np.broadcast_to(scales, dim))


def _product(a: Term, b: Term) -> Term:
    factor, (one, other) = a.factor * b.factor, (a.shape, b.shape)
    if one.name == CONSTANT:
        return Term(factor, other)
    if other.name == CONSTANT:
        return Term(factor, one)
    if WHITE in (one.name, other.name):
        # At an input itself a kernel of distances is 1, so the product is noise.
        if not {one.name, other.name} & {"linear", DOT}:
            return Term(factor, one if one.name == WHITE else other)
    elif one.name == other.name == "rbf":
        scales = tuple(1 / math.hypot(1 / l, 1 / m) for l, m in zip(one.lengthscales, other.lengthscales))
        return Term(factor, Shape("rbf", f"{one.written} * {other.written}", scales))
    elif {one.name, other.name} <= {"linear", DOT} and one.offset == other.offset:
        return Term(factor, _dot(f"{one.written} * {other.written}", one, one.degree + other.degree))
    raise InputError(f"the kernel has the product {one.written} * {other.written}, which no kernel of Fathom's is")


def _power(base: Term, exponent: float, written: str) -> Term:
    shape, factor = base.shape, base.factor**exponent
    if shape.name == CONSTANT:
        return Term(factor, shape)
    if shape.name in ("rbf", "rq") and exponent > 0:
        # Of (1 + u/2α)^−α the power is that of αp with u p in place of u.
        scales = tuple(l / math.sqrt(exponent) for l in shape.lengthscales)
        return Term(factor, Shape(shape.name, written, scales, alpha=shape.alpha * exponent if shape.name == "rq" else 1.0))
    if shape.name == "matern12" and exponent > 0:
        return Term(factor, Shape(shape.name, written, tuple(l / exponent for l in shape.lengthscales)))
    if shape.name in ("linear", DOT) and exponent >= 1 and exponent.is_integer():
        return Term(factor, _dot(written, shape, shape.degree * int(exponent)))
    raise InputError(f"the kernel has the power {written}, which no kernel of Fathom's is")


def _dot(written: str, base: Shape, degree: int) -> Shape:
    name = "linear" if degree == 1 else DOT
    return Shape(name, written, base.lengthscales, offset=base.offset, degree=degree)


def _gathered(terms: list[Term]) -> tuple[Term, float]:
    """The one kernel that `terms` add up to, and the variance of the noise."""
    white = sum(term.factor for term in terms if term.shape.name == WHITE)
    constant = sum(term.factor for term in terms if term.shape.name == CONSTANT)
    kernels: list[Term] = []
    for term in terms:
        if term.shape.name in (WHITE, CONSTANT):
            continue
        for place, known in enumerate(kernels):
            if (both := _added(known, term)) is not None:
                kernels[place] = both
                break
        else:
            kernels.append(term)
    if not kernels:
        raise InputError("the kernel has nothing but constants and noise: there is nothing to minimise")
    if len(kernels) > 1:
        written = " + ".join(term.shape.written for term in kernels)
        raise InputError(
            f"the kernel is a sum of different kernels, {written}, and a Fathom model has one kernel and noise: fit again with one "
            "of them"
        )
    (kernel,) = kernels
    if constant > 0:
        if kernel.shape.name != "linear":
            raise InputError(
                f"the kernel adds a ConstantKernel of {constant:g} to {kernel.shape.written}, and a Fathom model has one kernel and "
                "noise: fit again with normalize_y=True in place of the ConstantKernel, or multiply by it"
            )
        offset = kernel.shape.offset + constant / kernel.factor
        kernel = Term(kernel.factor, Shape("linear", kernel.shape.written, kernel.shape.lengthscales, offset=offset))
    return kernel, float(white)


def _added(a: Term, b: Term) -> Term | None:
    """The sum of two terms, if it is one."""
    factor = a.factor + b.factor
    if a.shape.same(b.shape):
        return Term(factor, a.shape)
    if a.shape.name == b.shape.name == "linear":
        offset = (a.factor * a.shape.offset + b.factor * b.shape.offset) / factor
        return Term(factor, Shape("linear", f"{a.shape.written} + {b.shape.written}", a.shape.lengthscales, offset=offset))
    return None
