"""Counts of the rows of a table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.kernels import Part, by_code
from imd_widget.counting.layout import Layout
from imd_widget.counting.observations import Histogram, Observations, Tally
from imd_widget.data.boxes import Box, in_box, says_yes
from imd_widget.data.columns import Codes, Column
from imd_widget.tree.shape import OR, SPLIT, Path, Step, TreeShape
from imd_widget.tree.shared_tree import (
    SharedSplit,
    SharedTree,
    condensed,
    shared_leaf_numbers,
    shared_leaves,
)
from imd_widget.tree.source import Contest, NodeCounts, RegionCounts, SharedLeafCounts


class LocalSource:
    """Counts rows of a table in memory.

    Parameters
    ----------
    columns : sequence of Column
    codes : sequence of ndarray of shape (n_rows,)
        One a column.
    observations : Observations
        What the models said about each row.
    fit, aside : ndarray of int
        Rows used to fit, and rows kept aside, which are never counted in a histogram.
    layout : Layout
    foreseen : bool
        Whether rows kept aside have only values that the columns foresee.
    max_kept : int
        Row numbers that may be kept for later questions.
    max_pairs : int
        Pairs of leaves that are numbered, at most, without looking which of them occur.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        codes: Sequence[Codes],
        observations: Observations,
        fit: NDArray[np.int32],
        aside: NDArray[np.int32],
        layout: Layout,
        foreseen: bool = True,
        max_kept: int = 20_000_000,
        max_pairs: int = 1 << 20,
    ) -> None:
        self._columns = columns
        self._codes = codes
        self._observed = observations
        self._layout = layout
        self._root = fit
        self._aside = aside
        self._foreseen = foreseen
        self._max_kept = max_kept
        self._max_pairs = max_pairs
        # by thread: a diff may be refined in one while it is looked at in another
        self._kept: dict[int, dict[Path, NDArray[np.int32]]] = {}
        self._whole: Histogram | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""
        return self._columns

    @property
    def target(self) -> Channels:
        """What is counted."""
        return self._observed.target

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""
        return self._layout

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """All rows used to fit at each path: shape (len(paths), n_channels)."""
        return np.concatenate([self._observed.channels(self._rows_of(path)) for path in paths])

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""
        every = np.arange(self.target.n_channels)
        wanted = [every] * len(paths) if channels is None else channels
        found = [self._histogram(*at) for at in zip(paths, wanted, strict=True)]
        kept = self._rows
        if sum(len(rows) for rows in kept.values()) > self._max_kept:
            level = max(map(len, paths), default=0)
            for path in [path for path in kept if len(path) < level]:
                del kept[path]
        return found

    def contest(self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]) -> list[Contest]:
        """What the subtrees of each split disagree about, of the rows used to fit at its path."""
        found = []
        for path, shared_split in zip(paths, shared_splits, strict=True):
            rows = self._rows_of(path)
            yes, no = (self._claimed(part, rows) for part in (shared_split.yes, shared_split.no))
            at_odds = yes != no
            contested = rows.compress(at_odds)
            differs = self._observed.outcome.take(contested) > 0
            channel = 2 * ~yes.compress(at_odds) + differs
            weight = self._observed.weight
            part = Part(channel, 4, None if weight is None else weight.take(contested))
            histogram = by_code(self._codes, self._layout.offsets, contested, [part])
            found.append(Contest(histogram, partial(self._sides, rows)))
        return found

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows by the shared leaf they reach, used to fit and kept aside."""
        parts = [self._rows_of(path) for path, _ in shared_leaves(shared_tree)]
        number = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])
        aside = shared_leaf_numbers(shared_tree, self._columns, self._codes, self._aside)
        tallies = self._observed.tallies
        return SharedLeafCounts(
            fit=tallies(np.concatenate(parts), number, len(parts)),
            holdout=tallies(self._aside, aside, len(parts)),
        )

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""
        rows, leaves = [], []
        for node in np.flatnonzero(tree.kind == OR).tolist():
            here = self._rows_of(tree.path(node))
            rows.append(here)
            leaves.append(tree.route(self._codes, here, node))
        fit, fit_nodes = self._by_leaves(tree, np.concatenate(rows), np.concatenate(leaves))
        aside = tree.route(self._codes, self._aside)
        holdout, holdout_nodes = self._by_leaves(tree, self._aside, aside)
        return RegionCounts(fit, holdout, fit_nodes, holdout_nodes)

    def aside_in(self, boxes: Sequence[Box]) -> list[Tally] | None:
        """Rows kept aside in each box; None where the way through the tree tells the same."""
        if self._foreseen:
            return None
        codes = [own.take(self._aside) for own in self._codes]
        found = []
        for box in boxes:
            rows = self._aside.compress(in_box(box, codes, len(self._aside)))
            found.append(self._observed.tallies(rows, np.zeros(len(rows), dtype=np.int64), 1)[0])
        return found

    def spread(self, path: Path, column: int) -> NDArray[np.int64]:
        """Rows used to fit at a path by code of a column, the same and differing: (n_codes, 2)."""
        rows = self._rows_of(path)
        differs = (self._observed.outcome.take(rows) > 0).astype(np.int64)
        n_codes = self._columns[column].n_codes
        cells = 2 * self._codes[column].take(rows).astype(np.int64) + differs
        return np.bincount(cells, minlength=2 * n_codes)[: 2 * n_codes].reshape(n_codes, 2)

    def forget(self) -> None:
        """Let go of what was kept for the next question."""
        self._kept.pop(get_ident(), None)

    @property
    def _rows(self) -> dict[Path, NDArray[np.int32]]:
        """Rows of the nodes counted last: their children are asked for next."""
        return self._kept.setdefault(get_ident(), {})

    def _histogram(self, path: Path, channels: NDArray[np.intp]) -> Histogram:
        whole = self._whole
        if not path and whole is not None and np.array_equal(whole.channels, channels):
            return whole
        rows = self._rows_of(path)
        found = self._observed.histogram(self._codes, self._layout.offsets, rows, channels)
        if not path:  # asked for again when what remains of it is wanted
            self._whole = found
        return found

    def _rows_of(self, path: Path) -> NDArray[np.int32]:
        if not path:
            return self._root
        kept = self._rows
        if path not in kept:
            *above, step = path
            rows = self._rows_of(tuple(above))
            column = self._columns[step.column]
            yes = says_yes(column, self._codes[step.column].take(rows), step.cut, step.missing)
            # take and compress do the same as brackets, in less than half the time
            kept[(*above, step._replace(yes=True))] = rows.compress(yes)
            kept[(*above, step._replace(yes=False))] = rows.compress(~yes)
        return kept[path]

    def _sides(self, rows: NDArray[np.int32], step: Step) -> tuple[int, int]:
        codes = self._codes[step.column].take(rows)
        yes = int(says_yes(self._columns[step.column], codes, step.cut, step.missing).sum())
        return yes, len(rows) - yes

    def _claimed(self, shared_tree: SharedTree, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        shared_tree = condensed(shared_tree)
        claims = np.array([shared_leaf.claims for _, shared_leaf in shared_leaves(shared_tree)])
        if len(claims) == 1:
            return np.full(len(rows), claims[0])
        return claims[shared_leaf_numbers(shared_tree, self._columns, self._codes, rows)]

    def _by_leaves(
        self, tree: TreeShape, rows: NDArray[np.int32], leaves: NDArray[np.int32]
    ) -> tuple[dict[tuple[int, int], Tally], NodeCounts]:
        """The rows by the pair of leaves that they reach, and by node."""
        width = tree.n_nodes
        place = leaves[:, 0] * np.int64(width) + leaves[:, 1]
        keys = np.arange(width * width)
        if len(keys) > self._max_pairs:
            keys, place = np.unique(place, return_inverse=True)
        else:  # only those that occur
            occurs = np.bincount(place, minlength=len(keys)) > 0
            place = (np.cumsum(occurs) - 1)[place]
            keys = keys[occurs]
        tallies = self._observed.tallies(rows, place, len(keys))
        by_pair = {(key // width, key % width): tallies[at] for at, key in enumerate(keys.tolist())}
        counts = np.zeros((width, self.target.n_channels))
        sums = np.zeros((width, tallies.sums.shape[1]))
        for model in (0, 1):
            counts += self._observed.channels(rows, leaves[:, model], width)
            sums += self._observed.sums(rows, leaves[:, model], width)
        by_label = [self._observed.label_rows(rows, own, width) for own in leaves.T]
        known = [own for own in by_label if own is not None]
        label_rows = np.asarray(np.sum(known, axis=0)) if known else None
        for array in (counts, sums, label_rows):
            if array is not None:
                _add_upwards(tree, array)
        return by_pair, NodeCounts(
            counts[:, : self.target.n_counts].astype(np.int64), sums, label_rows
        )


def _add_upwards(tree: TreeShape, array: NDArray[Any]) -> None:
    """From what is known at the leaves to the same at every node."""
    kinds, children = tree.kind.tolist(), tree.children.tolist()
    for node in range(tree.n_nodes - 1, -1, -1):
        first, second = children[node]
        if kinds[node] == SPLIT:
            array[node] = array[first] + array[second]
        elif kinds[node] == OR:  # both branches have the same rows
            array[node] = array[first]
