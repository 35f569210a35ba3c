"""All the rows that a diff is made from: to fit on, to measure on, and new ones in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Message, Part
from imd_widget.data.binning import bin_table
from imd_widget.data.columns import Codes, Column
from imd_widget.data.sampling import holdout_rows
from imd_widget.data.synthetic import copies, neighbours
from imd_widget.data.table import Table, encode, open_table
from imd_widget.data.weights import Weights, checked_weight
from imd_widget.models.adapters import ModelOutput, ask, can_be_asked, check_index
from imd_widget.models.coercion import as_truth


@dataclass(frozen=True, eq=False)
class Holdout:
    """What is kept aside.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Of the user's table: which rows.
    table : Table or None
        A table of its own.
    y, weight
        What the user knows about the rows of that table; None: nothing.
    """

    rows: NDArray[np.bool_]
    table: Table | None = None
    y: Any = None
    weight: Any = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """Tables one below the other, as if they were one.

    Attributes
    ----------
    tables : tuple of Table
        The user's, then perhaps the one kept aside, then perhaps new rows.
    new : Table or None
        The one of new rows.
    columns : tuple of Column
    codes : tuple of ndarray
        One a column, for the rows of all tables.
    fit, aside : ndarray of int
        Numbers of the rows used to fit, and of those kept aside.
    weights : Weights or None
        Of the rows of all tables.
    truth : ndarray or None
        Of the rows of all tables; missing where it is not known.
    """

    tables: tuple[Table, ...]
    new: Table | None
    columns: tuple[Column, ...]
    codes: tuple[Codes, ...]
    fit: NDArray[np.int32]
    aside: NDArray[np.int32]
    weights: Weights | None
    truth: NDArray[Any] | None

    @property
    def unit(self) -> float:
        """Weight of an average row."""
        return self.weights.unit if self.weights else 1.0

    def ask(self, model: Any, argument: str, outputs: str) -> ModelOutput:
        """What a model says about every row."""
        first, *more = (ask(model, table, argument, outputs) for table in self.tables)
        for said in more:
            first = first.and_then(said)
        return first

    @property
    def n_own(self) -> int:
        """Rows that are the user's own; those after them are new."""
        return sum(table.n_rows for table in self.tables if table is not self.new)

    @property
    def has_own_holdout(self) -> bool:
        """Whether a table of its own is kept aside."""
        return len(self.aside) > 0 and int(self.aside[-1]) >= self.tables[0].n_rows

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Rows that say what there is to compare: those of the user's table that count."""
        n_rows, own = sum(table.n_rows for table in self.tables), self.tables[0].n_rows
        counts = np.arange(n_rows) < own
        return counts if self.weights is None else counts & (self.weights.whole > 0)

    def augmented_rows(self, usable: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
        """Rows to learn from where the last table is new, and how often each old one is there."""
        n_new, n_rows = self.tables[-1].n_rows, len(usable)
        new = np.arange(n_rows - n_new, n_rows)
        times = copies(len(self.fit), n_new)
        return np.concatenate([np.repeat(self.fit, times), new[usable[new]]]), times


def read_holdout(
    given: Any,
    table: Table,
    weight: NDArray[np.float64] | None,
    models: Mapping[str, Any],
    test_size: float,
    random_state: int,
) -> Holdout:
    """What to keep aside: what the user says, else a share of the table's rows."""
    if given is None:
        counts = None if weight is None else weight > 0
        return Holdout(holdout_rows(table.n_rows, test_size, random_state, counts))
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
        if not can_be_asked(model):
            raise InputError(
                Argument("holdout"),
                " is a table of its own, and ",
                Argument(argument),
                " is an array of outputs, which says "
                "nothing about its rows. Pass the model itself or a function; or put both tables "
                "into X and mark the rows to keep aside: holdout=<boolean array>.",
            )
    own = open_table(given, "holdout").in_order_of(table)
    return Holdout(np.zeros(table.n_rows, dtype=bool), own, y, weight)


def build_dataset(
    table: Table,
    aside: Holdout,
    y: Any,
    weight: NDArray[np.float64] | None,
    max_bins: int | None,
    subsample: int | None,
    augment: bool,
    random_state: int,
) -> Dataset:
    """The rows of all tables, encoded in terms of those used to fit."""
    tables = [table] if aside.table is None else [table, aside.table]
    counts = np.ones(table.n_rows, bool) if weight is None else weight > 0
    in_fit = ~aside.rows & counts
    if not in_fit.any():
        raise InputError(
            "no row is left to fit on: every row is kept aside or has the weight 0. Keep fewer "
            "rows aside."
        )
    binned = bin_table(table, in_fit, max_bins, subsample, random_state)
    columns, encoded = binned.columns, [binned.codes]
    if aside.table is not None:
        encoded.append(encode(aside.table, columns).codes)
    if augment:
        new = neighbours(table, columns, encoded[0], np.flatnonzero(in_fit), random_state)
        tables.append(open_table(new))
        encoded.append(encode(tables[-1], columns).codes)
    codes = encoded[0]
    if len(encoded) > 1:
        codes = tuple(np.concatenate(parts) for parts in zip(*encoded, strict=True))
    weights = _weights(weight, tables, aside)
    kept = aside.rows & counts
    if aside.table is not None:
        kept = np.concatenate([kept, _counting_of(weights, table.n_rows, aside.table.n_rows)])
    return Dataset(
        tables=tuple(tables),
        new=tables[-1] if augment else None,
        columns=columns,
        codes=codes,
        fit=np.flatnonzero(in_fit).astype(np.int32),
        aside=np.flatnonzero(kept).astype(np.int32),
        weights=weights,
        truth=_truth(y, tables, aside),
    )


def _as_mask(given: Any, table: Table) -> NDArray[np.bool_] | None:
    """Which rows of the table are meant; None where it is something else."""
    first = given[0] if isinstance(given, tuple) and given else given
    if hasattr(first, "columns") or not hasattr(given, "__len__"):  # not every table has an array
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
    own: NDArray[np.float64] | None, tables: Sequence[Table], aside: Holdout
) -> Weights | None:
    """Weights of all rows; a row about which nothing is said counts as much as the average."""
    if own is None and aside.weight is None:
        return None
    table, *others = tables
    own = np.ones(table.n_rows) if own is None else own
    own = own / own.max()
    average = own[own > 0].mean()
    parts = [own]
    for other in others:
        weight = np.full(other.n_rows, average)
        if other is aside.table and aside.weight is not None:
            weight = checked_weight(
                aside.weight, other.n_rows, Message("the weight in ", Argument("holdout"))
            )
            # only their ratios matter: their mean is made that of the table's
            weight = weight / weight.max()
            weight = weight * (average / weight[weight > 0].mean())
        parts.append(weight)
    return Weights.of(np.concatenate(parts), table.n_rows)


def _counting_of(weights: Weights | None, start: int, n_rows: int) -> NDArray[np.bool_]:
    if weights is None:
        return np.ones(n_rows, dtype=bool)
    return np.asarray(weights.whole[start : start + n_rows] > 0)


def _truth(y: Any, tables: Sequence[Table], aside: Holdout) -> NDArray[Any] | None:
    if y is None and aside.y is None:
        return None
    parts = []
    name: Part
    for table in tables:
        given, name = (y, Argument("y")) if table is tables[0] else (None, Argument("y"))
        if table is aside.table:
            given, name = aside.y, Message("the y in ", Argument("holdout"))
        if given is None:
            parts.append(np.full(table.n_rows, None, dtype=object))
        else:
            check_index(given, table, "y")
            parts.append(as_truth(given, table.n_rows, name))
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part.astype(object) for part in parts])
