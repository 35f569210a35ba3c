"""A count source that tells how far a tree is grown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from imd_widget.large.partitions import bars_shown
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedSplit, SharedTree
from imd_widget.tree.source import CountSource, RegionCounts, SharedLeafCounts


class GrowingSource:
    """Passes requests on to another source; a `CountSource`.

    While a tree is grown a progress bar tells its level, after a second. Between requests the work
    can be stopped; see `imd_widget._base.checkpoint`.

    Parameters
    ----------
    source : CountSource
    max_depth : int
        Number of levels of the tree.
    """

    def __init__(self, source: CountSource, max_depth: int) -> None:
        self._source = source
        self._max_depth = max_depth
        self._bar: Any = None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are counted."""
        return self._source.columns

    @property
    def target(self) -> Channels:
        """The channels that are counted."""
        return self._source.target

    @property
    def layout(self) -> Layout:
        """The positions of the columns' bins in a histogram."""
        return self._source.layout

    @contextmanager
    def session(self) -> Iterator[None]:
        """The context of the other source, with a progress bar in the outermost one."""
        from tqdm.auto import tqdm

        outermost = self._bar is None
        if outermost:
            self._bar = tqdm(
                total=self._max_depth, desc="level", delay=1, leave=False, disable=not bars_shown()
            )
        try:
            with self._source.session():
                yield
        finally:
            if outermost:
                self._bar.close()
                self._bar = None

    def totals(self, paths: Sequence[Path]) -> NDArray[np.float64]:
        """Sums over the rows used to fit at each path: shape (len(paths), n_channels)."""
        checkpoint()
        return self._source.totals(paths)

    def count(
        self, paths: Sequence[Path], channels: Sequence[NDArray[np.intp]] | None = None
    ) -> list[Histogram]:
        """Histograms of the rows used to fit, in all channels or in those named for each path."""
        checkpoint()
        level = max(map(len, paths), default=0) + 1
        if self._bar is not None:
            self._bar.set_description(f"level {level} of {self._max_depth}", refresh=False)
            self._bar.update(level - self._bar.n)
        return self._source.count(paths, channels)

    def contest(
        self, paths: Sequence[Path], shared_splits: Sequence[SharedSplit]
    ) -> list[NDArray[np.float64]]:
        """Weight of the rows used to fit that only one subtree of each shared split claims."""
        checkpoint()
        return self._source.contest(paths, shared_splits)

    def sides(self, paths: Sequence[Path], steps: Sequence[Step]) -> NDArray[np.int64]:
        """Numbers of rows used to fit on the "yes" and "no" side of each step: (len(paths), 2)."""
        checkpoint()
        return self._source.sides(paths, steps)

    def shared_leaves(self, shared_tree: SharedTree) -> SharedLeafCounts:
        """Rows used to fit and holdout rows, by the leaf of the shared tree they reach."""
        checkpoint()
        return self._source.shared_leaves(shared_tree)

    def regions(self, tree: TreeShape) -> RegionCounts:
        """Rows used to fit and holdout rows, by the pair of leaves they reach."""
        checkpoint()
        return self._source.regions(tree)

    def holdout_in(self, boxes: Sequence[Box]) -> list[Tally]:
        """Holdout rows inside each box."""
        checkpoint()
        return self._source.holdout_in(boxes)

    def code_counts(self, paths: Sequence[Path], columns: Sequence[int]) -> list[NDArray[np.int64]]:
        """Numbers of rows used to fit at each path by code of one column: (agreeing, differing)."""
        checkpoint()
        return self._source.code_counts(paths, columns)
