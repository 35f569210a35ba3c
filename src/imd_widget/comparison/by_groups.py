"""Rates of difference by group: whom the differences hit, over all rows and in each rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted
from imd_widget._base.intervals import UNKNOWN
from imd_widget.data.table import Table
from imd_widget.models.adapters import check_index
from imd_widget.models.coercion import as_truth
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
        Index of the group of each row.
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
class ByGroups:
    """The rates of all groups, over all rows of the table and inside each rule.

    Attributes
    ----------
    name : str
    groups : tuple of GroupRate
    rules : tuple of tuple of GroupRate
        For each diff rule, then for each rule of agreement, the rows of the table inside it.
    """

    name: str
    groups: tuple[GroupRate, ...]
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


def read_grouping(by: Any, table: Table) -> Grouping:
    """Return the groups that ``by`` describes.

    ``by`` is the name of a column of the table, or an array with a value for each row. Numbers with
    more than `MOST_GROUPS` distinct values are cut into `N_RANGES` ranges.
    """
    if isinstance(by, str):
        if by not in table.place:
            raise InputError(
                Given("by", by),
                " is no column of the table, which has ",
                Quoted(*map(str, table.names[:8])),
                ", ..." if len(table.names) > 8 else "",
                ". Name a column, or pass an array with a value for each row.",
            )
        name, values = by, table.get(table.place[by])
    else:
        check_index(by, table, "by")
        name = str(getattr(by, "name", None) or "group")
        values = pd.Series(as_truth(by, table.n_rows, Argument("by")))
    values = values.reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > MOST_GROUPS:
        ranges = pd.qcut(values.astype(float), N_RANGES, duplicates="drop")
        texts = [
            f"{value_text(_short(interval.left))} to {value_text(_short(interval.right))}"
            for interval in ranges.cat.categories
        ]
        codes = ranges.cat.codes.to_numpy().astype(np.intp)
    else:
        found, distinct = pd.factorize(values.astype(object), sort=False)
        texts = [str(value) for value in distinct]
        codes = found.astype(np.intp)
    if (codes < 0).any():
        codes = np.where(codes < 0, len(texts), codes)
        texts = [*texts, "missing"]
    return _with_few_groups(name, texts, codes)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _with_few_groups(name: str, texts: Sequence[str], codes: NDArray[np.intp]) -> Grouping:
    """Return the grouping with the smallest groups put together if there are too many."""
    sizes = np.bincount(codes, minlength=len(texts))
    if len(texts) <= MOST_GROUPS:
        return Grouping(name, tuple(texts), codes)
    kept = np.argsort(-sizes, kind="stable")[: MOST_GROUPS - 1]
    place = np.full(len(texts), len(kept))
    place[kept] = np.arange(len(kept))
    return Grouping(name, (*(texts[i] for i in kept), OTHERS), place[codes])


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

    counting = weight > 0
    return ByGroups(
        grouping.name, rates(counting), tuple(rates(inside & counting) for inside in rules)
    )
