"""Sources of counts: a request is a record of `imd_widget.tree.requests`, the answer is counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, cast

import numpy as np

from imd_widget._base.checkpoint import checkpoint
from imd_widget.counting.channels import Channels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import CodeLayout
from imd_widget.data.columns import Column
from imd_widget.tree.requests import Answer, CountRequest, Histograms


class CountSource(Protocol):
    """Counts the rows of a table."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""

    @property
    def target(self) -> Channels:
        """The channels that are counted."""

    @property
    def layout(self) -> CodeLayout:
        """The positions of the columns' bins in a histogram."""

    def session(self) -> AbstractContextManager[None]:
        """Context in which the source may cache row numbers for later requests.

        A source caches no row numbers outside of a session, and sessions share no cache.
        """

    def answer(self, request: CountRequest[Answer]) -> Answer:
        """Return the counts of all rows."""


class ChunkedSource(ABC):
    """A `CountSource` that adds up the answers of chunks; subclasses define how.

    The work can be stopped before each request; see `imd_widget._base.checkpoint`.

    Parameters
    ----------
    columns : sequence of Column
    layout : CodeLayout
    target : Channels
    """

    def __init__(self, columns: Sequence[Column], layout: CodeLayout, target: Channels) -> None:
        self.columns = columns
        self.layout = layout
        self.target = target
        self._root: Histogram | None = None

    @abstractmethod
    def session(self) -> AbstractContextManager[None]:
        """Context in which the source may cache row numbers for later requests."""

    @abstractmethod
    def sum(self, request: CountRequest[Answer]) -> Answer:
        """Return the sum of the answers of all chunks."""

    def answer(self, request: CountRequest[Answer]) -> Answer:
        """Return the counts of all rows."""
        if isinstance(request, Histograms):
            return cast(Answer, self._histograms(request))
        checkpoint()
        return self.sum(request)

    def _histograms(self, request: Histograms) -> list[Histogram]:
        """Return histograms, and keep that of all rows.

        The grower requests it again to compute the histogram of a node as the rest of the table.
        """
        paths, root = list(request.paths), self._root
        if paths == [()] and root is not None:
            [channels] = request.channels_in(self.target)
            if np.array_equal(root.channels, channels):
                return [root]
        checkpoint()
        histograms = self.sum(request)
        if () in paths:
            self._root = histograms[paths.index(())]
        return histograms
