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

#: Largest number of groups that are shown; the smallest ones are put together as `OTHERS`.
MOST_GROUPS = 12
#: The same for the groups of several columns together.
MOST_JOINT_GROUPS = 24
#: Most ways to differ that are listed for a group.
MOST_WAYS = 3
#: Ranges that numbers with more distinct values are cut into, at quantiles.
N_RANGES = 4
OTHERS = "others"
#: Most groups beyond those that are shown that a file holds.
MOST_FURTHER = 1_000


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each row of the table."""

    #: The name of the column, or "group".
    name: str
    #: The names of the groups.
    values: tuple[str, ...]
    #: Index of the group of each row; ``len(values)`` for a row of weight 0.
    codes: NDArray[np.intp]
    #: Which rows belong to each group: "site is C and sex is f".
    conditions: tuple[str, ...]
    #: Columns of whole numbers that were cut into ranges, of which each may be a group of its own.
    in_ranges: tuple[str, ...] = ()
    #: Largest number of groups that are shown.
    most: int = MOST_GROUPS

    def shown(self, weight: NDArray[np.float64]) -> Grouping:
        """Return the grouping with the smallest groups put together if there are too many."""
        if len(self.values) <= self.most:
            return self
        kept = self._kept(weight)
        place = np.full(len(self.values) + 1, len(kept))
        place[kept] = np.arange(len(kept))
        place[-1] = len(kept) + 1
        values = [self.values[i] for i in kept]
        others = _other_than(values, OTHERS, "all others")
        conditions = (*(self.conditions[i] for i in kept), f"{self.name} is {others}")
        return replace(
            self, values=(*values, others), codes=place[self.codes], conditions=conditions
        )

    def hidden(self, weight: NDArray[np.float64]) -> list[int]:
        """Return the groups that `shown` puts together, the largest first."""
        return [] if len(self.values) <= self.most else self._by_size(weight)[self.most - 1 :]

    def _kept(self, weight: NDArray[np.float64]) -> list[int]:
        return self._by_size(weight)[: self.most - 1]

    def _by_size(self, weight: NDArray[np.float64]) -> list[int]:
        n_groups = len(self.values)
        sizes = np.bincount(self.codes, weights=weight, minlength=n_groups)[:n_groups]
        return [int(group) for group in np.argsort(-sizes, kind="stable")]


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
    #: Which rows belong to each group: "site is C and sex is f"; empty in older files.
    conditions: tuple[str, ...] = ()

    def where(self, place: int) -> str:
        """Return which rows belong to a group: "site is C and sex is f"."""
        known = self.conditions or [f"{self.name} is {group.value}" for group in self.groups]
        return known[place]

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


@dataclass(frozen=True)
class FurtherGroup:
    """A group beyond those that are shown, as a gate needs it."""

    #: Which rows belong to it: "site is C and sex is f".
    where: str
    #: Number of rows.
    rows: int
    #: How often either model is right.
    correctness: Right | None


@dataclass(frozen=True)
class FurtherGroups:
    """The groups that `ByGroups` puts together in its last one."""

    #: Their number; 0 if all groups are shown.
    count: int = 0
    #: The largest of them; none without ``y``.
    groups: tuple[FurtherGroup, ...] = ()
    #: Columns of whole numbers that were cut into ranges, of which each may be a group of its own.
    in_ranges: tuple[str, ...] = ()


def way_text(way: GroupWay) -> str:
    """Return a way in which models differ, with its rows: "871 search -> no"."""
    return f"{way.rows:,} {way.text}"


def read_grouping(by: Any, table: Table, weight: NDArray[np.float64] | None = None) -> Grouping:
    """Return the groups that ``by`` describes, all of them.

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
    grouping = single[0] if len(single) == 1 else _joint(single)
    codes = np.full(table.n_rows, len(grouping.values), dtype=np.intp)
    codes[counting] = grouping.codes
    return replace(grouping, codes=codes)


def _joint(parts: Sequence[Grouping]) -> Grouping:
    """Return the combinations of groups that occur, in the order of the groups."""
    every = np.stack([part.codes for part in parts], axis=1)
    combined, codes = np.unique(every, axis=0, return_inverse=True)
    values, conditions = (
        tuple(
            joint.join(texts[code] for texts, code in zip(named, row, strict=True))
            for row in combined.tolist()
        )
        for joint, named in (
            (", ", [part.values for part in parts]),
            (" and ", [part.conditions for part in parts]),
        )
    )
    name = ", ".join(part.name for part in parts)
    in_ranges = tuple(column for part in parts for column in part.in_ranges)
    return Grouping(name, values, codes.reshape(-1), conditions, in_ranges, MOST_JOINT_GROUPS)


def _grouping_of(name: str, own: pd.Series[Any], weight: NDArray[np.float64]) -> Grouping:
    """Return the groups of a column."""
    ordered = _as_ordered(own)
    in_ranges: tuple[str, ...] = ()
    try:
        if ordered is not None and ordered.nunique() > MOST_GROUPS:
            texts, found = _ranges(ordered, weight)
            in_ranges = (name,) if _is_whole(ordered) else ()
        else:
            texts, found = _distinct(own)
    except TypeError as error:  # pandas cannot hash the values
        raise unhashable("by", own) from error
    if (found < 0).any():
        found = np.where(found < 0, len(texts), found)
        texts = [*texts, _other_than(texts, "missing", "no value")]
    conditions = tuple(f"{name} is {text}" for text in texts)
    return Grouping(name, tuple(texts), found, conditions, in_ranges)


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
    if isinstance(getattr(by, "dtype", None), pd.CategoricalDtype):  # its levels have an order
        values = values.astype(by.dtype)
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


def _is_whole(values: pd.Series[Any]) -> bool:
    """Whether all values are whole numbers, or missing."""
    if values.dtype.kind != "f":  # moments
        return False
    known = values.dropna().to_numpy()
    return bool((known == np.floor(known)).all() and np.isfinite(known).all())


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
    """Return a group for each value, sorted if they can be; else in the order of the rows."""
    order: dict[Any, int] = {}
    if isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered:
        order = {value: place for place, value in enumerate(values.dtype.categories)}
    codes, found = pd.factorize(values.astype(object), sort=False)
    distinct = list(found)
    try:
        ranks = sorted(range(len(distinct)), key=lambda at: order.get(distinct[at], distinct[at]))
    except TypeError:  # such as numbers and texts
        ranks = list(range(len(distinct)))
    distinct = [distinct[rank] for rank in ranks]
    place = np.empty(len(ranks) + 1, dtype=np.intp)
    place[ranks], place[-1] = np.arange(len(ranks)), -1
    codes = place[codes]
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


@dataclass(frozen=True, eq=False)
class GroupMeasures:
    """What is measured on the rows of a group, which are given by their numbers."""

    #: Whether the models differ on each row, and its weight.
    differs: NDArray[np.bool_]
    weight: NDArray[np.float64]
    #: From rows and their rate to its 95 % interval.
    interval: Callable[[NDArray[np.integer], float], tuple[float, float]]
    #: From differing rows to the ways in which they differ.
    ways: Callable[[NDArray[np.integer]], tuple[GroupWay, ...]]
    #: From rows to how often either model is right.
    correctness: Callable[[NDArray[np.integer]], Right | None]

    def rate(self, value: str, rows: NDArray[np.integer]) -> GroupRate:
        """Return what is shown of a group."""
        differing = rows[self.differs[rows]]
        total = float(self.weight[rows].sum())
        rate = float(self.weight[differing].sum()) / total if total else None
        return GroupRate(
            value,
            len(rows),
            len(differing),
            rate,
            UNKNOWN if rate is None else self.interval(rows, rate),
            self.ways(differing),
            self.correctness(rows),
        )


def by_groups(
    grouping: Grouping, measures: GroupMeasures, rules: Sequence[NDArray[np.bool_]]
) -> ByGroups:
    """Count the rows of each group that is shown, over all rows and inside each rule.

    Parameters
    ----------
    grouping : Grouping
    measures : GroupMeasures
    rules : sequence of ndarray of bool, shape (n_rows,)
        The rows inside each rule.
    """
    shown = grouping.shown(measures.weight)
    # rows of weight 0 are in no group
    members = [np.flatnonzero(shown.codes == number) for number in range(len(shown.values))]

    def rates(inside: NDArray[np.bool_] | None) -> tuple[GroupRate, ...]:
        return tuple(
            measures.rate(value, rows if inside is None else rows[inside[rows]])
            for value, rows in zip(shown.values, members, strict=True)
        )

    return ByGroups(grouping.name, rates(None), tuple(map(rates, rules)), shown.conditions)


def further_groups(
    grouping: Grouping, measures: GroupMeasures, fewest: int, most: int | None = None
) -> FurtherGroups:
    """Judge the groups that are not shown by themselves.

    Parameters
    ----------
    grouping : Grouping
    measures : GroupMeasures
    fewest : int
        Groups of fewer rows are only counted.
    most : int, optional
        The largest number of groups that are judged; None: all.
    """
    hidden = grouping.hidden(measures.weight)
    order = np.argsort(grouping.codes, kind="stable")
    ends = np.cumsum(np.bincount(grouping.codes, minlength=len(grouping.values)))
    found: list[FurtherGroup] = []
    for group in hidden:
        rows = order[ends[group - 1] if group else 0 : ends[group]]
        if len(rows) < fewest or len(found) == most:
            continue
        right = measures.correctness(rows)
        if right is None:  # there is no truth
            break
        found.append(FurtherGroup(grouping.conditions[group], len(rows), right))
    return FurtherGroups(len(hidden), tuple(found), grouping.in_ranges)
