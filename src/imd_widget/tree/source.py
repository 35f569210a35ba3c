"""The protocol of count sources: a request is paths and splits, the result is counts.

Results of chunks of rows are added with ``+``. The grower uses the counts only and never sees a
row, so that a source may hold one table, many chunks, or rows on other machines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import Layout
from imd_widget.counting.tallies import Tallies, Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree

LeafPair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """Sums over the rows that reach each node.

    Attributes
    ----------
    counts : ndarray of shape (n_nodes, n_counts)
    sum_parts : ndarray of shape (n_nodes, 2, n_sums)
        Sums of numeric outputs; ``n_sums`` is 0 for classes. See
        `imd_widget.counting.tallies.Tally`.
    label_rows : ndarray of shape (n_nodes, 2, n_labels) or None
        Numbers of rows by label of either model; None unless classes are compared with weights.
    """

    counts: NDArray[np.int64]
    sum_parts: NDArray[np.float64]
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
    """Rows by the pair of leaves they reach, and by node.

    Attributes
    ----------
    fit, holdout : mapping from (leaf of model 1, leaf of model 2) to Tally
        Rows used to fit and holdout rows. A pair of leaves that no row reaches is absent.
    fit_nodes, holdout_nodes : NodeCounts
        The same rows, counted by the nodes that they reach.
    """

    fit: Mapping[LeafPair, Tally]
    holdout: Mapping[LeafPair, Tally]
    fit_nodes: NodeCounts
    holdout_nodes: NodeCounts

    def __add__(self, other: RegionCounts) -> RegionCounts:
        return RegionCounts(
            _added(self.fit, other.fit),
            _added(self.holdout, other.holdout),
            self.fit_nodes + other.fit_nodes,
            self.holdout_nodes + other.holdout_nodes,
        )


def _added(
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


class CountSource(Protocol):
    """Counts the rows of a table."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""

    @property
    def target(self) -> Channels:
        """The channels that are counted."""

    @property
    def layout(self) -> Layout:
        """The positions of the columns' bins in a histogram."""

    def session(self) -> AbstractContextManager[None]:
        """Context in which the source may cache row numbers for later requests.

        A source caches no row numbers outside of a session, and sessions share no cache.
        """

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows used to fit that only one subtree of each shared split claims.

        One array of shape (n_bins, 4) for each split, by code and channel: only "yes" claims the
        row and the models agree there, or differ; only "no" claims it and they agree, or differ.
        """

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows used to fit and holdout rows, by the pair of leaves they reach."""

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit at each path by code of one column: (agreeing, differing).

        One array of shape (n_codes, 2) per path.
        """
