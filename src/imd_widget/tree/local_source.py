"""Counts of a table in memory: the sums over its chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import Layout
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.tree.chunk_counter import Chunk, ChunkCounter, acting_for, session_owner
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree
from imd_widget.tree.source import RegionCounts, SharedLeafCounts

T = TypeVar("T")
U = TypeVar("U")


def in_turn(work: Callable[[T], U], items: Sequence[T]) -> list[U]:
    """Call a function with each item, one after the other."""
    return list(map(work, items))


class LocalSource:
    """Counts the rows of a table in memory, chunk by chunk; a `CountSource`.

    All sums are whole numbers or pre-rounded (`imd_widget._base.exact_sums`), so that the
    counts are the same to the bit however the rows are chunked.

    Parameters
    ----------
    columns : sequence of Column
    chunks : sequence of Chunk
        At least one.
    layout : Layout
    max_kept : int
        Largest number of row numbers kept in a session; see `ChunkCounter`.
    max_pairs : int
        Largest number of pairs of leaves counted in a dense array; see `ChunkCounter`.
    run : callable
        Calls a function with each counter and returns the results in order, as `in_turn` does;
        it may do so in several threads.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunks: Sequence[Chunk],
        layout: Layout,
        max_kept: int = 20_000_000,
        max_pairs: int = 1 << 20,
        run: Callable[..., list[Any]] = in_turn,
    ) -> None:
        self._columns = columns
        self._layout = layout
        self._target = chunks[0].observations.target
        self._counters = [
            ChunkCounter(columns, chunk, layout, max_kept // len(chunks), max_pairs)
            for chunk in chunks
        ]
        self._run = run
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

    @property
    def n_kept(self) -> int:
        """Number of paths whose row numbers are kept now; 0 outside of a session."""
        return sum(counter.n_kept for counter in self._counters)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context in which the row numbers of a path are kept for the paths below it."""
        with ExitStack() as stack:
            for counter in self._counters:
                stack.enter_context(counter.session())
            yield

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""
        return self._sum(lambda counter: counter.totals(paths))

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""
        if channels is None:
            channels = [np.arange(self.target.n_channels)] * len(paths)
        root = self._root_histogram
        if list(paths) == [()] and root and np.array_equal(root.channels, channels[0]):
            return [root]
        histograms = self._sum_each(lambda counter: counter.count(paths, channels))
        if () in paths:  # the grower requests it again to compute a node as the rest of the table
            self._root_histogram = histograms[list(paths).index(())]
        return histograms

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows used to fit that only one subtree of each shared split claims."""
        return self._sum_each(lambda counter: counter.contest(paths, shared_splits))

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""
        return self._sum(lambda counter: counter.sides(paths, steps))

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""
        return self._sum(lambda counter: counter.shared_leaves(shared_tree))

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows used to fit and holdout rows, by the pair of leaves they reach."""
        return self._sum(lambda counter: counter.regions(tree))

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""
        return self._sum_each(lambda counter: counter.holdout_in(boxes))

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit at each path by code of one column: (agreeing, differing)."""
        return self._sum_each(lambda counter: counter.code_counts(paths, columns))

    def _sum(self, counts: Callable[[ChunkCounter], T]) -> T:
        return reduce(add, self._counted(counts))

    def _sum_each(self, counts: Callable[[ChunkCounter], list[T]]) -> list[T]:
        by_chunk = self._counted(counts)
        return [reduce(add, parts) for parts in zip(*by_chunk, strict=True)]

    def _counted(self, counts: Callable[[ChunkCounter], T]) -> list[T]:
        owner = session_owner()

        def work(counter: ChunkCounter) -> T:
            with acting_for(owner):
                return counts(counter)

        return self._run(work, self._counters)
