"""Rows of the table by the labels of both models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Largest number of pairs of labels that are listed.
MOST_CELLS = 1000


@dataclass(frozen=True)
class CrossTable:
    """Numbers of rows by the label of model 1 and of model 2; rows of weight 0 are left out."""

    #: Index of the label of model 1, of model 2, and the number of rows; the largest first. Pairs
    #: of labels that do not occur are left out.
    cells: tuple[tuple[int, int, int], ...]
    #: Number of rows of the pairs after the first `MOST_CELLS`.
    left_out: int


def cross_table(
    pair_labels: NDArray[np.int64] | None, rows: NDArray[np.int64]
) -> CrossTable | None:
    """List pairs of labels with the number of rows of each; None if outputs are numbers.

    Parameters
    ----------
    pair_labels : ndarray of shape (n_pairs, 2) or None
        The labels of each outcome pair.
    rows : ndarray of shape (n_pairs,)
        Number of rows of each.
    """
    if pair_labels is None:
        return None
    first, second = pair_labels.T
    order = np.lexsort((second, first, -rows))
    order = order[rows[order] > 0]
    listed = [(int(first[i]), int(second[i]), int(rows[i])) for i in order[:MOST_CELLS]]
    return CrossTable(tuple(listed), int(rows[order[MOST_CELLS:]].sum()))
