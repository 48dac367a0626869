"""Polynomials of order 3 on the cube [−1, 1]^D, and their reduction to order 2 (Lemmas 10 and 11 of the document)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations

from flint import arb, arb_mat

from .ball import ZERO, add_up, positive_part
from .cubic import Cubic
from .frame import TermOnBox

Triple = tuple[int, int, int]
THREE_QUARTERS, HALF, QUARTER = arb(0.75), arb(0.5), arb(0.25)


class Quadratic:
    """constant + linearᵀv + ½ vᵀ bend v + Σ third v_j v_k v_l, up to an error on both sides."""

    def __init__(self, size: int) -> None:
        self.constant = ZERO
        self.linear = [ZERO] * size
        self.bend = [[ZERO] * size for _ in range(size)]
        self.third: dict[Triple, arb] = {}
        self.error = ZERO

    def add_product(self, j: int, k: int, amount: arb) -> None:
        """Adds amount · v_j v_k."""
        self.bend[j][k] += amount
        self.bend[k][j] += amount

    def add_third(self, j: int, k: int, l: int, amount: arb) -> None:  # noqa: E741
        """Adds amount · v_j v_k v_l."""
        a, b, c = sorted((j, k, l))
        self.third[a, b, c] = self.third.get((a, b, c), ZERO) + amount

    def economise(self) -> None:
        """Replaces every monomial of third order by a linear term and an error (Lemma 11)."""
        for (j, k, l), amount in self.third.items():  # noqa: E741
            if j == k == l:
                self.linear[j] += THREE_QUARTERS * amount
                self.error += QUARTER * abs(amount)
            elif j == k or k == l:
                self.linear[l if j == k else j] += HALF * amount
                self.error += HALF * abs(amount)
            else:
                self.error += abs(amount)
        self.third = {}

    def at(self, v: Sequence[arb]) -> arb:
        """The value at a point of the cube, minus the error."""
        size = len(self.linear)
        value = self.constant - self.error + add_up(b * x for b, x in zip(self.linear, v))
        value += HALF * add_up(self.bend[j][k] * v[j] * v[k] for j in range(size) for k in range(size))
        return value + add_up(amount * v[j] * v[k] * v[l] for (j, k, l), amount in self.third.items())


class WeightedSums:
    """Σ_i g_i p_i(Δ_i) of one term, for several weight vectors g at once (Lemma 10).

    One product of matrices forms all sums over the observations, before any absolute value is taken.
    """

    def __init__(self, term: TermOnBox, cubics: Sequence[Cubic], weights: arb_mat) -> None:
        self._term = term
        size = len(term.inputs)
        self._pairs = list(combinations_with_replacement(range(size), 2))
        self._cubed = any(not cubic.third.is_zero() for cubic in cubics)
        self._triples = list(combinations_with_replacement(range(size), 3)) if self._cubed else []
        features = [self._features(cubic, rates) for cubic, rates in zip(cubics, term.rates)]
        self._sums = (weights.transpose() * arb_mat(features)).tolist()

    def _features(self, cubic: Cubic, rates: Sequence[arb]) -> list[arb]:
        bends = [cubic.bend * rate for rate in rates]
        found = [cubic.constant, cubic.slope, cubic.bend, cubic.third]
        found += [cubic.slope * rate for rate in rates]
        found += bends
        found += [bends[j] * rates[k] for j, k in self._pairs]
        if self._cubed:
            thirds = [cubic.third * rate for rate in rates]
            products = {(j, k): thirds[j] * rates[k] for j, k in self._pairs}
            found += thirds
            found += products.values()
            found += [products[j, k] * rates[l] for j, k, l in self._triples]  # noqa: E741
        return found

    def add_to(self, target: Quadratic, which: int, enclosed: bool) -> None:
        """Adds the sum with one of the weight vectors, as a lower bound or as an enclosure."""
        term, left = self._term, iter(self._sums[which])
        inputs, half, scale = term.inputs, term.half, term.variance
        constant, slope, bend, third = (next(left) for _ in range(4))
        slopes = [next(left) for _ in inputs]
        bends = [next(left) for _ in inputs]
        target.constant += scale * (constant - slope * term.spread)
        for j, at in enumerate(inputs):
            target.linear[at] += scale * (slopes[j] - 2 * term.spread * bends[j])
            if term.term.stationary:
                target.bend[at][at] += 2 * scale * half[j] * half[j] * slope
        for j, k in self._pairs:
            amount = 2 * scale * next(left)
            target.bend[inputs[j]][inputs[k]] += amount
            if j != k:
                target.bend[inputs[k]][inputs[j]] += amount
        if term.term.stationary:
            self._add_mixed(target, bends)
        rest = term.spread * term.spread * (abs(bend) if enclosed else positive_part(-bend))
        if self._cubed:
            rest += self._add_third_order(target, third, list(left))
        target.error += scale * rest

    def _add_mixed(self, target: Quadratic, bends: Sequence[arb]) -> None:
        """Adds the products of t and Uᵀv, which are v_j² v_k."""
        term = self._term
        for j, at in enumerate(term.inputs):
            factor = 2 * term.variance * term.half[j] * term.half[j]
            for k, other in enumerate(term.inputs):
                target.add_third(at, at, other, factor * bends[k])

    def _add_third_order(self, target: Quadratic, third: arb, left: list[arb]) -> arb:
        """Adds (Uᵀv)³ and returns a bound of all products with a power of t."""
        term, size = self._term, len(self._term.inputs)
        singles, pairs = left[:size], left[size : size + len(self._pairs)]
        for (j, k, l), amount in zip(self._triples, left[size + len(self._pairs) :]):  # noqa: E741
            orders = len(set(permutations((j, k, l))))
            target.add_third(term.inputs[j], term.inputs[k], term.inputs[l], orders * term.variance * amount)
        doubled = add_up(abs(amount) * (1 if j == k else 2) for (j, k), amount in zip(self._pairs, pairs))
        spread = term.spread
        linear = add_up(abs(amount) for amount in singles)
        return spread * (3 * doubled + spread * (3 * linear + spread * abs(third)))
