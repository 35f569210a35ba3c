"""Counts of chunks that are kept elsewhere: one request is one pass over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import Layout
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.large.partitions import Kept
from imd_widget.large.parts import LargeChunk
from imd_widget.tree.chunk_counter import ChunkCounter
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree
from imd_widget.tree.source import RegionCounts, SharedLeafCounts

#: Row numbers that a request keeps at most while it counts one chunk; see `ChunkCounter`.
MAX_KEPT = 20_000_000
#: Pairs of leaves up to which they are counted in a dense array; see `ChunkCounter`.
MAX_PAIRS = 1 << 20


class KeptSource:
    """Counts chunks where they are kept; a `CountSource`.

    Nothing is remembered between requests: the rows of a path are routed from the root, so that a
    chunk that was lost and made again counts the same.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunks: Kept[LargeChunk],
        layout: Layout,
        target: Channels,
    ) -> None:
        self._columns = columns
        self._chunks = chunks
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

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context without effect: no row number is kept between requests."""
        yield

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""
        totals: NDArray[np.float64] = self._sum("totals", paths)
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
        histograms: list[Histogram] = self._sum("count", paths, channels)
        if () in paths:
            self._root_histogram = histograms[list(paths).index(())]
        return histograms

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows used to fit that only one subtree of each shared split claims."""
        contested: list[NDArray[np.float64]] = self._sum("contest", paths, shared_splits)
        return contested

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""
        sides: NDArray[np.int64] = self._sum("sides", paths, steps)
        return sides

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""
        counts: SharedLeafCounts = self._sum("shared_leaves", shared_tree)
        return counts

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows used to fit and holdout rows, by the pair of leaves they reach."""
        counts: RegionCounts = self._sum("regions", tree)
        return counts

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""
        tallies: list[Tally] = self._sum("holdout_in", boxes)
        return tallies

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit at each path by code of one column: (agreeing, differing)."""
        counts: list[NDArray[np.int64]] = self._sum("code_counts", paths, columns)
        return counts

    def _sum(self, request: str, *arguments: Any) -> Any:
        return self._chunks.sum(_counted, self._columns, self._layout, request, arguments)


def _counted(
    chunk: LargeChunk,
    columns: Sequence[Column],
    layout: Layout,
    request: str,
    arguments: Sequence[Any],
) -> Any:
    """Answer one request for the counts of a chunk."""
    counter = ChunkCounter(columns, chunk, layout, MAX_KEPT, MAX_PAIRS)
    with counter.session() as own:
        return getattr(own, request)(*arguments)
