"""Rates of difference by group: whom the differences hit, over all rows and in each rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import (
    Argument,
    Given,
    InputError,
    InPython,
    Message,
    Part,
    Quoted,
    Setting,
)
from imd_widget._base.intervals import UNKNOWN
from imd_widget.data.native import as_moments
from imd_widget.data.table import Table
from imd_widget.models.adapters import check_index
from imd_widget.models.coercion import as_truth, unhashable
from imd_widget.rules.languages import value_text

#: Largest number of groups; the smallest ones are put together as `OTHERS`.
MOST_GROUPS = 12
#: Ranges that numbers with more distinct values are cut into, at quantiles.
N_RANGES = 4
OTHERS = "others"


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each row of the table.

    Attributes
    ----------
    name : str
        The name of the column, or "group".
    values : tuple of str
        The names of the groups.
    codes : ndarray of shape (n_rows,)
        Index of the group of each row; ``len(values)`` for a row of weight 0.
    """

    name: str
    values: tuple[str, ...]
    codes: NDArray[np.intp]


@dataclass(frozen=True)
class GroupRate:
    """The rows of one group.

    Attributes
    ----------
    value : str
        The name of the group.
    rows, differing : int
        Numbers of rows, and of those on which the models differ.
    rate : float or None
        Share of the rows that differ, by weight; None if there is no row.
    interval : tuple of two float
        95 % interval of the rate; (0, 1) if there is no row, or too few groups to tell.
    """

    value: str
    rows: int
    differing: int
    rate: float | None
    interval: tuple[float, float]


@dataclass(frozen=True)
class GroupRates:
    """The rates of all groups over all rows of the table.

    Attributes
    ----------
    name : str
        The name of the column, or of the grouping.
    groups : tuple of GroupRate
    """

    name: str
    groups: tuple[GroupRate, ...]


@dataclass(frozen=True)
class ByGroups(GroupRates):
    """The rates of all groups, over all rows of the table and inside each rule.

    Attributes
    ----------
    name : str
    groups : tuple of GroupRate
    rules : tuple of tuple of GroupRate
        For each diff rule, then for each rule of agreement, the rows of the table inside it.
    """

    rules: tuple[tuple[GroupRate, ...], ...]

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row per group: rows, rate, and the rate and rows in each rule."""
        columns: dict[str, Sequence[Any]] = {
            "rows": [group.rows for group in self.groups],
            "rate": [group.rate for group in self.groups],
        }
        for number, rule in enumerate(self.rules):
            columns[f"rule {number} rows"] = [group.rows for group in rule]
            columns[f"rule {number} rate"] = [group.rate for group in rule]
        index = pd.Index([group.value for group in self.groups], name=self.name)
        return pd.DataFrame(columns, index=index).astype(
            {name: float for name in columns if name.endswith("rate")}
        )


def read_grouping(by: Any, table: Table, weight: NDArray[np.float64] | None = None) -> Grouping:
    """Return the groups that ``by`` describes.

    ``by`` is the name of a column of the table, or an array with a value for each row. Numbers and
    dates with more than `MOST_GROUPS` distinct values are cut into `N_RANGES` ranges. Rows of
    weight 0 have no part in what the groups are.
    """
    name, values = _read(by, table)
    weight = np.ones(table.n_rows) if weight is None else weight
    counting = weight > 0
    own, weight = values[counting].reset_index(drop=True), weight[counting]
    ordered = _as_ordered(own)
    try:
        if ordered is not None and ordered.nunique() > MOST_GROUPS:
            texts, found = _ranges(ordered, weight)
        else:
            texts, found = _distinct(own)
    except TypeError as error:  # pandas cannot hash the values
        raise unhashable("by", own) from error
    if (found < 0).any():
        found = np.where(found < 0, len(texts), found)
        texts = [*texts, _other_than(texts, "missing", "no value")]
    grouping = _with_few_groups(name, texts, found, weight)
    codes = np.full(table.n_rows, len(grouping.values), dtype=np.intp)
    codes[counting] = grouping.codes
    return replace(grouping, codes=codes)


def _read(by: Any, table: Table) -> tuple[str, pd.Series[Any]]:
    """Return the name of a grouping and the value of each row, numbered from 0."""
    if isinstance(by, str):
        if by not in table.place:
            raise InputError(
                Given("by", by),
                " is no column of the table, which has ",
                Quoted(*map(str, table.names[:8])),
                ", ..." if len(table.names) > 8 else "",
                ". Name a column, or pass an array with a value for each row.",
            )
        return by, table.get(table.place[by]).reset_index(drop=True)
    few = isinstance(by, list | tuple) and 0 < len(by) < table.n_rows
    if few and all(isinstance(one, str) and one in table.place for one in by):
        raise _several_columns(Given("by", by), by)
    if getattr(by, "ndim", 1) == 2 and by.shape[1] != 1:
        names = [str(one) for one in getattr(by, "columns", ("a", "b"))]
        raise _several_columns(Message(Argument("by"), f" has {by.shape[1]} columns"), names)
    check_index(by, table, "by")
    name = getattr(by, "name", None)
    values = pd.Series(as_truth(by, table.n_rows, Argument("by"), "value"))
    return "group" if name is None else str(name), values


def _several_columns(given: Part, names: Sequence[str]) -> InputError:
    if len(names) == 1:
        return InputError(given, ": one column is accepted, by its name: ", Setting("by", *names))
    joined = " + ', ' + ".join(f"X[{name!r}].astype(str)" for name in names[:2])
    return InputError(
        given,
        ": one column is accepted. To see the groups of two columns together, join them",
        InPython(f": by={joined}", " into one column of the table"),
        ".",
    )


def _as_ordered(values: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return numbers as floats and dates without their zone, to be cut; None for other values."""
    if pd.api.types.is_bool_dtype(values) or pd.api.types.is_complex_dtype(values):
        return None
    if pd.api.types.is_numeric_dtype(values):
        return pd.Series(values.to_numpy(dtype=float, na_value=np.nan))
    if values.dtype == object and pd.api.types.infer_dtype(values) in ("date", "datetime"):
        try:
            values = as_moments(values)
        except (ValueError, TypeError):  # beyond the dates that pandas knows
            return None
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    return values if values.dtype.kind in "mM" else None


def _ranges(
    values: pd.Series[Any], weight: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.intp]]:
    """Cut values into `N_RANGES` ranges of about the same weight, each from its least value on.

    Every end is one of the values: nothing between two values has to be computed, which infinity
    and dates do not allow.
    """
    present = values.notna().to_numpy()
    known = values[present].to_numpy()
    distinct, place = np.unique(known, return_inverse=True)
    upto = np.cumsum(np.bincount(place, weights=weight[present]))
    ends = np.searchsorted(upto, upto[-1] * np.arange(1, N_RANGES) / N_RANGES)
    starts = np.unique([0, *(ends + 1)])
    starts = starts[starts < len(distinct)]
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[present] = np.searchsorted(starts, place, side="right") - 1
    lasts = [*(starts[1:] - 1), len(distinct) - 1]
    return _range_texts(distinct[starts], distinct[lasts]), codes


def _range_texts(firsts: NDArray[Any], lasts: NDArray[Any]) -> list[str]:
    """Return "1 to 26" for each range, as short as the ranges can be told apart."""
    texts: list[str] = []
    for write in _WRITERS["number" if firsts.dtype.kind == "f" else "moment"]:
        both = [(write(first), write(last)) for first, last in zip(firsts, lasts, strict=True)]
        texts = [one if one == other else f"{one} to {other}" for one, other in both]
        if len(set(texts)) == len(texts):
            break
    return texts


def _rounded(value: Any, digits: int) -> str:
    rounded = float(f"{value:.{digits}g}")
    return value_text(rounded if np.isfinite(rounded) else float(value))


def _day(value: np.datetime64 | np.timedelta64) -> str:
    if isinstance(value, np.timedelta64):
        return str(pd.Timedelta(value))
    return value_text(pd.Timestamp(value).normalize())


#: How the ends of ranges are written, the shortest first; the last is exact.
_WRITERS: Mapping[str, Sequence[Callable[[Any], str]]] = {
    "number": (partial(_rounded, digits=4), partial(_rounded, digits=8), value_text),
    "moment": (_day, lambda value: value_text(pd.Timestamp(value))),
}


def _distinct(values: pd.Series[Any]) -> tuple[list[str], NDArray[np.intp]]:
    """Return a group for each value, in the order in which they come."""
    codes, distinct = pd.factorize(values.astype(object), sort=False)
    texts = [value_text(value) for value in distinct]
    twice = {text for text, times in Counter(texts).items() if times > 1}
    named = [
        f"{text} ({type(value).__name__})" if text in twice else text
        for text, value in zip(texts, distinct, strict=True)
    ]
    return named, codes.astype(np.intp)


def _other_than(taken: Collection[str], name: str, otherwise: str) -> str:
    """Return the name; another if a value is called so."""
    if name not in taken:
        return name
    while otherwise in taken:
        otherwise = f"({otherwise})"
    return otherwise


def _with_few_groups(
    name: str, texts: Sequence[str], codes: NDArray[np.intp], weight: NDArray[np.float64]
) -> Grouping:
    """Return the grouping with the smallest groups put together if there are too many."""
    if len(texts) <= MOST_GROUPS:
        return Grouping(name, tuple(texts), codes)
    sizes = np.bincount(codes, weights=weight, minlength=len(texts))
    kept = np.argsort(-sizes, kind="stable")[: MOST_GROUPS - 1]
    place = np.full(len(texts), len(kept))
    place[kept] = np.arange(len(kept))
    names = [texts[i] for i in kept]
    return Grouping(name, (*names, _other_than(names, OTHERS, "all others")), place[codes])


def by_groups(
    grouping: Grouping,
    differs: NDArray[np.bool_],
    weight: NDArray[np.float64],
    rules: Sequence[NDArray[np.bool_]],
    interval: Callable[[NDArray[np.bool_], float], tuple[float, float]],
) -> ByGroups:
    """Count the rows of each group, over all rows and inside each rule.

    Parameters
    ----------
    grouping : Grouping
    differs : ndarray of bool, shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    rules : sequence of ndarray of bool, shape (n_rows,)
        The rows inside each rule.
    interval : callable
        From a mask of rows and their rate to its 95 % interval.
    """

    def rates(inside: NDArray[np.bool_]) -> tuple[GroupRate, ...]:
        found = []
        for number, value in enumerate(grouping.values):
            rows = inside & (grouping.codes == number)
            total = float(weight[rows].sum())
            rate = float(weight[rows & differs].sum()) / total if total else None
            ends = UNKNOWN if rate is None else interval(rows, rate)
            found.append(GroupRate(value, int(rows.sum()), int((rows & differs).sum()), rate, ends))
        return tuple(found)

    # rows of weight 0 are in no group
    everything = np.ones(len(weight), dtype=bool)
    return ByGroups(grouping.name, rates(everything), tuple(map(rates, rules)))
