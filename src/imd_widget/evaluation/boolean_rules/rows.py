"""The distinct rows of a binary matrix, which rule sets are learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.evaluation.boolean_rules.clauses import Clause

#: Cells of the binary matrix that are learned from; of a larger one a sample of rows.
MAX_CELLS = 1 << 26
#: What a clause must be worth to be added, as a share of the rows.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Rows:
    """The distinct rows of a binary matrix, in an order of their own.

    Attributes
    ----------
    literals : ndarray of float32, shape (n_literals, n_distinct)
        1 where a literal holds, else 0: what the search multiplies with.
    positive, negative : ndarray of float, shape (n_distinct,)
        Rows of the matrix that are alike and positive, alike and negative.
    """

    literals: NDArray[np.float32]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]

    @classmethod
    def distinct(cls, matrix: NDArray[np.bool_], y: NDArray[np.bool_], seed: int) -> Rows:
        """The distinct rows, or as many of them as may be learned from."""
        first, alike = distinct_rows(matrix)
        positive = summed(alike, y)
        negative = summed(alike, ~y)
        room = max(1, MAX_CELLS // max(1, matrix.shape[1]))
        if len(first) > room:
            drawn = np.random.default_rng(seed).choice(len(first), room, replace=False)
            first, positive, negative = first[drawn], positive[drawn], negative[drawn]
        return cls(np.ascontiguousarray(matrix[first].T, dtype=np.float32), positive, negative)

    @property
    def total(self) -> float:
        """All rows, alike or not."""
        return float(self.positive.sum() + self.negative.sum())

    @property
    def tolerance(self) -> float:
        """What a clause must be worth to be added, in rows."""
        return TOLERANCE * self.total

    def cover(self, clause: Clause) -> NDArray[np.bool_]:
        """For each distinct row: does the clause hold?"""
        return np.asarray(self.literals[list(clause)].all(axis=0))


def distinct_rows(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct row of a matrix is first found, and for each row the distinct one."""
    packed = np.pad(np.packbits(matrix, axis=1), ((0, 0), (0, 1)))  # a byte at least
    keys = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
    _, first, alike = np.unique(keys, return_index=True, return_inverse=True)
    return first, alike


def summed(alike: NDArray[np.intp], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Weights of rows added up for each distinct one."""
    return np.bincount(alike, weights=weights).astype(np.float64)
