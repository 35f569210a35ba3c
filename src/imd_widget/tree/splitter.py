"""The best split of a node, from its histogram alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.columns import Column
from imd_widget.tree.criterion import impurity


@dataclass(frozen=True, eq=False)
class Layout:
    """How the codes of all columns lie one after the other on the axis of a histogram.

    Attributes
    ----------
    offsets : ndarray of shape (n_columns + 1,)
        Column j has the bins from ``offsets[j]`` to ``offsets[j + 1]``.
    column : ndarray of shape (n_bins,)
        Which column a bin belongs to.
    ordered : ndarray of shape (n_bins,)
        Whether a cut at the bin takes all bins of its column up to it, or it alone.
    is_cut : ndarray of shape (n_bins,)
        Whether there can be a cut at the bin.
    missing_bin : ndarray of shape (n_bins,)
        Bin of the missing values of the bin's column; -1 where there is none.
    marginals : tuple of two ndarrays of shape (n_pairs, n_labels)
        Turn counts of outcome pairs into counts of the labels of model 1 and of model 2.
    """

    offsets: NDArray[np.int64]
    column: NDArray[np.int64]
    ordered: NDArray[np.bool_]
    is_cut: NDArray[np.bool_]
    missing_bin: NDArray[np.int64]
    marginals: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, columns: Sequence[Column], pairs: NDArray[np.int64], n_labels: int) -> Layout:
        """Layout for these columns and outcome pairs."""
        sizes = [column.n_codes for column in columns]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        column = np.repeat(np.arange(len(columns)), sizes)
        ordered = np.array([c.ordered for c in columns])[column]
        is_cut = np.ones(len(column), dtype=bool)
        missing_bin = np.full(len(columns), -1)
        for j, described in enumerate(columns):
            end = offsets[j] + described.n_values
            if described.has_missing:
                missing_bin[j] = end
            # after the last bin nothing is left; "another category" has no name to ask for
            is_cut[offsets[j + 1] - 1 if described.ordered else end - 1] = False
        eye = np.eye(n_labels, dtype=np.int64)
        return cls(
            offsets=offsets,
            column=column,
            ordered=ordered,
            is_cut=is_cut,
            missing_bin=missing_bin[column],
            marginals=(eye[pairs[:, 0]], eye[pairs[:, 1]]),
        )

    @cached_property
    def differs(self) -> NDArray[np.int64]:
        """Turns counts of outcome pairs into counts of (same, differ): shape (n_pairs, 2)."""
        same = (self.marginals[0] * self.marginals[1]).sum(axis=1)
        return np.stack([same, 1 - same], axis=1)

    @property
    def n_bins(self) -> int:
        """Length of the bin axis: the codes of all columns together."""
        return int(self.offsets[-1])

    @property
    def n_pairs(self) -> int:
        """Number of outcome pairs that occur."""
        return len(self.marginals[0])


@dataclass(frozen=True)
class Objective:
    """What a shared split makes pure, and how much each part counts.

    Attributes
    ----------
    models : float
        Weight of the impurity of the outputs of either model.
    differs : float
        Weight of the impurity of "the models differ". 0 is the paper.
    """

    models: float = 1.0
    differs: float = 0.0


#: The objective of the paper: both models, and nothing but them.
PAPER = Objective()


@dataclass(frozen=True)
class Split:
    """A question to a column, and what splitting by it costs in parts of a bit.

    Rows whose code is at most ``cut`` (in a column without order: is ``cut``) say yes, and rows
    without a value if ``missing``.
    """

    column: int
    cut: int
    missing: bool
    cost: int


@dataclass(frozen=True, eq=False)
class Candidates:
    """The splits that a node allows, each with what it sends to "yes".

    A split is allowed just below a value that occurs at the node, as in the paper: the threshold
    is one of the node's own values. Rows without a value go to "no", then also to "yes".

    Attributes
    ----------
    bins : ndarray of shape (n_candidates,)
    missing : ndarray of shape (n_candidates,)
        Whether rows without a value go to "yes".
    yes : ndarray of shape (n_candidates, n_channels)
        What goes to "yes", in the channels of the histogram.
    """

    bins: NDArray[np.int64]
    missing: NDArray[np.bool_]
    yes: NDArray[Any]

    @classmethod
    def at_node(cls, histogram: NDArray[Any], layout: Layout, min_samples_leaf: int) -> Candidates:
        """All splits of a node that leave ``min_samples_leaf`` rows on both sides.

        Parameters
        ----------
        histogram : ndarray of shape (n_bins, n_channels)
            Rows of the node by bin and channel.
        """
        rows = _over_channels(histogram)
        n_rows = rows[: layout.offsets[1]].sum()
        yes = _up_to_each_bin(histogram, layout)
        rows_yes = _over_channels(yes)
        next_occurs = np.append(rows[1:] > 0, False)
        possible = layout.is_cut & np.where(layout.ordered, next_occurs, rows > 0)

        def enough(below: NDArray[Any]) -> NDArray[np.bool_]:
            return np.asarray((below >= min_samples_leaf) & (n_rows - below >= min_samples_leaf))

        bins = np.flatnonzero(possible & enough(rows_yes))
        missing = np.zeros(len(bins), dtype=bool)
        chosen = yes[bins]
        absent = layout.missing_bin
        some = (absent >= 0) & (rows[absent] > 0)
        if some.any():
            # "no value" itself and the cut before it leave no choice of a side
            here = np.arange(layout.n_bins)
            choice = possible & some & (here != absent) & ~(layout.ordered & (here + 1 == absent))
            also = np.flatnonzero(choice & enough(rows_yes + rows[absent]))
            bins = np.concatenate([bins, also])
            missing = np.concatenate([missing, np.ones(len(also), dtype=bool)])
            chosen = np.concatenate([chosen, yes[also] + histogram[absent[also]]])
        return cls(bins, missing, chosen)

    def split(self, at: int, cost: int, layout: Layout) -> Split:
        """One of the candidates as a split."""
        bin_ = int(self.bins[at])
        column = int(layout.column[bin_])
        return Split(column, bin_ - int(layout.offsets[column]), bool(self.missing[at]), cost)


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
    Among equal costs a split that sends missing values to "no" wins, then the first column, then
    the lowest cut.
    """

    def __init__(self, histogram: NDArray[Any], layout: Layout, min_samples_leaf: int) -> None:
        self._layout = layout
        self.counts = histogram[: layout.offsets[1]].sum(axis=0)
        self._candidates = Candidates.at_node(histogram, layout, min_samples_leaf)
        self._costs: list[NDArray[np.int64] | None] = [None, None]

    @property
    def none(self) -> bool:
        """Whether the node cannot be split at all."""
        return len(self._candidates.bins) == 0

    def best_for(self, model: int) -> tuple[Split, NDArray[np.int64]]:
        """The best split for one model (0 the first, 1 the second), and its "yes" counts."""
        return self._best(self._cost_of(model))

    def best_common(self, objective: Objective = PAPER) -> tuple[Split, NDArray[np.int64]]:
        """The split that serves both models best, and its "yes" counts."""
        if objective.models == 1 and objective.differs == 0:
            return self._best(self._cost_of(0) + self._cost_of(1))
        cost = objective.differs * self._impurities(self._layout.differs)
        if objective.models:
            cost = cost + objective.models * (self._cost_of(0) + self._cost_of(1))
        return self._best(np.rint(cost).astype(np.int64))

    def _cost_of(self, model: int) -> NDArray[np.int64]:
        cost = self._costs[model]
        if cost is None:
            cost = self._costs[model] = self._impurities(self._layout.marginals[model])
        return cost

    def _impurities(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Impurity left by each candidate, of counts of labels made from those of pairs."""
        yes = labels.T @ self._yes
        return impurity(yes) + impurity((labels.T @ self.counts)[:, None] - yes)

    @cached_property
    def _yes(self) -> NDArray[np.float64]:
        """Counts by pair and candidate, as floats: exact, and quick to multiply and to sum."""
        return np.ascontiguousarray(self._candidates.yes.T, dtype=float)

    def _best(self, cost: NDArray[np.int64]) -> tuple[Split, NDArray[np.int64]]:
        at = int(cost.argmin())
        return self._candidates.split(at, int(cost[at]), self._layout), self._candidates.yes[at]


def centred(split: Split, histogram: NDArray[Any], layout: Layout) -> Split:
    """The same split of these rows, its cut in the middle of the gap between two of their values.

    Where only some of a node's rows matter such gaps are wide, and the middle errs least.

    Parameters
    ----------
    histogram : ndarray of shape (n_bins, n_channels)
        The rows that matter, by bin.
    """
    start = int(layout.offsets[split.column])
    at = start + split.cut
    if not layout.ordered[at] or at + 1 == layout.missing_bin[at]:
        return split
    below = np.flatnonzero(histogram[start : at + 1].any(axis=1))
    lowest = int(below[-1]) if len(below) else 0
    return replace(split, cut=(lowest + split.cut) // 2)


def _over_channels(histogram: NDArray[Any]) -> NDArray[Any]:
    """Sums over the channels, which are few: much quicker one by one than as a reduction."""
    total = histogram[:, 0].copy()
    for channel in range(1, histogram.shape[1]):
        total += histogram[:, channel]
    return total


def _up_to_each_bin(histogram: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """What a cut at each bin takes: running sums by column where it has an order, else the bin."""
    total = np.cumsum(histogram, axis=0)
    before = np.zeros((len(layout.offsets) - 1, histogram.shape[1]), dtype=total.dtype)
    before[1:] = total[layout.offsets[1:-1] - 1]
    running = total - np.repeat(before, np.diff(layout.offsets), axis=0)
    return np.where(layout.ordered[:, None], running, histogram)
