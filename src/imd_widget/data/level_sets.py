"""Levels of a category in the order of their rates, so that one cut separates a set of levels.

A `LevelSets` is the name of a derived column: the rank of the level. A tree may split on it; the
conditions of rules are sets of levels of the raw column.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from imd_widget._base.plain import Plain, listed, whole
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget.data.raw_values import distinct_values

if TYPE_CHECKING:
    from imd_widget.data.columns import CategoryColumn, OrderedColumn


@dataclass(frozen=True)
class LevelSets:
    """The ranks of the levels of a column; it is the name of a derived column."""

    #: Name of the column.
    source: Hashable
    #: Position of the column in the table.
    at: int
    #: The levels that have a rank of their own, in the order of the categories of the column.
    levels: tuple[Hashable, ...]
    #: The rank of each of them, from 0.
    ranks: tuple[int, ...]
    #: The rank of all other levels together.
    others: int

    def __str__(self) -> str:
        return str(self.source)

    @property
    def sources(self) -> tuple[tuple[Hashable, int], ...]:
        """Name and position of the column that the ranks are computed from."""
        return ((self.source, self.at),)

    def values(self, raw: pd.Series[Any]) -> pd.Series[Any]:
        """Return the rank of each value of the column; missing values stay missing."""
        codes, distinct = distinct_values(raw)
        known = self._known
        ranks = [known.get(value, self.others) for value in distinct]
        return pd.Series(np.array([*ranks, np.nan], dtype=float)[codes])

    @cached_property
    def _known(self) -> dict[Hashable, int]:
        return dict(zip(self.levels, self.ranks, strict=True))

    def level_codes(self, column: OrderedColumn, codes: int, levels: CategoryColumn) -> int:
        """Return codes of the column of ranks, as bits, as codes of a column of the levels."""
        places = np.searchsorted(column.thresholds, np.arange(len(self.ranks) + 1), side="right")

        def inside(rank: int) -> bool:
            return bool(codes >> int(places[rank]) & 1)

        known = self._known
        found = inside(self.others) << len(levels.categories)
        for code, level in enumerate(levels.categories):
            found |= inside(known.get(level, self.others)) << code
        if levels.has_missing and codes >> column.n_values & 1:
            found |= 1 << levels.n_values
        return found

    @property
    def ends(self) -> tuple[Hashable, Hashable]:
        """The levels with the lowest and the highest rank."""
        order = np.argsort(self.ranks)
        return self.levels[int(order[0])], self.levels[int(order[-1])]

    def to_plain(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "kind": "sets",
            "source": to_plain(self.source, "the column name"),
            "at": self.at,
            "levels": [to_plain(level, "the category") for level in self.levels],
            "ranks": list(self.ranks),
            "others": self.others,
        }

    @classmethod
    def from_plain(cls, plain: Plain) -> LevelSets:
        """Return the ranks that `to_plain` wrote, checked."""
        source = from_plain(plain["source"])
        hash(source)
        levels = distinct_from_plain(listed(plain, "levels"), source)
        most = len(levels) + 1
        ranks = tuple(whole(rank, "a rank", 0, most) for rank in listed(plain, "ranks"))
        others = whole(plain["others"], "a rank", 0, most)
        if sorted((*ranks, others)) != list(range(most)) or most < 2:
            raise ValueError(f"the levels of {source!r} have not one rank each")
        return cls(source, whole(plain["at"], "a position", 0, 1 << 31), levels, ranks, others)
