"""The bin axis of a histogram: the codes of all columns, concatenated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column
from imd_widget.data.derivation import Derivation


@dataclass(frozen=True, eq=False)
class CodeLayout:
    """The bin axis of a histogram, on which the codes of all columns are concatenated."""

    #: Column j has the bins from ``offsets[j]`` to ``offsets[j + 1]``.
    offsets: NDArray[np.int64]
    #: Column of each bin.
    column: NDArray[np.int64]
    #: Whether the column of the bin is ordered: a cut at the bin then sends all bins of the column
    #: up to it to "yes", otherwise the bin alone.
    ordered: NDArray[np.bool_]
    #: Whether a cut at the bin is allowed.
    is_cut: NDArray[np.bool_]
    #: Bin of the missing values of the bin's column; -1 if it has none.
    missing_bin: NDArray[np.int64]
    #: Whether the column of the bin is one of many that were derived together; see
    #: `imd_widget.tree.evidence`.
    of_many: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> CodeLayout:
        """Return the layout of these columns."""
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
            # no row is beyond the last bin; the bin of all other categories has no name
            is_cut[offsets[j + 1] - 1 if described.ordered else end - 1] = False
        return cls(
            offsets=offsets,
            column=column,
            ordered=ordered,
            is_cut=is_cut,
            missing_bin=missing_bin[column],
            of_many=np.array([_is_one_of_many(c) for c in columns])[column],
        )

    @cached_property
    def all_ordered(self) -> bool:
        """Whether every column is ordered."""
        return bool(self.ordered.all())

    @cached_property
    def n_of_many(self) -> int:
        """Number of columns that are one of many."""
        return len(np.unique(self.column[self.of_many]))

    @property
    def n_bins(self) -> int:
        """Length of the bin axis: the codes of all columns together."""
        return int(self.offsets[-1])


def _is_one_of_many(column: Column) -> bool:
    return isinstance(column.name, Derivation) and column.name.is_one_of_many
