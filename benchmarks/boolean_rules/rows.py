"""The distinct rows of a binary matrix, which rule sets are learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.boolean_rules.clauses import Clause

#: Maximal number of cells of the matrix; rows of a larger one are sampled.
MAX_CELLS = 1 << 26
#: Minimal decrease of the loss by a new clause, as a share of the rows.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Rows:
    """The distinct rows of a binary matrix, in an order of their content.

    Attributes
    ----------
    literals : ndarray of float32, shape (n_literals, n_distinct)
        1 where a literal holds, else 0; floats, because pricing multiplies with them.
    positive, negative : ndarray of float, shape (n_distinct,)
        Numbers of positive and of negative rows of the matrix that equal each distinct row.
    """

    literals: NDArray[np.float32]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]

    @classmethod
    def distinct(cls, matrix: NDArray[np.bool_], y: NDArray[np.bool_], seed: int) -> Rows:
        """The distinct rows, sampled if they have more than ``MAX_CELLS`` cells."""
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
        """Number of all rows, with repetitions."""
        return float(self.positive.sum() + self.negative.sum())

    @property
    def tolerance(self) -> float:
        """Minimal decrease of the loss by a new clause, in rows."""
        return TOLERANCE * self.total

    def cover(self, clause: Clause) -> NDArray[np.bool_]:
        """Mask of the distinct rows for which a clause holds."""
        return np.asarray(self.literals[list(clause)].all(axis=0))


def distinct_rows(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of the first occurrence of each distinct row, and the distinct row of each row."""
    # the padding byte is for matrices without columns
    packed = np.pad(np.packbits(matrix, axis=1), ((0, 0), (0, 1)))
    keys = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
    _, first, alike = np.unique(keys, return_index=True, return_inverse=True)
    return first, alike


def summed(alike: NDArray[np.intp], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of the weights of rows for each distinct row."""
    return np.bincount(alike, weights=weights).astype(np.float64)
