"""Where counts come from. The grower decides on integers and never sees a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.columns import Codes, Column, says_yes
from imd_widget.tree.joint_tree import JointTree, Kind, Path, Step
from imd_widget.tree.skeleton import Fork, Skeleton, condensed, tip_numbers, tips
from imd_widget.tree.splitter import Layout

#: Row numbers that may be kept for later questions.
MOST_KEPT = 20_000_000
#: Largest table of all pairs of leaves by outcome pair.
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class RegionCounts:
    """Rows by the pair of leaves they reach.

    Attributes
    ----------
    fit, holdout : mapping from (leaf of model 1, leaf of model 2) to ndarray of shape (n_pairs,)
        Rows used to fit and rows kept aside, by outcome pair. A pair of leaves that no row
        reaches is absent.
    """

    fit: Mapping[tuple[int, int], NDArray[np.int64]]
    holdout: Mapping[tuple[int, int], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class TipCounts:
    """Rows by the tip of a skeleton they reach.

    Attributes
    ----------
    fit, holdout : ndarray of shape (n_tips, n_pairs)
        Rows used to fit and rows kept aside, by outcome pair.
    """

    fit: NDArray[np.int64]
    holdout: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contest:
    """Rows at a fork on which its two subtrees disagree: only one of them claims the row.

    Attributes
    ----------
    histogram : ndarray of shape (n_bins, 4)
        Those rows by code and channel. Only "yes" claims the row and the models are the same
        there, or differ; only "no" claims it and they are the same, or differ.
    sides : callable
        From a question to the numbers of rows of the fork, contested or not, on either side.
    """

    histogram: NDArray[np.int64]
    sides: Callable[[Step], tuple[int, int]]


class CountSource(Protocol):
    """Anything that can count rows: one table here, later many machines."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""

    @property
    def totals(self) -> NDArray[np.int64]:
        """All rows used to fit, by outcome pair."""

    def count(self, paths: Sequence[Path]) -> NDArray[np.int64]:
        """Histograms of the rows used to fit: shape (len(paths), n_bins, n_pairs)."""

    def contest(self, paths: Sequence[Path], forks: Sequence[Fork]) -> list[Contest]:
        """What the subtrees of each fork disagree about, of the rows used to fit at its path."""

    def tips(self, skeleton: Skeleton) -> TipCounts:
        """Rows by the tip they reach, used to fit and kept aside."""

    def regions(self, tree: JointTree) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""

    def forget(self) -> None:
        """Let go of what was kept for the next question."""


class LocalSource:
    """Counts rows of a table in memory.

    Parameters
    ----------
    columns : sequence of Column
    codes : sequence of ndarray of shape (n_rows,)
        One a column.
    pair : ndarray of shape (n_rows,)
        Outcome pair of each row.
    holdout : ndarray of shape (n_rows,)
        True for rows kept aside: never counted in a histogram.
    layout : Layout
    """

    def __init__(
        self,
        columns: Sequence[Column],
        codes: Sequence[Codes],
        pair: NDArray[np.uint16],
        holdout: NDArray[np.bool_],
        layout: Layout,
    ) -> None:
        self._columns = columns
        self._codes = codes
        self._pair = pair
        self._layout = layout
        self._differs = layout.differs[:, 1].astype(bool)
        self._root = np.flatnonzero(~holdout).astype(np.int32)
        self._aside = np.flatnonzero(holdout).astype(np.int32)
        # rows of the nodes counted last: their children are asked for next
        self._rows: dict[Path, NDArray[np.int32]] = {}
        self._whole: NDArray[np.int64] | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""
        return self._columns

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""
        return self._layout

    @property
    def totals(self) -> NDArray[np.int64]:
        """All rows used to fit, by outcome pair."""
        return np.bincount(self._pair[self._root], minlength=self._layout.n_pairs)

    def count(self, paths: Sequence[Path]) -> NDArray[np.int64]:
        """Histograms of the rows used to fit: shape (len(paths), n_bins, n_pairs)."""
        histograms = self._empty(len(paths), self._layout.n_pairs)
        for histogram, path in zip(histograms, paths, strict=True):
            if not path and self._whole is not None:
                histogram[:] = self._whole
                continue
            rows = self._rows_of(path)
            self._count_into(histogram, rows, self._pair.take(rows))
            if not path:  # asked for again when what remains of it is wanted
                self._whole = histogram
        if sum(len(rows) for rows in self._rows.values()) > MOST_KEPT:
            level = max(map(len, paths), default=0)
            self._rows = {path: rows for path, rows in self._rows.items() if len(path) >= level}
        return histograms

    def contest(self, paths: Sequence[Path], forks: Sequence[Fork]) -> list[Contest]:
        """What the subtrees of each fork disagree about, of the rows used to fit at its path."""
        found = []
        for histogram, path, fork in zip(self._empty(len(paths), 4), paths, forks, strict=True):
            rows = self._rows_of(path)
            yes, no = (self._claimed(part, rows) for part in (fork.yes, fork.no))
            at_odds = yes != no
            contested = rows.compress(at_odds)
            channel = 2 * ~yes.compress(at_odds) + self._differs[self._pair.take(contested)]
            self._count_into(histogram, contested, channel)
            found.append(Contest(histogram, partial(self._sides, rows)))
        return found

    def tips(self, skeleton: Skeleton) -> TipCounts:
        """Rows by the tip they reach, used to fit and kept aside."""
        paths = [path for path, _ in tips(skeleton)]
        n_pairs = self._layout.n_pairs
        fit = [np.bincount(self._pair.take(self._rows_of(p)), minlength=n_pairs) for p in paths]
        number = tip_numbers(skeleton, self._columns, self._codes, self._aside)
        aside = np.bincount(
            number * np.int64(n_pairs) + self._pair.take(self._aside),
            minlength=len(paths) * n_pairs,
        )
        return TipCounts(fit=np.array(fit), holdout=aside.reshape(len(paths), n_pairs))

    def regions(self, tree: JointTree) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""
        fit: dict[tuple[int, int], NDArray[np.int64]] = {}
        for node in np.flatnonzero(tree.kind == Kind.OR):
            first, second = (tree.leaves(int(branch)) for branch in tree.children[node])
            if len(first) == 1 or len(second) == 1:  # then a leaf of the other is the whole pair
                for one, two in product(first, second):
                    fit[one, two] = tree.counts[one if len(second) == 1 else two]
            else:
                fit |= self._by_leaf_pair(tree, self._rows_of(tree.path(int(node))), int(node))
        return RegionCounts(fit=fit, holdout=self._by_leaf_pair(tree, self._aside, 0))

    def forget(self) -> None:
        """Let go of what was kept for the next question."""
        self._rows = {}

    def _rows_of(self, path: Path) -> NDArray[np.int32]:
        if not path:
            return self._root
        if path not in self._rows:
            *above, step = path
            rows = self._rows_of(tuple(above))
            column = self._columns[step.column]
            yes = says_yes(column, self._codes[step.column].take(rows), step.cut, step.missing)
            # take and compress do the same as brackets, in less than half the time
            self._rows[(*above, step._replace(yes=True))] = rows.compress(yes)
            self._rows[(*above, step._replace(yes=False))] = rows.compress(~yes)
        return self._rows[path]

    def _sides(self, rows: NDArray[np.int32], step: Step) -> tuple[int, int]:
        codes = self._codes[step.column].take(rows)
        yes = int(says_yes(self._columns[step.column], codes, step.cut, step.missing).sum())
        return yes, len(rows) - yes

    def _claimed(self, skeleton: Skeleton, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        skeleton = condensed(skeleton)
        claims = np.array([tip.claims for _, tip in tips(skeleton)])
        if len(claims) == 1:
            return np.full(len(rows), claims[0])
        return claims[tip_numbers(skeleton, self._columns, self._codes, rows)]

    def _empty(self, n: int, n_channels: int) -> NDArray[np.int64]:
        return np.empty((n, self._layout.n_bins, n_channels), dtype=np.int64)

    def _count_into(
        self, histogram: NDArray[np.int64], rows: NDArray[np.int32], channel: NDArray[Any]
    ) -> None:
        """Count rows by code, column by column, and by channel."""
        n_channels = histogram.shape[1]
        offsets = self._layout.offsets
        widest = int(np.diff(offsets).max()) * n_channels
        cell_type: Any = np.uint16 if widest < 1 << 16 else np.uint32
        channel = channel.astype(cell_type)
        for codes, start, stop in zip(self._codes, offsets[:-1], offsets[1:], strict=True):
            cell: NDArray[Any] = codes.take(rows).astype(cell_type)
            cell *= cell_type(n_channels)
            cell += channel
            counted = np.bincount(cell, minlength=(stop - start) * n_channels)
            histogram[start:stop] = counted.reshape(stop - start, n_channels)

    def _by_leaf_pair(
        self, tree: JointTree, rows: NDArray[np.int32], start: int
    ) -> dict[tuple[int, int], NDArray[np.int64]]:
        """Counts of the pairs of leaves that ``rows``, which are at node ``start``, reach.

        Counted in a table of all pairs; where that would be too large, those that occur are found
        by sorting first.
        """
        n_pairs = self._layout.n_pairs
        leaves = tree.route(self._codes, rows, start)
        width = tree.n_nodes
        region = leaves[:, 0] * np.int64(width) + leaves[:, 1]
        keys = np.arange(width * width)
        if width * width * n_pairs > MOST_CELLS:
            keys, region = np.unique(region, return_inverse=True)
        pair = self._pair.take(rows)
        cells = np.bincount(region * n_pairs + pair, minlength=len(keys) * n_pairs)
        counts = cells.reshape(len(keys), n_pairs)
        return {
            (int(keys[at] // width), int(keys[at] % width)): counts[at].copy()
            for at in np.flatnonzero(counts.any(axis=1))
        }
