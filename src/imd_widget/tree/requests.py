"""The requests for counts: each is a record that counts one chunk of rows.

The answers of chunks are added up with ``+`` (`add_up`). The grower uses the answers only and never
sees a row, so that a source may hold one table, many chunks, or rows on other machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.kernels import Addend, sum_each_by_code
from imd_widget.counting.tallies import Tallies, Tally
from imd_widget.data.boxes import Box, codes_at, in_box
from imd_widget.tree.chunk import RoutedChunk, Rows
from imd_widget.tree.shape import OR, SPLIT, Path, Step, TreeShape
from imd_widget.tree.shared_tree import (
    SharedSplit,
    SharedTree,
    condensed,
    shared_leaf_numbers,
    shared_leaves,
)

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)
LeafPair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """Sums over the rows that reach each node."""

    counts: NDArray[np.int64]
    #: Sums of numeric outputs; ``n_sums`` is 0 for classes. See
    #: `imd_widget.counting.tallies.Tally`.
    sum_parts: NDArray[np.float64]
    #: Numbers of rows by label of either model; None unless classes are compared with weights.
    label_rows: NDArray[np.int64] | None = None

    @property
    def sums(self) -> NDArray[np.float64]:
        """Sums of numeric outputs at each node: shape (n_nodes, n_sums); see `Tally.sums`."""
        return np.asarray(self.sum_parts.sum(axis=1))

    def __add__(self, other: NodeCounts) -> NodeCounts:
        label_rows = None
        if self.label_rows is not None and other.label_rows is not None:
            label_rows = self.label_rows + other.label_rows
        return NodeCounts(self.counts + other.counts, self.sum_parts + other.sum_parts, label_rows)


@dataclass(frozen=True, eq=False)
class RegionCounts:
    """Rows by the pair of leaves they reach, and by node."""

    #: Rows used to fit and holdout rows. A pair of leaves that no row reaches is absent.
    fit: Mapping[LeafPair, Tally]
    holdout: Mapping[LeafPair, Tally]
    #: The same rows, counted by the nodes that they reach.
    fit_nodes: NodeCounts
    holdout_nodes: NodeCounts

    def __add__(self, other: RegionCounts) -> RegionCounts:
        return RegionCounts(
            _add_tallies(self.fit, other.fit),
            _add_tallies(self.holdout, other.holdout),
            self.fit_nodes + other.fit_nodes,
            self.holdout_nodes + other.holdout_nodes,
        )


def _add_tallies(
    first: Mapping[LeafPair, Tally], second: Mapping[LeafPair, Tally]
) -> dict[LeafPair, Tally]:
    """Add the tallies of two mappings; the result is sorted by pair of leaves."""
    total = dict(first)
    for pair, tally in second.items():
        total[pair] = total[pair] + tally if pair in total else tally
    return dict(sorted(total.items()))


@dataclass(frozen=True, eq=False)
class SharedLeafCounts:
    """Rows used to fit and holdout rows, by the leaf of a shared tree they reach."""

    fit: Tallies
    holdout: Tallies

    def __add__(self, other: SharedLeafCounts) -> SharedLeafCounts:
        return SharedLeafCounts(self.fit + other.fit, self.holdout + other.holdout)


@dataclass(frozen=True, eq=False)
class CountRequest(ABC, Generic[Answer_co]):
    """A request for counts of the rows of a table."""

    @abstractmethod
    def count(self, chunk: RoutedChunk) -> Answer_co:
        """Return the answer for the rows of one chunk."""


def add_up(answers: Sequence[Any]) -> Any:
    """Return the sum of the answers of all chunks; lists are added entry by entry."""
    if isinstance(answers[0], list):
        return [reduce(add, entries) for entries in zip(*answers, strict=True)]
    return reduce(add, answers)


@dataclass(frozen=True, eq=False)
class Totals(CountRequest[NDArray[np.float64]]):
    """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""

    paths: Sequence[Path]

    def count(self, chunk: RoutedChunk) -> NDArray[np.float64]:
        """Return the answer for the rows of one chunk."""
        observed = chunk.observations
        return np.concatenate([observed.channels(chunk.rows_of(path)) for path in self.paths])


@dataclass(frozen=True, eq=False)
class Histograms(CountRequest[list[Histogram]]):
    """Histograms of the rows used to fit, in all channels or in those named for each path."""

    paths: Sequence[Path]
    channels: Sequence[NDArray[np.intp]] | None = None

    def channels_in(self, target: Channels) -> Sequence[NDArray[np.intp]]:
        """The channels that are counted at each path."""
        if self.channels is None:
            return [np.arange(target.n_channels)] * len(self.paths)
        return self.channels

    def count(self, chunk: RoutedChunk) -> list[Histogram]:
        """Return the answer for the rows of one chunk."""
        rows = [chunk.rows_of(path) for path in self.paths]
        observed = chunk.observations
        channels = self.channels_in(observed.target)
        histograms = observed.histograms(chunk.codes, chunk.layout.offsets, rows, channels)
        chunk.forget_above(max(map(len, self.paths), default=0))
        return histograms


@dataclass(frozen=True, eq=False)
class DisputedRows(CountRequest[list[NDArray[np.float64]]]):
    """Weight of the rows used to fit that only one subtree of each shared split claims.

    One array of shape (4, n_bins) for each split, by channel and code: only "yes" claims the row
    and the models agree there, or differ; only "no" claims it and they agree, or differ.
    """

    paths: Sequence[Path]
    shared_splits: Sequence[SharedSplit]

    def count(self, chunk: RoutedChunk) -> list[NDArray[np.float64]]:
        """Return the answer for the rows of one chunk."""
        disputed = [
            _disputed(chunk, chunk.rows_of(path), shared_split)
            for path, shared_split in zip(self.paths, self.shared_splits, strict=True)
        ]
        rows, addends = [part for part, _ in disputed], [addend for _, addend in disputed]
        return sum_each_by_code(chunk.codes, chunk.layout.offsets, rows, addends)


def _disputed(chunk: RoutedChunk, rows: Rows, shared_split: SharedSplit) -> tuple[Rows, Addend]:
    """Return the rows that only one subtree claims, and the channel of each."""
    yes, no = (_claimed(chunk, part, rows) for part in (shared_split.yes, shared_split.no))
    disputed = yes != no
    rows = rows.compress(disputed)
    differs = chunk.observations.outcome.take(rows) > 0
    channel = np.uint8(2) * ~yes.compress(disputed) + differs
    weight = chunk.observations.weight
    return rows, Addend(channel, 4, None if weight is None else weight.take(rows))


def _claimed(chunk: RoutedChunk, shared_tree: SharedTree, rows: Rows) -> NDArray[np.bool_]:
    shared_tree = condensed(shared_tree)
    is_diff = np.array([shared_leaf.is_diff for _, shared_leaf in shared_leaves(shared_tree)])
    if len(is_diff) == 1:
        return np.full(len(rows), is_diff[0])
    return is_diff[shared_leaf_numbers(shared_tree, chunk.columns, chunk.codes, rows)]


@dataclass(frozen=True, eq=False)
class SplitSizes(CountRequest[NDArray[np.int64]]):
    """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""

    paths: Sequence[Path]
    steps: Sequence[Step]

    def count(self, chunk: RoutedChunk) -> NDArray[np.int64]:
        """Return the answer for the rows of one chunk."""
        counts = np.zeros((len(self.paths), 2), dtype=np.int64)
        for number, (path, step) in enumerate(zip(self.paths, self.steps, strict=True)):
            rows = chunk.rows_of(path)
            yes = int(chunk.answers_yes(step, rows).sum())
            counts[number] = yes, len(rows) - yes
        return counts


@dataclass(frozen=True, eq=False)
class SharedLeaves(CountRequest[SharedLeafCounts]):
    """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""

    shared_tree: SharedTree

    def count(self, chunk: RoutedChunk) -> SharedLeafCounts:
        """Return the answer for the rows of one chunk."""
        parts = [chunk.rows_of(path) for path, _ in shared_leaves(self.shared_tree)]
        number = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])
        holdout = shared_leaf_numbers(self.shared_tree, chunk.columns, chunk.codes, chunk.holdout)
        tallies = chunk.observations.tallies
        return SharedLeafCounts(
            fit=tallies(np.concatenate(parts), number, len(parts)),
            holdout=tallies(chunk.holdout, holdout, len(parts)),
        )


@dataclass(frozen=True, eq=False)
class LeafPairs(CountRequest[RegionCounts]):
    """Rows used to fit and holdout rows, by the pair of leaves they reach."""

    tree: TreeShape

    def count(self, chunk: RoutedChunk) -> RegionCounts:
        """Return the answer for the rows of one chunk."""
        tree, rows, leaves = self.tree, [], []
        for node in np.flatnonzero(tree.kind == OR).tolist():
            node_rows = chunk.rows_of(tree.path(node))
            rows.append(node_rows)
            leaves.append(tree.route(chunk.codes, node_rows, node))
        fit, fit_nodes = _by_leaves(chunk, tree, np.concatenate(rows), np.concatenate(leaves))
        routed = tree.route(chunk.codes, chunk.holdout)
        holdout, holdout_nodes = _by_leaves(chunk, tree, chunk.holdout, routed)
        return RegionCounts(fit, holdout, fit_nodes, holdout_nodes)


@dataclass(frozen=True, eq=False)
class HoldoutInBoxes(CountRequest[list[Tally]]):
    """Holdout rows inside each box."""

    boxes: Sequence[Box]

    def count(self, chunk: RoutedChunk) -> list[Tally]:
        """Return the answer for the rows of one chunk."""
        columns = {column for box in self.boxes for column in box}
        codes = codes_at(chunk.codes, columns, chunk.holdout)
        tallies = []
        for box in self.boxes:
            rows = chunk.holdout.compress(in_box(box, codes, len(chunk.holdout)))
            group = np.zeros(len(rows), dtype=np.int64)
            tallies.append(chunk.observations.tallies(rows, group, 1)[0])
        return tallies


@dataclass(frozen=True, eq=False)
class CodeCounts(CountRequest[list[NDArray[np.int64]]]):
    """Numbers of rows used to fit at each path by code of one column: (agreeing, differing).

    One array of shape (n_codes, 2) per path.
    """

    paths: Sequence[Path]
    columns: Sequence[int]

    def count(self, chunk: RoutedChunk) -> list[NDArray[np.int64]]:
        """Return the answer for the rows of one chunk."""
        counts = []
        for path, column in zip(self.paths, self.columns, strict=True):
            rows = chunk.rows_of(path)
            differs = (chunk.observations.outcome.take(rows) > 0).astype(np.int64)
            n_codes = chunk.columns[column].n_codes
            cells = 2 * chunk.codes[column].take(rows).astype(np.int64) + differs
            counted = np.bincount(cells, minlength=2 * n_codes)[: 2 * n_codes]
            counts.append(counted.reshape(n_codes, 2))
        return counts


def _by_leaves(
    chunk: RoutedChunk, tree: TreeShape, rows: Rows, leaves: NDArray[np.int32]
) -> tuple[dict[LeafPair, Tally], NodeCounts]:
    """Count the rows by the pair of leaves that they reach, and by node."""
    width = tree.n_nodes
    group = leaves[:, 0] * np.int64(width) + leaves[:, 1]
    keys = np.arange(width * width)
    if len(keys) > chunk.max_pairs:
        keys, group = np.unique(group, return_inverse=True)
    else:
        occurs = np.bincount(group, minlength=len(keys)) > 0
        group = (np.cumsum(occurs) - 1)[group]
        keys = keys[occurs]
    tallies = chunk.observations.tallies(rows, group, len(keys))
    by_pair = {
        (key // width, key % width): tallies[number] for number, key in enumerate(keys.tolist())
    }
    # sums are exact, so that adding up the pairs of a leaf gives the sums of the leaf
    sum_parts = np.zeros((width, *tallies.sum_parts.shape[1:]))
    for leaf_of_key in (keys // width, keys % width):
        np.add.at(sum_parts, leaf_of_key, tallies.sum_parts)
    return by_pair, _by_node(chunk, tree, rows, leaves, sum_parts)


def _by_node(
    chunk: RoutedChunk,
    tree: TreeShape,
    rows: Rows,
    leaves: NDArray[np.int32],
    sum_parts: NDArray[np.float64],
) -> NodeCounts:
    """Count the rows by node, from the leaf of each model that they reach."""
    observed, width = chunk.observations, tree.n_nodes
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
