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
    n_rows = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, max_columns))
    columns = {}
    for j in range(n_columns):
        made = column(draw, draw(st.sampled_from(kinds)), n_rows)
        columns[f"c{j}"] = made if gaps else made.fillna(0)
    frame = pd.DataFrame(columns)
    weight = None
    if draw(st.booleans()) if weights is None else weights:
        some = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.5, 3.25])
        weight = np.array(draw(st.lists(some, min_size=n_rows, max_size=n_rows)))
        weight[0] = weight[0] or 1.0
    if draw(st.booleans()) if values is None else values:
        number = st.one_of(st.integers(-4, 4).map(float), st.floats(-10, 10).map(lambda x: x / 3))
        output = st.lists(number, min_size=n_rows, max_size=n_rows)
        tolerance = draw(st.sampled_from([0.0, 0.5, 2.0]))
        return Problem(frame, np.array(draw(output)), np.array(draw(output)), tolerance, weight)
    output = st.lists(st.integers(0, labels - 1), min_size=n_rows, max_size=n_rows)
    names = draw(st.sampled_from([None, ["no", "yes", "maybe"]]))
    y1, y2 = (np.array(draw(output)) for _ in range(2))
    if names:
        y1, y2 = np.array(names)[y1], np.array(names)[y2]
    return Problem(frame, y1, y2, weight=weight)
