"""Any table -> codes (small integers, one array a column) that `columns` can say in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.parallel import each
from imd_widget._base.sorting import sort_labels
from imd_widget.data.columns import (
    CategoryColumn,
    Codes,
    Column,
    OrderedColumn,
    distinct_values,
    raw_values,
)
from imd_widget.data.native import (
    NativeColumn,
    Storage,
    array_column,
    as_moments,
    as_numbers,
    filterable,
    narwhals_column,
    number_storage,
    pandas_column,
)
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.thresholds import shortest_between, shortest_moment

#: Categories of a column that get a code of their own; the rest are "another one" together.
MAX_CATEGORIES = 50_000

_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
_MOMENTS = ("datetime64", "datetime", "date")
_DURATIONS = ("timedelta64", "timedelta")


@dataclass(frozen=True, eq=False)
class Table:
    """A user's table, whatever it is made of: columns by place, as pandas Series.

    Attributes
    ----------
    names : tuple
        The user's own names; they need be neither text nor unique.
    n_rows : int
    read : callable
        From the place of a column to its values and how they are kept.
    native : object
        The table as the user gave it.
    argument : str
        What the user knows it by.
    """

    names: tuple[Hashable, ...]
    n_rows: int
    read: Callable[[int], NativeColumn]
    native: Any
    argument: str = "X"

    def get(self, position: int) -> pd.Series[Any]:
        """The values of a column."""
        return self.read(position).series

    def cached(self) -> Table:
        """The same table, which converts no column twice; for as long as one question takes."""
        return replace(self, read=cache(self.read))

    @cached_property
    def place(self) -> dict[Hashable, int]:
        """Where to find a column by its name; only names that stand for one column."""
        found: dict[Hashable, int] = {}
        twice = set()
        for position, name in enumerate(self.names):
            twice |= {name} & found.keys()
            found[name] = position
        return {name: position for name, position in found.items() if name not in twice}

    def find(self, name: Hashable, position: int) -> pd.Series[Any]:
        """The column of that name; where the name does not tell, the one at that place."""
        if name in self.place:
            return self.get(self.place[name])
        if position < len(self.names) and self.names[position] == name:
            return self.get(position)
        if isinstance(self.native, np.ndarray):
            raise InputError(
                f"{self.argument} is an array, whose columns have no names, and the diff speaks of "
                f"{name!r}: "
                "give a table with the names that the diff was made with."
            )
        shown = ", ".join(map(repr, self.names[:5])) + (" ..." if len(self.names) > 5 else "")
        raise InputError(
            f"{self.argument} lacks the column {name!r}, which the diff was made with. It has "
            f"{shown}. Give a table with all the columns of the first one; their order does not "
            "matter."
        )

    def rows(self, mask: NDArray[np.bool_]) -> Any:
        """Those rows of the table, as the same kind of table."""
        if isinstance(self.native, pd.DataFrame | np.ndarray):
            return self.native[mask]
        import narwhals as nw

        native = filterable(self.native)
        return nw.from_native(native, eager_only=True).filter(mask.tolist()).to_native()

    def in_order_of(self, other: Table) -> Table:
        """The columns of ``other`` in its order, if they are all here; else the table as it is.

        Models may ask for columns by their place.
        """
        if isinstance(self.native, np.ndarray) or self.names == other.names:
            return self
        if not (set(other.names) <= set(self.place) and set(other.names) <= set(other.place)):
            return self
        if isinstance(self.native, pd.DataFrame):
            return open_table(self.native[list(other.names)], self.argument)
        import narwhals as nw

        names = [str(name) for name in other.names]
        picked = nw.from_native(self.native, eager_only=True).select(names).to_native()
        return open_table(picked, self.argument)

    def part(self, start: int, stop: int) -> Any:
        """The rows from ``start`` to before ``stop``, as the same kind of table."""
        if isinstance(self.native, pd.DataFrame):
            return self.native.iloc[start:stop]
        if isinstance(self.native, np.ndarray):
            return self.native[start:stop]
        import narwhals as nw

        return nw.from_native(self.native, eager_only=True)[start:stop].to_native()

    def mix(self, takes: Sequence[NDArray[np.intp]]) -> Any:
        """A new table of the same kind: of each column the values at these rows."""
        if isinstance(self.native, np.ndarray):
            stack = np.ma.stack if np.ma.isMaskedArray(self.native) else np.stack
            return stack([self.native[rows, j] for j, rows in enumerate(takes)], axis=1)
        if isinstance(self.native, pd.DataFrame):
            columns = [
                pd.Series(own.iloc[rows].array, dtype=own.dtype)
                for own, rows in ((self.native.iloc[:, j], rows) for j, rows in enumerate(takes))
            ]
            return pd.concat(columns, axis=1).set_axis(self.native.columns, axis=1)
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        mixed = [
            frame[name][rows.tolist()] for name, rows in zip(frame.columns, takes, strict=True)
        ]
        return frame[takes[0].tolist()].with_columns(*mixed).to_native()


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """The columns of a table and the codes of its rows.

    Attributes
    ----------
    columns : tuple of Column
    codes : tuple of ndarray of shape (n_rows,)
        One array a column, of the smallest unsigned dtype.
    n_rows : int
    """

    columns: tuple[Column, ...]
    codes: tuple[Codes, ...]
    n_rows: int


def open_table(X: Any, argument: str = "X") -> Table:
    """``X`` opened for reading, its shape checked; NumPy columns are called x0, x1, ..."""
    if isinstance(X, Table):
        return X
    if isinstance(X, pd.DataFrame):
        table = Table(tuple(X.columns), len(X), partial(pandas_column, X), X)
    elif hasattr(X, "__array__") or isinstance(X, list | tuple):
        other = hasattr(X, "columns")
        table = _open_other(X, argument) if other else _open_array(X, argument)
    else:
        table = _open_other(X, argument)
    table = replace(table, argument=argument)
    if table.n_rows == 0 or not table.names:
        raise InputError(
            f"{argument} has {table.n_rows} rows and {len(table.names)} columns: at least one of "
            "each is needed to say where two models differ."
        )
    return table


def _open_array(X: Any, argument: str) -> Table:
    try:
        values = X if np.ma.isMaskedArray(X) else np.asarray(X)
    except ValueError as error:
        raise InputError(
            f"{argument} is a list of rows of different lengths: every row needs a value for every "
            "column."
        ) from error
    if values.ndim != 2:
        raise InputError(
            f"{argument} has {values.ndim} dimension(s), shape {values.shape}: a table with rows "
            "and columns is needed, a DataFrame or a 2-D array. Reshape your data: "
            "X.reshape(-1, 1), or X.to_frame() of a Series, if it has a single column; "
            "X.reshape(1, -1) if it is a single row."
        )
    if values.dtype.kind in "US" and not isinstance(X, np.ndarray):
        values = np.array(X, dtype=object)  # numbers beside text stay numbers
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    native = X if isinstance(X, np.ndarray) else values
    return Table(names, len(values), partial(array_column, values), native)


def _open_other(X: Any, argument: str) -> Table:
    """Polars, pyarrow and whatever else narwhals knows."""
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
        names = tuple(frame.columns)
    except Exception as error:
        raise InputError(
            f"{argument} is a {type(X).__module__}.{type(X).__name__}, which could not be read "
            f"as a table ({error}). A table is a pandas, polars or pyarrow table or a 2-D NumPy "
            "array; a lazy frame must be collected first, a sparse matrix made dense: X.toarray()."
        ) from error
    return Table(names, len(frame), partial(narwhals_column, frame), X)


def find_columns(
    table: Table,
    fit_rows: NDArray[np.bool_],
    max_bins: int | None,
    subsample: int | None,
    seed: int,
) -> tuple[Column, ...]:
    """A description of each column, its thresholds placed on the rows in ``fit_rows``.

    Which categories there are and whether values are missing is asked of all rows, so that every
    row of the table is foreseen.

    Parameters
    ----------
    table : Table
    fit_rows : ndarray of shape (n_rows,)
    max_bins : int or None
        Largest number of parts of a column; None: one for each value.
    subsample : int or None
        Rows looked at for the thresholds of a column, where there are more; None: all.
    seed : int
        Chooses those rows.
    """
    rows = np.flatnonzero(fit_rows)
    places = _Places(rows, table.n_rows, None if max_bins is None else subsample, seed)
    places.present(None)  # once, before threads ask for it
    in_sql = Counter(str(name).casefold() for name in table.names)

    def describe(position: int) -> Column:
        name = table.names[position]
        with naming(name):
            found = _describe(table.read(position), name, position, places, max_bins)
        return replace(
            found,
            unique=name in table.place,
            unique_in_sql=in_sql[str(name).casefold()] == 1,
        )

    return tuple(each(describe, range(len(table.names)), table.n_rows))


@dataclass(frozen=True, eq=False)
class _Places:
    """The rows on which thresholds are placed.

    Attributes
    ----------
    rows : ndarray of int
        All rows used to fit.
    n_rows : int
        Of the table.
    most : int or None
        How many of them are looked at; None: all.
    seed : int
    """

    rows: NDArray[np.intp]
    n_rows: int
    most: int | None
    seed: int

    def present(self, missing: NDArray[np.bool_] | None) -> NDArray[np.intp]:
        """Rows to look at of a column: where there are many, some that a hash chooses."""
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
        return hashed(self.n_rows, ~self.seed)  # not the numbers that keep rows aside


def encode(
    table: Table, columns: Sequence[Column], needed: Collection[int] | None = None
) -> EncodedTable:
    """Codes of every row of ``table`` in terms of ``columns``, found by name.

    Parameters
    ----------
    needed : collection of int, optional
        Which of the columns are looked for; the codes of the others are empty. None: all.
    """

    def codes_of(at: int) -> Codes:
        if needed is not None and at not in needed:
            return np.empty(0, dtype=np.uint8)
        column = columns[at]
        with naming(column.name):
            return column.encode(table.find(column.name, column.position))

    codes = each(codes_of, range(len(columns)), table.n_rows)
    return EncodedTable(columns=tuple(columns), codes=tuple(codes), n_rows=table.n_rows)


@contextmanager
def naming(name: Hashable) -> Iterator[None]:
    """Whatever goes wrong with the values of a column is told by its name."""
    try:
        yield
    except InputError:
        raise
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError) as error:
        raise InputError(
            f"column {name!r} could not be read ({type(error).__name__}: {error}). Accepted are "
            "numbers, text, booleans, categories, dates and times, of one kind in a column and of "
            "the kind that the diff was made with; convert it, or drop it: "
            f"X.drop(columns={name!r})."
        ) from error


def _describe(
    read: NativeColumn, name: Hashable, position: int, places: _Places, max_bins: int | None
) -> Column:
    series, storage = read.series, read.storage
    kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _describe_categorical(series, name, position, places)
    if pd.api.types.is_bool_dtype(series.dtype):
        return _describe_categories(series, name, position)
    if kind in "iufmM":
        return _describe_numbers(series, storage, name, position, places, max_bins)
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "c" or inferred == "complex":
        raise InputError(
            f"Complex data not supported: column {name!r} holds complex numbers, for example "
            f"{series.iloc[0]!r}. Give its real and its imaginary part as two columns."
        )
    if inferred in _NUMBERS:
        numbers = as_numbers(series)
        kept = number_storage(series, numbers)
        return _describe_numbers(numbers, kept, name, position, places, max_bins)
    if inferred in _MOMENTS:
        moments = as_moments(series)
        return _describe_numbers(moments, "objects", name, position, places, max_bins)
    if inferred in _DURATIONS:
        durations = pd.to_timedelta(series)
        return _describe_numbers(durations, "objects", name, position, places, max_bins)
    return _describe_categories(series, name, position)


def _describe_numbers(
    series: pd.Series[Any],
    storage: Storage,
    name: Hashable,
    position: int,
    places: _Places,
    max_bins: int | None,
) -> Column:
    """Numbers, moments or durations: all that can be compared."""
    kind = getattr(series.dtype, "kind", "M")
    dtype = np.dtype({"m": "timedelta64[us]", "M": "datetime64[us]"}.get(kind, "float64"))
    raw, missing = raw_values(series, dtype)
    if series.dtype == np.longdouble and series.dtype.itemsize > 8:
        storage = "rounded"
    shortest = shortest_moment if kind in "mM" else shortest_between
    thresholds = _thresholds(raw, places.present(missing), max_bins, shortest)
    whole = kind in "iuf" and storage in ("native", "nan") and _is_whole(raw)
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


def _is_whole(raw: NDArray[Any]) -> bool:
    """Whether all numbers are whole, and so small that floats tell them apart."""
    if raw.dtype.kind != "f":
        return True
    some = raw[:1000]
    if not (some == np.rint(some)).all():
        return False
    return bool((np.abs(raw) <= 2.0**53).all() and (raw == np.rint(raw)).all())


def _two_values(
    raw: NDArray[Any], missing: NDArray[np.bool_] | None
) -> tuple[Hashable, Hashable] | None:
    """The two whole numbers of a column that has no others: it is asked which of them it is."""
    present = raw if missing is None else raw[~missing]
    if not len(present):
        return None
    low, high = present.min(), present.max()
    if low == high or not ((present == low) | (present == high)).all():
        return None
    return int(low), int(high)


def _describe_categorical(
    series: pd.Series[Any], name: Hashable, position: int, places: _Places
) -> Column:
    if series.cat.ordered:
        has_missing = bool(series.isna().any())
        order = tuple(series.cat.categories.tolist())
        seen = np.unique(series.cat.codes.to_numpy()[places.rows])
        # a cut just above each category that occurs, but for the last
        return OrderedColumn(
            name, position, seen[seen >= 0][1:].astype(np.int64), has_missing, categories=order
        )
    return _describe_categories(series, name, position)


def _describe_categories(series: pd.Series[Any], name: Hashable, position: int) -> CategoryColumn:
    try:
        found, distinct = distinct_values(series)
    except TypeError as error:
        example = next((v for v in series if not isinstance(v, Hashable)), series.iloc[0])
        raise InputError(
            f"column {name!r} holds values that cannot be compared, for example {example!r}. "
            "Columns of numbers, text, booleans, categories, dates and times are accepted; turn it "
            f"into one or more of these, or leave it out: X.drop(columns={name!r})."
        ) from error
    counts = np.bincount(found[found >= 0], minlength=len(distinct)).tolist()
    count = {value: many for value, many in zip(distinct, counts, strict=True) if many}
    kept = sort_labels(count)
    if len(kept) > MAX_CATEGORIES:  # of equally frequent ones the first in their own order
        frequent = sorted(kept, key=lambda value: -count[value])[:MAX_CATEGORIES]
        kept = sort_labels(frequent)
    return CategoryColumn(
        name,
        position,
        kept,
        has_missing=bool((found < 0).any()),
        complete=len(kept) == len(count),
        storage="mixed" if len(set(map(_family, kept))) > 1 else "native",
    )


def _family(value: Hashable) -> str:
    """Text, truth values and numbers are never equal in SQL, but may be converted there."""
    for family, types in (("text", str), ("bool", (bool, np.bool_)), ("number", Number)):
        if isinstance(value, types):
            return family
    return type(value).__name__


def _thresholds(
    raw: NDArray[Any],
    rows: NDArray[np.intp],
    max_bins: int | None,
    shortest: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]],
) -> NDArray[Any]:
    """Where a column may be split: between neighbouring values, or at quantiles of them."""
    if max_bins is None:
        distinct = np.unique(raw[rows])
        cuts = np.arange(1, len(distinct))
    else:
        distinct, counts = np.unique(raw[rows], return_counts=True)
        if len(distinct) <= max_bins:
            cuts = np.arange(1, len(distinct))
        else:
            # the cut before the value that the k-th of max_bins equal shares of the rows ends in
            shares = np.arange(1, max_bins) * (counts.sum() / max_bins)
            cuts = np.unique(np.searchsorted(np.cumsum(counts), shares, side="left"))
            cuts = cuts[cuts > 0]
    return shortest(distinct[cuts - 1], distinct[cuts])
