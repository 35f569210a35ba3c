"""The dataset of a diff: rows used to fit, holdout rows and synthetic rows, encoded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Message, Part
from imd_widget.comparison.given import GivenOutputs
from imd_widget.comparison.memory_dataset import MemoryDataset
from imd_widget.comparison.row_totals import RowTotals
from imd_widget.counting.observations import Observations
from imd_widget.data.binning import bin_table
from imd_widget.data.columns import Codes, Column
from imd_widget.data.deriving import Derive, choose
from imd_widget.data.sampling import holdout_rows
from imd_widget.data.synthetic import neighbours
from imd_widget.data.table import Table, encode, open_table
from imd_widget.data.weights import Weights, checked_weight
from imd_widget.methods import AugmentedSource
from imd_widget.models.adapters import can_predict, check_index
from imd_widget.models.coercion import as_truth, unhashable
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.tree.source import CountSource


@dataclass(frozen=True, eq=False)
class Holdout:
    """The holdout rows: rows of the user's table, or a separate table."""

    #: Mask of the holdout rows of the user's table.
    rows: NDArray[np.bool_]
    #: The separate table.
    table: Table | None = None
    #: ``y`` and the sample weights of the separate table; None if they were not given.
    y: Any = None
    weight: Any = None


class Dataset(Protocol):
    """The encoded rows of a diff, in memory or in partitions elsewhere.

    Arrays of values per row may be lazy: an index of row numbers brings the values of these rows.
    """

    @property
    def tables(self) -> tuple[Table, ...]:
        """The user's table, and further tables of `MemoryDataset`."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that rules may use."""

    @property
    def fit(self) -> NDArray[np.integer]:
        """Numbers of the rows used to fit."""

    @property
    def holdout(self) -> NDArray[np.integer]:
        """Numbers of the holdout rows."""

    @property
    def weights(self) -> Weights | None:
        """Weights of the rows of all tables."""

    @property
    def truth(self) -> NDArray[Any] | None:
        """``y`` of the rows of all tables; missing where it is not known."""

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """Number of the group of each row of all tables; None if rows are independent."""

    @property
    def new(self) -> Table | None:
        """The table of new rows."""

    @property
    def random_state(self) -> int:
        """Seed of the holdout and of the folds."""

    @property
    def in_memory(self) -> bool:
        """Whether all arrays are in memory."""

    @property
    def unit(self) -> float:
        """Weight of an average row."""

    @property
    def n_rows(self) -> int:
        """Number of rows of all tables."""

    @property
    def has_own_holdout(self) -> bool:
        """Whether the holdout is a separate table."""

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Mask of the rows of the user's table with a positive weight."""

    def codes_at(self, columns: Collection[int], rows: NDArray[np.integer] | slice) -> list[Codes]:
        """Return the codes of some rows in some columns; those of the others are empty."""

    def totals(self, observed: Observations) -> RowTotals:
        """Return sums over the rows of the user's table and over the holdout rows."""

    def source(
        self, compared: ComparedOutputs, max_depth: int, n_chunks: int | None = None
    ) -> CountSource:
        """Return the source that counts the rows; ``max_depth`` is that of the tree."""

    def augmented_source(
        self, compared: ComparedOutputs, n_chunks: int | None = None
    ) -> AugmentedSource | None:
        """Return the source that counts the training rows and the new rows; None without these."""

    def with_given(self, given: GivenOutputs, observed: Observations, name: str) -> Dataset:
        """Return the dataset with the outputs of a model as its last column."""

    def without_given(self) -> Dataset:
        """Return the dataset without the column of outputs, if it has one."""

    def closed(self) -> Dataset:
        """Return the dataset with columns that no rule can use, until `without_given`."""

    def some_rows(self, rows: NDArray[np.integer]) -> tuple[Table, NDArray[np.intp]]:
        """Return a table that has some rows of the user's table, and their numbers in it."""

    def with_columns(self, columns: tuple[Column, ...]) -> Dataset:
        """Return the dataset with more columns, which are computed from those of the table."""

    def without_scores(self) -> Dataset:
        """Return the dataset without the columns of scores, if it has some."""

    def without_sets(self) -> Dataset:
        """Return the dataset without the columns of ranks of levels, if it has some."""

    def few_rows(self, most: int, seed: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return at most ``most`` rows used to fit and as many holdout rows, by their hashes."""

    def with_rows(self, fit: NDArray[np.integer], holdout: NDArray[np.integer]) -> MemoryDataset:
        """Return the dataset, in memory, with other rows used to fit and other holdout rows."""


def sample_of(
    dataset: Dataset, fit: NDArray[np.integer], holdout: NDArray[np.integer]
) -> MemoryDataset:
    """Return a dataset in memory of some rows of a dataset, renumbered in their order.

    Its table has the names of the columns and no values.

    Parameters
    ----------
    dataset : Dataset
    fit, holdout : ndarray of int
        Numbers of the rows used to fit and of the holdout rows, increasing; none is new.
    """
    rows = np.union1d(fit, holdout)
    n_rows = int(np.searchsorted(rows, dataset.tables[0].n_rows))
    tables = [dataset.tables[0].without_values(n_rows)]
    if n_rows < len(rows):
        tables.append(dataset.tables[1].without_values(len(rows) - n_rows))
    return MemoryDataset(
        tables=tuple(tables),
        new=None,
        columns=dataset.columns,
        codes=tuple(dataset.codes_at(range(len(dataset.columns)), rows)),
        fit=np.searchsorted(rows, fit).astype(np.int32),
        holdout=np.searchsorted(rows, holdout).astype(np.int32),
        weights=dataset.weights and dataset.weights.take(rows),
        truth=None if dataset.truth is None else dataset.truth[rows],
        groups=None if dataset.groups is None else dataset.groups[rows],
        random_state=dataset.random_state,
    )


def read_holdout(
    given: Any,
    table: Table,
    weight: NDArray[np.float64] | None,
    models: Mapping[str, Any],
    test_size: float,
    random_state: int,
    groups: NDArray[np.int64] | None = None,
) -> Holdout:
    """Return the holdout that the user gave; otherwise draw a share of the rows of the table.

    The rows of a group are drawn together.
    """
    if given is None:
        counts = None if weight is None else weight > 0
        return Holdout(holdout_rows(table.n_rows, test_size, random_state, counts, groups))
    mask = _as_mask(given, table)
    if mask is not None:
        return Holdout(mask)
    if isinstance(given, float | int) and not isinstance(given, bool):
        raise InputError(
            Given("holdout", given),
            ": it takes rows to measure on, a table or a mask of X. For a share of the rows use ",
            Given("test_size", given),
            ".",
        )
    y = weight = None
    if isinstance(given, tuple) and 2 <= len(given) <= 3:
        given, y, weight = (*given, None)[:3]
    for argument, model in models.items():
        if not can_predict(model):
            raise InputError(
                Argument("holdout"),
                " is a separate table, and ",
                Argument(argument),
                " is an array of outputs for other "
                "rows. Pass the model itself or a function; or put both tables "
                "into X and mark the rows to keep aside: holdout=<boolean array>.",
            )
    separate = open_table(given, "holdout").in_order_of(table)
    return Holdout(np.zeros(table.n_rows, dtype=bool), separate, y, weight)


def build_dataset(
    table: Table,
    holdout: Holdout,
    y: Any,
    weight: NDArray[np.float64] | None,
    max_bins: int | None,
    subsample: int | None,
    augment: bool,
    random_state: int,
    groups: NDArray[np.int64] | None = None,
    positions: Collection[int] | None = None,
    derive: Derive = None,
) -> MemoryDataset:
    """Encode the rows of all tables with columns that are binned on the rows used to fit.

    ``positions`` are those of the columns to encode; None: all of them. ``derive`` is what to
    derive from them.
    """
    tables = [table] if holdout.table is None else [table, holdout.table]
    counts = np.ones(table.n_rows, bool) if weight is None else weight > 0
    in_fit = ~holdout.rows & counts
    if not in_fit.any():
        raise InputError(
            "no row is left to fit on: every row is kept aside or has the weight 0. Keep fewer "
            "rows aside."
        )
    chosen = choose(table, in_fit, derive, random_state, positions, max_bins)
    binned = bin_table(table, in_fit, max_bins, subsample, random_state, chosen.positions)
    columns = (*binned.columns, *chosen.columns)
    encoded = [(*binned.codes, *encode(table, chosen.columns).codes)]
    if holdout.table is not None:
        encoded.append(encode(holdout.table, columns).codes)
    if augment:
        new = neighbours(table, columns, encoded[0], np.flatnonzero(in_fit), random_state)
        tables.append(open_table(new))
        encoded.append(encode(tables[-1], columns).codes)
    codes = encoded[0]
    if len(encoded) > 1:
        codes = tuple(np.concatenate(parts) for parts in zip(*encoded, strict=True))
    weights = _weights(weight, tables, holdout)
    kept = holdout.rows & counts
    if holdout.table is not None:
        kept = np.concatenate([kept, _counting_of(weights, table.n_rows, holdout.table.n_rows)])
    return MemoryDataset(
        tables=tuple(tables),
        new=tables[-1] if augment else None,
        columns=columns,
        codes=codes,
        fit=np.flatnonzero(in_fit).astype(np.int32),
        holdout=np.flatnonzero(kept).astype(np.int32),
        weights=weights,
        truth=_truth(y, tables, holdout),
        groups=_groups(groups, tables),
        random_state=random_state,
    )


def read_groups(given: Any, table: Table) -> NDArray[np.int64]:
    """Return the number of the group of each row of the user's table.

    ``given`` is the name of a column of the table, or an array of any hashable values.
    """
    if isinstance(given, str):
        if given not in table.names:
            known = ", ".join(repr(name) for name in list(table.names)[:8])
            raise InputError(
                Given("groups", given),
                f" is not a column of the table, which has {known}"
                f"{', ...' if len(table.names) > 8 else ''}. Name a column, or pass an array with "
                "the group of each row.",
            )
        values: Any = table.find(given, table.names.index(given))
    else:
        check_index(given, table, "groups")
        values = as_truth(given, table.n_rows, Argument("groups"), "group")
    try:
        codes, found = pd.factorize(np.asarray(values, dtype=object), use_na_sentinel=False)
    except TypeError as error:  # pandas cannot hash the values
        raise unhashable("groups", values) from error
    if len(found) < 2:
        raise InputError(
            Argument("groups"),
            " holds one group only: rows of one group are kept aside together, so at least two are "
            "needed. Leave groups out.",
        )
    return np.asarray(codes, dtype=np.int64)


def _groups(groups: NDArray[np.int64] | None, tables: Sequence[Table]) -> NDArray[np.int64] | None:
    """Return the groups of the rows of all tables; a row after the user's is its own group."""
    if groups is None:
        return None
    n_more = sum(table.n_rows for table in tables[1:])
    return np.concatenate([groups, groups.max() + 1 + np.arange(n_more)])


def _as_mask(given: Any, table: Table) -> NDArray[np.bool_] | None:
    """Return ``given`` as a mask of the rows of the table; None if it is a table."""
    first = given[0] if isinstance(given, tuple) and given else given
    if hasattr(first, "columns") or not hasattr(given, "__len__"):  # some tables are not arrays
        return None
    try:
        array = np.asarray(given)
    except ValueError:  # a tuple of table, truth and weights
        return None
    if array.ndim != 1 or array.dtype == object:
        return None
    if array.dtype != bool:
        raise InputError(
            Argument("holdout"),
            f" is an array of {array.dtype}: which rows of X to keep aside is a boolean "
            "array, one True or False for each row; a table of its own has rows and columns.",
        )
    if len(array) != table.n_rows:
        raise InputError(
            Argument("holdout"),
            f" marks {len(array)} rows, X has {table.n_rows}: one True or False for each is "
            "needed.",
        )
    return array


def _weights(
    given: NDArray[np.float64] | None, tables: Sequence[Table], holdout: Holdout
) -> Weights | None:
    """Return the weights of all rows; rows without a given weight have the average weight."""
    if given is None and holdout.weight is None:
        return None
    table, *others = tables
    first = np.ones(table.n_rows) if given is None else given
    first = first / first.max()
    average = first[first > 0].mean()
    parts = [first]
    for other in others:
        weight = np.full(other.n_rows, average)
        if other is holdout.table and holdout.weight is not None:
            weight = checked_weight(
                holdout.weight, other.n_rows, Message("the weight in ", Argument("holdout"))
            )
            # only the ratios of weights matter: scale the mean to that of the user's table
            weight = weight / weight.max()
            weight = weight * (average / weight[weight > 0].mean())
        parts.append(weight)
    return Weights.of(np.concatenate(parts), table.n_rows)


def _counting_of(weights: Weights | None, start: int, n_rows: int) -> NDArray[np.bool_]:
    if weights is None:
        return np.ones(n_rows, dtype=bool)
    return np.asarray(weights.whole[start : start + n_rows] > 0)


def _truth(y: Any, tables: Sequence[Table], holdout: Holdout) -> NDArray[Any] | None:
    if y is None and holdout.y is None:
        return None
    parts = []
    name: Part
    for table in tables:
        given, name = (y, Argument("y")) if table is tables[0] else (None, Argument("y"))
        if table is holdout.table:
            given, name = holdout.y, Message("the y in ", Argument("holdout"))
        if given is None:
            parts.append(np.full(table.n_rows, None, dtype=object))
        else:
            check_index(given, table, "y")
            parts.append(as_truth(given, table.n_rows, name))
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part.astype(object) for part in parts])
