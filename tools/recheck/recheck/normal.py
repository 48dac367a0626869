"""The normal distribution, and the improvement criteria (sections 4.4 and 6.5 of the document)."""

from __future__ import annotations

from flint import arb

from .ball import HALF, ONE, hull

TAIL = arb(-5)
TERMS = 80


def distribution(zeta: arb) -> arb:
    """Φ_N."""
    return HALF * (-zeta / arb(2).sqrt()).erfc()


def log_h(zeta: arb) -> arb:
    """log h(ζ) for an exact ζ, h = φ_N(ζ) + ζ Φ_N(ζ) (Lemma 21)."""
    log_density = -HALF * zeta * zeta - HALF * (2 * arb.pi()).log()
    if zeta > TAIL:
        return (log_density.exp() + zeta * distribution(zeta)).log()
    y = -zeta
    first, second = _convergent(y, TERMS), _convergent(y, TERMS + 1)
    return log_density - (1 + y / first.union(second)).log()


def _convergent(y: arb, terms: int) -> arb:
    """A convergent of 1/(y + 2/(y + 3/(y + …)))."""
    tail = y
    for n in range(terms, 1, -1):
        tail = y + n / tail
    return ONE / tail


def log_improvement(gap: arb, sigma: arb) -> arb:
    """log EI, which rises with gap = best − μ; gap and σ > 0 are exact."""
    low, high = hull([gap / sigma])
    return sigma.log() + log_h(low).union(log_h(high))


def improvement_within(gap: arb, sigma: arb, bound: float) -> bool:
    """Whether −EI ≥ bound certainly holds; gap is exact."""
    limit = arb(bound)
    if sigma > 0:
        return bool(limit < 0 and log_improvement(gap, sigma) <= (-limit).log())
    return bool(gap <= -limit and limit <= 0)


def log_improvement_within(gap: arb, sigma: arb, bound: float) -> bool:
    """Whether −log EI ≥ bound certainly holds; gap is exact."""
    limit = arb(bound)
    if sigma > 0:
        return bool(log_improvement(gap, sigma) <= -limit)
    return bool(gap <= 0 or gap.log() <= -limit)


def probability_within(gap: arb, sigma: arb, bound: float) -> bool:
    """Whether −PI ≥ bound certainly holds; gap is exact. At σ = 0 with gap ≤ 0 the other end of a line decides."""
    limit = arb(bound)
    if sigma > 0:
        return bool(distribution(gap / sigma) <= -limit)
    return bool(gap <= 0 or limit <= -1)


WITHIN = {"ei": improvement_within, "log_ei": log_improvement_within, "pi": probability_within}


def value_range(acquisition: str, gaps: tuple[arb, arb], sigmas: tuple[arb, arb]) -> tuple[arb, arb]:
    """The range of the function for best − μ and σ ≥ 0 between exact ends, from its four corners."""
    return hull(corner for gap in gaps for sigma in sigmas for corner in _corner(acquisition, gap, sigma))


def _corner(acquisition: str, gap: arb, sigma: arb) -> list[arb]:
    if acquisition == "pi":
        return _probability_corner(gap, sigma)
    if sigma > 0:
        log_value = log_improvement(gap, sigma)
    else:
        log_value = gap.log() if gap > 0 else arb.neg_inf()
    return [-log_value] if acquisition == "log_ei" else [-log_value.exp()]


def _probability_corner(gap: arb, sigma: arb) -> list[arb]:
    if sigma > 0:
        return [-distribution(gap / sigma)]
    if gap == 0:
        return [arb(-1), arb(0)]
    return [arb(-1) if gap > 0 else arb(0)]
