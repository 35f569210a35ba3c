"""Where counts come from. The grower decides on integers and never sees a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.table import Codes
from imd_widget.tree.joint_tree import JointTree, Path
from imd_widget.tree.splitter import Layout


@dataclass(frozen=True)
class RegionCounts:
    """Rows by the pair of leaves they reach.

    Attributes
    ----------
    fit, holdout : mapping from (leaf of model 1, leaf of model 2) to ndarray of shape (n_pairs,)
        Rows used to fit and rows kept aside, by outcome pair. A pair of leaves that no row
        reaches is absent.
    """

    fit: Mapping[tuple[int, int], NDArray[np.int64]]
    holdout: Mapping[tuple[int, int], NDArray[np.int64]]


class CountSource(Protocol):
    """Anything that can count rows: one table here, later many machines."""

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""

    def count(self, paths: Sequence[Path]) -> NDArray[np.int64]:
        """Histograms of the rows used to fit: shape (len(paths), n_bins, n_pairs)."""

    def regions(self, tree: JointTree) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""


class LocalSource:
    """Counts rows of a table in memory.

    Parameters
    ----------
    codes : sequence of ndarray of shape (n_rows,)
        One a column.
    pair : ndarray of shape (n_rows,)
        Outcome pair of each row.
    holdout : ndarray of shape (n_rows,)
        True for rows kept aside: never counted in a histogram.
    layout : Layout
    """

    def __init__(
        self,
        codes: Sequence[Codes],
        pair: NDArray[np.uint16],
        holdout: NDArray[np.bool_],
        layout: Layout,
    ) -> None:
        self._codes = codes
        self._pair = pair
        self._holdout = holdout
        self._layout = layout
        self._root = np.flatnonzero(~holdout).astype(np.int32)
        # rows of the nodes counted last: their children are asked for next
        self._rows: dict[Path, NDArray[np.int32]] = {}

    @property
    def layout(self) -> Layout:
        """How the bins of the columns lie side by side."""
        return self._layout

    def count(self, paths: Sequence[Path]) -> NDArray[np.int64]:
        """Histograms of the rows used to fit: shape (len(paths), n_bins, n_pairs)."""
        shape = (len(paths), self._layout.n_bins, self._layout.n_pairs)
        histograms = np.empty(shape, dtype=np.int64)
        for histogram, path in zip(histograms, paths, strict=True):
            self._count_rows(self._rows_of(path), histogram)
        level = max(map(len, paths), default=0)
        self._rows = {path: rows for path, rows in self._rows.items() if len(path) >= level}
        return histograms

    def regions(self, tree: JointTree) -> RegionCounts:
        """Rows by pair of leaves, used to fit and kept aside."""
        leaves = tree.route(self._codes, len(self._pair))
        return RegionCounts(
            fit=self._by_leaf_pair(leaves, ~self._holdout),
            holdout=self._by_leaf_pair(leaves, self._holdout),
        )

    def _rows_of(self, path: Path) -> NDArray[np.int32]:
        if not path:
            return self._root
        if path not in self._rows:
            *above, step = path
            rows = self._rows_of(tuple(above))
            yes = self._codes[step.column][rows] <= step.cut
            self._rows[(*above, step._replace(yes=True))] = rows[yes]
            self._rows[(*above, step._replace(yes=False))] = rows[~yes]
        return self._rows[path]

    def _count_rows(self, rows: NDArray[np.int32], histogram: NDArray[np.int64]) -> None:
        """Fill one node's histogram."""
        n_pairs = self._layout.n_pairs
        pair = self._pair[rows].astype(np.intp)
        offsets = self._layout.offsets
        for codes, start, stop in zip(self._codes, offsets[:-1], offsets[1:], strict=True):
            cell = codes[rows].astype(np.intp)
            cell *= n_pairs
            cell += pair
            counted = np.bincount(cell, minlength=(stop - start) * n_pairs)
            histogram[start:stop] = counted.reshape(stop - start, n_pairs)

    def _by_leaf_pair(
        self, leaves: NDArray[np.int32], among: NDArray[np.bool_]
    ) -> dict[tuple[int, int], NDArray[np.int64]]:
        chosen = leaves[among].astype(np.int64)
        width = int(leaves.max()) + 1
        keys, region = np.unique(chosen[:, 0] * width + chosen[:, 1], return_inverse=True)
        n_pairs = self._layout.n_pairs
        cells = np.bincount(region * n_pairs + self._pair[among], minlength=len(keys) * n_pairs)
        counts = cells.reshape(len(keys), n_pairs)
        return {
            (int(key // width), int(key % width)): row
            for key, row in zip(keys, counts, strict=True)
        }
