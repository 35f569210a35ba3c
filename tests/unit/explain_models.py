"""Models of any table, for the tests of explanations: each value counts as a number of its own."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

#: Some values of each kind of column; None becomes a missing value.
POOLS: dict[str, tuple[list[Any], Any]] = {
    "float": ([0.5, -1.25, 3.0, 7.5, 1e6, None], float),
    "float32": ([0.1, 0.7, -2.5], np.float32),
    "integer": ([-3, 0, 1, 2, 8, 40], np.int64),
    "small": ([0, 1, 3, 200], np.uint8),
    "Int64": ([-3, 0, 5, 6, None], "Int64"),
    "boolean": ([True, False], bool),
    "boolean?": ([True, False, None], "boolean"),
    "text": (["a", "it's", "Masters", "", None], "str"),
    "object": (["a", "b", None], object),
    "category": (["x", "y", "z", None], "category"),
    "ordered": (["low", "high", None], pd.CategoricalDtype(["low", "mid", "high"], ordered=True)),
    "moment": ([pd.Timestamp("2020-02-29"), pd.Timestamp("2021-01-01 12:30"), None], "M8[us]"),
    "zoned": ([pd.Timestamp("2020-02-29", tz="UTC"), pd.Timestamp("2021-03-01", tz="UTC")], None),
    "day": ([dt.date(2020, 1, 1), dt.date(2020, 5, 1), dt.date(2022, 5, 1)], object),
    "duration": ([pd.Timedelta("1h"), pd.Timedelta("3h"), None], "m8[us]"),
    "decimal": ([Decimal("0.10"), Decimal("2.5"), None], object),
    "two": ([0.0, 1.0], float),
}


@st.composite
def tables(draw: st.DrawFn, n_rows: int = 25) -> pd.DataFrame:
    """A table with two or three columns of any kind, in each of which two values occur."""
    kinds = draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=2, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    columns = {}
    for number, kind in enumerate(kinds):
        pool, dtype = POOLS[kind]
        places = rng.integers(0, len(pool), n_rows)
        places[:2] = 0, 1
        columns[f"c{number}"] = pd.Series([pool[place] for place in places], dtype=dtype)
    return pd.DataFrame(columns)


Model = Callable[[Any], np.ndarray[Any, Any]]


def number_of(value: Any) -> float:
    """A number from 0 to 1 for any value; 0.123 for a missing one."""
    if value is None or value is pd.NaT or pd.isna(value) is True:
        return 0.123
    return zlib.crc32(str(value).encode("utf-8", "surrogatepass")) / 2**32


def additive(weights: Sequence[float]) -> Model:
    """The sum over the columns of a weight times the number of the value."""

    def model(X: Any) -> np.ndarray[Any, Any]:
        total = np.zeros(len(X))
        for position, weight in enumerate(weights):
            if weight:
                total += weight * np.array([number_of(value) for value in X.iloc[:, position]])
        return total

    return model


def interacting(weights: Sequence[float]) -> Model:
    """The product of an additive model with the number of the first column, plus itself."""
    own = additive(weights)

    def model(X: Any) -> np.ndarray[Any, Any]:
        first = np.array([number_of(value) for value in X.iloc[:, 0]])
        return own(X) * (1 + first)

    return model


def frozen(model: Model, position: int, value: Any) -> Model:
    """The same model, which sees one value in one column."""

    def other(X: Any) -> np.ndarray[Any, Any]:
        changed = X.copy()
        changed.isetitem(position, pd.Series([value] * len(X), dtype=object).to_numpy())
        return model(changed)

    return other
