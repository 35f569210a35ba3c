"""Columns of the table that are an output, or alone tell one: rules would speak of nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import warn
from imd_widget.data.columns import raw_values
from imd_widget.data.table import Table

#: Of smaller tables a column may well be equal to an output by chance.
LEAK_ROWS = 100
#: Distinct values that a score has at least.
SCORE_VALUES = 20
#: Where a probability turns into the other class.
HALF = 0.5


def warn_of_leaks(table: Table, outputs: Sequence[tuple[str, Any]], truth: Any = None) -> None:
    """Warn of every column that equals an output or the truth, or that alone tells an output.

    Parameters
    ----------
    table : Table
    outputs : sequence of (str, array)
        What the user knows a model by, and the outputs that were given for it. A model that was
        asked is not among them: it may well look at one column only.
    truth : array, optional
    """
    if isinstance(table.native, np.ndarray) or table.n_rows < LEAK_ROWS:
        return
    columns = table.cached()
    scores: dict[str, list[tuple[Hashable, bool]]] = {argument: [] for argument, _ in outputs}
    for argument, given in (*outputs, ("y", truth)):
        values = _varying(given, table.n_rows)
        if values is None:
            continue
        for place, name in enumerate(table.names):
            series = columns.get(place)
            if _is_same(series, values):
                _warn(name, f"is {argument} itself")
            elif argument in scores and _is_spelling(series, values):
                _warn(name, f"alone tells what {argument} says")
            elif argument in scores:
                sure = _is_score(series, values)
                scores[argument] += [] if sure is None else [(name, sure)]
    given = {name for found in scores.values() for name, _ in found}
    scaled = bool(given) and _are_scaled(columns, given)
    for argument, found in scores.items():
        others = {name for other, own in scores.items() if other != argument for name, _ in own}
        names = {name for name, _ in found}
        # a model may well look at one column only; that each looks at one of its own is no chance
        apart = bool(names - others and others - names)
        for name, sure in found:
            if (sure and not scaled) or (apart and name not in others):
                _warn(name, f"alone tells what {argument} says, as its score would")


def _are_scaled(table: Table, scores: set[Hashable]) -> bool:
    """Whether all other floats of the table lie within [0, 1] too, so that these are no sign."""
    others = [table.get(at) for at, name in enumerate(table.names) if name not in scores]
    floats = [raw_values(own, np.dtype(float))[0] for own in others if _is_float(own)]
    return bool(floats) and all(own.min() >= 0 and own.max() <= 1 for own in floats)


def _is_float(column: pd.Series[Any]) -> bool:
    return getattr(column.dtype, "kind", "O") == "f"


def _warn(name: Hashable, why: str) -> None:
    warn(
        f"X holds the column {name!r}, which {why}, so rules will speak of it. Leave it out: "
        f"X.drop(columns=[{name!r}])."
    )


def _varying(given: Any, n_rows: int) -> NDArray[Any] | None:
    """Outputs as objects; None where there is not one for each row, or all begin alike."""
    if given is None or np.ndim(given) != 1 or len(given) != n_rows:
        return None
    values = np.asarray(given, dtype=object)
    first = values[0]
    return None if all(_equal(value, first) for value in values[:LEAK_ROWS]) else values


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError, OverflowError):  # what cannot be compared is not the same
        return False


def _is_same(column: pd.Series[Any], values: NDArray[Any]) -> bool:
    for stop in (LEAK_ROWS, len(values)):
        own = np.asarray(column.iloc[:stop], dtype=object).tolist()
        if not all(map(_equal, own, values[:stop].tolist())):
            return False
    return True


def _is_spelling(column: pd.Series[Any], values: NDArray[Any]) -> bool:
    """Whether each value of the column goes with one label, and each label with one value.

    One of the two is text: numbers that go with numbers may be just what a model computes.
    """
    if not (isinstance(values[0], str) or isinstance(column.iloc[0], str)):
        return False
    for stop in (LEAK_ROWS, len(values)):
        try:
            own, own_distinct = pd.factorize(column.iloc[:stop], use_na_sentinel=False)
            labels, distinct = pd.factorize(values[:stop], use_na_sentinel=False)
        except TypeError:
            return False
        n = len(distinct)
        if len(own_distinct) != n or n > stop // 5:
            return False
        if len(np.unique(own * np.int64(n) + labels)) != n:
            return False
    return True


def _is_score(column: pd.Series[Any], values: NDArray[Any]) -> bool | None:
    """Whether a cut through a column of numbers tells two labels apart; None where none does.

    True where it lies at one half of a column of probabilities, as that of a score does.
    """
    if not _is_float(column):
        return None
    if _cut(column.iloc[:LEAK_ROWS], values[:LEAK_ROWS]) is None:
        return None
    found = _cut(column, values)
    if found is None:
        return None
    raw, _ = raw_values(column, np.dtype(float))
    low, high = found
    return bool(raw.min() >= 0 and raw.max() <= 1 and low <= HALF <= high)


def _cut(column: pd.Series[Any], values: NDArray[Any]) -> tuple[float, float] | None:
    """The numbers on both sides of the cut that tells two labels apart; None: there is none."""
    first = values[0]
    one = np.array([_equal(value, first) for value in values.tolist()])
    raw, missing = raw_values(column, np.dtype(float))
    if missing is not None or one.all() or len(np.unique(raw[:LEAK_ROWS])) < SCORE_VALUES:
        return None
    ends = sorted((raw[own].min(), raw[own].max()) for own in (one, ~one))
    (_, low), (high, _) = ends
    others = values[~one]
    if not low < high or not all(_equal(value, others[0]) for value in others.tolist()):
        return None
    return float(low), float(high)
