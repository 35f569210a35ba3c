"""Summaries of the columns of chunks of rows, which merge into the columns of the whole table.

The columns are the same to the bit however the rows of a table are divided into chunks; a table in
memory is one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Number
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Drop, InputError, Quoted
from imd_widget._base.sorting import sort_labels
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.data.native import NativeColumn, Storage, as_moments, as_numbers, number_storage
from imd_widget.data.quantiles import around_ranks
from imd_widget.data.raw_values import Distinct, distinct_values, raw_values
from imd_widget.data.sampling import LARGEST, sampled
from imd_widget.data.thresholds import shortest_between, shortest_moment

#: Maximal number of categories with a code of their own; all others share one code.
MAX_CATEGORIES = 50_000

#: What a column holds. "nothing": every value of the chunk is missing, and its dtype is not a type.
Family = Literal["number", "moment", "duration", "category", "ordered", "nothing"]

#: What pandas infers of objects, by family.
_INFERRED: Mapping[str, Family] = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "number"),
    **dict.fromkeys(("datetime64", "datetime", "date"), "moment"),
    **dict.fromkeys(("timedelta64", "timedelta"), "duration"),
}
_RAW_DTYPES = {"moment": "datetime64[us]", "duration": "timedelta64[us]", "number": "float64"}


@dataclass(frozen=True, eq=False)
class ChunkRows:
    """The rows of a chunk that thresholds are computed from."""

    #: Whether each row is used to fit.
    fit: NDArray[np.bool_]
    #: The hash of each row number, by which rows are sampled; None: all rows are used.
    hashes: NDArray[np.uint64] | None
    #: Values of rows with ``hash <= bound`` are collected.
    bound: int = LARGEST
    #: Size of the sample, if the chunk is the whole table; None: it is merged with others.
    most: int | None = None

    @cached_property
    def n_fit(self) -> int:
        """Number of rows used to fit."""
        return int(np.count_nonzero(self.fit))

    @cached_property
    def chosen(self) -> NDArray[np.intp]:
        """The rows used to fit with ``hash <= bound``."""
        if self.hashes is None or self.bound == LARGEST:
            return np.flatnonzero(self.fit)
        return np.flatnonzero(self.fit & (self.hashes <= np.uint64(self.bound)))

    @cached_property
    def _sample(self) -> NDArray[np.intp]:
        return self._sampled(self.chosen)

    def _sampled(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        if self.most is None or self.hashes is None:
            return rows
        return sampled(rows, self.hashes, self.most)

    def candidates(self, missing: NDArray[np.bool_] | None) -> tuple[NDArray[np.intp], int]:
        """The rows whose values are collected, and the number of rows used to fit with a value."""
        if missing is None:
            return self._sample, self.n_fit
        n_missing = int(np.count_nonzero(self.fit & missing))
        return self._sampled(self.chosen[~missing[self.chosen]]), self.n_fit - n_missing

    def hashes_of(self, rows: NDArray[np.intp]) -> NDArray[np.uint64]:
        """The hashes by which summaries are merged; none if the chunk is the whole table."""
        if self.most is not None or self.hashes is None:
            return np.empty(0, np.uint64)
        return self.hashes[rows]


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What the description of a column needs to know of a chunk of rows."""

    family: Family
    storage: Storage = "native"
    #: Whether a value is missing.
    has_missing: bool = False
    #: Of moments.
    timezone: Any = None
    #: Number of rows used to fit that have a value; of numbers, moments and durations.
    n_present: int = 0
    #: Hashes and values of the collected ones among them.
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    values: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    #: Whether all numbers are whole.
    whole: bool = True
    #: Of whole numbers, the distinct values in increasing order, at most two; None if more.
    two: tuple[Any, ...] | None = ()
    #: Of categories, how often each occurs, in the order of their first occurrence.
    count: Mapping[Any, int] = field(default_factory=dict)
    #: Of an ordered categorical, its categories.
    order: tuple[Hashable, ...] | None = None
    #: The numbers of those that rows used to fit have.
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

    @property
    def has_dates(self) -> bool:
        """Whether the values are dates."""
        return self.family == "moment"

    @property
    def has_texts(self) -> bool:
        """Whether some of the values are texts."""
        return self.family == "category" and any(isinstance(value, str) for value in self.count)

    def lacks(self, most: int | None) -> bool:
        """Whether fewer than ``most`` values were collected although there are more."""
        n_values = len(self.values)
        return n_values < self.n_present and (most is None or n_values < most)

    def column(
        self, name: Hashable, position: int, max_bins: int | None, most: int | None
    ) -> Column:
        """The column of the table, with thresholds from the ``most`` values of smallest hash."""
        if self.family in ("category", "nothing"):
            return _category_column(name, position, self.count, self.has_missing)
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
    native: NativeColumn,
    rows: ChunkRows,
    name: Hashable,
    family: Family | None = None,
    distinct: Distinct | None = None,
) -> ColumnSummary:
    """Summarize a column of a chunk.

    Parameters
    ----------
    native : NativeColumn
    rows : ChunkRows
    name : hashable
    family : Family, optional
        What the column holds, if chunks are of several families.
    distinct : Distinct, optional
        The distinct values of a column of categories, if they are known.
    """
    series, storage = native.series, native.storage
    found = family_of(series, name) if family is None else family
    if found == "nothing":
        return ColumnSummary("nothing", has_missing=bool(len(series)))
    if found == "category":
        return _categories(distinct_or_error(series, name) if distinct is None else distinct)
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


def family_of(series: pd.Series[Any], name: Hashable) -> Family:
    """What a column holds."""
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
    return _INFERRED.get(inferred, "category")


def complex_error(series: pd.Series[Any], name: Hashable) -> InputError:
    """The error for a column of complex numbers."""
    return InputError(
        "Complex data not supported: column ",
        Quoted(name),
        " holds complex numbers, for example "
        f"{series.iloc[0]!r}. Give its real and its imaginary part as two columns.",
    )


def _categories(known: Distinct) -> ColumnSummary:
    codes, distinct = known
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
    whole = family == "number" and _is_whole(raw)
    return ColumnSummary(
        family,
        storage,
        missing is not None,
        series.dtype.tz if isinstance(series.dtype, pd.DatetimeTZDtype) else None,
        n_present,
        rows.hashes_of(chosen),
        raw[chosen],
        whole,
        _at_most_two(raw if missing is None else raw[~missing]) if whole else None,
    )


def _is_whole(raw: NDArray[Any]) -> bool:
    """Whether all numbers are whole, and floats at most 2**53 in absolute value."""
    if raw.dtype.kind != "f":
        return True
    some = raw[:1000]
    if not (some == np.rint(some)).all():
        return False
    largest = min(2.0**53, float(np.finfo(raw.dtype).max))  # float16 ends long before
    return bool((np.abs(raw) <= largest).all() and (raw == np.rint(raw)).all())


def _at_most_two(values: NDArray[Any]) -> tuple[Any, ...] | None:
    """The distinct values in increasing order if there are at most two; else None."""
    if not len(values):
        return ()
    if len(set(values[:64].tolist())) > 2:  # enough for most columns
        return None
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


def _category_column(
    name: Hashable, position: int, count: Mapping[Any, int], has_missing: bool
) -> CategoryColumn:
    """The column whose values occur ``count`` times."""
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
        storage="mixed" if len(set(map(_sql_type, kept))) > 1 else "native",
    )


def _sql_type(value: Hashable) -> str:
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
