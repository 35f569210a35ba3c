"""Small tables of every kind and outputs of two models, full of ties, for property tests."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st


@dataclass(frozen=True)
class Problem:
    X: pd.DataFrame
    y1: np.ndarray[Any, Any]
    y2: np.ndarray[Any, Any]
    tolerance: float | None = None
    weight: np.ndarray[Any, Any] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """What tells `diff` how to compare."""
        kind = {} if self.tolerance is None else {"outputs": "value", "tolerance": self.tolerance}
        return kind | ({} if self.weight is None else {"sample_weight": self.weight})

    @property
    def differs(self) -> np.ndarray[Any, Any]:
        if self.tolerance is None:
            return np.asarray(self.y1 != self.y2)
        return np.asarray(np.abs(self.y1 - self.y2) > self.tolerance * (1 + 1e-9))

    @property
    def counts(self) -> np.ndarray[Any, Any]:
        """Rows that count at all."""
        return np.ones(len(self.X), bool) if self.weight is None else self.weight > 0

    def taken(self, rows: Any) -> Problem:
        """Some rows, in this order."""
        weight = None if self.weight is None else self.weight[rows]
        return Problem(self.X.iloc[rows], self.y1[rows], self.y2[rows], self.tolerance, weight)


_few = st.integers(-3, 4).map(float)
_fine = st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: round(x, 3))
_wild = st.floats(allow_nan=False, allow_infinity=False, width=32)
_words = st.sampled_from(["a", "b", "Masters", "it's", 'say "x"', "", "None", "ü", "a,b", "  "])
_moments = st.datetimes(dt.datetime(2019, 1, 1), dt.datetime(2023, 1, 1))
_days = st.dates(dt.date(2019, 12, 28), dt.date(2020, 3, 2))
_ORDER = ["low", "middle", "high", "top"]

NUMERIC = ("few", "few", "fine", "wild", "integer", "small", "float32")
KINDS = (
    *NUMERIC,
    "boolean",
    "text",
    "category",
    "ordered",
    "moment",
    "zoned",
    "day",
    "duration",
    "Int64",
    "boolean?",
    "string?",
    "object",
)


def column(draw: st.DrawFn, kind: str, n_rows: int) -> pd.Series[Any]:
    """One column of a kind; missing values in some of those that can hold them."""

    def values(of: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(of, min_size=n_rows, max_size=n_rows))

    def gaps(of: st.SearchStrategy[Any]) -> list[Any]:
        return values(of | st.none()) if draw(st.booleans()) else values(of)

    def series(of: list[Any], dtype: Any) -> pd.Series[Any]:
        return pd.Series(of, dtype=dtype)

    makers = {
        "few": lambda: series(gaps(_few), float),
        "fine": lambda: series(gaps(_fine), float),
        "wild": lambda: series(gaps(_wild), float),
        "integer": lambda: series(values(st.integers(-50, 50)), np.int64),
        "small": lambda: series(values(st.integers(0, 3)), np.uint8),
        "float32": lambda: series(gaps(_fine), np.float32),
        "boolean": lambda: series(values(st.booleans()), bool),
        "text": lambda: series(gaps(_words), "str"),
        "object": lambda: series(gaps(_words), object),
        "category": lambda: series(gaps(_words), "category"),
        "ordered": lambda: series(
            gaps(st.sampled_from(_ORDER)), pd.CategoricalDtype(_ORDER, ordered=True)
        ),
        "moment": lambda: series(gaps(_moments), "datetime64[us]"),
        "zoned": lambda: series(gaps(_moments), "datetime64[us]").dt.tz_localize("UTC"),
        "day": lambda: pd.to_datetime(series(gaps(_days), object)),
        "duration": lambda: series(
            gaps(st.timedeltas(dt.timedelta(0), dt.timedelta(days=3))), "timedelta64[us]"
        ),
        "Int64": lambda: series(gaps(st.integers(-5, 5)), "Int64"),
        "boolean?": lambda: series(gaps(st.booleans()), "boolean"),
        "string?": lambda: series(gaps(_words), "string"),
    }
    return makers[kind]()


#: Values far enough apart for two regions, of the kinds that have so many.
_SPREAD: dict[str, Any] = {
    "few": lambda k: pd.Series(k - 3.0),
    "fine": lambda k: pd.Series(k * 1.37 - 2),
    "wild": lambda k: pd.Series(10.0 ** (3 * k - 9)),
    "integer": lambda k: pd.Series(k * 7 - 20),
    "float32": lambda k: pd.Series(k / 7).astype(np.float32),
    "Int64": lambda k: pd.Series(k - 2).astype("Int64"),
    "text": lambda k: pd.Series(np.array(list("abcdefgh"))[k]).astype("str"),
    "object": lambda k: pd.Series(np.array([*"abcdefg", "it's"], dtype=object)[k]),
    "category": lambda k: pd.Series(np.array(list("abcdefgh"))[k]).astype("category"),
    "ordered": lambda k: pd.Series(np.array(_ORDER)[k % 4]).astype(
        pd.CategoricalDtype(_ORDER, ordered=True)
    ),
    "moment": lambda k: pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(k * 36, "h")),
    "duration": lambda k: pd.Series(pd.to_timedelta(k * 11, "min")),
}


def _spread(draw: st.DrawFn, kind: str, n_rows: int, other: pd.Series[Any]) -> pd.Series[Any]:
    """A column of many values; ``other`` where the kind has few."""
    if kind not in _SPREAD:
        return other
    step = draw(st.sampled_from([1, 3, 5]))
    return _SPREAD[kind](np.arange(n_rows) * step % 8)


def regions(draw: st.DrawFn, frame: pd.DataFrame) -> np.ndarray[Any, Any] | None:
    """A signal to be found: 0 where the models agree, 1 or 2 in two regions; nearly always one.

    The lowest quarter of a column's values is one region and the highest quarter the other,
    sometimes only where another column agrees; a few rows are noise.
    """
    if draw(st.integers(0, 11)) == 11:
        return None
    ranks = sorted((_ranks(frame[name]) for name in frame.columns), key=lambda own: -own.max())
    own, other = ranks[0], draw(st.sampled_from(ranks))
    part = (own.max() + 1) / (4 if own.max() > 2 else 3)
    low, high = own < part, own > own.max() - part
    if draw(st.integers(0, 3)) == 3:
        high &= other >= draw(st.integers(0, int(other.max())))
    found = np.where(high, 2, np.where(low, 1, 0))
    noise = draw(st.lists(st.integers(0, len(frame) - 1), max_size=len(frame) // 12))
    found[noise] = 0
    return found


def _ranks(values: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """The place of each value among those that occur, missing ones first."""
    codes = pd.factorize(values, sort=True)[0]
    return np.unique(codes, return_inverse=True)[1]


@st.composite
def problems(
    draw: st.DrawFn,
    max_rows: int = 30,
    max_columns: int = 3,
    labels: int = 3,
    kinds: tuple[str, ...] = KINDS,
    gaps: bool = True,
    values: bool | None = None,
    weights: bool | None = None,
) -> Problem:
    n_rows = draw(st.sampled_from([max_rows, max_rows // 2, None])) or draw(
        st.integers(1, max_rows)
    )
    n_columns = draw(st.integers(1, max_columns))
    columns = {}
    for j in range(n_columns):
        made = column(draw, draw(st.sampled_from(kinds)), n_rows)
        if j == n_columns - 1 and draw(st.integers(0, 3)) < 3:  # mostly one with many values
            made = _spread(draw, draw(st.sampled_from(kinds)), n_rows, made)
        columns[f"c{j}"] = made if gaps else made.fillna(0)
    frame = pd.DataFrame(columns)
    weight = None
    if draw(st.booleans()) if weights is None else weights:
        some = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.5, 3.25])
        weight = np.array(draw(st.lists(some, min_size=n_rows, max_size=n_rows)))
        weight[0] = weight[0] or 1.0
    apart = regions(draw, frame)
    if draw(st.booleans()) if values is None else values:
        number = st.one_of(st.integers(-4, 4).map(float), st.floats(-10, 10).map(lambda x: x / 3))
        output = st.lists(number, min_size=n_rows, max_size=n_rows)
        tolerance = draw(st.sampled_from([0.0, 0.5, 2.0]))
        y1 = np.array(draw(output))
        if apart is None:
            y2 = np.array(draw(output))
        else:
            y1 = y1 if draw(st.booleans()) else np.zeros_like(y1)
            y2 = y1 + np.array([0.0, 5.0, -5.0])[apart]
        return Problem(frame, y1, y2, tolerance, weight)
    output = st.lists(st.integers(0, labels - 1), min_size=n_rows, max_size=n_rows)
    names = draw(st.sampled_from([None, ["no", "yes", "maybe"]]))
    y1 = np.array(draw(output))
    if apart is None:
        y2 = np.array(draw(output))
    else:
        if draw(st.booleans()):  # models that agree elsewhere are mostly of one mind
            y1 = np.zeros_like(y1)
        y1 = np.where(apart > 0, apart - 1, y1)  # one outcome pair a region
        y2 = np.where(apart > 0, 2 - apart, y1)
    if names:
        y1, y2 = np.array(names)[y1], np.array(names)[y2]
    return Problem(frame, y1, y2, weight=weight)
