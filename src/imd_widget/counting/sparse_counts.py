"""Sparse counts by bin and label, for many labels.

A node has at most one nonzero count per row and column, while a dense array of all bins by hundreds
of labels would be mostly zeros. Impurities are the same whole numbers as from a dense array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.impurity import x_log_x
from imd_widget.data.columns import Codes

if TYPE_CHECKING:
    from imd_widget.counting.layout import CodeLayout

#: With more labels than this, counts of labels are sparse.
MANY_LABELS = 32


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """Nonzero counts of the labels of one model, by bin."""

    #: ``bin * n_labels + label``, increasing.
    key: NDArray[np.int64]
    #: Positive whole numbers, as floats.
    count: NDArray[np.float64]
    n_labels: int

    @classmethod
    def of(
        cls,
        codes: Sequence[Codes],
        offsets: NDArray[np.int64],
        rows: NDArray[np.int32],
        label: NDArray[Any],
        weight: NDArray[np.float64] | None,
        n_labels: int,
    ) -> SparseCounts:
        """Count rows with these labels and weights."""
        keys, counts = [], []
        label = label.astype(np.int64)
        for column_codes, start, stop in zip(
            codes, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True
        ):
            cell = column_codes.take(rows) * np.int64(n_labels) + label
            size = (stop - start) * n_labels
            if size < 4 * len(rows):  # a dense array of this column is small enough
                total = np.bincount(cell, weights=weight, minlength=size)
                key = np.flatnonzero(total)
                count = total[key]
            else:
                key, entry = np.unique(cell, return_inverse=True)
                count = np.bincount(entry, weights=weight, minlength=len(key))
            keys.append(key + start * n_labels)
            counts.append(count)
        return cls(np.concatenate(keys), np.concatenate(counts).astype(float), n_labels)

    def __add__(self, other: SparseCounts) -> SparseCounts:
        """Add the counts of two sets of rows."""
        key, entry = np.unique(np.concatenate([self.key, other.key]), return_inverse=True)
        count = np.bincount(
            entry, weights=np.concatenate([self.count, other.count]), minlength=len(key)
        )
        return SparseCounts(key, count.astype(float), self.n_labels)

    def rest(self, others: Sequence[SparseCounts]) -> SparseCounts:
        """Subtract the counts of ``others``, whose rows must be a subset of these."""
        count = self.count.copy()
        for other in others:
            count[np.searchsorted(self.key, other.key)] -= other.count
        left = count > 0
        return SparseCounts(self.key[left], count[left], self.n_labels)

    @property
    def bin(self) -> NDArray[np.int64]:
        """The bin of each entry."""
        return self.key // self.n_labels

    @property
    def label(self) -> NDArray[np.int64]:
        """The label of each entry."""
        return self.key % self.n_labels

    def total(self, bins: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the counts by label over the bins in the mask: shape (n_labels,)."""
        selected = bins[self.bin]
        label, count = self.label[selected], self.count[selected]
        return np.bincount(label, weights=count, minlength=self.n_labels).astype(float)


def label_terms(
    entries: SparseCounts, layout: CodeLayout, missing: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sums of ``x log2 x`` over the labels on the "yes" and "no" side of every cut.

    ``missing`` is whether rows without a value go to "yes". Both arrays have the shape (n_bins,);
    they are undefined at bins with ``is_cut`` False.
    """
    total = entries.total(layout.column == 0)
    column = layout.column[entries.bin]
    ordered = layout.ordered[entries.bin]
    yes = np.zeros(layout.n_bins, dtype=np.int64)
    no = np.zeros(layout.n_bins, dtype=np.int64)
    for part, terms in ((ordered, _running), (~ordered, _alone)):
        if part.any():
            selected = SparseCounts(entries.key[part], entries.count[part], entries.n_labels)
            part_yes, part_no = terms(selected, column[part], total, layout, missing)
            yes += part_yes
            no += part_no
    return yes, no


#: Bits of a part of a whole number: sums of 2**32 such parts are exact as floats.
_PART_BITS = 21
_EXACT = 1 << 53


def sum_by_bin(
    bins: NDArray[np.int64], values: NDArray[np.int64], n_bins: int
) -> NDArray[np.int64]:
    """Return exact sums of whole numbers by bin; `numpy.bincount` would add them as floats.

    Parameters
    ----------
    bins, values : ndarray of shape (n,)
    n_bins : int
    """

    def summed(part: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(np.bincount(bins, weights=part, minlength=n_bins), dtype=np.int64)

    if not len(values) or int(np.abs(values).max()) * len(values) < _EXACT:
        return summed(values)
    low, rest = values & ((1 << _PART_BITS) - 1), values >> _PART_BITS
    middle, high = rest & ((1 << _PART_BITS) - 1), rest >> _PART_BITS
    total = summed(low) + (summed(middle) << _PART_BITS) + (summed(high) << 2 * _PART_BITS)
    return np.asarray(total)


def _running(
    entries: SparseCounts,
    column: NDArray[np.int64],
    total: NDArray[np.float64],
    layout: CodeLayout,
    missing: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the terms of ordered columns, as running sums of the change that each bin makes."""
    n_labels, n_bins = entries.n_labels, layout.n_bins
    rank = _bin_ranks(layout, missing)
    order = np.argsort((column * n_labels + entries.label) * n_bins + rank[entries.bin])
    label, count = entries.label[order], entries.count[order]
    entry_rank = rank[entries.bin[order]]
    group = column[order] * n_labels + label
    running = np.cumsum(count)
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    sizes = np.diff(np.append(first, len(group)))
    after = running - np.repeat((running - count)[first], sizes)
    before = after - count
    left = total[label]
    added = x_log_x(after) - x_log_x(before)
    taken = x_log_x(left - after) - x_log_x(left - before)
    start = layout.offsets[:-1]
    sums = []
    for change, base in ((added, 0), (taken, int(x_log_x(total).sum()))):
        summed = np.cumsum(sum_by_bin(entry_rank, change, n_bins))
        before_column = np.append(0, summed)[start][layout.column]
        sums.append(np.where(layout.ordered, (summed - before_column)[rank] + base, 0))
    return sums[0], sums[1]


def _bin_ranks(layout: CodeLayout, missing: bool) -> NDArray[np.int64]:
    """Return the rank of each bin; the missing bin of a column is first if ``missing``."""
    bins = np.arange(layout.n_bins)
    if not missing:
        return bins
    start = layout.offsets[:-1][layout.column]
    missing_bin = layout.missing_bin
    return np.where(missing_bin < 0, bins, np.where(bins == missing_bin, start, bins + 1))


def _alone(
    entries: SparseCounts,
    column: NDArray[np.int64],
    total: NDArray[np.float64],
    layout: CodeLayout,
    missing: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the terms of columns without order: each bin alone, with missing if ``missing``."""
    n_columns = len(layout.offsets) - 1
    absent = np.zeros((n_columns, entries.n_labels))
    if missing:
        is_missing = entries.bin == layout.missing_bin[entries.bin]
        absent[column[is_missing], entries.label[is_missing]] = entries.count[is_missing]
    rest = total - absent
    base_yes, base_no = x_log_x(absent).sum(axis=1), x_log_x(rest).sum(axis=1)
    with_missing, without = absent[column, entries.label], rest[column, entries.label]
    more = x_log_x(with_missing + entries.count) - x_log_x(with_missing)
    less = x_log_x(np.maximum(without - entries.count, 0)) - x_log_x(without)
    n_bins = layout.n_bins
    yes = sum_by_bin(entries.bin, more, n_bins) + base_yes[layout.column]
    no = sum_by_bin(entries.bin, less, n_bins) + base_no[layout.column]
    return np.where(layout.ordered, 0, yes), np.where(layout.ordered, 0, no)
