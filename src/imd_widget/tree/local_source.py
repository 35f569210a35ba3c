"""Counts of a table in memory: the sums over its chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import get_ident

from imd_widget._base.parallel import Team, team
from imd_widget.counting.layout import CodeLayout
from imd_widget.data.columns import Column
from imd_widget.tree.chunk import Chunk, RoutedChunk
from imd_widget.tree.requests import Answer, CountRequest, add_up
from imd_widget.tree.source import ChunkedSource


@dataclass(frozen=True, eq=False)
class _Session:
    """The chunks of a session, and the threads that count them."""

    chunks: Sequence[RoutedChunk]
    team: Team

    def sum(self, request: CountRequest[Answer]) -> Answer:
        total: Answer = add_up(self.team.each(request.count, self.chunks))
        return total


class LocalSource(ChunkedSource):
    """Counts the rows of a table in memory, chunk by chunk; a `CountSource`.

    All sums are whole numbers or pre-rounded (`imd_widget._base.exact_sums`), so that the counts
    are the same to the bit however the rows are chunked and however many threads count them.
    Several threads may use one source at a time; each has its own sessions.

    Parameters
    ----------
    columns : sequence of Column
    chunks : sequence of Chunk
        At least one.
    layout : CodeLayout
    max_kept : int
        Largest number of row numbers kept in a session; see `RoutedChunk`.
    max_pairs : int
        Largest number of pairs of leaves counted in a dense array; see `RoutedChunk`.
    n_threads : int
        Number of threads that count at a time, each a chunk.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunks: Sequence[Chunk],
        layout: CodeLayout,
        max_kept: int = 20_000_000,
        max_pairs: int = 1 << 20,
        n_threads: int = 1,
    ) -> None:
        super().__init__(columns, layout, chunks[0].observations.target)
        self._chunks = [
            RoutedChunk(columns, chunk, layout, max_kept // len(chunks), max_pairs)
            for chunk in chunks
        ]
        self._n_threads = min(n_threads, len(chunks))
        self._sessions: dict[int, list[_Session]] = {}  # by thread, the innermost last

    @property
    def n_kept(self) -> int:
        """Number of paths whose row numbers are kept now; 0 outside of a session."""
        sessions = [session for opened in self._sessions.values() for session in opened]
        return sum(chunk.n_kept for session in sessions for chunk in session.chunks)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context in which the row numbers of a path are kept for the paths below it."""
        thread = get_ident()
        with ExitStack() as stack:
            chunks = [stack.enter_context(chunk.session()) for chunk in self._chunks]
            opened = self._sessions.setdefault(thread, [])
            opened.append(_Session(chunks, stack.enter_context(team(self._n_threads))))
            try:
                yield
            finally:
                opened.pop()
                if not opened:
                    del self._sessions[thread]

    def sum(self, request: CountRequest[Answer]) -> Answer:
        """Return the sum over the chunks, with the threads of this thread's innermost session."""
        opened = self._sessions.get(get_ident())
        if opened:
            return opened[-1].sum(request)
        with team(self._n_threads) as threads:
            return _Session(self._chunks, threads).sum(request)
