"""Tables of any library, and their encoding: one array of codes for each column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Drop, Foreign, InputError, Quoted, some_of
from imd_widget._base.parallel import each
from imd_widget.data.columns import Codes, Column
from imd_widget.data.derivation import Derivation
from imd_widget.data.derived import is_derived
from imd_widget.data.native import (
    NativeColumn,
    array_column,
    filterable,
    narwhals_column,
    pandas_column,
    printable,
    stacked_frames,
)
from imd_widget.data.other_tables import check_converted, collected, is_files
from imd_widget.data.words import as_texts, contains

#: Values of a list that are looked at to tell texts from names of files, and words of a text.
MOST_LOOKED_AT, SEVERAL_WORDS = 100, 3
#: What to do with an array of another dimension.
RESHAPE = (
    "Reshape your data: X.reshape(-1, 1), or X.to_frame() of a Series, if it has a single column; "
    "X.reshape(1, -1) if it is a single row."
)


@dataclass(frozen=True, eq=False)
class Table:
    """A table of any library, whose columns are read by position as pandas Series."""

    #: The user's names of the columns, which may be neither str nor unique.
    names: tuple[Hashable, ...]
    n_rows: int
    #: From the position of a column to its values and how they are stored.
    read: Callable[[int], NativeColumn]
    #: The table as the user gave it.
    native: Any
    #: The Python argument that the table was passed as.
    argument: str = "X"

    def get(self, position: int) -> pd.Series[Any]:
        """The values of a column."""
        return self.read(position).series

    @property
    def index(self) -> pd.Index[Any]:
        """The labels of the rows: the index of a pandas table, else 0, 1, ..."""
        if isinstance(self.native, pd.DataFrame):
            return self.native.index
        return pd.RangeIndex(self.n_rows)

    def values_at(self, position: int, rows: NDArray[np.integer]) -> pd.Series[Any]:
        """The values of a column at some row numbers, in this order, numbered from 0.

        The dtype is that of the whole column.
        """
        return _taken(self.get(position), rows).reset_index(drop=True)

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield consecutive rows as tables that rules and models take; all of them at once."""
        yield slice(0, self.n_rows), self.native

    def take(self, rows: NDArray[np.integer]) -> Table:
        """Some rows in this order, as a table in memory of the same type and the same names."""
        positions = np.asarray(rows, dtype=np.intp)
        if isinstance(self.native, np.ndarray | pd.DataFrame):
            native = self.mix([positions] * len(self.names))
        else:
            import narwhals as nw

            native = nw.from_native(self.native, eager_only=True)[positions, :].to_native()
        return replace(_opened(native, self.argument), names=self.names, argument=self.argument)

    def label_at(self, row: int) -> str:
        """The label of a row as text; see `index`."""
        return str(self.index[row])

    def without_values(self, n_rows: int) -> Table:
        """A table with the same names and another number of rows, none of which can be read."""
        return Table(self.names, n_rows, _unreadable, None, self.argument)

    def cached(self) -> Table:
        """The same table with converted columns kept in memory; for short-lived use."""
        return replace(self, read=cache(self.read))

    @cached_property
    def place(self) -> dict[Hashable, int]:
        """Positions of the columns whose names are unique."""
        positions: dict[Hashable, int] = {}
        twice = set()
        for position, name in enumerate(self.names):
            twice |= {name} & positions.keys()
            positions[name] = position
        return {name: position for name, position in positions.items() if name not in twice}

    def named(self, names: Sequence[str]) -> Table:
        """Return an array with names of its columns; InputError for a table that has some."""
        given = [str(name) for name in names] if not isinstance(names, str) else [names]
        if not isinstance(self.native, np.ndarray):
            raise InputError(
                Argument("feature_names"),
                f" names the columns of an array, and {self.argument} has names already: ",
                some_of(tuple(map(str, self.names))),
                ". Leave it out.",
            )
        if len(given) != len(self.names) or len(set(given)) != len(given):
            raise InputError(
                Argument("feature_names"),
                f" has {len(given)} names, {len(set(given))} of them distinct, and "
                f"{self.argument} has {len(self.names)} columns: one name of its own for each is "
                "needed.",
            )
        return replace(self, names=tuple(given))

    def find(self, name: Hashable, position: int, in_array: bool = False) -> pd.Series[Any]:
        """The column with a name; if the name is not unique, the column at the position.

        A column that was fitted ``in_array`` is found in another array by its position. A derived
        column is computed from its raw columns.
        """
        if is_derived(name):
            return name.values(*(self.find(own, at, in_array) for own, at in name.sources))
        if in_array and isinstance(self.native, np.ndarray) and position < len(self.names):
            return self.get(position)
        if name in self.place:
            return self.get(self.place[name])
        if position < len(self.names) and self.names[position] == name:
            return self.get(position)
        if isinstance(self.native, np.ndarray):
            raise InputError(
                Argument(self.argument),
                " is an array, whose columns have no names, but the column ",
                Quoted(name),
                " is needed: give a table with the column names of the first one.",
            )
        raise InputError(
            Argument(self.argument),
            " lacks the column ",
            Quoted(name),
            ", which is needed. It has ",
            some_of(self.names),
            ". Give a table with the column names of the first one; their order does not matter.",
        )

    def rows(self, mask: NDArray[np.bool_]) -> Any:
        """The rows of a mask, as a table of the same type."""
        if isinstance(self.native, pd.DataFrame | np.ndarray):
            return self.native[mask]
        import narwhals as nw

        native = filterable(self.native)
        return nw.from_native(native, eager_only=True).filter(mask.tolist()).to_native()

    def in_order_of(self, other: Table) -> Table:
        """The columns of ``other`` in its order; the table itself if one of them is missing.

        Models may select columns by position.
        """
        if isinstance(self.native, np.ndarray) or self.names == other.names:
            return self
        if not (set(other.names) <= set(self.place) and set(other.names) <= set(other.place)):
            return self
        return self.select(other.names)

    def select(self, names: Sequence[Hashable]) -> Table:
        """The columns with these names, in this order; the table is no array."""
        if isinstance(self.native, pd.DataFrame):
            return open_table(self.native[list(names)], self.argument)
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        return open_table(frame.select([str(name) for name in names]).to_native(), self.argument)

    def without(self, names: Collection[Hashable]) -> Table:
        """The table without the columns with these names, which are unique; it is no array."""
        if isinstance(self.native, pd.DataFrame):
            return open_table(self.native.drop(columns=list(names)), self.argument)
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        return open_table(frame.drop([str(name) for name in names]).to_native(), self.argument)

    def part(self, start: int, stop: int) -> Any:
        """The rows ``start <= row < stop``, as a table of the same type."""
        if isinstance(self.native, pd.DataFrame):
            return self.native.iloc[start:stop]
        if isinstance(self.native, np.ndarray):
            return self.native[start:stop]
        import narwhals as nw

        return nw.from_native(self.native, eager_only=True)[start:stop].to_native()

    def with_column(self, name: Hashable, values: Any) -> Table:
        """Return a table with one more column, for reading only; ``native`` stays as it is.

        A column that has this name already can no longer be found by it.
        """
        read, last = self.read, len(self.names)
        frame = pd.DataFrame({0: values})

        def read_more(position: int) -> NativeColumn:
            return pandas_column(frame, 0) if position == last else read(position)

        others = tuple(object() if other == name else other for other in self.names)
        return replace(self, names=(*others, name), read=read_more)

    def with_values(self, position: int, values: Any) -> Table:
        """The same table with other values in the column at ``position``.

        Parameters
        ----------
        position : int
        values : scalar or array of shape (n_rows,)
            In the column's own type where that can hold them, so that a model sees the same dtype.
        """
        several = np.ndim(values) == 1 and not isinstance(values, str | bytes)
        whole = values if several else [values] * self.n_rows
        if isinstance(self.native, np.ndarray):
            return open_table(_array_with(self.native, position, whole), self.argument)
        if isinstance(self.native, pd.DataFrame):
            frame = self.native.copy(deep=False)
            own = self.native.iloc[:, position]
            frame.isetitem(position, _series_like(own, whole).array)
            return open_table(frame, self.argument)
        import narwhals as nw

        table = nw.from_native(self.native, eager_only=True)
        own = table[table.columns[position]]
        column = nw.new_series(own.name, list(whole), backend=table.implementation)
        with suppress(Exception):  # the column's type cannot hold the values: theirs is kept
            cast = column.cast(own.dtype)
            # a day equals no moment in Python, also not the one at which it begins
            held = cast.cast(column.dtype) if own.dtype == nw.Date else cast
            column = cast if held.to_list() == column.to_list() else column
        return open_table(table.with_columns(column).to_native(), self.argument)

    def mix(self, takes: Sequence[NDArray[np.intp]]) -> Any:
        """A table of the same type, with the values of each column taken from its own rows.

        Columns that share one array of rows are taken together, which is faster.
        """
        for shared in takes[:2]:  # one of them, if all columns but one share their rows
            others = {j: rows for j, rows in enumerate(takes) if rows is not shared}
            if 2 * len(others) < len(takes) and _takes_rows(self.native):
                return self._mix_few(shared, others)
        if isinstance(self.native, np.ndarray):
            stack = np.ma.stack if np.ma.isMaskedArray(self.native) else np.stack
            return stack([self.native[rows, j] for j, rows in enumerate(takes)], axis=1)
        if isinstance(self.native, pd.DataFrame):
            columns = [
                _taken(self.native.iloc[:, j], rows).reset_index(drop=True)
                for j, rows in enumerate(takes)
            ]
            return pd.concat(columns, axis=1).set_axis(self.native.columns, axis=1)
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        mixed = [
            frame[name][rows.tolist()] for name, rows in zip(frame.columns, takes, strict=True)
        ]
        return frame[takes[0].tolist()].with_columns(*mixed).to_native()

    def stacks_on(self, other: Table) -> bool:
        """Whether the rows can follow those of another table without a change of type."""
        return _types(self.native) == _types(other.native)

    def stacked(self, others: Sequence[Table]) -> Table:
        """Return the table followed by others of the same type and columns."""
        natives = [self.native, *(other.native for other in others)]
        if len(natives) == 1:
            return self
        if isinstance(self.native, np.ndarray):
            joined = np.ma.concatenate if np.ma.isMaskedArray(self.native) else np.concatenate
            return open_table(joined(natives), self.argument)
        if isinstance(self.native, pd.DataFrame):
            return open_table(stacked_frames(natives), self.argument)
        import narwhals as nw

        frames = [nw.from_native(native, eager_only=True) for native in natives]
        return open_table(nw.concat(frames).to_native(), self.argument)

    def _mix_few(self, rows: NDArray[np.intp], others: Mapping[int, NDArray[np.intp]]) -> Any:
        """Rows of the table, with the values of a few columns taken from other rows."""
        native = self.native
        if isinstance(native, np.ndarray):
            array = native[rows]
            for j, own in others.items():
                array[:, j] = native[own, j]
            return array
        frame = native.iloc[rows].reset_index(drop=True)
        for j, own in others.items():
            frame.isetitem(j, native.iloc[:, j].iloc[own].array)
        return frame


def _unreadable(position: int) -> NativeColumn:
    raise LookupError(f"column {position} of a table without values")


def _types(native: Any) -> list[Any]:
    """The type of a table and of each of its columns."""
    if isinstance(native, np.ndarray):
        return [type(native), native.dtype]
    if isinstance(native, pd.DataFrame):
        return [type(native), *native.dtypes.tolist()]
    import narwhals as nw

    return [type(native), *nw.from_native(native, eager_only=True).schema.values()]


def _takes_rows(native: Any) -> bool:
    """Whether a table is an array or a pandas table, of which all rows can be taken at once."""
    if isinstance(native, pd.DataFrame):
        return all(map(_is_native, native.dtypes))
    return isinstance(native, np.ndarray)


def _is_native(dtype: Any) -> bool:
    """Whether a dtype has the byte order of the machine, as all of pandas' own have."""
    return not isinstance(dtype, np.dtype) or dtype.isnative


def _taken(column: pd.Series[Any], rows: NDArray[np.integer]) -> pd.Series[Any]:
    """Rows of a column; pandas cannot take those of another byte order."""
    if _is_native(column.dtype):
        return column.iloc[rows]
    return pd.Series(column.to_numpy()[rows], name=column.name)


def _array_with(array: NDArray[Any], position: int, values: Any) -> NDArray[Any]:
    """A copy of a 2-D array with other values in one column."""
    column = np.asarray(values)
    if array.dtype.kind in "iub" and not np.can_cast(column.dtype, array.dtype, "same_kind"):
        array = array.astype(np.result_type(array.dtype, column.dtype))
    changed = array.copy()
    changed[:, position] = column
    return changed


def _series_like(own: pd.Series[Any], values: Any) -> pd.Series[Any]:
    """The values as a column of the same dtype, if that holds them without loss."""
    plain = pd.Series(list(values), index=own.index)
    with suppress(TypeError, ValueError, OverflowError):
        cast = plain.astype(own.dtype)
        same = (cast.isna() == plain.isna()).all() and (
            (printable(cast).astype(object) == printable(plain).astype(object)) | plain.isna()
        ).all()
        if same:
            return cast
    return plain


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """The columns of a table and the codes of its rows."""

    columns: tuple[Column, ...]
    #: One array for each column, of the smallest unsigned dtype.
    codes: tuple[Codes, ...]
    n_rows: int


def is_large(X: Any) -> bool:
    """Whether ``X`` is read in partitions: a Dask DataFrame, names of files, a pyarrow Dataset.

    Neither Dask nor pyarrow is imported.
    """
    kind, several = type(X), isinstance(X, list | tuple) and len(X) > 0
    if isinstance(X, str | Path):
        return True
    if several and all(isinstance(x, str | Path) for x in X):
        return not _are_texts(X)
    is_frame = kind.__module__.startswith("dask") and hasattr(X, "to_delayed")
    is_reader = kind.__module__ in ("imd_widget.large.files", "imd_widget.large.streams")
    is_dataset = kind.__module__.startswith("pyarrow._dataset") and is_files(X)
    return is_frame or is_reader or is_dataset


def _are_texts(values: Any) -> bool:
    """Whether texts are no names of files: half of them have several words, and none is a file."""
    some = list(values)[:MOST_LOOKED_AT]
    if not all(isinstance(one, str) for one in some) or any("parquet" in one for one in some):
        return False
    try:
        return 2 * sum(len(one.split()) >= SEVERAL_WORDS for one in some) >= len(some) and not any(
            Path(one).exists() for one in some
        )
    except (OSError, ValueError):  # too long for a name, or with characters that none has
        return True


def check_in_memory(X: Any, argument: str = "X") -> None:
    """Raise InputError if ``X`` is read in partitions."""
    if is_large(X):
        raise InputError(
            Argument(argument),
            f" is a {type(X).__module__}.{type(X).__name__}, which imd.diff and imd.show read in "
            "partitions, if it names files or is a Dask DataFrame or a pyarrow Dataset. Here a "
            "table in memory is needed, such as a sample of its rows: a pandas, polars or pyarrow "
            "table, or a 2-D NumPy array.",
        )


def open_table(X: Any, argument: str = "X", *, may_be_empty: bool = False) -> Table:
    """Open ``X`` for reading and check its shape; columns of arrays are named x0, x1, ..."""
    if isinstance(X, Table):
        return X
    check_converted(X, argument)
    X = collected(X, argument)
    check_in_memory(X, argument)
    table = replace(_opened(X, argument), argument=argument)
    if not may_be_empty and (table.n_rows == 0 or not table.names):
        raise InputError(
            Argument(argument),
            f" has {table.n_rows} rows and {len(table.names)} columns: at least one of "
            "each is needed to describe where two models differ.",
        )
    return table


def _opened(X: Any, argument: str) -> Table:
    """Open ``X`` for reading; it may have no rows."""
    if isinstance(X, pd.DataFrame):
        return Table(tuple(X.columns), len(X), partial(pandas_column, X), X)
    if hasattr(X, "__array__") or isinstance(X, list | tuple):
        other = hasattr(X, "columns")
        return _open_other(X, argument) if other else _open_array(X, argument)
    return _open_other(X, argument)


def _open_array(X: Any, argument: str) -> Table:
    try:
        values = X if np.ma.isMaskedArray(X) else np.asarray(X)
    except ValueError as error:
        raise InputError(
            Argument(argument),
            " is a list of rows of different lengths: every row needs a value for every column.",
        ) from error
    if values.ndim != 2:
        raise InputError(
            Argument(argument),
            f" has {values.ndim} dimension(s), shape {values.shape}: a table with rows "
            "and columns is needed, a DataFrame or a 2-D array.",
            hint=_hint_for_texts(X if values.ndim == 1 else []) or RESHAPE,
        )
    if values.dtype.kind in "US" and not isinstance(X, np.ndarray):
        values = np.array(X, dtype=object)  # np.asarray converted numbers beside text to text
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    native = X if isinstance(X, np.ndarray) else values
    return Table(names, len(values), partial(array_column, values), native)


def _hint_for_texts(X: Any) -> str:
    """How a table is made of texts, and models of texts are called, if ``X`` holds texts."""
    first = (X.iloc[0] if isinstance(X, pd.Series) else X[0]) if len(X) else None
    if not isinstance(first, str):
        return ""
    if isinstance(X, pd.Series):
        name = X.name if isinstance(X.name, str) else "text"
        line = f"X.to_frame({name!r})"
    else:
        name, line = "text", 'pd.DataFrame({"text": texts})'
    return (
        f"A table of texts: {line}. Pipelines that begin with a vectorizer get its column of "
        f"texts, other models need m1=lambda X: model.predict(X[{name!r}])."
    )


def _open_other(X: Any, argument: str) -> Table:
    """Open a table of polars, pyarrow or any other library that narwhals supports."""
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
        names = tuple(frame.columns)
    except Exception as error:
        raise InputError(
            Argument(argument),
            f" is a {type(X).__module__}.{type(X).__name__}, which could not be read as a table (",
            Foreign(str(error)),
            "). A table is a pandas, polars or pyarrow table or a 2-D NumPy array; a sparse matrix "
            "must be made dense: X.toarray().",
        ) from error
    return Table(names, len(frame), partial(narwhals_column, frame), X)


def encode(
    table: Table, columns: Sequence[Column], needed: Collection[int] | None = None
) -> EncodedTable:
    """Encode the rows of ``table`` by the descriptions in ``columns``, which are matched by name.

    Parameters
    ----------
    needed : collection of int, optional
        Positions of the columns to encode; the codes of the others are empty. None: all.
    """
    wanted = range(len(columns)) if needed is None else needed
    flags = flag_codes(table, {at: columns[at] for at in wanted})

    def codes_of(at: int) -> Codes:
        if needed is not None and at not in needed:
            return np.empty(0, dtype=np.uint8)
        if at in flags:
            return flags[at]
        column = columns[at]
        with naming(column.name):
            return column.encode(table.find(column.name, column.position, column.in_array))

    codes = each(codes_of, range(len(columns)), table.n_rows)
    return EncodedTable(columns=tuple(columns), codes=tuple(codes), n_rows=table.n_rows)


def flag_codes(table: Table, columns: Mapping[int, Column]) -> dict[int, Codes]:
    """Return the codes of the columns that hold whether texts contain a word.

    The texts of a raw column are read once for all of them.
    """
    sources: dict[tuple[Hashable, int, bool], dict[int, str]] = {}
    for at, column in columns.items():
        name = column.name
        if isinstance(name, Derivation) and name.part == "word":
            sources.setdefault((name.source, name.at, column.in_array), {})[at] = name.word
    codes: dict[int, Codes] = {}
    for (source, position, in_array), words in sources.items():
        with naming(source):
            texts = as_texts(table.find(source, position, in_array))
        missing = np.array([text is None for text in texts], dtype=bool)
        for at, holds in zip(words, contains(texts, list(words.values())), strict=True):
            both = columns[at].encode(pd.Series([False, True]))  # a file may name one of them only
            codes[at] = both[holds.view(np.uint8)]
            codes[at][missing] = columns[at].n_values
    return codes


@contextmanager
def naming(name: Hashable) -> Iterator[None]:
    """Convert any error of reading values into an `InputError` that names the column."""
    try:
        yield
    except InputError:
        raise
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError) as error:
        raise InputError(
            "column ",
            Quoted(name),
            f" could not be read ({type(error).__name__}: ",
            Foreign(str(error)),
            "). Accepted are "
            "numbers, text, booleans, categories, dates and times, of one kind in a column and of "
            "the kind that the diff was made with; convert it, or drop it: ",
            Drop(name, listed=False),
            ".",
        ) from error
