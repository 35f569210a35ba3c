"""The search for the best split of a node in its histogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels, Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.impurity import impurity, x_log_x
from imd_widget.counting.layout import CodeLayout
from imd_widget.counting.sparse_counts import label_terms
from imd_widget.tree.evidence import likelihood_ratio, needed


@dataclass(frozen=True)
class Objective:
    """The weights of the impurities that a shared split minimises."""

    #: Weight of the impurity of the outputs of either model.
    models: float = 1.0
    #: Weight of the impurity of "the models differ"; the paper uses 0.
    differs: float = 0.0


#: The objective of the paper: the sum of the impurities of both models.
PAPER = Objective()


@dataclass(frozen=True)
class Split:
    """The condition of a split, and its cost: the impurity left, in fixed-point bits.

    A row goes to "yes" if ``code <= cut`` (``code == cut`` in a column without order). A row
    without a value goes to "yes" if ``missing``.
    """

    column: int
    cut: int
    missing: bool
    cost: int


@dataclass(frozen=True, eq=False)
class Candidates:
    """The allowed splits of a node, with the counts of their "yes" sides.

    A threshold is allowed if its value occurs at the node, as in the paper. The first candidates
    send rows without a value to "no". If there are such rows, the variants that send them to "yes"
    follow.
    """

    bins: NDArray[np.int64]
    #: Whether rows without a value go to "yes".
    missing: NDArray[np.bool_]
    #: Counts of the rows that go to "yes", by channel: shape (n_channels, n_candidates).
    yes: NDArray[Any]

    @classmethod
    def at_node(
        cls,
        counts: NDArray[Any],
        rows_of: Callable[[NDArray[Any]], NDArray[Any]],
        layout: CodeLayout,
        min_samples_leaf: int,
    ) -> Candidates:
        """Return all splits of a node with at least ``min_samples_leaf`` rows on both sides.

        Parameters
        ----------
        counts : ndarray of shape (n_channels, n_bins)
            Counts by channel and bin. Each row is in one bin of every column.
        rows_of : callable
            From counts by channel to numbers of rows, such as `Channels.rows`.
        """
        rows = rows_of(counts)
        n_rows = rows[: layout.offsets[1]].sum()
        yes = _up_to_each_bin(counts, layout)
        rows_yes = rows_of(yes)
        next_occurs = np.append(rows[1:] > 0, False)
        possible = layout.is_cut & np.where(layout.ordered, next_occurs, rows > 0)

        def enough(below: NDArray[Any]) -> NDArray[np.bool_]:
            return np.asarray((below >= min_samples_leaf) & (n_rows - below >= min_samples_leaf))

        bins = np.flatnonzero(possible & enough(rows_yes))
        missing = np.zeros(len(bins), dtype=bool)
        yes_counts = yes.take(bins, axis=1)
        missing_bin = layout.missing_bin
        has_missing = (missing_bin >= 0) & (rows[missing_bin] > 0)
        if has_missing.any():
            # a cut at the missing bin, or after the last value of an ordered column, has the
            # missing values alone on one side: it has no variant
            every_bin = np.arange(layout.n_bins)
            before_missing = layout.ordered & (every_bin + 1 == missing_bin)
            eligible = possible & has_missing & (every_bin != missing_bin) & ~before_missing
            variants = np.flatnonzero(eligible & enough(rows_yes + rows[missing_bin]))
            bins = np.concatenate([bins, variants])
            missing = np.concatenate([missing, np.ones(len(variants), dtype=bool)])
            with_missing = yes[:, variants] + counts[:, missing_bin[variants]]
            yes_counts = np.concatenate([yes_counts, with_missing], axis=1)
        return cls(bins, missing, yes_counts)

    def only(self, kept: NDArray[np.bool_]) -> Candidates:
        """Return some of the candidates."""
        return Candidates(self.bins[kept], self.missing[kept], self.yes[:, kept])

    def split(self, number: int, cost: int, layout: CodeLayout) -> Split:
        """Return the candidate with this number as a split."""
        bin_ = int(self.bins[number])
        column = int(layout.column[bin_])
        return Split(column, bin_ - int(layout.offsets[column]), bool(self.missing[number]), cost)


class NodeSplits:
    """The allowed splits of one node and their costs, for either model or for both.

    Parameters
    ----------
    histogram : Histogram
        Rows of the node by channel and code.
    target : Channels
        The meaning of the channels.
    layout : CodeLayout
    min_samples_leaf : int
        Smallest number of rows on each side of a split.
    purposes : sequence of Purpose
        What the splits are to tell apart: a split on one of many derived columns is allowed if
        there is evidence that it tells one of these apart.
    depth : int
        Number of splits above the node.
    times : int
        Number of copies of each row that are counted.

    Notes
    -----
    Ties are broken in favour of splits that send missing values to "no", then of the first column,
    then of the lowest cut.
    """

    def __init__(
        self,
        histogram: Histogram,
        target: Channels,
        layout: CodeLayout,
        min_samples_leaf: int,
        purposes: Sequence[Purpose] = tuple(Purpose),
        depth: int = 0,
        times: int = 1,
    ) -> None:
        self._target = target
        self._layout = layout
        self._histogram = histogram
        counts = histogram.values
        self._counts = counts[:, : layout.offsets[1]].sum(axis=1)
        self._candidates = Candidates.at_node(counts, target.rows, layout, min_samples_leaf)
        self._costs: dict[Purpose, NDArray[np.int64]] = {}
        of_many = layout.of_many[self._candidates.bins]
        if of_many.any():
            evident = ~of_many
            for purpose in purposes:
                evident |= self._evident(purpose, depth, times)
            self._keep(evident)

    def _evident(self, purpose: Purpose, depth: int, times: int) -> NDArray[np.bool_]:
        """Whether each candidate certainly tells something apart; see `evidence`."""
        before, degrees = self._before(purpose)
        gain = before - self._cost_of(purpose)
        rows = float(self._target.rows(self._counts)) / times
        least = needed(self._layout, depth, degrees)
        if not self._target.is_entropy(purpose):
            return np.asarray(gain * (rows / max(before, 1)) >= least)
        per_row = float(self._target.weight(self._counts)) / rows
        return np.asarray(likelihood_ratio(gain, per_row) >= least)

    def _before(self, purpose: Purpose) -> tuple[int, int]:
        """Return the impurity of the node, and in how many ways a split may reduce it."""
        counts, channels = self._counts, self._histogram.channels
        labels = self._histogram.labels
        if labels is None or purpose == Purpose.DIFFERS:
            before = int(self._target.impurity(purpose, counts[:, None], channels)[0])
            every = np.zeros(self._target.n_channels)
            every[channels] = counts
            return before, self._target.n_states(purpose, every) - 1
        first_column = np.arange(self._layout.n_bins) < self._layout.offsets[1]
        total = labels[purpose].total(first_column)
        return int(impurity(total)), int(np.count_nonzero(total)) - 1

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        self._candidates = self._candidates.only(kept)
        self._costs = {purpose: cost[kept] for purpose, cost in self._costs.items()}

    @property
    def none(self) -> bool:
        """Whether the node has no allowed split."""
        return len(self._candidates.bins) == 0

    @property
    def columns(self) -> set[int]:
        """Numbers of the columns with an allowed split."""
        return set(self._layout.column[self._candidates.bins].tolist())

    def best_for(self, purpose: Purpose) -> tuple[Split, NDArray[np.float64]]:
        """Return the best split for one purpose, and the counts of its "yes" side by channel."""
        return self._best(self._cost_of(purpose))

    def best_common(self, objective: Objective = PAPER) -> tuple[Split, NDArray[np.float64]]:
        """Return the split that minimises ``objective``, and the counts of its "yes" side."""
        if objective == PAPER:
            return self._best(self._cost_of(Purpose.FIRST) + self._cost_of(Purpose.SECOND))
        cost = objective.differs * self._cost_of(Purpose.DIFFERS)
        if objective.models:
            both = self._cost_of(Purpose.FIRST) + self._cost_of(Purpose.SECOND)
            cost = cost + objective.models * both
        # large weights overflow 64 bits, so the sum stays a float: whole, and exact up to 2**53
        return self._best(np.rint(cost))

    def _cost_of(self, purpose: Purpose) -> NDArray[np.int64]:
        """Return the impurity left by each candidate."""
        if purpose not in self._costs:
            self._costs[purpose] = self._impurities(purpose)
        return self._costs[purpose]

    def _impurities(self, purpose: Purpose) -> NDArray[np.int64]:
        yes = self._candidates.yes
        no = self._counts[:, None] - yes
        labels = self._histogram.labels
        if labels is None or purpose == Purpose.DIFFERS:
            channels = self._histogram.channels
            left = self._target.impurity(purpose, yes, channels)
            return left + self._target.impurity(purpose, no, channels)
        cost = x_log_x(self._target.weight(yes)) + x_log_x(self._target.weight(no))
        for missing in (False, True):
            selected = self._candidates.missing == missing
            if selected.any():
                bins = self._candidates.bins[selected]
                yes_terms, no_terms = label_terms(labels[purpose], self._layout, missing)
                cost[selected] -= yes_terms[bins] + no_terms[bins]
        return cost

    def _best(self, cost: NDArray[Any]) -> tuple[Split, NDArray[np.float64]]:
        best = int(cost.argmin())
        split = self._candidates.split(best, int(cost[best]), self._layout)
        yes = np.zeros(self._target.n_channels)
        yes[self._histogram.channels] = self._candidates.yes[:, best]
        if self._histogram.labels is not None:
            yes_bins = self._yes_bins(split)
            totals = [labels.total(yes_bins) for labels in self._histogram.labels]
            yes[self._target.n_leading :] = np.concatenate(totals)
        return split, yes

    def _yes_bins(self, split: Split) -> NDArray[np.bool_]:
        """Return a mask of the bins that a split sends to "yes"."""
        layout = self._layout
        every_bin = np.arange(layout.n_bins)
        cut_bin = int(layout.offsets[split.column]) + split.cut
        yes = every_bin <= cut_bin if layout.ordered[cut_bin] else every_bin == cut_bin
        if split.missing:
            yes = yes | (every_bin == layout.missing_bin)
        return np.asarray(yes & (layout.column == split.column))


def centred(split: Split, histogram: NDArray[Any], layout: CodeLayout) -> Split:
    """Return the split with its cut moved to the middle of the gap below it in ``histogram``.

    The rows counted in ``histogram`` go to the same sides as before. If these are few of the rows
    of a node, the gaps between their values are wide, and the middle of a gap is the best estimate
    of the threshold.

    Parameters
    ----------
    histogram : ndarray of shape (n_channels, n_bins)
        Counts by bin of the rows that the split is to separate.
    """
    start = int(layout.offsets[split.column])
    cut_bin = start + split.cut
    if not layout.ordered[cut_bin] or cut_bin + 1 == layout.missing_bin[cut_bin]:
        return split
    below = np.flatnonzero(histogram[:, start : cut_bin + 1].any(axis=0))
    lowest = int(below[-1]) if len(below) else 0
    return replace(split, cut=(lowest + split.cut) // 2)


def _up_to_each_bin(counts: NDArray[Any], layout: CodeLayout) -> NDArray[Any]:
    """Return the counts of the "yes" side of a cut at each bin: shape (n_channels, n_bins).

    They are the running sums within an ordered column, and the bin itself in other columns.
    """
    # counts are whole numbers, and NumPy sums integers several times as fast as floats
    total = counts.astype(np.int64)
    # every column counts the same rows, so that one running sum starts anew at each column
    total[:, layout.offsets[1:-1]] -= total[:, : layout.offsets[1]].sum(axis=1)[:, None]
    sums = np.cumsum(total, axis=1, out=total).astype(counts.dtype)
    return sums if layout.all_ordered else np.where(layout.ordered, sums, counts)
