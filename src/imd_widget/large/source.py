"""Counts of chunks that are kept elsewhere: one request is one pass over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from imd_widget.counting.channels import Channels
from imd_widget.counting.layout import Layout
from imd_widget.data.columns import Column
from imd_widget.large.partitions import Kept
from imd_widget.large.parts import LargeChunk
from imd_widget.tree.chunk_counter import ChunkCounter
from imd_widget.tree.summed_source import SummedSource

#: Row numbers that a request keeps at most while it counts one chunk; see `ChunkCounter`.
MAX_KEPT = 20_000_000
#: Pairs of leaves up to which they are counted in a dense array; see `ChunkCounter`.
MAX_PAIRS = 1 << 20


class KeptSource(SummedSource):
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
        super().__init__(columns, layout, target)
        self._chunks = chunks

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context without effect: no row number is kept between requests."""
        yield

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
