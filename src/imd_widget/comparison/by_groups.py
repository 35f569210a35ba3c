"""Rates of difference by group, over all rows and in each rule."""

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
    Quoted,
)
from imd_widget._base.intervals import UNKNOWN
from imd_widget.data.native import as_moments
from imd_widget.data.table import Table
from imd_widget.models.adapters import check_index
from imd_widget.models.coercion import as_truth, unhashable
from imd_widget.outputs.correctness import Right
from imd_widget.rules.languages import value_text

#: Largest number of groups; the smallest ones are put together as `OTHERS`.
MOST_GROUPS = 12
#: The same for the groups of several columns together.
MOST_JOINT_GROUPS = 24
#: Most ways to differ that are listed for a group.
MOST_WAYS = 3
#: Ranges that numbers with more distinct values are cut into, at quantiles.
N_RANGES = 4
OTHERS = "others"


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each row of the table."""

    #: The name of the column, or "group".
    name: str
    #: The names of the groups.
    values: tuple[str, ...]
    #: Index of the group of each row; ``len(values)`` for a row of weight 0.
    codes: NDArray[np.intp]


@dataclass(frozen=True)
class GroupWay:
    """One way in which the models differ on rows of a group."""

    #: The labels of both models, "search -> no"; for numbers "higher" or "lower", which describes
    #: the second model.
    text: str
    #: Number of rows that differ in this way.
    rows: int
    #: Share of the group's differing rows, by weight.
    share: float


@dataclass(frozen=True)
class GroupRate:
    """The rows of one group."""

    #: The name of the group.
    value: str
    #: Numbers of rows, and of those on which the models differ.
    rows: int
    differing: int
    #: Share of the rows that differ, by weight; None if there is no row.
    rate: float | None
    #: 95 % interval of the rate; (0, 1) if there is no row, or too few groups to tell.
    interval: tuple[float, float]
    #: The most frequent ways in which the models differ, at most three; empty in older files.
    ways: tuple[GroupWay, ...] = ()
    #: How often either model is right, with the interval of the net; None without ``y``.
    correctness: Right | None = None


@dataclass(frozen=True)
class GroupRates:
    """The rates of all groups over all rows of the table."""

    #: The name of the column, or of the grouping.
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
        """Return a table with a row per group.

        The columns are described in ``ModelDiff.by``.
        """
        columns: dict[str, Sequence[Any]] = {
            "rows": [group.rows for group in self.groups],
            "rate": [group.rate for group in self.groups],
            "rate_low": [group.interval[0] for group in self.groups],
            "rate_high": [group.interval[1] for group in self.groups],
            "differing": [group.differing for group in self.groups],
            "ways": ["; ".join(map(way_text, group.ways)) for group in self.groups],
        }
        judged = [group.correctness for group in self.groups]
        if any(right is not None for right in judged):
            shares = [right.net_share if right else np.nan for right in judged]
            ends = [(right and right.net_share_interval) or (np.nan, np.nan) for right in judged]
            columns |= {
                "fixes": [right.fixes if right else 0 for right in judged],
                "breaks": [right.breaks if right else 0 for right in judged],
                "net_rate": shares,
                "net_rate_low": [low for low, _ in ends],
                "net_rate_high": [high for _, high in ends],
            }
        for number, rule in enumerate(self.rules):
            columns[f"rule {number} rows"] = [group.rows for group in rule]
            columns[f"rule {number} rate"] = [group.rate for group in rule]
        index = pd.Index([group.value for group in self.groups], name=self.name)
        return pd.DataFrame(columns, index=index).astype(
            {name: float for name in columns if name.endswith("rate")}
        )


def way_text(way: GroupWay) -> str:
    """Return a way in which models differ, with its rows: "871 search -> no"."""
    return f"{way.rows:,} {way.text}"


def read_grouping(by: Any, table: Table, weight: NDArray[np.float64] | None = None) -> Grouping:
    """Return the groups that ``by`` describes.

    ``by`` is the name of a column of the table, an array with a value for each row, a list of
    names of columns, or a table of them. Numbers and dates with more than `MOST_GROUPS` distinct
    values are cut into `N_RANGES` ranges. The groups of several columns are the combinations that
    occur. Rows of weight 0 have no part in what the groups are.
    """
    weight = np.ones(table.n_rows) if weight is None else weight
    counting = weight > 0
    read = _read(by, table)
    single = [
        _grouping_of(name, values[counting].reset_index(drop=True), weight[counting])
        for name, values in read
    ]
    grouping = single[0] if len(single) == 1 else _joint(single, weight[counting])
    codes = np.full(table.n_rows, len(grouping.values), dtype=np.intp)
    codes[counting] = grouping.codes
    return replace(grouping, codes=codes)


def _joint(parts: Sequence[Grouping], weight: NDArray[np.float64]) -> Grouping:
    """Return the combinations of groups that occur, in the order of the groups."""
    every = np.stack([part.codes for part in parts], axis=1)
    combined, codes = np.unique(every, axis=0, return_inverse=True)
    texts = [
        ", ".join(part.values[code] for part, code in zip(parts, row, strict=True))
        for row in combined.tolist()
    ]
    name = ", ".join(part.name for part in parts)
    return _with_few_groups(name, texts, codes.reshape(-1), weight, MOST_JOINT_GROUPS)


def _grouping_of(name: str, own: pd.Series[Any], weight: NDArray[np.float64]) -> Grouping:
    """Return the groups of a column."""
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
    return _with_few_groups(name, texts, found, weight)


def _read(by: Any, table: Table) -> list[tuple[str, pd.Series[Any]]]:
    """Return the name of each grouping and the value of each row, numbered from 0."""
    few = isinstance(by, list | tuple) and 0 < len(by) < table.n_rows
    if few and all(isinstance(one, str) for one in by) and any(one in table.place for one in by):
        return [_read_one(name, table) for name in dict.fromkeys(by)]
    if getattr(by, "ndim", 1) == 2 and hasattr(by, "columns"):
        check_index(by, table, "by")
        return [_read_one(by[name], table) for name in by.columns]
    return [_read_one(by, table)]


def _read_one(by: Any, table: Table) -> tuple[str, pd.Series[Any]]:
    if isinstance(by, str):
        if by not in table.place:
            raise InputError(
                Given("by", by),
                " is not a column of the table, which has ",
                Quoted(*map(str, table.names[:8])),
                ", ..." if len(table.names) > 8 else "",
                ". Name a column, or pass an array with a value for each row.",
            )
        return by, table.get(table.place[by]).reset_index(drop=True)
    if getattr(by, "ndim", 1) == 2 and by.shape[1] != 1:
        raise InputError(
            Argument("by"),
            f" is an array of {by.shape[1]} columns without names: pass a list of names of columns "
            "of the table, a DataFrame, or an array with one value for each row.",
        )
    check_index(by, table, "by")
    name = getattr(by, "name", None)
    values = pd.Series(as_truth(by, table.n_rows, Argument("by"), "value"))
    return "group" if name is None else str(name), values


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
    name: str,
    texts: Sequence[str],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    most: int = MOST_GROUPS,
) -> Grouping:
    """Return the grouping with the smallest groups put together if there are too many."""
    if len(texts) <= most:
        return Grouping(name, tuple(texts), codes)
    sizes = np.bincount(codes, weights=weight, minlength=len(texts))
    kept = np.argsort(-sizes, kind="stable")[: most - 1]
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
    ways: Callable[[NDArray[np.bool_]], tuple[GroupWay, ...]],
    correctness: Callable[[NDArray[np.bool_]], Right | None],
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
    ways : callable
        From a mask of differing rows to the ways in which they differ.
    correctness : callable
        From a mask of rows to how often either model is right.
    """

    def rates(inside: NDArray[np.bool_]) -> tuple[GroupRate, ...]:
        found = []
        for number, value in enumerate(grouping.values):
            rows = inside & (grouping.codes == number)
            total = float(weight[rows].sum())
            rate = float(weight[rows & differs].sum()) / total if total else None
            ends = UNKNOWN if rate is None else interval(rows, rate)
            found.append(
                GroupRate(
                    value,
                    int(rows.sum()),
                    int((rows & differs).sum()),
                    rate,
                    ends,
                    ways(rows & differs),
                    correctness(rows),
                )
            )
        return tuple(found)

    # rows of weight 0 are in no group
    everything = np.ones(len(weight), dtype=bool)
    return ByGroups(grouping.name, rates(everything), tuple(map(rates, rules)))
