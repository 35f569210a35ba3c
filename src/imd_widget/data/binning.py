"""A table in memory described and encoded: its summary is that of one chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.parallel import each
from imd_widget.data.columns import CategoryColumn, Codes, Column
from imd_widget.data.derived import raw_columns
from imd_widget.data.row_major import column_groups
from imd_widget.data.sampling import hashed
from imd_widget.data.summaries import ChunkRows, distinct_or_error, family_of, summarize
from imd_widget.data.table import EncodedTable, Table, naming


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
    most = None if max_bins is None else subsample
    n_fit = int(np.count_nonzero(fit_rows))
    # the seed is not that of the hashes that choose the holdout
    hashes = None if most is None or n_fit <= most else hashed(table.n_rows, ~seed)
    rows = ChunkRows(fit_rows, hashes, most=most)
    rows.candidates(None)  # computes the cached sample before threads need it

    def coded(own: Table, at: int) -> tuple[Column, Codes]:
        name, native = own.names[at], own.read(at)
        with naming(name):
            family, known = family_of(native.series, name), None
            if family == "category":
                known = distinct_or_error(native.series, name)
            summary = summarize(native, rows, name, family, known)
            column = summary.column(name, at, max_bins, most)
            if known is not None and isinstance(column, CategoryColumn):
                return column, column.encode_distinct(*known)  # saves a second pass over the values
            return column, column.encode(own.get(at))

    wanted = range(len(table.names)) if positions is None else sorted(positions)
    both = [
        pair
        for own, some in column_groups(table, wanted)
        for pair in each(partial(coded, own), list(some), table.n_rows)
    ]
    # all columns may have been replaced by derived ones
    columns, codes = zip(*both, strict=True) if both else ((), ())
    return EncodedTable(with_unique_names(columns, table), codes, table.n_rows)


def with_unique_names(columns: Iterable[Column], table: Table) -> tuple[Column, ...]:
    """Return columns with whether their names are unique in the table."""
    in_sql = Counter(str(name).casefold() for name in table.names)

    def described(column: Column) -> Column:
        names = [name for name, _ in raw_columns(column.name, column.position)]
        return replace(
            column,
            unique=all(name in table.place for name in names),
            unique_in_sql=all(in_sql[str(name).casefold()] == 1 for name in names),
            in_array=isinstance(table.native, np.ndarray),
        )

    return tuple(map(described, columns))
