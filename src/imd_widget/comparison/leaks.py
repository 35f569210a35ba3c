"""Columns of the table that are an output, or alone tell one: rules would speak of nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Drop, InPython, Part, Quoted, warn
from imd_widget.data.raw_values import raw_values
from imd_widget.data.sampling import hashed, sampled
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
    every = np.arange(table.n_rows)
    # a few rows tell most columns apart, wherever the file begins
    few = sampled(every, hashed(table.n_rows, 0), LEAK_ROWS)
    scores: dict[str, list[tuple[Hashable, bool]]] = {argument: [] for argument, _ in outputs}
    for argument, given in (*outputs, ("y", truth)):
        values = _varying(given, table.n_rows)
        if values is None:
            continue
        for place, name in enumerate(table.names):
            series = columns.get(place)
            if all(_is_same(series, values, rows) for rows in (few, every)):
                _warn(name, "is ", Argument(argument), " itself", certain=True)
            elif argument not in scores:
                continue
            elif all(_is_spelling(series, values, rows) for rows in (few, every)):
                _warn(name, "alone tells what ", Argument(argument), " says")
            elif _cut(series, values, few) is not None:
                cut = _cut(series, values, every)
                scores[argument] += [] if cut is None else [(name, _is_half(series, cut))]
    given = {name for found in scores.values() for name, _ in found}
    scaled = bool(given) and _are_scaled(columns, given)
    for argument, found in scores.items():
        others = {name for other, own in scores.items() if other != argument for name, _ in own}
        names = {name for name, _ in found}
        # a model may well look at one column only; that each looks at one of its own is no chance
        apart = bool(names - others and others - names)
        for name, sure in found:
            if (sure and not scaled) or (apart and name not in others):
                _warn(name, "alone tells what ", Argument(argument), " says, as its score would")


def _are_scaled(table: Table, scores: set[Hashable]) -> bool:
    """Whether all other floats of the table lie within [0, 1] too, so that these are no sign."""
    others = [table.get(at) for at, name in enumerate(table.names) if name not in scores]
    floats = [raw_values(own, np.dtype(float))[0] for own in others if _is_float(own)]
    return bool(floats) and all(own.min() >= 0 and own.max() <= 1 for own in floats)


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
        f", so rules will speak of it. {if_so}: ",
        Drop(name),
        ".",
    )


def _varying(given: Any, n_rows: int) -> NDArray[Any] | None:
    """Outputs as objects; None where there is not one for each row, or all are alike."""
    if given is None or np.ndim(given) != 1 or len(given) != n_rows:
        return None
    values = np.asarray(given, dtype=object)
    first = values[0]
    return None if all(_equal(value, first) for value in values.tolist()) else values


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) or (_is_missing(one) and _is_missing(other))
    except (TypeError, ValueError, OverflowError):  # what cannot be compared is not the same
        return _is_missing(one) and _is_missing(other)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _is_same(column: pd.Series[Any], values: NDArray[Any], rows: NDArray[np.intp]) -> bool:
    own = np.asarray(column.iloc[rows], dtype=object).tolist()
    return all(map(_equal, own, values[rows].tolist()))


def _is_spelling(column: pd.Series[Any], values: NDArray[Any], rows: NDArray[np.intp]) -> bool:
    """Whether each value of the column goes with one label, and each label with one value.

    One of the two is text: numbers that go with numbers may be just what a model computes.
    """
    own, labels = column.iloc[rows], values[rows]
    if not any(isinstance(value, str) for value in (*own.iloc[:LEAK_ROWS], *labels[:LEAK_ROWS])):
        return False
    try:
        places, distinct = pd.factorize(own, use_na_sentinel=False)
        codes, known = pd.factorize(labels, use_na_sentinel=False)
    except TypeError:
        return False
    n = len(known)
    if len(distinct) != n or n > len(rows) // 5:
        return False
    return len(np.unique(places * np.int64(n) + codes)) == n


def _is_half(column: pd.Series[Any], cut: tuple[float, float]) -> bool:
    """Whether a cut lies at one half of a column of probabilities, as that of a score does."""
    raw, _ = raw_values(column, np.dtype(float))
    return bool(raw.min() >= 0 and raw.max() <= 1 and cut[0] <= HALF <= cut[1])


def _cut(
    column: pd.Series[Any], values: NDArray[Any], rows: NDArray[np.intp]
) -> tuple[float, float] | None:
    """The numbers on both sides of the cut that tells two labels apart; None: there is none."""
    if not _is_float(column):
        return None
    raw, missing = raw_values(column.iloc[rows], np.dtype(float))
    labels = values[rows]
    one = np.array([_equal(value, labels[0]) for value in labels.tolist()])
    if missing is not None or one.all() or len(np.unique(raw[:LEAK_ROWS])) < SCORE_VALUES:
        return None
    (_, low), (high, _) = sorted((raw[own].min(), raw[own].max()) for own in (one, ~one))
    others = labels[~one]
    if not low < high or not all(_equal(value, others[0]) for value in others.tolist()):
        return None
    return float(low), float(high)
