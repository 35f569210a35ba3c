"""Values that a page may show stand for many rows, and none is that of a single one."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.data.table import open_table
from imd_widget.explanations.grid import grid_of
from imd_widget.explanations.sharing import shared_values
from tests.examples import examples

RNG = np.random.default_rng(3)


@settings(max_examples=examples(200))
@given(
    values=st.lists(
        st.one_of(st.floats(-1e9, 1e9), st.integers(-3, 3).map(float)), min_size=1, max_size=80
    ),
    n_points=st.integers(2, 12),
    least=st.integers(2, 12),
)
def test_a_value_is_shared_or_lies_between_others(
    values: list[float], n_points: int, least: int
) -> None:
    own = np.array(values)
    found = shared_values(own, n_points, least)
    assert (np.diff(found) > 0).all()
    assert len(found) <= n_points
    for value in found:
        many = (own == value).sum() >= least
        assert many or ((own < value).any() and (own > value).any())


def test_numbers_of_single_rows_are_not_shown() -> None:
    pay = RNG.normal(50_000, 9_000, 400).round(4)
    found = shared_values(pay, 20, FEWEST_SHARED)
    assert len(found) > 15
    assert not np.isin(found, pay).any()
    assert all(float(f"{value:.3g}") == value for value in found), "three digits at most"
    assert pay.min() < found[0] < np.quantile(pay, 0.05)
    assert np.quantile(pay, 0.95) < found[-1] < pay.max()


def test_frequent_values_are_shown_as_they_are() -> None:
    few = np.repeat([0.0, 1.2345678, 7.0], [300, 10, 9])
    assert shared_values(few, 20, 10).tolist() == [0.0, 1.2345678]
    assert shared_values(np.array([1.5] * 9), 20, 10).tolist() == []
    assert shared_values(np.repeat([0, 1], [397, 3]), 20, 10).tolist() == [0]


def test_no_day_is_that_of_a_single_row() -> None:
    seconds = RNG.integers(0, 3 * 10**9, 300).astype("m8[s]")
    born = (np.datetime64("1930-01-01", "us") + seconds).astype("M8[us]")
    found = shared_values(born, 20, FEWEST_SHARED)
    assert len(found) > 10
    assert not np.isin(found.astype("M8[D]"), born.astype("M8[D]")).any()


@pytest.mark.parametrize(
    "column, kind",
    [
        (pd.Series(RNG.normal(size=200)), np.floating),
        (pd.Series(RNG.normal(size=200), dtype="float32"), np.float32),
        (pd.Series(RNG.integers(0, 900, 200)), np.integer),
        (pd.Series(RNG.integers(0, 900, 200), dtype="Int64"), (int, np.integer)),
        (pd.Series([Decimal(int(at)) / 7 for at in range(200)], dtype=object), Decimal),
        (pd.Series(pd.date_range("2020", periods=200, freq="37h")), pd.Timestamp),
        (pd.Series(pd.date_range("2020", periods=200, tz="Asia/Tokyo")), pd.Timestamp),
        (pd.Series(pd.timedelta_range("1h", periods=200, freq="37min")), pd.Timedelta),
        (pd.Series([dt.date(2020, 1, 1) + dt.timedelta(3 * at) for at in range(200)]), dt.date),
    ],
    ids=["float", "float32", "integer", "Int64", "decimal", "moment", "zoned", "duration", "day"],
)
def test_points_have_the_type_of_their_column(column: pd.Series[Any], kind: Any) -> None:
    for native in (pd.DataFrame({"c": column}), None):
        if native is None:
            try:
                native = pl.from_pandas(pd.DataFrame({"c": column}))
            except Exception:  # a type that polars lacks
                continue
        table = open_table(native)
        grid = grid_of(table, 0, np.arange(200), np.ones(200), 20, None, FEWEST_SHARED)
        assert len(grid) > 5
        if isinstance(native, pd.DataFrame):
            assert all(isinstance(value, kind) for value in grid.values)
        filled = table.with_values(0, np.array([grid.values[2]] * 200, dtype=object)).native
        assert type(filled) is type(native)
        before = native["c"].dtype
        assert filled["c"].dtype == before


def test_few_missing_values_are_no_point() -> None:
    values = pd.Series([*(["a", "b"] * 40), *([None] * 9)])
    every = np.arange(len(values))
    table = open_table(pd.DataFrame({"c": values}))
    assert grid_of(table, 0, every, np.ones(len(every)), 20, None, 10).texts == ("a", "b")
    with_more = open_table(pd.DataFrame({"c": pd.concat([values, pd.Series([None])])}))
    every = np.arange(len(values) + 1)
    found = grid_of(with_more, 0, every, np.ones(len(every)), 20, None, 10)
    assert found.texts == ("a", "b", "missing")
