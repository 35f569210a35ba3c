"""Checks of tables, targets and groups that users pass."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Row, Setting
from imd_widget.data.native import as_objects
from imd_widget.data.table import Table, open_table

Whole = NDArray[np.intp]


def open_rows(X: Any, argument: str, names: tuple[Hashable, ...] | None = None) -> Table:
    """Open a table; if ``names`` are given, it must have exactly these columns."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and 0 in shape:
        raise InputError(
            Argument(argument),
            f" has {shape[0]} rows and {shape[1]} columns: at least one of each is needed.",
        )
    table = open_table(X, argument)
    if names is None:
        return table
    if isinstance(table.native, np.ndarray):
        if len(table.names) != len(names):
            raise InputError(
                Argument(argument),
                f" has {len(table.names)} columns, and the model was fitted with {len(names)}: "
                "give the same columns in the same order.",
            )
        return table
    extra = [name for name in table.names if name not in names]
    if extra:
        raise InputError(
            Argument(argument),
            f" has {len(extra)} column(s) that the model was not fitted with: ",
            Quoted(*extra[:5]),
            " ..." if len(extra) > 5 else "",
            ". Leave them out.",
        )
    return table


def read_groups(groups: Any, n_rows: int) -> NDArray[Any]:
    """The group of every row as Python objects; one group stands for all rows."""
    if groups is None:
        raise InputError(
            Setting("groups"),
            " is missing: pass the group of each row, such as ratings['user'].",
        )
    if isinstance(groups, str | int | float | np.integer):
        groups = [groups] * n_rows
    labels = as_objects(pd.Series(list(groups) if isinstance(groups, list | tuple) else groups))
    if len(labels) != n_rows:
        raise InputError(
            Argument("groups"), f" has {len(labels)} values, X has {n_rows} rows: one for each."
        )
    absent = np.flatnonzero(pd.isna(labels))
    if len(absent):
        raise InputError(
            Argument("groups"),
            f" is missing in {len(absent)} row(s), first in ",
            Row(int(absent[0])),
            ": a row without a group cannot be used. Drop these rows.",
        )
    return labels


def places_of(labels: NDArray[Any], known: pd.Index[Any]) -> Whole:
    """The number of the group of each row; an error names groups that are not known."""
    places = known.get_indexer(pd.Index(labels, dtype=object))
    unknown = labels[places < 0]
    if len(unknown):
        raise InputError(
            Argument("groups"),
            " names ",
            Quoted(*dict.fromkeys(unknown[:100].tolist())),
            f", who had no rows in fit ({len(known)} groups had).",
            hint="tree_for(X_new, y_new) grows a tree for a new group from a few examples.",
        )
    return np.asarray(places, dtype=np.intp)


def read_numbers(y: Any, n_rows: int, argument: str = "y") -> NDArray[np.float64]:
    """Targets as finite numbers."""
    _check_length(y, n_rows, argument)
    try:
        numbers = pd.to_numeric(pd.Series(np.asarray(y).ravel())).to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            Argument(argument),
            f" holds values that are not numbers ({error}). For classes take MetaTreeClassifier.",
        ) from error
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise InputError(
            Argument(argument),
            f" is missing or infinite in {len(bad)} row(s), first in ",
            Row(int(bad[0])),
            ": drop these rows.",
        )
    return numbers


def read_labels(y: Any, n_rows: int, argument: str = "y") -> NDArray[Any]:
    """Classes as Python objects, none of them missing."""
    _check_length(y, n_rows, argument)
    labels = as_objects(pd.Series(np.asarray(y, dtype=object).ravel()).infer_objects())
    bad = np.flatnonzero(pd.isna(labels))
    if len(bad):
        raise InputError(
            Argument(argument),
            f" is missing in {len(bad)} row(s), first in ",
            Row(int(bad[0])),
            ": drop these rows.",
        )
    return labels


def _check_length(y: Any, n_rows: int, argument: str) -> None:
    if y is None:
        raise InputError(Argument(argument), " is missing: a target for each row is needed.")
    shape = np.shape(y)
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 1):
        raise InputError(
            Argument(argument), f" has the shape {shape}: one target for each row is needed."
        )
    if shape[0] != n_rows:
        raise InputError(
            Argument(argument), f" has {shape[0]} values, X has {n_rows} rows: one for each."
        )
