"""Scores of points: how clearly a model predicts a class, as a sum over a few columns.

A `PointScore` is the name of a derived column of whole numbers. At 0 its model changes its
prediction; the farther from 0, the surer the prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.plain import Plain, listed, short, shown, whole
from imd_widget._base.plain_values import from_plain, to_plain
from imd_widget.data.raw_values import distinct_values, raw_values

#: Scores and points are at most this large.
LARGEST = 1_000_000_000
#: Rows whose scores are computed at once.
PIECE = 1 << 15
#: Items that a score in a file has at most.
MOST_ITEMS = 50


@dataclass(frozen=True)
class ScoreItem:
    """One line of a score: points for each ``per`` of a number, or for one level of a column."""

    #: Name of the column.
    source: Hashable
    #: Position of the column in the table.
    at: int
    #: The points, not 0.
    points: int
    #: Numbers: the points are for each of these units, which are 1, 2 or 5 times a power of ten.
    per: float = 1.0
    #: Numbers: a missing value counts as this number, ...
    missing: float = 0.0
    #: ... and whether some row used to fit lacks a value.
    has_missing: bool = False
    #: Whether the points are for one level of the column.
    of_level: bool = False
    #: The level.
    level: Hashable = None

    @property
    def factor(self) -> float:
        """The points for one unit of the column."""
        return float(Decimal(self.points) / Decimal(repr(self.per)))

    def addends(self, raw: pd.Series[Any]) -> Callable[[slice], NDArray[np.float64]]:
        """Return a callable from some rows to what the item adds to their scores."""
        if self.of_level:
            codes, distinct = distinct_values(raw)
            holds = [bool(value == self.level) for value in distinct]
            of_value = np.array([*holds, False], dtype=float) * self.points
            return lambda rows: of_value[codes[rows]]
        numbers, missing = raw_values(raw, np.dtype(float))

        def of_rows(rows: slice) -> NDArray[np.float64]:
            values = numbers[rows].astype(float)
            if missing is not None:
                values[missing[rows]] = self.missing
            values *= self.factor
            return values

        return of_rows

    def __str__(self) -> str:
        sign = "+" if self.points > 0 else "\N{MINUS SIGN}"
        if self.of_level:
            return f"{sign}{abs(self.points)} if {self.source} is {self.level}"
        amount = "" if self.per == 1 else f"{_short(self.per)} of "
        gaps = f" (missing: {_short(self.missing)})" if self.has_missing else ""
        return f"{sign}{abs(self.points)} per {amount}{self.source}{gaps}"


@dataclass(frozen=True)
class PointScore:
    """The score of one model for one class; it is the name of a derived column."""

    #: What the column is called, such as "RF's score".
    name: str
    #: Name of the model.
    model: str
    #: The class that the model mostly predicts above 0, as text.
    answer: str
    #: Whether it mostly predicts one other class below 0, and which.
    other: str | None
    constant: int
    items: tuple[ScoreItem, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def sources(self) -> tuple[tuple[Hashable, int], ...]:
        """Names and positions of the columns that the score is computed from."""
        return tuple(dict.fromkeys((item.source, item.at) for item in self.items))

    @property
    def start(self) -> float:
        """What the points are added to: the score is the whole number at or below the sum."""
        return self.constant + 0.5

    def values(self, *raw: pd.Series[Any]) -> pd.Series[Any]:
        """Return the scores of the rows of the columns in ``sources``.

        The order of the additions is that of queries and SQL, so that all of them give the same
        number to the bit.
        """
        columns = dict(zip(self.sources, raw, strict=True))
        addends = [item.addends(columns[item.source, item.at]) for item in self.items]
        scores = np.empty(len(raw[0]), dtype=np.int64)
        for begin in range(0, len(scores), PIECE):  # pieces that fit into the cache
            rows = slice(begin, begin + PIECE)
            total = np.full(len(scores[rows]), self.start)
            with np.errstate(over="ignore", invalid="ignore"):
                for addend in addends:
                    total += addend(rows)
            np.floor(np.nan_to_num(total, copy=False, nan=0.0), out=total)
            scores[rows] = np.clip(total, -LARGEST, LARGEST, out=total)
        return pd.Series(scores)

    def lines(self) -> tuple[str, ...]:
        """Return the points as short texts, the constant first."""
        return (f"{self.constant:+d}".replace("-", "\N{MINUS SIGN}"), *map(str, self.items))

    @property
    def sentence(self) -> str:
        """The sum and what it means: "RF's score = 60 − 10 per 10 of risk. Near 0, ..."."""
        first, *more = (line for line in self.lines() if line[1:] != "0")
        parts = [first.removeprefix("+"), *(f"{line[0]} {line[1:]}" for line in more)]
        return f"{self.name} = {' '.join(parts)}. {self.meaning}"

    @property
    def meaning(self) -> str:
        """What the score means, in one sentence."""
        below = "another class" if self.other is None else self.other
        return (
            f"Near 0, {self.model} changes its prediction: mostly {self.answer} above, {below} "
            "below."
        )

    def to_plain(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "kind": "score",
            "name": self.name,
            "model": self.model,
            "answer": self.answer,
            "other": self.other,
            "constant": self.constant,
            "items": [
                {
                    "source": to_plain(item.source, "the column name"),
                    "at": item.at,
                    "points": item.points,
                    **(
                        {"level": to_plain(item.level, "the category")}
                        if item.of_level
                        else {
                            "per": item.per,
                            "missing": item.missing,
                            "has_missing": item.has_missing,
                        }
                    ),
                }
                for item in self.items
            ],
        }

    @classmethod
    def from_plain(cls, plain: Plain) -> PointScore:
        """Return the score that `to_plain` wrote, checked."""
        items = tuple(map(_item, listed(plain, "items")))
        if not 0 < len(items) <= MOST_ITEMS:
            raise ValueError(f"a score has {len(items)} items")
        other = plain["other"]
        return cls(
            short(plain["name"], "the name of a score"),
            short(plain["model"], "the name of a model"),
            short(plain["answer"], "a class"),
            None if other is None else short(other, "a class"),
            _points(plain["constant"]),
            items,
        )


def _item(plain: Plain) -> ScoreItem:
    source, at = from_plain(plain["source"]), whole(plain["at"], "a position", 0, 1 << 31)
    hash(source)
    points = _points(plain["points"])
    if not points:
        raise ValueError("an item of a score has no points")
    if "level" in plain:
        level = from_plain(plain["level"])
        hash(level)
        return ScoreItem(source, at, points, of_level=True, level=level)
    per, missing = _number(plain["per"]), _number(plain["missing"])
    if not 1e-100 <= per <= 1e100:
        raise ValueError(f"the unit of a score is {shown(per)}")
    return ScoreItem(source, at, points, per, missing, bool(plain["has_missing"]))


def _points(value: Any) -> int:
    return whole(value, "the points of a score", -LARGEST, LARGEST + 1)


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > 1e300:
        raise ValueError(f"a number of a score is {shown(value)}")
    return float(value)


def _short(number: float) -> str:
    return f"{number:g}" if 1e-4 <= abs(number) < 1e6 else repr(number)
