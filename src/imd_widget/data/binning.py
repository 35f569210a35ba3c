"""Descriptions of the columns of a table: their thresholds, or their categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Drop, InputError, Quoted
from imd_widget._base.parallel import each
from imd_widget._base.sorting import sort_labels
from imd_widget.data.columns import CategoryColumn, Codes, Column, OrderedColumn
from imd_widget.data.native import (
    NativeColumn,
    Storage,
    as_moments,
    as_numbers,
    number_storage,
)
from imd_widget.data.quantiles import around_ranks
from imd_widget.data.raw_values import Distinct, distinct_values, raw_values
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.table import EncodedTable, Table, naming
from imd_widget.data.thresholds import shortest_between, shortest_moment

#: Maximal number of categories with a code of their own; all others share one code.
MAX_CATEGORIES = 50_000

NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
MOMENTS = ("datetime64", "datetime", "date")
DURATIONS = ("timedelta64", "timedelta")


def bin_table(
    table: Table,
    fit_rows: NDArray[np.bool_],
    max_bins: int | None,
    subsample: int | None,
    seed: int,
    positions: Collection[int] | None = None,
) -> EncodedTable:
    """Describe the columns of a table and encode its rows.

    Thresholds are placed on the rows in ``fit_rows``. Categories and missing values are collected
    from all rows, so that every row of the table has a code.

    Parameters
    ----------
    table : Table
    fit_rows : ndarray of shape (n_rows,)
    max_bins : int or None
        Maximal number of bins of a column; None: one for each value.
    subsample : int or None
        Maximal number of rows from which thresholds are computed; None: all.
    seed : int
        Seed of the sample of rows.
    positions : collection of int, optional
        Positions of the columns to encode; None: all of them.
    """
    describe = _describer(table, fit_rows, max_bins, subsample, seed)

    def coded(at: int) -> tuple[Column, Codes]:
        column, known = describe(at)
        with naming(column.name):
            if known is not None and isinstance(column, CategoryColumn):
                return column, column.encode_distinct(*known)  # saves a second pass over the values
            return column, column.encode(table.get(at))

    wanted = range(len(table.names)) if positions is None else sorted(positions)
    both = list(each(coded, wanted, table.n_rows))
    columns, codes = zip(*both, strict=True)
    return EncodedTable(columns=columns, codes=codes, n_rows=table.n_rows)


def _describer(
    table: Table,
    fit_rows: NDArray[np.bool_],
    max_bins: int | None,
    subsample: int | None,
    seed: int,
) -> Callable[[int], tuple[Column, Distinct | None]]:
    """A function from a position to the column, and to its distinct values if it has categories."""
    rows = np.flatnonzero(fit_rows)
    sample = _FitRows(rows, table.n_rows, None if max_bins is None else subsample, seed)
    sample.present(None)  # computes the cached sample before threads need it
    in_sql = Counter(str(name).casefold() for name in table.names)

    def describe(position: int) -> tuple[Column, Distinct | None]:
        name = table.names[position]
        with naming(name):
            column, known = _describe(table.read(position), name, position, sample, max_bins)
        named = replace(
            column,
            unique=name in table.place,
            unique_in_sql=in_sql[str(name).casefold()] == 1,
            in_array=isinstance(table.native, np.ndarray),
        )
        return named, known

    return describe


@dataclass(frozen=True, eq=False)
class _FitRows:
    """The rows from which thresholds are computed.

    Attributes
    ----------
    rows : ndarray of int
        All rows used to fit.
    n_rows : int
        Number of rows of the table.
    most : int or None
        Maximal size of the sample; None: all rows are used.
    seed : int
    """

    rows: NDArray[np.intp]
    n_rows: int
    most: int | None
    seed: int

    def present(self, missing: NDArray[np.bool_] | None) -> NDArray[np.intp]:
        """Rows with a value, at most ``most`` of them, sampled by the hash of the row number."""
        if missing is None:
            return self._sample
        rows = self.rows[~missing[self.rows]]
        if self.most is None or len(rows) <= self.most:
            return rows
        return sampled(rows, self._numbers, self.most)

    @cached_property
    def _sample(self) -> NDArray[np.intp]:
        if self.most is None or len(self.rows) <= self.most:
            return self.rows
        return sampled(self.rows, self._numbers, self.most)

    @cached_property
    def _numbers(self) -> NDArray[np.uint64]:
        return hashed(self.n_rows, ~self.seed)  # independent of the hashes that choose the holdout


def _describe(
    read: NativeColumn, name: Hashable, position: int, sample: _FitRows, max_bins: int | None
) -> tuple[Column, Distinct | None]:
    series, storage = read.series, read.storage
    kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _describe_categorical(series, name, position, sample)
    if pd.api.types.is_bool_dtype(series.dtype):
        return _describe_categories(series, name, position)
    if kind in "iufmM":
        return _describe_numbers(series, storage, name, position, sample, max_bins), None
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "c" or inferred == "complex":
        raise complex_error(series, name)
    if inferred in NUMBERS:
        numbers = as_numbers(series)
        kept = number_storage(series, numbers)
        return _describe_numbers(numbers, kept, name, position, sample, max_bins), None
    if inferred in MOMENTS:
        moments = as_moments(series)
        return _describe_numbers(moments, "objects", name, position, sample, max_bins), None
    if inferred in DURATIONS:
        durations = pd.to_timedelta(series)
        return _describe_numbers(durations, "objects", name, position, sample, max_bins), None
    return _describe_categories(series, name, position)


def complex_error(series: pd.Series[Any], name: Hashable) -> InputError:
    """The error for a column of complex numbers."""
    return InputError(
        "Complex data not supported: column ",
        Quoted(name),
        " holds complex numbers, for example "
        f"{series.iloc[0]!r}. Give its real and its imaginary part as two columns.",
    )


def _describe_numbers(
    series: pd.Series[Any],
    storage: Storage,
    name: Hashable,
    position: int,
    sample: _FitRows,
    max_bins: int | None,
) -> Column:
    """Describe a column of numbers, moments or durations."""
    kind = getattr(series.dtype, "kind", "M")
    dtype = np.dtype({"m": "timedelta64[us]", "M": "datetime64[us]"}.get(kind, "float64"))
    raw, missing = raw_values(series, dtype)
    if series.dtype == np.longdouble and series.dtype.itemsize > 8:
        storage = "rounded"
    shortest = shortest_moment if kind in "mM" else shortest_between
    thresholds = thresholds_of(raw[sample.present(missing)], max_bins, shortest)
    whole = kind in "iuf" and storage in ("native", "nan") and is_whole(raw)
    if whole and len(thresholds) <= 1:
        both = _two_values(raw, missing)
        if both is not None:
            return CategoryColumn(name, position, both, missing is not None, storage=storage)
    return OrderedColumn(
        name,
        position,
        thresholds,
        missing is not None,
        timezone=series.dtype.tz if isinstance(series.dtype, pd.DatetimeTZDtype) else None,
        whole=whole,
        storage=storage,
    )


def is_whole(raw: NDArray[Any]) -> bool:
    """Whether all numbers are whole, and floats at most 2**53 in absolute value."""
    if raw.dtype.kind != "f":
        return True
    some = raw[:1000]
    if not (some == np.rint(some)).all():
        return False
    return bool((np.abs(raw) <= 2.0**53).all() and (raw == np.rint(raw)).all())


def _two_values(
    raw: NDArray[Any], missing: NDArray[np.bool_] | None
) -> tuple[Hashable, Hashable] | None:
    """The two values of a column that has exactly two, which is then split as categories."""
    present = raw if missing is None else raw[~missing]
    if not len(present):
        return None
    low, high = present.min(), present.max()
    if low == high or not ((present == low) | (present == high)).all():
        return None
    return int(low), int(high)


def _describe_categorical(
    series: pd.Series[Any], name: Hashable, position: int, sample: _FitRows
) -> tuple[Column, Distinct | None]:
    if series.cat.ordered:
        has_missing = bool(series.isna().any())
        order = tuple(series.cat.categories.tolist())
        seen = np.unique(series.cat.codes.to_numpy()[sample.rows])
        # a threshold before each category that occurs, except for the first
        thresholds = seen[seen >= 0][1:].astype(np.int64)
        return OrderedColumn(name, position, thresholds, has_missing, categories=order), None
    return _describe_categories(series, name, position)


def _describe_categories(
    series: pd.Series[Any], name: Hashable, position: int
) -> tuple[Column, Distinct | None]:
    codes, distinct = distinct_or_error(series, name)
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
    count = {value: many for value, many in zip(distinct, counts, strict=True) if many}
    column = category_column(name, position, count, has_missing=bool((codes < 0).any()))
    return column, (codes, distinct)


def distinct_or_error(series: pd.Series[Any], name: Hashable) -> Distinct:
    """The distinct values of a column; InputError if they cannot be compared."""
    try:
        return distinct_values(series)
    except TypeError as error:
        example = next((v for v in series if not isinstance(v, Hashable)), series.iloc[0])
        raise InputError(
            "column ",
            Quoted(name),
            " holds values that cannot be compared, for example ",
            Quoted(example),
            ". Columns of numbers, text, booleans, categories, dates and times are accepted; turn "
            "it into one or more of these, or leave it out: ",
            Drop(name, listed=False),
            ".",
        ) from error


def category_column(
    name: Hashable, position: int, count: Mapping[Any, int], has_missing: bool
) -> CategoryColumn:
    """The column whose values occur as often as ``count`` says."""
    kept = sort_labels(count)
    if len(kept) > MAX_CATEGORIES:  # ties are broken by the order of the categories
        frequent = sorted(kept, key=lambda value: -count[value])[:MAX_CATEGORIES]
        kept = sort_labels(frequent)
    return CategoryColumn(
        name,
        position,
        kept,
        has_missing=has_missing,
        complete=len(kept) == len(count),
        storage="mixed" if len(set(map(_family, kept))) > 1 else "native",
    )


def _family(value: Hashable) -> str:
    """The type of a value in SQL, which may convert text, booleans and numbers into each other."""
    for family, types in (("text", str), ("bool", (bool, np.bool_)), ("number", Number)):
        if isinstance(value, types):
            return family
    return type(value).__name__


def thresholds_of(
    values: NDArray[Any],
    max_bins: int | None,
    shortest: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]],
) -> NDArray[Any]:
    """Thresholds between neighbouring values, or, for more than ``max_bins``, at quantiles."""
    if max_bins is None or not _has_many(values, max_bins):
        distinct = np.unique(values)
        if max_bins is None or len(distinct) <= max_bins:
            return shortest(distinct[:-1], distinct[1:])
    # the threshold before the value at the k / max_bins quantile of the rows
    shares = np.arange(1, max_bins) * (len(values) / max_bins)
    return shortest(*around_ranks(values, np.ceil(shares).astype(np.int64) - 1))


def _has_many(values: NDArray[Any], most: int) -> bool:
    """Whether the first values alone have more than ``most`` distinct ones."""
    return len(np.unique(values[: 4 * most])) > most
