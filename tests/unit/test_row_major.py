"""Arrays stored row by row: the same codes, and no pass over values that are far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import imd_widget as imd
from imd_widget.data import binning
from imd_widget.data.binning import bin_table
from imd_widget.data.row_major import BLOCK, TOGETHER, column_groups
from imd_widget.data.table import open_table

N = BLOCK + 100


def array(dtype: Any, n_columns: int = 21, n_rows: int = N) -> Any:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 200, (n_rows, n_columns)).astype(dtype)
    if values.dtype.kind == "f":
        values[rng.random(values.shape) < 0.01] = np.nan
    return values


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "bool", ">f8"])
@pytest.mark.parametrize("positions", [None, (0, 3, 4, 20), (7,)])
def test_codes_do_not_depend_on_the_layout(dtype: str, positions: Any) -> None:
    by_row = array(dtype)
    by_column = np.asfortranarray(by_row)
    every_row = np.ones(N, dtype=bool)
    one, two = (
        bin_table(open_table(values), every_row, 255, 5000, 0, positions)
        for values in (by_row, by_column)
    )
    assert [column.name for column in one.columns] == [column.name for column in two.columns]
    for first, second in zip(one.codes, two.codes, strict=True):
        assert first.dtype == second.dtype
        assert (first == second).all()


def test_columns_are_read_from_values_that_lie_together(monkeypatch: pytest.MonkeyPatch) -> None:
    strides = []

    def spy(native: Any, *more: Any) -> Any:
        strides.append(native.series.to_numpy().strides[0])
        return summarize(native, *more)

    summarize = binning.summarize
    monkeypatch.setattr(binning, "summarize", spy)
    bin_table(open_table(array("f8")), np.ones(N, dtype=bool), 255, None, 0)
    assert strides == [8] * 21


def test_each_column_is_copied_once_and_few_at_a_time() -> None:
    values = array("f4", 70)
    groups = [list(some) for _, some in column_groups(open_table(values), range(70))]
    assert [at for group in groups for at in group] == list(range(70))
    assert max(map(len, groups)) * values.itemsize == TOGETHER


@pytest.mark.parametrize(
    "values",
    [
        np.asfortranarray(array("f8")),
        array("f8", n_rows=50),
        array("f8")[:, :1],
        np.ma.masked_less(array("f8"), 3),
        array(object, 2),
    ],
    ids=["by column", "few rows", "one column", "masked", "objects"],
)
def test_other_tables_are_read_as_they_are(values: Any) -> None:
    table = open_table(values)
    [(same, positions)] = column_groups(table, range(values.shape[1]))
    assert same is table
    assert list(positions) == list(range(values.shape[1]))


def test_a_diff_is_the_same_from_either_layout() -> None:
    values = array("f8", 5)
    first = values[:, 0] > 100
    second = first ^ (values[:, 3] > 150)
    one, two = (imd.diff(first, second, X) for X in (values, np.asfortranarray(values)))
    assert str(one.rules) == str(two.rules)
    assert one.metrics == two.metrics
