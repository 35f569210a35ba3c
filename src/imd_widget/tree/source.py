"""Where counts come from. The grower decides on numbers and never sees a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.layout import Layout
from imd_widget.counting.observations import Histogram, Tallies, Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """What reaches each node.

    Attributes
    ----------
    counts : ndarray of shape (n_nodes, n_counts)
    sums : ndarray of shape (n_nodes, 4 or more) or (n_nodes, 0)
        Of numbers: sums and sums of squares of the outputs of either model, and what follows.
    label_rows : ndarray of shape (n_nodes, 2, n_labels) or None
        Of classes with weights: rows by label of either model, which ``counts`` has by weight.
    """

    counts: NDArray[np.int64]
    sums: NDArray[np.float64]
    label_rows: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class RegionCounts:
    """Rows by the pair of leaves they reach, and by node.

    Attributes
    ----------
    fit, holdout : mapping from (leaf of model 1, leaf of model 2) to Tally
        Rows used to fit and rows kept aside. A pair of leaves that no row reaches is absent.
    fit_nodes, holdout_nodes : NodeCounts
        The same rows by the nodes that they reach.
    """

    fit: Mapping[tuple[int, int], Tally]
    holdout: Mapping[tuple[int, int], Tally]
    fit_nodes: NodeCounts
    holdout_nodes: NodeCounts


@dataclass(frozen=True, eq=False)
class SharedLeafCounts:
    """Rows by the shared leaf of a shared tree they reach, used to fit and kept aside."""

    fit: Tallies
    holdout: Tallies


@dataclass(frozen=True, eq=False)
class Contest:
    """Rows at a shared split on which its two subtrees disagree: only one of them claims the row.

    Attributes
    ----------
    histogram : ndarray of shape (n_bins, 4)
        The weight of those rows by code and channel. Only "yes" claims the row and the models are
        the same there, or differ; only "no" claims it and they are the same, or differ.
    sides : callable
        From a question to the numbers of rows of the split, contested or not, on either side.
    """

    histogram: NDArray[np.float64]
    sides: Callable[[Step], tuple[int, int]]


class CountSource(Protocol):
    """Anything that can count rows: one table here, later many machines."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""

    @property
    def target(self) -> Channels:
        """What is counted."""

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """All rows used to fit at each path: shape (len(paths), n_channels)."""

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""

    def contest(self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]) -> list[Contest]:
        """What the subtrees of each split disagree about, of the rows used to fit at its path."""

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows by the shared leaf they reach, used to fit and kept aside."""

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""

    def aside_in(self, boxes: Sequence[Box]) -> list[Tally] | None:
        """Rows kept aside in each box; None where the way through the tree tells the same."""

    def spread(self, path: Path, column: int) -> NDArray[np.int64]:
        """Rows used to fit at a path by code of a column, the same and differing: (n_codes, 2)."""

    def forget(self) -> None:
        """Let go of what was kept for the next question."""
