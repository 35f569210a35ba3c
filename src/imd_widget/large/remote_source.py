"""Counts of chunks that are elsewhere: one request is one pass over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from imd_widget.counting.channels import Channels
from imd_widget.counting.layout import CodeLayout
from imd_widget.data.columns import Column
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import LargeChunk
from imd_widget.tree.chunk import RoutedChunk
from imd_widget.tree.requests import Answer, CountRequest
from imd_widget.tree.source import ChunkedSource


class RemoteSource(ChunkedSource):
    """Counts chunks where they are; a `CountSource`.

    Nothing is kept between requests: the rows of a path are routed from the root, so that a chunk
    that was lost and made again counts the same.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        chunks: PartitionedItems[LargeChunk],
        layout: CodeLayout,
        target: Channels,
    ) -> None:
        super().__init__(columns, layout, target)
        self._chunks = chunks

    @contextmanager
    def session(self) -> Iterator[None]:
        """Context without effect: no row number is kept between requests."""
        yield

    def sum(self, request: CountRequest[Answer]) -> Answer:
        """Return the sum of the answers of all chunks."""
        total: Answer = self._chunks.sum(_count, self.columns, self.layout, request)
        return total


def _count(
    chunk: LargeChunk, columns: Sequence[Column], layout: CodeLayout, request: CountRequest[Answer]
) -> Answer:
    """Return the answer of one chunk."""
    with RoutedChunk(columns, chunk, layout).session() as routed:
        return request.count(routed)
