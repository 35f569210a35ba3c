"""Counts of one chunk of rows in memory, from its codes and observations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.histogram import Histogram
from imd_widget.counting.kernels import Addend, sum_each_by_code
from imd_widget.counting.layout import Layout
from imd_widget.counting.observations import Observations
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box, codes_at, in_box, says_yes
from imd_widget.data.columns import Codes, Column
from imd_widget.tree.shape import OR, SPLIT, Path, Step, TreeShape
from imd_widget.tree.shared_tree import (
    SharedSplit,
    SharedTree,
    condensed,
    shared_leaf_numbers,
    shared_leaves,
)
from imd_widget.tree.source import LeafPair, NodeCounts, RegionCounts, SharedLeafCounts

Rows = NDArray[np.int32]

#: Largest number of consecutive rows that `Chunk.deal` gives to a chunk at a time.
MAX_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table, encoded.

    Attributes
    ----------
    codes : sequence of ndarray of shape (n_rows,)
        One array per column.
    observations : Observations
        The channels of each row.
    fit, holdout : ndarray of int
        Numbers of the rows used to fit and of the holdout rows. Histograms count only the former.
    """

    codes: Sequence[Codes]
    observations: Observations
    fit: Rows
    holdout: Rows

    def split(self, n_chunks: int) -> list[Chunk]:
        """Return the rows as ``n_chunks`` chunks of consecutive rows; a chunk may be empty."""
        if n_chunks == 1:
            return [self]
        n_rows = len(self.observations)
        edges = [n_rows * i // n_chunks for i in range(n_chunks + 1)]
        return [
            Chunk(
                [codes[start:stop] for codes in self.codes],
                self.observations.chunk(start, stop),
                _between(self.fit, start, stop),
                _between(self.holdout, start, stop),
            )
            for start, stop in pairwise(edges)
        ]

    def deal(self, n_chunks: int) -> list[Chunk]:
        """Return ``n_chunks`` chunks, each with every n-th block of the rows to count.

        They share the codes and observations, and differ in ``fit`` and ``holdout`` alone. In a
        table that is sorted, rows of one node are many chunks' work, unlike after `split`.
        """
        if n_chunks == 1:
            return [self]
        parts = (
            [_dealt(rows, number, n_chunks) for rows in (self.fit, self.holdout)]
            for number in range(n_chunks)
        )
        return [replace(self, fit=fit, holdout=holdout) for fit, holdout in parts]


def _dealt(rows: Rows, number: int, n_chunks: int) -> Rows:
    # a few blocks for each chunk, but none so short that most reads are from a new page of memory
    block = min(MAX_BLOCK, len(rows) // (4 * n_chunks) + 1)
    starts = range(number * block, len(rows), n_chunks * block)
    return np.concatenate([rows[:0], *(rows[start : start + block] for start in starts)])


def _between(rows: Rows, start: int, stop: int) -> Rows:
    inside = rows[(rows >= start) & (rows < stop)]
    return np.asarray(inside - start, dtype=np.int32)


class ChunkCounter:
    """Counts the rows of one chunk; see `CountSource` for what each method returns.

    Parameters
    ----------
    columns : sequence of Column
    chunk : Chunk
    layout : Layout
    max_kept : int
        Largest number of row numbers kept in a session after a level of the tree is counted. If
        there are more, those of the levels above are dropped.
    max_pairs : int
        Up to this many possible pairs of leaves are counted in a dense array; more are sorted.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunk: Chunk,
        layout: Layout,
        max_kept: int,
        max_pairs: int,
    ) -> None:
        self._columns = columns
        self._codes = chunk.codes
        self._observed = chunk.observations
        self._root = chunk.fit
        self._holdout = chunk.holdout
        self._layout = layout
        self._max_kept = max_kept
        self._max_pairs = max_pairs
        self._rows_by_path: dict[Path, Rows] | None = None

    @contextmanager
    def session(self) -> Iterator[ChunkCounter]:
        """Context with a counter that keeps the row numbers of a path for the paths below it.

        It counts the same rows. This counter keeps nothing, so that a diff may be refined in one
        thread while another one reads it; one thread at a time may use the counter of a session.
        """
        keeping = copy(self)
        keeping._rows_by_path = {}
        try:
            yield keeping
        finally:
            keeping._rows_by_path = None

    @property
    def n_kept(self) -> int:
        """Number of paths whose row numbers are kept now; 0 outside of a session."""
        return len(self._rows_by_path or ())

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path."""
        return np.concatenate([self._observed.channels(self._rows_of(path)) for path in paths])

    def count(self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]]) -> list[Histogram]:
        """Histograms of the rows used to fit."""
        rows = [self._rows_of(path) for path in paths]
        histograms = self._observed.histograms(self._codes, self._layout.offsets, rows, channels)
        kept = self._kept
        if sum(len(rows) for rows in kept.values()) > self._max_kept:
            level = max(map(len, paths), default=0)
            for path in [path for path in kept if len(path) < level]:
                del kept[path]
        return histograms

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows that only one subtree of each shared split claims."""
        contested = [
            self._contested(self._rows_of(path), shared_split)
            for path, shared_split in zip(paths, shared_splits, strict=True)
        ]
        rows, addends = [part for part, _ in contested], [addend for _, addend in contested]
        return sum_each_by_code(self._codes, self._layout.offsets, rows, addends)

    def _contested(self, rows: Rows, shared_split: SharedSplit) -> tuple[Rows, Addend]:
        """Return the rows that only one subtree claims, and the channel of each."""
        yes, no = (self._claimed(part, rows) for part in (shared_split.yes, shared_split.no))
        contested = yes != no
        rows = rows.compress(contested)
        differs = self._observed.outcome.take(rows) > 0
        channel = np.uint8(2) * ~yes.compress(contested) + differs
        weight = self._observed.weight
        return rows, Addend(channel, 4, None if weight is None else weight.take(rows))

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on either side of each step."""
        counts = np.zeros((len(paths), 2), dtype=np.int64)
        for number, (path, step) in enumerate(zip(paths, steps, strict=True)):
            rows = self._rows_of(path)
            yes = int(self._says_yes(step, rows).sum())
            counts[number] = yes, len(rows) - yes
        return counts

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows by the leaf of the shared tree they reach."""
        parts = [self._rows_of(path) for path, _ in shared_leaves(shared_tree)]
        number = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])
        holdout = shared_leaf_numbers(shared_tree, self._columns, self._codes, self._holdout)
        tallies = self._observed.tallies
        return SharedLeafCounts(
            fit=tallies(np.concatenate(parts), number, len(parts)),
            holdout=tallies(self._holdout, holdout, len(parts)),
        )

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows by pair of leaves."""
        rows, leaves = [], []
        for node in np.flatnonzero(tree.kind == OR).tolist():
            node_rows = self._rows_of(tree.path(node))
            rows.append(node_rows)
            leaves.append(tree.route(self._codes, node_rows, node))
        fit, fit_nodes = self._by_leaves(tree, np.concatenate(rows), np.concatenate(leaves))
        routed = tree.route(self._codes, self._holdout)
        holdout, holdout_nodes = self._by_leaves(tree, self._holdout, routed)
        return RegionCounts(fit, holdout, fit_nodes, holdout_nodes)

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""
        asked = {column for box in boxes for column in box}
        codes = codes_at(self._codes, asked, self._holdout)
        tallies = []
        for box in boxes:
            rows = self._holdout.compress(in_box(box, codes, len(self._holdout)))
            tallies.append(self._observed.tallies(rows, np.zeros(len(rows), dtype=np.int64), 1)[0])
        return tallies

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit by code of one column: (agreeing, differing)."""
        counts = []
        for path, column in zip(paths, columns, strict=True):
            rows = self._rows_of(path)
            differs = (self._observed.outcome.take(rows) > 0).astype(np.int64)
            n_codes = self._columns[column].n_codes
            cells = 2 * self._codes[column].take(rows).astype(np.int64) + differs
            counted = np.bincount(cells, minlength=2 * n_codes)[: 2 * n_codes]
            counts.append(counted.reshape(n_codes, 2))
        return counts

    @property
    def _kept(self) -> dict[Path, Rows]:
        """Rows by path; a new dict outside of a session."""
        return {} if self._rows_by_path is None else self._rows_by_path

    def _rows_of(self, path: Path) -> Rows:
        return self._route(path, self._kept)

    def _route(self, path: Path, kept: dict[Path, Rows]) -> Rows:
        if not path:
            return self._root
        if path not in kept:
            *above, step = path
            rows = self._route(tuple(above), kept)
            yes = self._says_yes(step, rows)
            # compress returns the same as a boolean index, in less than half the time
            kept[(*above, step._replace(yes=True))] = rows.compress(yes)
            kept[(*above, step._replace(yes=False))] = rows.compress(~yes)
        return kept[path]

    def _says_yes(self, step: Step, rows: Rows) -> NDArray[np.bool_]:
        column = self._columns[step.column]
        return says_yes(column, self._codes[step.column].take(rows), step.cut, step.missing)

    def _claimed(self, shared_tree: SharedTree, rows: Rows) -> NDArray[np.bool_]:
        shared_tree = condensed(shared_tree)
        is_diff = np.array([shared_leaf.is_diff for _, shared_leaf in shared_leaves(shared_tree)])
        if len(is_diff) == 1:
            return np.full(len(rows), is_diff[0])
        return is_diff[shared_leaf_numbers(shared_tree, self._columns, self._codes, rows)]

    def _by_leaves(
        self, tree: TreeShape, rows: Rows, leaves: NDArray[np.int32]
    ) -> tuple[dict[LeafPair, Tally], NodeCounts]:
        """Count the rows by the pair of leaves that they reach, and by node."""
        width = tree.n_nodes
        group = leaves[:, 0] * np.int64(width) + leaves[:, 1]
        keys = np.arange(width * width)
        if len(keys) > self._max_pairs:
            keys, group = np.unique(group, return_inverse=True)
        else:
            occurs = np.bincount(group, minlength=len(keys)) > 0
            group = (np.cumsum(occurs) - 1)[group]
            keys = keys[occurs]
        tallies = self._observed.tallies(rows, group, len(keys))
        by_pair = {
            (key // width, key % width): tallies[number] for number, key in enumerate(keys.tolist())
        }
        # sums are exact, so that adding up the pairs of a leaf gives the sums of the leaf
        sum_parts = np.zeros((width, *tallies.sum_parts.shape[1:]))
        for leaf_of_key in (keys // width, keys % width):
            np.add.at(sum_parts, leaf_of_key, tallies.sum_parts)
        return by_pair, self._by_node(tree, rows, leaves, sum_parts)

    def _by_node(
        self,
        tree: TreeShape,
        rows: Rows,
        leaves: NDArray[np.int32],
        sum_parts: NDArray[np.float64],
    ) -> NodeCounts:
        """Count the rows by node, from the leaf of each model that they reach."""
        observed, width = self._observed, tree.n_nodes
        first, second = leaves.T
        counts = observed.channels(rows, first, width) + observed.channels(rows, second, width)
        by_label = [observed.label_rows(rows, reached, width) for reached in leaves.T]
        counted = [array for array in by_label if array is not None]
        label_rows = np.asarray(np.sum(counted, axis=0)) if counted else None
        for array in (counts, sum_parts, label_rows):
            if array is not None:
                _add_upwards(tree, array)
        n_counts = observed.target.n_counts
        return NodeCounts(counts[:, :n_counts].astype(np.int64), sum_parts, label_rows)


def _add_upwards(tree: TreeShape, array: NDArray[Any]) -> None:
    """Fill in the sums of the inner nodes from those of the leaves, in place."""
    kinds, children = tree.kind.tolist(), tree.children.tolist()
    for node in range(tree.n_nodes - 1, -1, -1):
        first, second = children[node]
        if kinds[node] == SPLIT:
            array[node] = array[first] + array[second]
        elif kinds[node] == OR:  # the same rows reach both branches
            array[node] = array[first]
