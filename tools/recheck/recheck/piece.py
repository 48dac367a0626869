"""Pieces: means with their own prior means; the bounds of all pieces together bound the function (Lemma 6 of the document)."""

from __future__ import annotations

from flint import arb

from .ball import ONE, ZERO, add_up, dot
from .errors import demand
from .file import SuggestedPiece, Proof
from .model import Model
from .problem import Problem

PIECES = {1: "one piece", 2: "two pieces", 4: "four pieces"}


class Piece:
    """m_p + aᵀk − κ_p σ, with exact weights a = K̂⁻¹(y − m_p 1)."""

    def __init__(self, model: Model, mean: float, kappa: float, factor: arb, prior: arb | None = None) -> None:
        self.model = model
        self.prior = prior
        self.mean = arb(mean)
        self.kappa = kappa
        self.factor = factor
        if model.problem.acquisition == "deviation":
            self.targets = [ZERO] * len(model.y)
            self.weights = [ZERO] * len(model.y)
        else:
            self.targets = [y - self.mean for y in model.y]
            self.weights = model.solve(self.targets)
        self._energies: dict[int, arb] = {}

    def weights_energy(self) -> arb:
        """aᵀK̂a."""
        return dot(self.weights, self.targets)

    def energy(self, index: int, multiplier: list[arb]) -> arb:
        """E(g) of a multiplier of the table: Q_p (g − a)ᵀK̂(g − a)."""
        if index not in self._energies:
            difference = [g - a for g, a in zip(multiplier, self.weights)]
            self._energies[index] = (self.factor * self.model.energy(difference)).max(ZERO)
        return self._energies[index]


def width(model: Model) -> arb:
    """W of `glcb` (section 4.4)."""
    problem = model.problem
    imprecision = arb(problem.imprecision)
    solved = model.solved_ones()
    total = add_up(solved)
    weights = dot(solved, [y - arb(problem.mean) for y in model.y])
    stretch = (1 + abs(weights) / (imprecision + total)).max(arb(2))
    return arb(problem.rho) * (imprecision / total) * stretch


def make_pieces(proof: Proof, model: Model) -> list[Piece]:
    """The pieces of the file, if they are those of the acquisition function."""
    problem, suggested = proof.problem, proof.pieces
    if problem.piecewise:
        return _piecewise_pieces(proof, model)
    if problem.acquisition == "glcb":
        return _glcb_pieces(suggested, model)
    _check_count(suggested, 1)
    _check_mean(suggested[0], problem)
    return [Piece(model, suggested[0].mean, _kappa(problem), ONE)]


def _check_count(suggested: tuple[SuggestedPiece, ...], count: int) -> None:
    demand(len(suggested) == count, f"the acquisition function has {PIECES[count]}")


def _kappa(problem: Problem) -> float:
    if problem.acquisition in ("lcb", "glcb"):
        return problem.kappa
    return 1.0 if problem.acquisition == "deviation" else 0.0


def _check_mean(piece: SuggestedPiece, problem: Problem) -> None:
    if problem.acquisition == "deviation":
        demand(piece.mean == 0 and not any(piece.weights), "a piece of the deviation has a mean or weights")
    else:
        demand(piece.mean == problem.mean, "the prior mean of a piece is not that of the problem")


def _glcb_pieces(suggested: tuple[SuggestedPiece, ...], model: Model) -> list[Piece]:
    _check_count(suggested, 2)
    _check_apart(suggested[0], suggested[1], model)
    return [Piece(model, piece.mean, model.problem.kappa, ONE) for piece in suggested]


def _check_apart(low: SuggestedPiece, high: SuggestedPiece, model: Model) -> None:
    needed, mean = width(model), arb(model.problem.mean)
    demand(mean - arb(low.mean) >= needed, "a first piece's prior mean is not proven low enough")
    demand(arb(high.mean) - mean >= needed, "a second piece's prior mean is not proven high enough")


def _piecewise_pieces(proof: Proof, model: Model) -> list[Piece]:
    problem, suggested = proof.problem, proof.pieces
    least = proof.least_eigenvalue
    proven = least is not None and least > 0 and model.prove_eigenvalue(least)
    demand(proven, "the matrix is not proven positive definite with the least eigenvalue of the file")
    assert least is not None
    cross = model.largest_cross()
    everywhere = (len(problem.y) * cross / arb(least)).max(ONE)
    count = 2 if problem.acquisition == "glcb" else 1
    kappas = [_kappa(problem)] * count
    if kappas[0] > 0 and problem.negative_variance == "clamped":
        kappas += [0.0] * count
    _check_count(suggested, len(kappas))
    if count == 2:
        for at in range(0, len(suggested), 2):
            _check_apart(suggested[at], suggested[at + 1], model)
    else:
        for piece in suggested:
            _check_mean(piece, problem)
    return [
        Piece(model, piece.mean, kappa, ONE) if kappa > 0 else Piece(model, piece.mean, kappa, everywhere, cross)
        for piece, kappa in zip(suggested, kappas)
    ]
