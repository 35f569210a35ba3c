"""Rows taken from a table: the values, dtypes and labels that the whole table has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.data.table import Table, open_table
from tests.examples import examples
from tests.unit.strategies import KINDS, column


def in_another_byte_order(frame: pd.DataFrame) -> pd.DataFrame:
    numbers = {
        name: own.to_numpy().astype(own.dtype.newbyteorder(">"))
        for name, own in frame.items()
        if isinstance(own.dtype, np.dtype) and own.dtype.kind in "iuf"
    }
    return frame.assign(**numbers)  # type: ignore[arg-type]


def masked(frame: pd.DataFrame) -> NDArray[Any]:
    values = np.arange(3 * len(frame)).reshape(-1, 3)
    return np.ma.masked_array(values, mask=values % 4 == 1)


MAKERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas, one column": lambda frame: frame.iloc[:, :1],
    "pandas, one name twice": lambda frame: pd.concat([frame, frame], axis=1),
    "pandas, another byte order": in_another_byte_order,
    "polars": lambda frame: pl.from_dict(
        {name: own.tolist() for name, own in frame.items()}, strict=False
    ),
    "pyarrow": lambda frame: pa.table(
        {
            "whole": pa.array([None if i % 3 == 1 else i for i in range(len(frame))]),
            "flag": pa.array([bool(i % 2) for i in range(len(frame))]),
            "text": pa.array([f"t{i}" for i in range(len(frame))]).dictionary_encode(),
        }
    ),
    "objects": lambda frame: frame.to_numpy(dtype=object),
    "floats": lambda frame: np.random.default_rng(0).normal(size=(len(frame), 4)),
    "masked": masked,
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n_rows = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=4))
    columns = {f"c{j}": column(draw, kind, n_rows) for j, kind in enumerate(kinds)}
    return pd.DataFrame(columns).set_axis([f"row {i}" for i in range(n_rows)], axis=0)


def drawn(data: st.DataObject, maker: str) -> tuple[Table, NDArray[np.intp]]:
    """A table, and row numbers of it in any order, with duplicates, or none at all."""
    frame = data.draw(frames())
    try:
        table = open_table(MAKERS[maker](frame))
    except (TypeError, pl.exceptions.PolarsError):  # polars has no such column
        table = open_table(pl.DataFrame({"c0": list(range(len(frame)))}))
    rows = data.draw(st.lists(st.integers(0, len(frame) - 1), max_size=15))
    return table, np.array(rows, dtype=np.intp)


@pytest.mark.parametrize("maker", MAKERS)
@settings(deadline=None, max_examples=examples(25))
@given(data=st.data())
def test_values_at_rows_are_those_of_the_whole_column(maker: str, data: st.DataObject) -> None:
    table, rows = drawn(data, maker)
    for position in range(len(table.names)):
        naive = table.get(position).iloc[rows].reset_index(drop=True)
        found = table.values_at(position, rows)
        assert found.dtype == naive.dtype
        pd.testing.assert_series_equal(found, naive)


@pytest.mark.parametrize("maker", MAKERS)
@settings(deadline=None, max_examples=examples(25))
@given(data=st.data())
def test_taken_rows_are_a_table_of_the_same_type(maker: str, data: st.DataObject) -> None:
    table, rows = drawn(data, maker)
    found = table.take(rows)
    assert type(found.native) is type(table.native)
    assert (found.names, found.n_rows, found.argument) == (table.names, len(rows), table.argument)
    if isinstance(table.native, pd.DataFrame):
        assert found.native.dtypes.tolist() == table.native.dtypes.tolist()
        assert found.index.equals(pd.RangeIndex(len(rows)))
    elif isinstance(table.native, np.ndarray):
        assert found.native.dtype == table.native.dtype
        assert found.native.shape == (len(rows), len(table.names))
    else:
        assert found.native.schema == table.native.schema
    for position in range(len(table.names)):
        naive = table.values_at(position, rows)
        values = found.get(position)
        pd.testing.assert_series_equal(
            values.astype(object).where(values.notna(), None),
            naive.astype(object).where(naive.notna(), None),
            check_names=False,
        )


@pytest.mark.parametrize("maker", MAKERS)
def test_taken_rows_are_those_that_mix_takes(maker: str) -> None:
    frame = pd.DataFrame({"a": [3, 1, 2], "b": ["x", "y", "x"], "c": [0.5, np.nan, 1.5]})
    table, rows = open_table(MAKERS[maker](frame)), np.array([2, 0, 0])
    found = table.take(rows)
    naive = open_table(table.mix([rows] * len(table.names)))
    for position in range(len(table.names)):
        pd.testing.assert_series_equal(found.get(position), naive.get(position))


def test_an_array_keeps_the_names_of_its_columns() -> None:
    table = open_table(np.arange(6).reshape(3, 2)).named(["age", "income"])
    assert table.take(np.array([2, 1])).names == ("age", "income")


def test_a_row_is_called_by_its_label() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("x", "u"), ("y", "v")]))
    assert open_table(frame).label_at(1) == "('y', 'v')"
    assert open_table(frame.set_axis([7, 9])).label_at(1) == "9"
    assert open_table(pl.DataFrame({"a": [1, 2]})).label_at(1) == "1"
    assert open_table(np.zeros((2, 1))).label_at(0) == "0"


def test_labels_of_taken_rows_start_anew() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=list("xyz"))
    assert open_table(frame).take(np.array([2])).label_at(0) == "0"


def test_surrogates_call_the_columns_of_an_array_by_their_names() -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    d = imd.diff(X[:, 0], X[:, 0] + (X[:, 1] > 0), X, feature_names=["age", "income"])
    assert set(d.explain().importance.columns) == {"age", "income"}
