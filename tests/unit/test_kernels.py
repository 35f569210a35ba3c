"""Sums over rows, compared with sums that are written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.counting import kernels
from imd_widget.counting.kernels import (
    Addend,
    CellSums,
    sum_by_code,
    sum_by_group,
    sum_each_by_code,
)
from tests.examples import examples


def naive(
    codes: list[np.ndarray], sizes: list[int], rows: np.ndarray, addends: list[Addend]
) -> np.ndarray:
    """The sums by bin and channel, one row after the other."""
    tables = []
    for addend in addends:
        table = np.zeros((sum(sizes), addend.size))
        for number, row in enumerate(rows.tolist()):
            channel = 0 if addend.index is None else int(addend.index[number])
            amount = 1 if addend.weight is None else addend.weight[number]
            for column, column_codes in enumerate(codes):
                table[sum(sizes[:column]) + int(column_codes[row]), channel] += amount
        tables.append(table)
    return np.concatenate(tables, axis=1)


def some_addend(rng: np.random.Generator, n_rows: int, size: int, weighted: bool) -> Addend:
    weight = rng.integers(0, 9, n_rows).astype(float) if weighted else None
    index = rng.integers(0, size, n_rows).astype(rng.choice([np.uint8, np.uint16, np.int64]))
    return Addend(index, size, weight)


@pytest.fixture(params=["small", "as they are"])
def limits(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so small that few rows are many blocks, batches and sparse matrices."""
    if request.param == "small":
        monkeypatch.setattr(kernels, "BLOCK", 7)
        monkeypatch.setattr(kernels, "MANY_CELLS", 1)
        monkeypatch.setattr(kernels, "FEW_ROWS", 9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("limits")
def test_sums_by_code_are_those_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 60))
    sizes = rng.integers(1, [5, 300, 70_000][seed % 3], 3).tolist()
    codes = [rng.integers(0, min(size, 9), n_rows).astype(np.uint32) for size in sizes]
    sizes = [max(size, 9) for size in sizes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.flatnonzero(rng.random(n_rows) < 0.7).astype(np.int32)
    addends = [
        some_addend(rng, len(rows), size, weighted) for size in (1, 3) for weighted in (0, 1)
    ]
    addends.append(Addend(None, 1, rng.integers(-5, 5, len(rows)).astype(float)))
    expected = naive(codes, sizes, rows, addends)
    np.testing.assert_array_equal(sum_by_code(codes, offsets, rows, addends), expected.T)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("limits")
def test_parts_counted_together_are_those_counted_alone(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes = [4, int(rng.integers(1, 9))]
    codes = [rng.integers(0, size, 50).astype(np.uint8) for size in sizes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    part = rng.integers(0, 9, 50)
    rows = [np.flatnonzero(part == number).astype(np.int32) for number in range(11)]
    addends = [some_addend(rng, len(own), 3, weighted) for own in rows]
    found = sum_each_by_code(codes, offsets, rows, addends)
    assert len(found) == len(rows)
    for own, addend, sums in zip(rows, addends, found, strict=True):
        np.testing.assert_array_equal(sums, naive(codes, sizes, own, [addend]).T)
    assert sum_each_by_code(codes, offsets, [], []) == []


@pytest.mark.usefixtures("limits")
def test_sums_by_group_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 5, 40)
    addends = [some_addend(rng, 40, 3, weighted) for weighted in (False, True)]
    addends.append(Addend(None, 1, rng.integers(0, 9, 40).astype(float)))
    every = np.arange(40)
    np.testing.assert_array_equal(
        sum_by_group(group, 5, addends), naive([group], [5], every, addends)
    )
    zero = np.zeros(40, dtype=np.uint8)
    np.testing.assert_array_equal(
        sum_by_group(None, 1, addends), naive([zero], [1], every, addends)
    )


@settings(max_examples=examples(60), deadline=None)
@given(
    cells=st.lists(st.integers(0, 6), min_size=1, max_size=40),
    weighted=st.booleans(),
    sparse=st.booleans(),
)
def test_sums_by_cell_are_those_of_bincount(cells: list[int], weighted: bool, sparse: bool) -> None:
    cell = np.array(cells * 7, dtype=np.uint16)
    weight = np.arange(len(cell), dtype=float) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "MANY_CELLS", 1 if sparse else 1 << 30)
        sums = CellSums(7, len(cell), weight)
        for n_cells in (7, max(cells) + 1):
            expected = np.bincount(cell, weights=weight, minlength=n_cells)
            np.testing.assert_array_equal(sums.of(cell, n_cells), expected)
        with pytest.raises(IndexError, match=f"cell {max(cells)} of {max(cells)}"):
            sums.of(cell, max(cells))


def test_a_code_that_a_column_has_not_is_an_error() -> None:
    """The sparse product would write beyond its result."""
    for n_rows in (10, 100_000):
        codes = [np.full(n_rows, 3, dtype=np.uint8)]
        addend = Addend(np.zeros(n_rows, dtype=np.uint8), 2, None)
        with pytest.raises(IndexError):
            sum_by_code(codes, np.array([0, 3]), np.arange(n_rows, dtype=np.int32), [addend])
        below = np.full(n_rows, -1)
        with pytest.raises((IndexError, ValueError)):
            sum_by_group(below, 3, [addend])
