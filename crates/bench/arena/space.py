"""What is varied in a problem, and its points in the unit cube for rivals that know nothing else."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Float:
    """The numbers from `low` to `high`."""

    low: float
    high: float

    def at(self, unit):
        return self.low + unit * (self.high - self.low)

    def unit(self, value):
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Integer:
    """The whole numbers from `low` to `high`; of a table, the places in a list of ordered settings."""

    low: int
    high: int

    @property
    def values(self):
        return list(range(self.low, self.high + 1))

    def at(self, unit):
        return self.values[share(unit, len(self.values))]

    def unit(self, value):
        """The lowest number is at 0 and the highest at 1."""
        return (value - self.low) / max(self.high - self.low, 1)


@dataclass(frozen=True)
class Choice:
    """One of several words, without order."""

    choices: tuple

    def at(self, unit):
        return self.choices[share(unit, len(self.choices))]


def share(unit, count):
    """Which of `count` equal parts of the unit interval."""
    return min(int(unit * count), count - 1)


@dataclass(frozen=True)
class Row:
    """A linear constraint that everybody knows: the weighted sum of parameters is at most `bound`."""

    weights: dict
    bound: float

    def excess(self, point):
        return sum(weight * point[name] for name, weight in self.weights.items()) - self.bound

    def __str__(self):
        terms = "".join(f" {'-' if weight < 0 else '+'} {abs(weight)!r}*{name}" for name, weight in self.weights.items())
        return f"0{terms} <= {self.bound!r}"


class Space(dict):
    """Parameters by name, in their order, under constraints. A point is a dict with a value for each."""

    rows = ()

    def point(self, units):
        """The point of a vector of the unit cube: whole numbers and choices have equal shares."""
        return {name: parameter.at(float(unit)) for (name, parameter), unit in zip(self.items(), units, strict=True)}

    def keeps(self, point):
        """Whether a point keeps every constraint, but for rounding."""
        return all(row.excess(point) <= 1e-6 for row in self.rows)

    def first(self, units):
        """The first point of a sequence of vectors of the unit cube that keeps the constraints."""
        return next(point for point in map(self.point, units) if self.keeps(point))

    def has(self, kind):
        return any(isinstance(parameter, kind) for parameter in self.values())
