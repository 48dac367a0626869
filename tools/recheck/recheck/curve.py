"""Curves μ ≥ curve(σ) that a level implies, lines below them, and the claims that follow (Lemmas 17 to 20 of the document)."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from .ball import HALF, ONE, positive_part, power_of_two, root
from .expansion import higher_orders
from .frame import Frame
from .normal import WITHIN
from .piece import Piece
from .problem import Problem

DEEPEST = 30
LEAST_GAP = arb(1e-12)


@dataclass(frozen=True)
class Line:
    """μ ≥ level + start + slope σ."""

    start: arb
    slope: arb


class Curve:
    """A curve minus its level, by the lines below it."""

    def line(self, sigma: arb) -> Line:
        """A line that lies below the curve everywhere and is tight near the given σ."""
        raise NotImplementedError


class MultiplierCurve(Curve):
    """−sqrt(E (P − σ²))."""

    def __init__(self, frame: Frame, energy: arb) -> None:
        self._prior = frame.largest_prior
        self._energy = energy

    def line(self, sigma: arb) -> Line:
        rest = (self._prior - sigma * sigma).max(LEAST_GAP * self._prior)
        slope = (sigma * root(self._energy / rest)).mid()
        return Line(-root(self._prior * (slope * slope + self._energy)), slope)


class TiltedCurve(Curve):
    """gain − τ σ(c) σ (Lemma 18)."""

    def __init__(self, frame: Frame, piece: Piece, multiplier: list[arb], tau: arb) -> None:
        eta = [(a - g) / tau for a, g in zip(piece.weights, multiplier)]
        solved_rest = [k - e for k, e in zip(frame.solved_covariances, eta)]
        energy = positive_part(frame.model.energy(solved_rest))
        deviation = root(frame.model.stationary_variance)
        gain = tau * frame.least_covariance - deviation * tau * root(energy)
        self._line = Line(gain, -tau * frame.deviation.upper())

    def line(self, sigma: arb) -> Line:
        return self._line


class MovingCurve(Curve):
    """½wσ²."""

    def __init__(self, w: arb) -> None:
        self._w = w

    def line(self, sigma: arb) -> Line:
        slope = (self._w * sigma).mid()
        return Line(-slope * slope / (2 * self._w), slope)


class ExpansionCurve(Curve):
    """κσ_f(ω + min ½(y₊²/ξ + ξ)), y₊ = (σ/σ_f − ω)₊, the minimum over ξ between S0 exp(−R²/2) and S0."""

    def __init__(self, frame: Frame, scale: arb, kappa: arb) -> None:
        self._deviation = root(frame.model.stationary_variance)
        self._kappa = kappa
        self._overshoot = higher_orders(frame)
        self._least, self._largest = scale * (-HALF * frame.radius2).exp(), scale

    def line(self, sigma: arb) -> Line:
        y = positive_part(sigma / self._deviation - self._overshoot)
        ratio = positive_part((y / y.max(self._least).min(self._largest)).mid())
        xi = self._least if ratio <= 1 else self._largest
        start = (1 - ratio) * self._overshoot + HALF * xi * (ONE - ratio * ratio)
        return Line(self._kappa * self._deviation * start, self._kappa * ratio)


def deviation_range(frame: Frame) -> tuple[arb, arb]:
    """Exact numbers between which σ lies on the box (Lemma 19). The upper number is positive."""
    change = root(frame.change2)
    low = positive_part((frame.deviation - change).lower()).lower()
    high = root(frame.largest_prior).min(frame.deviation + change).upper()
    return low, high.max(power_of_two(-2000)).upper()


def curve_reaches(problem: Problem, bound: float, level: arb, curve: Curve, sigmas: tuple[arb, arb]) -> bool:
    """Whether the function is certainly at least the bound at all points with μ ≥ level + curve(σ) (Lemma 20)."""
    within, best = WITHIN[problem.acquisition], arb(problem.best)
    if not level.is_finite() or not (sigmas[0].is_finite() and sigmas[1].is_finite()):
        return False
    stretches = [(sigmas[0], sigmas[1], 0)]
    while stretches:
        low, high, depth = stretches.pop()
        middle = (HALF * (low + high)).mid()
        line = curve.line(middle)
        if all(within(_gap(best, level, line, sigma), sigma, bound) for sigma in (low, high)):
            continue
        if depth == DEEPEST:
            return False
        stretches += [(middle, high, depth + 1), (low, middle, depth + 1)]
    return True


def _gap(best: arb, level: arb, line: Line, sigma: arb) -> arb:
    """The largest best − μ on a line, as an exact number."""
    return (best - level - line.start - line.slope * sigma).upper()
