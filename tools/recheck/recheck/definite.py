"""Proofs that a symmetric matrix of balls is positive definite."""

from __future__ import annotations

from flint import arb, arb_mat

Table = list[list[arb]]
SMALL = 24


def positive_definite(table: Table) -> bool:
    """Whether every symmetric matrix within the balls is certainly positive definite."""
    while len(table) > SMALL:
        size = len(table) // 2
        head = [row[:size] for row in table[:size]]
        if not positive_definite(head):
            return False
        remainder = _schur_complement(table, size)
        if remainder is None:
            return False
        table = remainder
    return _pivots_positive([list(row) for row in table])


def _schur_complement(table: Table, size: int) -> Table | None:
    """The Schur complement after the first coordinates are eliminated; none if they cannot be eliminated."""
    head = arb_mat([row[:size] for row in table[:size]])
    side = arb_mat([row[size:] for row in table[:size]])
    try:
        solved = head.solve(side)
    except ZeroDivisionError:
        return None
    tail = arb_mat([row[size:] for row in table[size:]])
    return (tail - side.transpose() * solved).tolist()


def _pivots_positive(table: Table) -> bool:
    """Gauss's elimination in balls: the matrix is positive definite if every pivot is positive."""
    size = len(table)
    for pivot in range(size):
        head = table[pivot][pivot]
        if not head > 0:
            return False
        for row in range(pivot + 1, size):
            factor = table[pivot][row] / head
            for entry in range(row, size):
                table[row][entry] -= factor * table[pivot][entry]
    return True
