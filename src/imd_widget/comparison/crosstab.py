"""Rows of the table by the labels of both models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imd_widget.counting.observations import Observations

#: Largest number of pairs of labels that are listed.
MOST_CELLS = 1000


@dataclass(frozen=True)
class CrossTable:
    """Numbers of rows by the label of model 1 and the label of model 2.

    Attributes
    ----------
    cells : tuple of (int, int, int)
        Index of the label of model 1, of model 2, and the number of rows; the largest first. Pairs
        of labels that do not occur are left out.
    left_out : int
        Number of rows of the pairs after the first `MOST_CELLS`.
    """

    cells: tuple[tuple[int, int, int], ...]
    left_out: int


def cross_table(observed: Observations, n_rows: int) -> CrossTable | None:
    """Count the first ``n_rows`` rows by their pair of labels; None if outputs are numbers."""
    if observed.labels is None:
        return None
    first, second = (labels[:n_rows].astype(np.int64) for labels in observed.labels)
    n_labels = int(max(first.max(), second.max())) + 1
    keys, counts = np.unique(first * n_labels + second, return_counts=True)
    order = np.lexsort((keys, -counts))
    listed = [
        (int(keys[i] // n_labels), int(keys[i] % n_labels), int(counts[i]))
        for i in order[:MOST_CELLS]
    ]
    return CrossTable(tuple(listed), int(counts[order[MOST_CELLS:]].sum()))
