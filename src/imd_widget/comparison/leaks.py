"""Detect columns of X that equal or determine an output: rules would name no other column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Drop, InPython, Part, Quoted, warn
from imd_widget.data.native import printable
from imd_widget.data.raw_values import raw_values
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.table import Table

#: In a table with fewer rows a column may equal an output by chance.
LEAK_ROWS = 100
#: Number of rows of which outputs are compared with the first one at a time.
BLOCK = 1 << 12
#: A column with fewer distinct values is not taken for a score.
SCORE_VALUES = 20
#: The probability at which a classifier of two classes switches the class.
HALF = 0.5


@dataclass(frozen=True, eq=False)
class _Given:
    """The outputs of one model, or the true values, for all rows or for some."""

    values: NDArray[Any]

    @cached_property
    def objects(self) -> list[Any]:
        """The values as Python objects."""
        return _objects(self.values)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The values as an array of objects."""
        return np.asarray(self.values, dtype=object)

    @cached_property
    def first(self) -> NDArray[np.bool_] | None:
        """Mask of the rows with the label of the first row; None unless there are two labels."""
        objects = self.objects
        one = np.array([_equal(value, objects[0]) for value in objects])
        if one.all():
            return None
        other = objects[int(one.argmin())]
        others = (value for value, is_first in zip(objects, one, strict=True) if not is_first)
        return one if all(_equal(value, other) for value in others) else None


def warn_of_leaks(table: Table, outputs: Sequence[tuple[str, Any]], truth: Any = None) -> None:
    """Warn if a column of X equals an output or ``y``, or alone determines an output.

    Parameters
    ----------
    table : Table
    outputs : sequence of (str, array)
        Name of the argument and the array of outputs that was passed. Models that were called are
        not checked: a model may use one column only.
    truth : array, optional
    """
    if isinstance(table.native, np.ndarray) or table.n_rows < LEAK_ROWS:
        return
    columns = table.cached()
    # a hashed sample rules out most columns before all rows are compared
    few = sampled(np.arange(table.n_rows), hashed(table.n_rows, 0), LEAK_ROWS)
    samples = [columns.get(position).iloc[few] for position in range(len(table.names))]
    scores: dict[str, list[tuple[Hashable, bool]]] = {argument: [] for argument, _ in outputs}
    for argument, given in (*outputs, ("y", truth)):
        values = _varying(given, table.n_rows)
        if values is None:
            continue
        some, every = _Given(values[few]), _Given(values)
        for position, name in enumerate(table.names):
            column = columns.get(position)
            both = ((samples[position], some), (column, every))
            if all(_is_same(*pair) for pair in both):
                _warn(name, "is ", Argument(argument), " itself", certain=True)
            elif argument not in scores:
                continue
            elif all(_is_spelling(*pair) for pair in both):
                _warn(name, "alone determines ", Argument(argument))
            elif _cut(*both[0]) is not None:
                cut = _cut(*both[1])
                scores[argument] += [] if cut is None else [(name, _is_half(column, cut))]
    suspects = {name for columns_of in scores.values() for name, _ in columns_of}
    scaled = bool(suspects) and _are_scaled(columns, suspects)
    for argument, columns_of in scores.items():
        others = {name for other, rest in scores.items() if other != argument for name, _ in rest}
        names = {name for name, _ in columns_of}
        # one model may use one column only, but each using a different one is unlikely
        apart = bool(names - others and others - names)
        for name, sure in columns_of:
            if (sure and not scaled) or (apart and name not in others):
                _warn(name, "alone determines ", Argument(argument), ", as its score would")


def _are_scaled(table: Table, scores: set[Hashable]) -> bool:
    """Whether all other float columns lie within [0, 1] too: the table is then scaled."""
    others = [
        table.get(position) for position, name in enumerate(table.names) if name not in scores
    ]
    floats = [raw_values(column, np.dtype(float))[0] for column in others if _is_float(column)]
    return bool(floats) and all(values.min() >= 0 and values.max() <= 1 for values in floats)


def _is_float(column: pd.Series[Any]) -> bool:
    return getattr(column.dtype, "kind", "O") == "f"


def _warn(name: Hashable, *why: Part, certain: bool = False) -> None:
    if_so = "Leave it out" if certain else "If it is an output of the model, leave it out"
    warn(
        InPython("X holds", "the file has"),
        " the column ",
        Quoted(name),
        ", which ",
        *why,
        f", so rules will use it. {if_so}: ",
        Drop(name),
        ".",
    )


def _varying(given: Any, n_rows: int) -> NDArray[Any] | None:
    """Return the outputs as an array; None unless there is one per row and two of them differ."""
    if given is None or np.ndim(given) != 1 or len(given) != n_rows:
        return None
    if isinstance(given, pd.Series):
        given = printable(given)
    values = given if isinstance(given, np.ndarray) else np.asarray(given, dtype=object)
    (first,) = _objects(values[:1])
    for start in range(0, n_rows, BLOCK):  # most outputs vary in the first block
        if not all(_equal(value, first) for value in _objects(values[start : start + BLOCK])):
            return values
    return None


def _objects(values: Any) -> list[Any]:
    return list(np.asarray(values, dtype=object).tolist())


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) or (_is_missing(one) and _is_missing(other))
    except (TypeError, ValueError, OverflowError):  # values that cannot be compared differ
        return _is_missing(one) and _is_missing(other)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _is_same(column: pd.Series[Any], given: _Given) -> bool:
    return all(map(_equal, _objects(column), given.objects))


def _is_spelling(column: pd.Series[Any], given: _Given) -> bool:
    """Whether values of the column and labels correspond one to one.

    One of the two has to be text: a model may compute numbers from numbers one to one.
    """
    first_values = (*column.iloc[:LEAK_ROWS], *given.labels[:LEAK_ROWS])
    if not any(isinstance(value, str) for value in first_values):
        return False
    try:
        value_codes, distinct = pd.factorize(column, use_na_sentinel=False)
        codes, known = pd.factorize(given.labels, use_na_sentinel=False)
    except TypeError:
        return False
    n = len(known)
    if len(distinct) != n or n > len(column) // 5:
        return False
    return len(np.unique(value_codes * np.int64(n) + codes)) == n


def _is_half(column: pd.Series[Any], cut: tuple[float, float]) -> bool:
    """Whether the column lies within [0, 1] and ``cut[0] <= 0.5 <= cut[1]``."""
    raw, _ = raw_values(column, np.dtype(float))
    return bool(raw.min() >= 0 and raw.max() <= 1 and cut[0] <= HALF <= cut[1])


def _cut(column: pd.Series[Any], given: _Given) -> tuple[float, float] | None:
    """Return the values next to the cut that separates two labels; None if there is no cut."""
    if not _is_float(column) or given.first is None:
        return None
    raw, missing = raw_values(column, np.dtype(float))
    if missing is not None or len(np.unique(raw[:LEAK_ROWS])) < SCORE_VALUES:
        return None
    one = given.first
    (_, low), (high, _) = sorted((raw[side].min(), raw[side].max()) for side in (one, ~one))
    return (float(low), float(high)) if low < high else None
