"""A chunk of encoded rows in memory, and which of its rows a path reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.layout import CodeLayout
from imd_widget.counting.observations import Observations
from imd_widget.data.boxes import says_yes
from imd_widget.data.columns import Codes, Column
from imd_widget.tree.shape import Path, Step

Rows = NDArray[np.int32]

#: Largest number of consecutive rows that `Chunk.deal` gives to a chunk at a time.
MAX_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table, encoded."""

    #: One array per column.
    codes: Sequence[Codes]
    #: The channels of each row.
    observations: Observations
    #: Numbers of the rows used to fit and of the holdout rows. Histograms count only the former.
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


class RoutedChunk:
    """A chunk whose rows are looked up by path; requests count them (`imd_widget.tree.requests`).

    Parameters
    ----------
    columns : sequence of Column
    chunk : Chunk
    layout : CodeLayout
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
        layout: CodeLayout,
        max_kept: int = 20_000_000,
        max_pairs: int = 1 << 20,
    ) -> None:
        self.columns = columns
        self.codes = chunk.codes
        self.observations = chunk.observations
        self.fit = chunk.fit
        self.holdout = chunk.holdout
        self.layout = layout
        self.max_pairs = max_pairs
        self._max_kept = max_kept
        self._rows_by_path: dict[Path, Rows] | None = None

    @contextmanager
    def session(self) -> Iterator[RoutedChunk]:
        """Context with a copy that keeps the row numbers of a path for the paths below it.

        It has the same rows. This object keeps nothing, so that a diff may be refined in one
        thread while another one reads it; one thread at a time may use the copy of a session.
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

    def rows_of(self, path: Path) -> Rows:
        """The rows used to fit that a path reaches."""
        return self._route(path, {} if self._rows_by_path is None else self._rows_by_path)

    def answers_yes(self, step: Step, rows: Rows) -> NDArray[np.bool_]:
        """Whether each of the rows is on the "yes" side of a step."""
        column = self.columns[step.column]
        return says_yes(column, self.codes[step.column].take(rows), step.cut, step.missing)

    def forget_above(self, level: int) -> None:
        """Drop the row numbers of shorter paths, if more are kept than are allowed."""
        kept = self._rows_by_path or {}
        if sum(len(rows) for rows in kept.values()) > self._max_kept:
            for path in [path for path in kept if len(path) < level]:
                del kept[path]

    def _route(self, path: Path, kept: dict[Path, Rows]) -> Rows:
        if not path:
            return self.fit
        if path not in kept:
            *above, step = path
            rows = self._route(tuple(above), kept)
            yes = self.answers_yes(step, rows)
            # compress returns the same as a boolean index, in less than half the time
            kept[(*above, step._replace(yes=True))] = rows.compress(yes)
            kept[(*above, step._replace(yes=False))] = rows.compress(~yes)
        return kept[path]
