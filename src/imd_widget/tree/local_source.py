"""Counts of a table in memory: the sums over its chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from threading import get_ident
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.checkpoint import checkpoint
from imd_widget._base.parallel import Team, team
from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import Layout
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.tree.chunk_counter import Chunk, ChunkCounter
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree
from imd_widget.tree.source import RegionCounts, SharedLeafCounts

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class _Session:
    """The counters of a session, one per chunk and each with rows of its own, and their threads."""

    counters: Sequence[ChunkCounter]
    team: Team

    def each(self, counts: Callable[[ChunkCounter], T]) -> list[T]:
        return self.team.each(counts, self.counters)


class LocalSource:
    """Counts the rows of a table in memory, chunk by chunk; a `CountSource`.

    All sums are whole numbers or pre-rounded (`imd_widget._base.exact_sums`), so that the counts
    are the same to the bit however the rows are chunked and however many threads count them.
    Several threads may use one source at a time; each has its own sessions.

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
    n_threads : int
        Number of threads that count at a time, each a chunk.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunks: Sequence[Chunk],
        layout: Layout,
        max_kept: int = 20_000_000,
        max_pairs: int = 1 << 20,
        n_threads: int = 1,
    ) -> None:
        self._columns = columns
        self._layout = layout
        self._target = chunks[0].observations.target
        self._counters = [
            ChunkCounter(columns, chunk, layout, max_kept // len(chunks), max_pairs)
            for chunk in chunks
        ]
        self._n_threads = min(n_threads, len(chunks))
        self._sessions: dict[int, list[_Session]] = {}  # by thread, the innermost last
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
        sessions = [session for opened in self._sessions.values() for session in opened]
        return sum(counter.n_kept for session in sessions for counter in session.counters)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context in which the row numbers of a path are kept for the paths below it."""
        thread = get_ident()
        with ExitStack() as stack:
            counters = [stack.enter_context(counter.session()) for counter in self._counters]
            opened = self._sessions.setdefault(thread, [])
            opened.append(_Session(counters, stack.enter_context(team(self._n_threads))))
            try:
                yield
            finally:
                opened.pop()
                if not opened:
                    del self._sessions[thread]

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
        return reduce(add, self._each(counts))

    def _sum_each(self, counts: Callable[[ChunkCounter], list[T]]) -> list[T]:
        return [reduce(add, parts) for parts in zip(*self._each(counts), strict=True)]

    def _each(self, counts: Callable[[ChunkCounter], T]) -> list[T]:
        """Return the counts of each chunk, with the threads of this thread's innermost session.

        Before each request the work can be stopped.
        """
        checkpoint()
        opened = self._sessions.get(get_ident())
        if opened:
            return opened[-1].each(counts)
        with team(self._n_threads) as threads:
            return threads.each(counts, self._counters)
