"""A count source that shows how far a tree is grown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from imd_widget._base.bars import progress_bar
from imd_widget.large.partitions import bars_shown
from imd_widget.tree.requests import Answer, CountRequest, Histograms
from imd_widget.tree.source import ChunkedSource, CountSource


class ProgressSource(ChunkedSource):
    """Passes requests on to another source; a `CountSource`.

    A progress bar shows the level of the tree while it is grown, after a second.

    Parameters
    ----------
    source : CountSource
    max_depth : int
        Number of levels of the tree; a refinement adds further ones below them.
    """

    def __init__(self, source: CountSource, max_depth: int) -> None:
        super().__init__(source.columns, source.layout, source.target)
        self._source = source
        self._max_depth = max_depth
        self._bar: Any = None

    @contextmanager
    def session(self) -> Iterator[None]:
        """The context of the other source, with a progress bar in the outermost one."""
        outermost = self._bar is None
        if outermost:
            self._bar = progress_bar(
                total=self._max_depth, desc="level", delay=1, leave=False, disable=not bars_shown()
            )
        try:
            with self._source.session():
                yield
        finally:
            if outermost:
                self._bar.close()
                self._bar = None

    def sum(self, request: CountRequest[Answer]) -> Answer:
        """Return the answer of the other source."""
        if isinstance(request, Histograms) and self._bar is not None:
            level = max(map(len, request.paths), default=0) + 1
            self._bar.total = max(level, self._max_depth)
            self._bar.set_description(f"level {level} of {self._bar.total}", refresh=False)
            self._bar.update(level - self._bar.n)
        return self._source.answer(request)
