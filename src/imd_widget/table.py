"""Any table -> codes (small integers, one array a column) and back to the user's words.

A code says between which two thresholds a value lies: ``code <= cut`` exactly when
``value < thresholds[cut]``. Everything after this module works on codes; everything the user
reads is said with the thresholds, so what is shown is what is evaluated.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.errors import InputError

#: Rows looked at to place the thresholds of a column.
SAMPLE_ROWS = 200_000

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A column of numbers and the thresholds it may be split at.

    Attributes
    ----------
    name : Hashable
        The user's own name of the column.
    thresholds : ndarray of shape (n_codes - 1,)
        Strictly increasing, of the column's own dtype.
    """

    name: Hashable
    thresholds: NDArray[Any]

    @property
    def n_codes(self) -> int:
        """Number of codes: one more than there are thresholds."""
        return len(self.thresholds) + 1

    def encode(self, values: NDArray[Any]) -> Codes:
        """Code of each value: the number of thresholds that are not above it."""
        codes = np.searchsorted(self.thresholds, values, side="right")
        return codes.astype(np.min_scalar_type(self.n_codes))

    def bounds(self, low: int, high: int) -> tuple[Any, Any]:
        """Thresholds around the codes ``low`` to ``high``, both included; None: unbounded."""
        return (
            None if low == 0 else _plain(self.thresholds[low - 1]),
            None if high == self.n_codes - 1 else _plain(self.thresholds[high]),
        )


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """The columns of a table and the codes of its rows.

    Attributes
    ----------
    columns : tuple of NumericColumn
    codes : tuple of ndarray of shape (n_rows,)
        One array a column, of the smallest unsigned dtype.
    n_rows : int
    """

    columns: tuple[NumericColumn, ...]
    codes: tuple[Codes, ...]
    n_rows: int


def _plain(threshold: Any) -> Any:
    """A Python number; but float32 stays what it is, since 0.7 is another number there."""
    return threshold.item() if threshold.dtype != np.float32 else threshold


def as_frame(X: Any) -> pd.DataFrame:
    """``X`` as a DataFrame with checked shape; NumPy columns are called x0, x1, ..."""
    if isinstance(X, pd.DataFrame):
        frame = X
    else:
        values = np.asarray(X)
        if values.ndim != 2:
            raise InputError(
                f"X has {values.ndim} dimension(s), shape {values.shape}: a table with rows and "
                "columns is needed, a DataFrame or a 2-D array. One column? X.reshape(-1, 1)."
            )
        frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
    n_rows, n_columns = frame.shape
    if n_rows == 0 or n_columns == 0:
        raise InputError(
            f"X has {n_rows} rows and {n_columns} columns: at least one of each is needed to say "
            "where two models differ."
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(
            f"X has more than one column called {twice!r}: rename them, so that a rule about one "
            "cannot be mistaken for the other."
        )
    return frame


def find_columns(frame: pd.DataFrame, max_bins: int | None) -> tuple[NumericColumn, ...]:
    """A description of each column, its thresholds placed on the rows of ``frame``."""
    return tuple(
        NumericColumn(name, _thresholds(_numbers(frame, name), max_bins)) for name in frame.columns
    )


def encode(frame: pd.DataFrame, columns: Sequence[NumericColumn]) -> EncodedTable:
    """Codes of every row of ``frame`` in terms of ``columns``, found by name."""
    absent = [column.name for column in columns if column.name not in frame.columns]
    if absent:
        raise InputError(
            f"X lacks the column(s) {', '.join(map(repr, absent[:5]))}, which the diff was made "
            f"with. It has {', '.join(map(repr, list(frame.columns)[:5]))} ..."
        )
    codes = tuple(column.encode(_numbers(frame, column.name)) for column in columns)
    return EncodedTable(columns=tuple(columns), codes=codes, n_rows=len(frame))


def _numbers(frame: pd.DataFrame, name: Hashable) -> NDArray[Any]:
    """One column as a NumPy array of numbers, all of them finite."""
    series = frame[name]
    values = series.to_numpy()
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    if values.dtype.kind not in "iuf":
        raise InputError(
            f"column {name!r} holds {series.dtype}, for example {series.iloc[0]!r}. Columns of "
            "numbers are accepted; encode it first, for example with pd.get_dummies(X)."
        )
    if values.dtype == np.float16:  # too coarse to hold a threshold between two neighbours
        values = values.astype(np.float32)
    finite = np.isfinite(values)
    if not finite.all():
        raise InputError(
            f"column {name!r} has {int((~finite).sum())} missing or infinite value(s), the first "
            f"in row {int((~finite).argmax())}. Fill them (X.fillna(...)) or drop those rows."
        )
    return values


def _thresholds(values: NDArray[Any], max_bins: int | None) -> NDArray[Any]:
    """Where a column may be split: between neighbouring values, or at quantiles of them."""
    if max_bins is None:
        distinct = np.unique(values)
        cuts = np.arange(1, len(distinct))
    else:
        step = -(-len(values) // SAMPLE_ROWS)
        distinct, counts = np.unique(values[::step], return_counts=True)
        if len(distinct) <= max_bins:
            cuts = np.arange(1, len(distinct))
        else:
            # the cut before the value that the k-th of max_bins equal shares of the rows ends in
            shares = np.arange(1, max_bins) * (counts.sum() / max_bins)
            cuts = np.unique(np.searchsorted(np.cumsum(counts), shares, side="left"))
            cuts = cuts[cuts > 0]
    return shortest_between(distinct[cuts - 1], distinct[cuts])


def shortest_between(low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """The number t with the fewest digits such that ``low < t <= high``, elementwise.

    Every such t splits the data between ``low`` and ``high`` alike, so the one that is easiest to
    read is taken; of several equally short, the one nearest to the middle of the gap.

    Parameters
    ----------
    low, high : ndarray of shape (n,)
        Of the same integer or float dtype, ``low < high`` everywhere.

    Returns
    -------
    ndarray of shape (n,)
        Of the same dtype.
    """
    best = high.copy()
    if not len(best):
        return best
    todo = np.ones(len(best), dtype=bool)
    around_zero = (low < 0) & (high >= 0)
    best[around_zero] = 0
    todo &= ~around_zero
    whole = low.dtype.kind in "iu"
    largest = float(np.maximum(np.abs(low.astype(float)), np.abs(high.astype(float))).max())
    top = int(np.floor(np.log10(largest))) if largest > 0 else 0
    bottom = 0 if whole else top - 330
    with np.errstate(all="ignore"):
        for exponent in range(top, bottom - 1, -1):
            if not todo.any():
                break
            at = np.flatnonzero(todo)
            candidate = _multiple(low[at], high[at], exponent, whole)
            good = (candidate > low[at]) & (candidate <= high[at])
            best[at[good]] = candidate[good]
            todo[at[good]] = False
            # digits beyond the precision of the dtype cannot help: those keep `high` itself
            if not whole:
                size = np.maximum(np.abs(low[at]), np.abs(high[at])).astype(float)
                todo[at[exponent < np.log10(size) - 18]] = False
    return best


def _multiple(low: NDArray[Any], high: NDArray[Any], exponent: int, whole: bool) -> NDArray[Any]:
    """The multiple of ``10**exponent`` in (low, high] nearest to the middle, if there is one."""
    if whole:
        unit = low.dtype.type(10**exponent)
        first, last = low // unit + 1, high // unit
        middle = (low // 2 + high // 2) // unit
        return np.asarray(np.clip(middle, first, np.maximum(first, last)) * unit, low.dtype)
    # a power of ten is exact only with a non-negative exponent: divide by it, never multiply by
    # its rounded inverse, so that the result is the float nearest to the decimal
    power = np.float64(10.0) ** abs(exponent)
    lows, highs = low.astype(float), high.astype(float)
    scaled = (lows / power, highs / power) if exponent >= 0 else (lows * power, highs * power)
    first, last = np.floor(scaled[0]) + 1, np.floor(scaled[1])
    middle = np.clip(np.rint((scaled[0] + scaled[1]) / 2), first, np.maximum(first, last))
    return (middle * power if exponent >= 0 else middle / power).astype(low.dtype)
