"""The problem of a proof: its fields and their ranges (section 4 of the document)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Refused, demand
from .fields import Fields, all_within, count, counts, group, items, number, numbers, text
from .kernel import PLAIN

LARGEST = 1e100
LEAST = 1e-100
SMOOTH = (*PLAIN, "rq")
DOT = ("linear", "polynomial")
PIECEWISE = "piecewise_linear"
DISTANCE, INNER_PRODUCT = "distance", "inner_product"
FIELDS_OF_ACQUISITION: dict[str, tuple[str, ...]] = {
    "lcb": ("kappa",),
    "mean": (),
    "deviation": (),
    "glcb": ("kappa", "rho", "imprecision"),
    "ei": ("best",),
    "log_ei": ("best",),
    "pi": ("best",),
}


@dataclass(frozen=True)
class Term:
    """One kernel of the covariance."""

    kernel: str
    inputs: tuple[int, ...]
    sigma_f2: float
    alpha: float = 1.0
    offset: float = 0.0
    degree: int = 1
    knots: tuple[tuple[float, float], ...] = ()
    argument: str = DISTANCE

    @property
    def smooth(self) -> bool:
        return self.kernel in SMOOTH

    @property
    def dot_product(self) -> bool:
        return self.kernel in DOT

    @property
    def piecewise(self) -> bool:
        return self.kernel == PIECEWISE


@dataclass(frozen=True)
class Row:
    """A constraint: lower ≤ Σ c_j x_j + Σ q_jk x_j x_k ≤ upper."""

    linear: tuple[tuple[int, float], ...]
    quadratic: tuple[tuple[int, int, float], ...]
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class Problem:
    """A model, an acquisition function and a region."""

    terms: tuple[Term, ...]
    lengthscales: tuple[float, ...]
    noise: float
    jitter: float
    mean: float
    x: tuple[tuple[float, ...], ...]
    y: tuple[float, ...]
    acquisition: str
    kappa: float
    best: float
    rho: float
    imprecision: float
    bounds: tuple[tuple[float, float], ...]
    integers: frozenset[int]
    values: Mapping[int, tuple[float, ...]]
    rows: tuple[Row, ...]
    negative_variance: str | None

    @property
    def inputs(self) -> int:
        return len(self.bounds)

    @property
    def observations(self) -> int:
        return len(self.y)

    @property
    def piecewise(self) -> bool:
        return any(term.piecewise for term in self.terms)

    @property
    def of_two_moments(self) -> bool:
        """Whether the function is one of section 6.5: a function of the mean and σ that is not μ − κσ."""
        return self.acquisition in ("ei", "log_ei", "pi")


def read_problem(value: Any) -> Problem:
    """The problem in a JSON value, with every range checked."""
    fields = Fields(value, "the problem")
    fields.maybe("name", text)
    named = fields.maybe("acquisition", text)
    acquisition = "lcb" if named is None else named
    demand(acquisition in FIELDS_OF_ACQUISITION, f"the acquisition function {acquisition!r} is unknown")
    own = {key: fields.take(key, number) for key in FIELDS_OF_ACQUISITION[acquisition]}
    problem = Problem(
        terms=tuple(fields.take("terms", items(_read_term))),
        lengthscales=tuple(fields.take("lengthscales", numbers)),
        noise=fields.take("noise", number),
        jitter=fields.maybe("jitter", number) or 0.0,
        mean=fields.maybe("mean", number) or 0.0,
        x=tuple(tuple(point) for point in fields.take("x", items(numbers))),
        y=tuple(fields.take("y", numbers)),
        acquisition=acquisition,
        kappa=own.get("kappa", 0.0),
        best=own.get("best", 0.0),
        rho=own.get("rho", 0.0),
        imprecision=own.get("imprecision", 0.0),
        bounds=tuple((low, high) for low, high in fields.take("bounds", items(group(number, number)))),
        integers=_once(fields.maybe("integers", counts) or []),
        values=_lists(fields.maybe("values", items(group(count, numbers))) or []),
        rows=tuple(fields.maybe("constraints", items(_read_row)) or []),
        negative_variance=fields.maybe("negative_variance", text),
    )
    fields.end()
    _check(problem)
    return problem


def _once(listed: list[int]) -> frozenset[int]:
    demand(len(set(listed)) == len(listed), "an input is named twice in 'integers'")
    return frozenset(listed)


def _lists(listed: list[tuple[int, list[float]]]) -> Mapping[int, tuple[float, ...]]:
    demand(len({j for j, _ in listed}) == len(listed), "an input is named twice in 'values'")
    return {j: tuple(values) for j, values in listed}


def _read_term(value: Any, what: str) -> Term:
    fields = Fields(value, what)
    kernel = fields.take("kernel", text)
    inputs = tuple(fields.take("inputs", counts))
    sigma_f2 = fields.take("sigma_f2", number)
    if kernel == "rq":
        term = Term(kernel, inputs, sigma_f2, alpha=fields.take("alpha", number))
    elif kernel == "linear":
        term = Term(kernel, inputs, sigma_f2, offset=fields.take("offset", number))
    elif kernel == "polynomial":
        offset, degree = fields.take("offset", number), fields.take("degree", count)
        term = Term(kernel, inputs, sigma_f2, offset=offset, degree=degree)
    elif kernel == PIECEWISE:
        knots = fields.take("knots", items(group(number, number)))
        argument = fields.maybe("argument", text)
        listed = tuple((r, phi) for r, phi in knots)
        term = Term(kernel, inputs, sigma_f2, knots=listed, argument=DISTANCE if argument is None else argument)
    elif kernel in SMOOTH:
        term = Term(kernel, inputs, sigma_f2)
    else:
        raise Refused(f"the kernel {kernel!r} is unknown")
    fields.end()
    return term


def _read_row(value: Any, what: str) -> Row:
    fields = Fields(value, what)
    row = Row(
        linear=tuple((j, c) for j, c in fields.maybe("linear", items(group(count, number))) or []),
        quadratic=tuple((j, k, q) for j, k, q in fields.maybe("quadratic", items(group(count, count, number))) or []),
        lower=fields.maybe("lower", number),
        upper=fields.maybe("upper", number),
    )
    fields.end()
    return row


def _check(problem: Problem) -> None:
    _check_sizes(problem)
    _check_numbers(problem)
    for term in problem.terms:
        _check_term(term)
    for row in problem.rows:
        _check_row(row, problem.inputs)
    _check_whole_sides(problem)
    _check_lists(problem)
    _check_piecewise(problem)


def _check_sizes(problem: Problem) -> None:
    inputs = problem.inputs
    demand(1 <= inputs <= 64, "the number of inputs is not within 1 … 64")
    demand(1 <= problem.observations <= 5000, "the number of observations is not within 1 … 5000")
    demand(len(problem.x) == problem.observations, "x and y differ in length")
    demand(all(len(point) == inputs for point in problem.x), "a row of x has the wrong length")
    demand(len(problem.lengthscales) == inputs, "lengthscales has the wrong length")
    demand(len(problem.rows) <= 10000, "there are more than 10000 constraints")
    named = sorted(j for term in problem.terms for j in term.inputs)
    demand(named == list(range(inputs)), "the terms do not share out the inputs")
    demand(all(term.inputs for term in problem.terms), "a term has no input")


def _check_numbers(problem: Problem) -> None:
    single = [problem.noise, problem.jitter, problem.mean, problem.kappa, problem.best, problem.rho, problem.imprecision]
    lists = [single, problem.lengthscales, problem.y, *problem.x, *problem.bounds]
    demand(all(all_within(values, LARGEST) for values in lists), "a number is larger than 1e100 in size")
    demand(all(length >= LEAST for length in problem.lengthscales), "a lengthscale is smaller than 1e-100")
    demand(problem.noise >= LEAST, "the noise is smaller than 1e-100")
    demand(problem.jitter >= 0, "the jitter is negative")
    demand(min(problem.kappa, problem.rho, problem.imprecision) >= 0, "kappa, rho or imprecision is negative")
    demand(all(low <= high for low, high in problem.bounds), "bounds has a lower end above the upper one")


def _check_term(term: Term) -> None:
    demand(LEAST <= term.sigma_f2 <= LARGEST, "sigma_f2 is out of range")
    demand(LEAST <= term.alpha <= LARGEST, "alpha is out of range")
    demand(0 <= term.offset <= LARGEST, "the offset is out of range")
    demand(1 <= term.degree <= 64, "the degree is not within 1 … 64")
    if term.piecewise:
        _check_knots(term.knots, term.argument)


def _check_knots(knots: tuple[tuple[float, float], ...], argument: str) -> None:
    demand(argument in (DISTANCE, INNER_PRODUCT), "the argument of the knots is neither a distance nor an inner product")
    demand(2 <= len(knots) <= 100000, "the number of knots is not within 2 … 100000")
    demand(all(all_within(knot, LARGEST) for knot in knots), "a knot is larger than 1e100 in size")
    pairs = list(zip(knots, knots[1:]))
    demand(all(after[0] > before[0] for before, after in pairs), "the arguments of the knots do not rise")
    if argument == DISTANCE:
        demand(knots[0] == (0.0, 1.0), "the first knot is not (0, 1)")
        demand(all(after[1] <= before[1] for before, after in pairs), "the values of the knots rise")


def _check_row(row: Row, inputs: int) -> None:
    named = [j for j, _ in row.linear] + [j for pair in row.quadratic for j in pair[:2]]
    demand(all(j < inputs for j in named), "a constraint names no input")
    demand(all(j <= k for j, k, _ in row.quadratic), "a product in a constraint is not in canonical form")
    linear, products = [j for j, _ in row.linear], [pair[:2] for pair in row.quadratic]
    once = len(set(linear)) == len(linear) and len(set(products)) == len(products)
    demand(once, "a constraint names a monomial twice")
    sides = [side for side in (row.lower, row.upper) if side is not None]
    values = [c for _, c in row.linear] + [q for _, _, q in row.quadratic] + sides
    demand(all_within(values, LARGEST), "a number of a constraint is larger than 1e100 in size")


def _check_whole_sides(problem: Problem) -> None:
    demand(all(j < problem.inputs for j in problem.integers), "'integers' names no input")
    for j in problem.integers:
        for end in problem.bounds[j]:
            demand(end == int(end) and abs(end) <= 2.0**50, f"an end of the whole input {j} is not whole or too large")


def _check_lists(problem: Problem) -> None:
    for j, values in problem.values.items():
        demand(j < problem.inputs, "'values' names no input")
        demand(j not in problem.integers, f"input {j} is whole and has a list of values")
        demand(1 <= len(values) <= 20000, f"the list of input {j} has no numbers or too many")
        demand(all_within(values, LARGEST), f"a number in the list of input {j} is larger than 1e100 in size")
        demand(all(a < b for a, b in zip(values, values[1:])), f"the list of input {j} does not rise")
        demand((values[0], values[-1]) == problem.bounds[j], f"the list of input {j} does not end as its side does")


def _check_piecewise(problem: Problem) -> None:
    if not problem.piecewise:
        demand(problem.negative_variance is None, "negative_variance belongs to piecewise-linear kernels only")
        return
    demand(all(term.piecewise for term in problem.terms), "a piecewise-linear term stands beside another kind of term")
    demand(
        problem.acquisition in ("lcb", "glcb", "mean", "deviation"),
        "a piecewise-linear kernel does not allow this acquisition function",
    )
    demand(problem.negative_variance in ("clamped", "excluded"), "negative_variance is neither clamped nor excluded")
