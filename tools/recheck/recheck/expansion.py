"""The expansion of a single rbf kernel about the centre of a box (Lemma 16 of the document).

Y = K̂⁻¹F is enclosed in balls, so the residual and the drift are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

from flint import arb, arb_mat

from .ball import HALF, ONE, ZERO, add_up, positive_part, root, square
from .frame import Frame
from .piece import Piece
from .quadratic import Quadratic


@dataclass(frozen=True)
class Expansion:
    """Inner products of the features of orders 0, 1 and 2 with the weights and with each other."""

    weights: list[arb]
    first: list[list[arb]]
    mixed: list[list[arb]]
    lost_energy: arb


def _features(frame: Frame) -> arb_mat:
    """The features e_α(d_i) of each observation, of orders 0, 1 and 2 (for pairs j ≤ k)."""
    deviation, half_root = root(frame.model.stationary_variance), root(HALF)
    rows = []
    for z in frame.model.scaled:
        d = [entry - c for entry, c in zip(z, frame.centre)]
        scale = deviation * (-HALF * add_up(square(entry) for entry in d)).exp()
        row = [scale] + [scale * entry for entry in d]
        for j, k in combinations_with_replacement(range(len(d)), 2):
            row.append(scale * d[j] * d[k] * (half_root if j == k else ONE))
        rows.append(row)
    return arb_mat(rows)


def _expand(frame: Frame, piece: Piece) -> Expansion:
    features = _features(frame)
    low = len(frame.half) + 1
    table = features.tolist()
    solved = frame.model.solve_all(arb_mat([row[:low] for row in table]))
    products = (solved.transpose() * features).tolist()
    first = [[(ONE if j == k else ZERO) - products[j][k] for k in range(low)] for j in range(low)]
    mixed = [[-entry for entry in products[j][low:]] for j in range(low)]
    weights = (arb_mat([piece.weights]) * features).entries()
    lost = piece.weights_energy() - add_up(square(psi) for psi in weights)
    return Expansion(weights, first, mixed, root(lost))


def higher_orders(frame: Frame) -> arb:
    """ω: a bound of the features of order 3 and more."""
    return root(frame.radius2**3 / 6)


def expansion_quadratic(frame: Frame, piece: Piece, scale: arb, kappa: arb) -> Quadratic:
    """A quadratic below μ_p − κσ_f(ω + ½ ex (S²/S0 + S0)) on the box; scale is S0."""
    found, size = _expand(frame, piece), len(frame.half)
    deviation, gain = root(frame.model.stationary_variance), kappa / scale
    constant = deviation * (found.weights[0] - HALF * kappa * (found.first[0][0] / scale + scale))
    slopes = [deviation * (found.weights[1 + j] - gain * found.first[0][1 + j]) for j in range(size)]
    bends = _bends(found, size, deviation, gain)
    quadratic = _without_decay(frame, constant, slopes, bends)
    quadratic.error += _lost(found, frame, deviation, kappa, gain)
    quadratic.constant += piece.mean
    return quadratic


def _bends(found: Expansion, size: int, deviation: arb, gain: arb) -> list[list[arb]]:
    bends = [[-deviation * gain * found.first[1 + j][1 + k] for k in range(size)] for j in range(size)]
    pairs = combinations_with_replacement(range(size), 2)
    for (j, k), psi, product in zip(pairs, found.weights[1 + size :], found.mixed[0]):
        amount = deviation * (psi - gain * product)
        if j == k:
            bends[j][j] += arb(2).sqrt() * amount
        else:
            bends[j][k] += amount
            bends[k][j] += amount
    return bends


def _lost(found: Expansion, frame: Frame, deviation: arb, kappa: arb, gain: arb) -> arb:
    """A bound of the orders beyond the second."""
    mixed = root(add_up(square(entry) for row in found.mixed[1:] for entry in row))
    radius = root(frame.radius2)
    beyond = arb(2).sqrt() * mixed * radius * frame.radius2 + HALF * square(frame.radius2)
    return deviation * higher_orders(frame) * (found.lost_energy + kappa) + HALF * deviation * gain * beyond


def _without_decay(frame: Frame, constant: arb, slopes: list[arb], bends: list[list[arb]]) -> Quadratic:
    """A quadratic in v below exp(−|h'|²/2) (constant + slopesᵀh' + ½h'ᵀ bends h')."""
    half, size = frame.half, len(slopes)
    middle = HALF * frame.radius2
    decay = (-HALF * middle).exp()
    swing = add_up(abs(slope) * h for slope, h in zip(slopes, half))
    swing += HALF * add_up(abs(bends[j][k]) * half[j] * half[k] for j in range(size) for k in range(size))
    far = square(middle) * positive_part(swing - constant) / (8 * decay)
    quadratic = Quadratic(size)
    quadratic.constant = decay * constant * (1 + HALF * middle)
    quadratic.error = decay * (HALF * middle * swing + far)
    for j in range(size):
        quadratic.linear[j] = decay * slopes[j] * half[j]
        for k in range(size):
            bend = HALF * (bends[j][k] + bends[k][j]) - (constant if j == k else ZERO)
            quadratic.bend[j][k] = decay * bend * half[j] * half[k]
    return quadratic
