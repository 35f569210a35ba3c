"""Summaries of the columns of chunks of rows, which merge into the columns of the whole table.

The merged summaries give the same columns, to the bit, as `imd_widget.data.binning.bin_table` gives
for the whole table, however its rows are divided into chunks.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError, Quoted
from imd_widget.data.binning import (
    DURATIONS,
    MOMENTS,
    NUMBERS,
    category_column,
    complex_error,
    distinct_or_error,
    is_whole,
    thresholds_of,
)
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.data.native import NativeColumn, Storage, as_moments, as_numbers, number_storage
from imd_widget.data.raw_values import raw_values
from imd_widget.data.thresholds import shortest_between, shortest_moment

#: What a column holds. "nothing": every value of the chunk is missing, and its dtype is no type.
Family = Literal["number", "moment", "duration", "category", "ordered", "nothing"]

_RAW_DTYPES = {"moment": "datetime64[us]", "duration": "timedelta64[us]", "number": "float64"}


@dataclass(frozen=True, eq=False)
class ChunkRows:
    """The rows of a chunk that thresholds are computed from.

    Attributes
    ----------
    fit : ndarray of bool, shape (n_rows,)
        Whether each row is used to fit.
    hashes : ndarray of uint64, shape (n_rows,)
        The hash of each row number, by which rows are sampled.
    bound : int
        Values of rows with ``hash <= bound`` are collected.
    """

    fit: NDArray[np.bool_]
    hashes: NDArray[np.uint64]
    bound: int

    @cached_property
    def n_fit(self) -> int:
        """Number of rows used to fit."""
        return int(np.count_nonzero(self.fit))

    @cached_property
    def chosen(self) -> NDArray[np.intp]:
        """The rows used to fit with ``hash <= bound``."""
        return np.flatnonzero(self.fit & (self.hashes <= np.uint64(self.bound)))

    def candidates(self, missing: NDArray[np.bool_] | None) -> tuple[NDArray[np.intp], int]:
        """The rows whose values are collected, and the number of rows used to fit with a value."""
        if missing is None:
            return self.chosen, self.n_fit
        n_missing = int(np.count_nonzero(self.fit & missing))
        return self.chosen[~missing[self.chosen]], self.n_fit - n_missing


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What the description of a column needs to know of a chunk of rows.

    Attributes
    ----------
    family : Family
    storage : Storage
    has_missing : bool
        Whether a value is missing.
    timezone : tzinfo or None
        Of moments.
    n_present : int
        Number of rows used to fit that have a value; of numbers, moments and durations.
    hashes, values : ndarray
        Hashes and values of the collected ones among them.
    whole : bool
        Whether all numbers are whole.
    two : tuple or None
        Of whole numbers, the distinct values in increasing order, at most two; None if more.
    count : mapping
        Of categories, how often each occurs, in the order of their first occurrence.
    order : tuple or None
        Of an ordered categorical, its categories.
    seen : frozenset of int
        The numbers of those that rows used to fit have.
    """

    family: Family
    storage: Storage = "native"
    has_missing: bool = False
    timezone: Any = None
    n_present: int = 0
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    values: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    whole: bool = True
    two: tuple[Any, ...] | None = ()
    count: Mapping[Any, int] = field(default_factory=dict)
    order: tuple[Hashable, ...] | None = None
    seen: frozenset[int] = frozenset()

    def is_like(self, other: ColumnSummary) -> bool:
        """Whether two chunks hold the same kind of values, so that their summaries add up."""
        return "nothing" in (self.family, other.family) or self.family == other.family

    def __add__(self, other: ColumnSummary) -> ColumnSummary:
        """Return the summary of both chunks; `is_like` has to hold."""
        missing = self.has_missing or other.has_missing
        for one, two in ((self, other), (other, self)):
            if one.family == "nothing":
                return replace(two, has_missing=missing)
        if self.order != other.order:
            raise InputError(
                f"an ordered category has the order {_few(self.order)} in one partition and "
                f"{_few(other.order)} in another: give all partitions the same categories."
            )
        count = dict(self.count)
        for value, many in other.count.items():
            count[value] = count.get(value, 0) + many
        return ColumnSummary(
            self.family,
            self.storage if self.storage != "native" else other.storage,
            missing,
            self.timezone,
            self.n_present + other.n_present,
            np.concatenate([self.hashes, other.hashes]),
            np.concatenate([self.values, other.values]),
            self.whole and other.whole,
            _both(self.two, other.two),
            count,
            self.order,
            self.seen | other.seen,
        )

    def lacks(self, most: int | None) -> bool:
        """Whether fewer than ``most`` values were collected although there are more."""
        n_values = len(self.values)
        return n_values < self.n_present and (most is None or n_values < most)

    def column(self, name: Hashable, position: int, max_bins: int, most: int | None) -> Column:
        """The column of the table, with thresholds from the ``most`` values of smallest hash."""
        if self.family in ("category", "nothing"):
            return category_column(name, position, self.count, self.has_missing)
        if self.family == "ordered":
            thresholds = np.array(sorted(self.seen)[1:], dtype=np.int64)
            return OrderedColumn(
                name, position, thresholds, self.has_missing, categories=self.order
            )
        is_number = self.family == "number"
        thresholds = thresholds_of(
            self._sample(most),
            max_bins,
            shortest_between if is_number else shortest_moment,
        )
        whole = is_number and self.storage in ("native", "nan") and self.whole
        if whole and len(thresholds) <= 1 and self.two is not None and len(self.two) == 2:
            low, high = map(int, self.two)
            return CategoryColumn(
                name, position, (low, high), self.has_missing, storage=self.storage
            )
        return OrderedColumn(
            name,
            position,
            thresholds,
            self.has_missing,
            timezone=self.timezone,
            whole=whole,
            storage=self.storage,
        )

    def _sample(self, most: int | None) -> NDArray[Any]:
        if most is None or len(self.values) <= most:
            return self.values
        last = np.partition(self.hashes, most - 1)[most - 1]
        return np.asarray(self.values[self.hashes <= last])


def summarize(
    native: NativeColumn, rows: ChunkRows, name: Hashable, family: Family | None = None
) -> ColumnSummary:
    """Summarize a column of a chunk, as the given family if chunks are of several."""
    series, storage = native.series, native.storage
    found = _family_of(series, name) if family is None else family
    if found == "nothing":
        return ColumnSummary("nothing", has_missing=bool(len(series)))
    if found == "category":
        return _categories(series, name)
    if found == "ordered":
        codes = series.cat.codes.to_numpy()
        seen = np.unique(codes[rows.fit])
        return ColumnSummary(
            "ordered",
            has_missing=bool((codes < 0).any()),
            order=tuple(series.cat.categories.tolist()),
            seen=frozenset(seen[seen >= 0].tolist()),
        )
    if getattr(series.dtype, "kind", "O") not in "iufmM":
        series, storage = _converted(series, found)
    return _numbers(series, storage, rows, found)


def _family_of(series: pd.Series[Any], name: Hashable) -> Family:
    kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, pd.CategoricalDtype):
        return "ordered" if series.cat.ordered else "category"
    if pd.api.types.is_bool_dtype(series.dtype):
        return "category"
    if kind in "iufmM":
        return {"m": "duration", "M": "moment"}.get(kind, "number")  # type: ignore[return-value]
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "c" or inferred == "complex":
        raise complex_error(series, name)
    if inferred == "empty" and series.dtype == object:
        return "nothing"
    for family, kinds in (("number", NUMBERS), ("moment", MOMENTS), ("duration", DURATIONS)):
        if inferred in kinds:
            return family  # type: ignore[return-value]
    return "category"


def _categories(series: pd.Series[Any], name: Hashable) -> ColumnSummary:
    codes, distinct = distinct_or_error(series, name)
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
    count = {value: many for value, many in zip(distinct, counts, strict=True) if many}
    return ColumnSummary("category", has_missing=bool((codes < 0).any()), count=count)


def _converted(series: pd.Series[Any], family: Family) -> tuple[pd.Series[Any], Storage]:
    """Objects as a column of their own dtype, and how the table stores them."""
    if family == "number":
        numbers = as_numbers(series)
        return numbers, number_storage(series, numbers)
    return as_moments(series) if family == "moment" else pd.to_timedelta(series), "objects"


def _numbers(
    series: pd.Series[Any], storage: Storage, rows: ChunkRows, family: Family
) -> ColumnSummary:
    raw, missing = raw_values(series, np.dtype(_RAW_DTYPES[family]))
    if series.dtype == np.longdouble and series.dtype.itemsize > 8:
        storage = "rounded"
    chosen, n_present = rows.candidates(missing)
    whole = family == "number" and is_whole(raw)
    return ColumnSummary(
        family,
        storage,
        missing is not None,
        series.dtype.tz if isinstance(series.dtype, pd.DatetimeTZDtype) else None,
        n_present,
        rows.hashes[chosen],
        raw[chosen],
        whole,
        _at_most_two(raw if missing is None else raw[~missing]) if whole else None,
    )


def _at_most_two(values: NDArray[Any]) -> tuple[Any, ...] | None:
    """The distinct values in increasing order if there are at most two; else None."""
    if len(np.unique(values[:1000])) > 2:  # enough for most columns
        return None
    if not len(values):
        return ()
    low, high = values.min(), values.max()
    if not ((values == low) | (values == high)).all():
        return None
    return (low.item(),) if low == high else (low.item(), high.item())


def _both(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    if first is None or second is None:
        return None
    either = sorted({*first, *second})
    return tuple(either) if len(either) <= 2 else None


def _few(order: tuple[Hashable, ...] | None) -> str:
    return str(Quoted(*(order or ())[:5]))
