"""The best split of a node, from its histogram alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.tree.criterion import impurity


@dataclass(frozen=True)
class Layout:
    """How the codes of all columns lie one after the other on the axis of a histogram.

    Attributes
    ----------
    offsets : ndarray of shape (n_columns + 1,)
        Column j has the bins from ``offsets[j]`` to ``offsets[j + 1]``.
    marginals : tuple of two ndarrays of shape (n_pairs, n_labels)
        Turn counts of outcome pairs into counts of the labels of model 1 and of model 2.
    """

    offsets: NDArray[np.int64]
    marginals: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, n_codes: list[int], pairs: NDArray[np.int64], n_labels: int) -> Layout:
        """Layout for columns with ``n_codes`` codes each."""
        eye = np.eye(n_labels, dtype=np.int64)
        return cls(
            offsets=np.concatenate([[0], np.cumsum(n_codes)]).astype(np.int64),
            marginals=(eye[pairs[:, 0]], eye[pairs[:, 1]]),
        )

    @property
    def n_bins(self) -> int:
        """Length of the bin axis: the codes of all columns together."""
        return int(self.offsets[-1])

    @property
    def n_pairs(self) -> int:
        """Number of outcome pairs that occur."""
        return len(self.marginals[0])


@dataclass(frozen=True)
class Split:
    """Rows whose code in ``column`` is at most ``cut`` go to "yes"; ``cost`` in parts of a bit."""

    column: int
    cut: int
    cost: int


class NodeSplits:
    """All splits that one node allows, costed for one model, for the other, or for both.

    Parameters
    ----------
    histogram : ndarray of shape (n_bins, n_pairs)
        Rows of the node by code, columns one after the other, and by outcome pair.
    layout : Layout
    min_samples_leaf : int
        Both sides keep at least this many rows.

    Notes
    -----
    A split is allowed just below a value that occurs at the node, as in the paper: the threshold
    is one of the node's own values. Among equal costs the first column wins, then the lowest cut.
    """

    def __init__(self, histogram: NDArray[Any], layout: Layout, min_samples_leaf: int) -> None:
        self._layout = layout
        self.counts = histogram[: layout.offsets[1]].sum(axis=0)
        below = _cumulated_by_column(histogram, layout.offsets)
        rows_below = below.sum(axis=1)
        occurs = np.asarray(histogram.any(axis=1))
        next_occurs = np.append(occurs[1:], False)
        next_occurs[layout.offsets[1:] - 1] = False  # the last bin of a column has no next
        n_rows = self.counts.sum()
        allowed = (
            next_occurs
            & (rows_below >= min_samples_leaf)
            & (n_rows - rows_below >= min_samples_leaf)
        )
        self._bins = np.flatnonzero(allowed)
        self._below = below[self._bins]
        self._costs: list[NDArray[np.int64] | None] = [None, None]

    @property
    def none(self) -> bool:
        """Whether the node cannot be split at all."""
        return len(self._bins) == 0

    def best_for(self, model: int) -> Split:
        """The best split for one model (0 the first, 1 the second) alone."""
        return self._best(self._cost_of(model))

    def best_common(self) -> Split:
        """The split with the least sum of impurities of both models."""
        return self._best(self._cost_of(0) + self._cost_of(1))

    def yes_counts(self, split: Split) -> NDArray[np.int64]:
        """Rows by outcome pair that the split sends to "yes"."""
        bin_ = self._layout.offsets[split.column] + split.cut
        return np.asarray(self._below[np.searchsorted(self._bins, bin_)])

    def _cost_of(self, model: int) -> NDArray[np.int64]:
        cost = self._costs[model]
        if cost is None:
            labels = self._layout.marginals[model]
            cost = impurity(self._below @ labels) + impurity((self.counts - self._below) @ labels)
            self._costs[model] = cost
        return cost

    def _best(self, cost: NDArray[np.int64]) -> Split:
        at = int(cost.argmin())
        bin_ = int(self._bins[at])
        column = int(np.searchsorted(self._layout.offsets, bin_, side="right")) - 1
        return Split(column, bin_ - int(self._layout.offsets[column]), int(cost[at]))


def _cumulated_by_column(histogram: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Running sums along the bins that start again at each column."""
    total = np.cumsum(histogram, axis=0, dtype=np.int64)
    before = np.zeros((len(offsets) - 1, histogram.shape[1]), dtype=np.int64)
    before[1:] = total[offsets[1:-1] - 1]
    return np.asarray(total - np.repeat(before, np.diff(offsets), axis=0))
