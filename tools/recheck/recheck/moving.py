"""Multipliers that move with the point (Lemma 15 of the document).

b = wK̂⁻¹k(c) and G = wK̂⁻¹rate are enclosed in balls. So K̂b = w k(c) and K̂G = w rate, and there is no residual.
"""

from __future__ import annotations

from flint import arb, arb_mat

from .ball import HALF, ZERO, add_up, dot
from .bounds import weighted_covariances
from .cubic import Cubic
from .frame import Frame, TermOnBox
from .kernel import DotProduct
from .piece import Piece
from .quadratic import Quadratic, WeightedSums


def moving_quadratic(frame: Frame, piece: Piece, w: arb, order: int) -> Quadratic:
    """A quadratic below μ_p − ½wσ² on the box."""
    middles = [[term.midway(i, order) for i in range(len(piece.weights))] for term in frame.terms]
    rates = _rates(frame, [[middle for middle, _ in term] for term in middles])
    solved = frame.model.solve_all(rates)
    multiplier = [a + w * b for a, b in zip(piece.weights, frame.solved_covariances)]
    total = weighted_covariances(frame, multiplier, order)
    total.constant += piece.mean
    _add_moving_parts(total, frame, middles, w * solved)
    _subtract_energy(total, frame, rates, solved, w)
    for term in frame.terms:
        _subtract_prior(total, term, HALF * w)
    total.economise()
    return total


def _rates(frame: Frame, middles: list[list[Cubic]]) -> arb_mat:
    """The approximate slopes of k along the cube's coordinates, a column for each coordinate."""
    observations, size = len(middles[0]), len(frame.half)
    table = [[ZERO] * size for _ in range(observations)]
    for term, cubics in zip(frame.terms, middles):
        for i, cubic in enumerate(cubics):
            slope = term.variance * cubic.slope
            for j, rate in zip(term.inputs, term.rates[i]):
                table[i][j] += slope * rate
    return arb_mat(table)


def _add_moving_parts(
    total: Quadratic, frame: Frame, middles: list[list[tuple[Cubic, arb]]], weights: arb_mat
) -> None:
    """Adds Σ_j v_j G_jᵀk, each G_jᵀk enclosed by a quadratic and an error."""
    size = len(frame.half)
    parts = [Quadratic(size) for _ in range(size)]
    sizes = arb_mat([[abs(entry) for entry in row] for row in weights.transpose().tolist()])
    for term, pairs in zip(frame.terms, middles):
        sums = WeightedSums(term, [middle for middle, _ in pairs], weights)
        margins = (sizes * arb_mat([[margin] for _, margin in pairs])).entries()
        for j, part in enumerate(parts):
            sums.add_to(part, j, enclosed=True)
            part.error += term.variance * margins[j]
    for j, part in enumerate(parts):
        part.economise()
        _add_times_coordinate(total, part, j)


def _add_times_coordinate(total: Quadratic, part: Quadratic, j: int) -> None:
    """Adds v_j times a quadratic."""
    size = len(part.linear)
    total.linear[j] += part.constant
    total.error += part.error
    for k in range(size):
        total.add_product(j, k, part.linear[k])
        total.add_third(j, k, k, HALF * part.bend[k][k])
        for l in range(k):  # noqa: E741
            total.add_third(j, k, l, part.bend[k][l])


def _subtract_energy(total: Quadratic, frame: Frame, rates: arb_mat, solved: arb_mat, w: arb) -> None:
    """Subtracts pᵀK̂p/(2w) = ½w (k(c) + rate v)ᵀK̂⁻¹(k(c) + rate v), with p = b + Gv."""
    size = len(total.linear)
    total.constant -= HALF * w * dot(frame.covariances, frame.solved_covariances)
    mixed = (arb_mat([frame.covariances]) * solved).entries()
    bends = rates.transpose() * solved
    for j in range(size):
        total.linear[j] -= w * mixed[j]
        for k in range(size):
            total.bend[j][k] -= HALF * w * (bends[j, k] + bends[k, j])


def _subtract_prior(total: Quadratic, term: TermOnBox, factor: arb) -> None:
    """Subtracts factor times the term's prior variance, with its terms of third order."""
    kernel = term.term.kernel
    factor = factor * term.variance
    if not isinstance(kernel, DotProduct):
        total.constant -= factor
        return
    slopes = [2 * c * h for c, h in zip(term.centre, term.half)]
    squares = [h * h for h in term.half]
    reach1, reach2 = add_up(abs(slope) for slope in slopes), add_up(squares)
    base = kernel.offset + add_up(c * c for c in term.centre)
    (constant, slope, bend, third), rest = kernel.coefficients(base, reach1 + reach2)
    high = 3 * reach1 * reach1 + 3 * reach1 * reach2 + reach2 * reach2
    total.constant -= factor * constant
    total.error += factor * (rest + bend * reach2 * reach2 + third * reach2 * high)
    for j, (at, first) in enumerate(zip(term.inputs, slopes)):
        total.linear[at] -= factor * slope * first
        total.bend[at][at] -= 2 * factor * slope * squares[j]
        for k, (other, second) in enumerate(zip(term.inputs, slopes)):
            total.add_product(at, other, -factor * bend * first * second)
            total.add_third(at, other, other, -2 * factor * bend * first * squares[k])
            for last, amount in zip(term.inputs, slopes):
                total.add_third(at, other, last, -factor * third * first * second * amount)
