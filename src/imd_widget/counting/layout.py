"""How the codes of all columns lie one after the other on the axis of a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column


@dataclass(frozen=True, eq=False)
class Layout:
    """How the codes of all columns lie one after the other on the axis of a histogram.

    Attributes
    ----------
    offsets : ndarray of shape (n_columns + 1,)
        Column j has the bins from ``offsets[j]`` to ``offsets[j + 1]``.
    column : ndarray of shape (n_bins,)
        Which column a bin belongs to.
    ordered : ndarray of shape (n_bins,)
        Whether a cut at the bin takes all bins of its column up to it, or it alone.
    is_cut : ndarray of shape (n_bins,)
        Whether there can be a cut at the bin.
    missing_bin : ndarray of shape (n_bins,)
        Bin of the missing values of the bin's column; -1 where there is none.
    """

    offsets: NDArray[np.int64]
    column: NDArray[np.int64]
    ordered: NDArray[np.bool_]
    is_cut: NDArray[np.bool_]
    missing_bin: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Layout:
        """Layout for these columns."""
        sizes = [column.n_codes for column in columns]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        column = np.repeat(np.arange(len(columns)), sizes)
        ordered = np.array([c.ordered for c in columns])[column]
        is_cut = np.ones(len(column), dtype=bool)
        missing_bin = np.full(len(columns), -1)
        for j, described in enumerate(columns):
            end = offsets[j] + described.n_values
            if described.has_missing:
                missing_bin[j] = end
            # after the last bin nothing is left; "another category" has no name to ask for
            is_cut[offsets[j + 1] - 1 if described.ordered else end - 1] = False
        return cls(
            offsets=offsets,
            column=column,
            ordered=ordered,
            is_cut=is_cut,
            missing_bin=missing_bin[column],
        )

    @property
    def n_bins(self) -> int:
        """Length of the bin axis: the codes of all columns together."""
        return int(self.offsets[-1])
