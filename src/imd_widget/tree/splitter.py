"""The best split of a node, from its histogram alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels, Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.impurity import x_log_x
from imd_widget.counting.layout import Layout
from imd_widget.counting.sparse_counts import label_terms


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
    def at_node(
        cls, values: NDArray[Any], rows: NDArray[Any], layout: Layout, min_samples_leaf: int
    ) -> Candidates:
        """All splits of a node that leave ``min_samples_leaf`` rows on both sides.

        Parameters
        ----------
        values : ndarray of shape (n_bins, n_channels)
            What is to be told apart, by bin and channel.
        rows : ndarray of shape (n_bins,)
            Rows by bin.
        """
        n_rows = rows[: layout.offsets[1]].sum()
        yes = _up_to_each_bin(values, layout)
        rows_yes = _up_to_each_bin(rows[:, None], layout)[:, 0]
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
            chosen = np.concatenate([chosen, yes[also] + values[absent[also]]])
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
    histogram : Histogram
        Rows of the node by code and channel.
    target : Channels
        What the channels mean.
    layout : Layout
    min_samples_leaf : int
        Both sides keep at least this many rows.

    Notes
    -----
    Among equal costs a split that sends missing values to "no" wins, then the first column, then
    the lowest cut.
    """

    def __init__(
        self, histogram: Histogram, target: Channels, layout: Layout, min_samples_leaf: int
    ) -> None:
        self._target = target
        self._layout = layout
        self._histogram = histogram
        self._counts = histogram.values[: layout.offsets[1]].sum(axis=0)
        rows = target.rows(histogram.values.T)
        self._candidates = Candidates.at_node(histogram.values, rows, layout, min_samples_leaf)
        self._yes = np.ascontiguousarray(self._candidates.yes.T)
        self._costs: dict[Purpose, NDArray[np.int64]] = {}

    @property
    def none(self) -> bool:
        """Whether the node cannot be split at all."""
        return len(self._candidates.bins) == 0

    def best_for(self, task: Purpose) -> tuple[Split, NDArray[np.float64]]:
        """The best split for one task, and what it sends to "yes", in every channel."""
        return self._best(self._cost_of(task))

    def best_common(self, objective: Objective = PAPER) -> tuple[Split, NDArray[np.float64]]:
        """The split that serves both models best, and what it sends to "yes"."""
        if objective == PAPER:
            return self._best(self._cost_of(Purpose.FIRST) + self._cost_of(Purpose.SECOND))
        cost = objective.differs * self._cost_of(Purpose.DIFFERS)
        if objective.models:
            both = self._cost_of(Purpose.FIRST) + self._cost_of(Purpose.SECOND)
            cost = cost + objective.models * both
        # large weights pass 64 bits, so the sum stays a float: whole, and exact up to 2**53
        return self._best(np.rint(cost))

    def _cost_of(self, task: Purpose) -> NDArray[np.int64]:
        """Impurity left by each candidate."""
        if task not in self._costs:
            self._costs[task] = self._impurities(task)
        return self._costs[task]

    def _impurities(self, task: Purpose) -> NDArray[np.int64]:
        no = self._counts[:, None] - self._yes
        labels = self._histogram.labels
        if labels is None or task == Purpose.DIFFERS:
            channels = self._histogram.channels
            left = self._target.impurity(task, self._yes, channels)
            return left + self._target.impurity(task, no, channels)
        cost = x_log_x(self._target.weight(self._yes)) + x_log_x(self._target.weight(no))
        for missing in (False, True):
            own = self._candidates.missing == missing
            if own.any():
                at = self._candidates.bins[own]
                yes_terms, no_terms = label_terms(labels[task], self._layout, missing)
                cost[own] -= yes_terms[at] + no_terms[at]
        return cost

    def _best(self, cost: NDArray[Any]) -> tuple[Split, NDArray[np.float64]]:
        at = int(cost.argmin())
        split = self._candidates.split(at, int(cost[at]), self._layout)
        yes = np.zeros(self._target.n_channels)
        yes[self._histogram.channels] = self._candidates.yes[at]
        if self._histogram.labels is not None:
            asked = self._says_yes(split)
            totals = [own.total(asked) for own in self._histogram.labels]
            yes[self._target.n_leading :] = np.concatenate(totals)
        return split, yes

    def _says_yes(self, split: Split) -> NDArray[np.bool_]:
        """The bins that a split sends to "yes"."""
        layout = self._layout
        here = np.arange(layout.n_bins)
        at = int(layout.offsets[split.column]) + split.cut
        yes = here <= at if layout.ordered[at] else here == at
        if split.missing:
            yes = yes | (here == layout.missing_bin)
        return np.asarray(yes & (layout.column == split.column))


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


def _up_to_each_bin(histogram: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """What a cut at each bin takes: running sums by column where it has an order, else the bin."""
    total = np.cumsum(histogram, axis=0)
    before = np.zeros((len(layout.offsets) - 1, histogram.shape[1]), dtype=total.dtype)
    before[1:] = total[layout.offsets[1:-1] - 1]
    running = total - np.repeat(before, np.diff(layout.offsets), axis=0)
    return np.where(layout.ordered[:, None], running, histogram)
