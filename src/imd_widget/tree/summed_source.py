"""What count sources share: each request is answered by a sum over chunks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.checkpoint import checkpoint
from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import Layout
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree
from imd_widget.tree.source import RegionCounts, SharedLeafCounts


class SummedSource(ABC):
    """A `CountSource` of which a subclass says how the results of chunks are added up.

    Before each request the work can be stopped; see `imd_widget._base.checkpoint`.

    Parameters
    ----------
    columns : sequence of Column
    layout : Layout
    target : Channels
    """

    def __init__(self, columns: Sequence[Column], layout: Layout, target: Channels) -> None:
        self._columns = columns
        self._layout = layout
        self._target = target
        self._root_histogram: Histogram | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""
        return self._columns

    @property
    def target(self) -> Channels:
        """The channels that are counted."""
        return self._target

    @property
    def layout(self) -> Layout:
        """The positions of the columns' bins in a histogram."""
        return self._layout

    @abstractmethod
    def session(self) -> AbstractContextManager[None]:
        """Context in which the source may cache row numbers for later requests."""

    @abstractmethod
    def _sum(self, request: str, *arguments: Any) -> Any:
        """Return the sum of a method of `ChunkCounter`, given by its name, over all chunks.

        Of a method that returns a list, the result is the list of the sums of its entries.
        """

    def _answer(self, request: str, *arguments: Any) -> Any:
        checkpoint()
        return self._sum(request, *arguments)

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""
        totals: NDArray[np.float64] = self._answer("totals", paths)
        return totals

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""
        if channels is None:
            channels = [np.arange(self.target.n_channels)] * len(paths)
        root = self._root_histogram
        if list(paths) == [()] and root and np.array_equal(root.channels, channels[0]):
            return [root]
        histograms: list[Histogram] = self._answer("count", paths, channels)
        if () in paths:  # the grower requests it again to compute a node as the rest of the table
            self._root_histogram = histograms[list(paths).index(())]
        return histograms

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows used to fit that only one subtree of each shared split claims."""
        contested: list[NDArray[np.float64]] = self._answer("contest", paths, shared_splits)
        return contested

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""
        sides: NDArray[np.int64] = self._answer("sides", paths, steps)
        return sides

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""
        counts: SharedLeafCounts = self._answer("shared_leaves", shared_tree)
        return counts

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows used to fit and holdout rows, by the pair of leaves they reach."""
        counts: RegionCounts = self._answer("regions", tree)
        return counts

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""
        tallies: list[Tally] = self._answer("holdout_in", boxes)
        return tallies

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit at each path by code of one column: (agreeing, differing)."""
        counts: list[NDArray[np.int64]] = self._answer("code_counts", paths, columns)
        return counts
