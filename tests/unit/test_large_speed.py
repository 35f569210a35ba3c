"""What makes large tables fast changes no result."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.errors import InputError
from imd_widget.data.search_grid import MANY_VALUES, n_reached
from imd_widget.data.summaries import ChunkRows
from imd_widget.large import describing, memory, parts
from imd_widget.large.files import FileReader
from imd_widget.large.memory import memory_used_again

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@given(
    st.sampled_from(INTEGERS), st.integers(0, 3 * MANY_VALUES), st.booleans(), st.integers(0, 2**32)
)
def test_a_table_of_codes_is_a_binary_search(
    dtype: str, span: int, at_the_end: bool, seed: int
) -> None:
    limits, rng = np.iinfo(dtype), np.random.default_rng(seed)
    span = min(span, int(limits.max) - int(limits.min))
    low = int(limits.max) - span if at_the_end else int(limits.min)
    values = rng.integers(low, low + span, 2 * MANY_VALUES, dtype=dtype, endpoint=True)
    bounds = np.unique(rng.integers(low, low + span, 9, dtype=dtype, endpoint=True))
    codes = n_reached(bounds, values, np.dtype(np.uint8))
    assert codes.dtype == np.uint8
    assert (codes == np.searchsorted(bounds, values, side="right")).all()


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)), max_size=30))
def test_candidates_are_the_rows_with_a_value_and_a_small_hash(
    rows: list[tuple[bool, bool, int]],
) -> None:
    fit, missing = (np.array([row[at] for row in rows], dtype=bool) for at in (0, 1))
    hashes = np.array([row[2] for row in rows], dtype=np.uint64)
    chunk = ChunkRows(fit, hashes, 4)
    for gone in (None, missing):
        present = fit if gone is None else fit & ~gone
        chosen, n_present = chunk.candidates(gone)
        assert chosen.tolist() == np.flatnonzero(present & (hashes <= 4)).tolist()
        assert n_present == present.sum()


def table(n_rows: int = 6000) -> pd.DataFrame:
    """A column without gaps, one with a few, one with many; and two models that differ."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["full", "few", "many"])
    X.loc[rng.random(n_rows) < 0.1, "few"] = np.nan
    X.loc[rng.random(n_rows) < 0.9, "many"] = np.nan
    old = (X["full"] > 0).astype(int)
    return X.assign(old=old, new=np.where(X["few"] > 1, 1 - old, old))


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[int]]:
    """The positions that each pass describes."""
    passes: list[Sequence[int]] = []
    plan = parts.DescribePlan

    def recorded(roles: Any, split: Any, seed: int, bounds: Any, families: Any) -> Any:
        passes.append(sorted(bounds))
        return plan(roles, split, seed, bounds, families)

    monkeypatch.setattr(describing, "DescribePlan", recorded)
    return passes


def test_only_columns_with_many_gaps_are_described_again(
    tmp_path: Path, described: list[Sequence[int]]
) -> None:
    X = table()
    for at in range(0, len(X), 1000):
        X.iloc[at : at + 1000].to_parquet(tmp_path / f"{at}.parquet")
    d = imd.diff("old", "new", tmp_path, subsample=500)
    assert described == [[0, 1, 2], [2]]
    features = X[["full", "few", "many"]]
    same = imd.diff(X["old"], X["new"], features, subsample=500, measure="holdout")
    assert [str(rule) for rule in d.rules] == [str(rule) for rule in same.rules]
    assert d.metrics == same.metrics


def test_files_are_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table().to_parquet(tmp_path / "a.parquet")
    read, times = FileReader.read, []

    def counted(reader: FileReader, number: int) -> pd.DataFrame:
        times.append(number)
        return read(reader, number)

    monkeypatch.setattr(FileReader, "read", counted)
    imd.diff("old", "new", tmp_path, columns=["full", "few"])
    assert times == [0, 0]


def test_resamples_of_a_large_table_cannot_be_had(tmp_path: Path) -> None:
    table().to_parquet(tmp_path / "a.parquet")
    d = imd.diff("old", "new", tmp_path)
    with pytest.raises(InputError, match="stability is not supported for partitioned tables"):
        d.stability(2)


def test_memory_is_left_as_it_was_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    memory._libc.cache_clear()
    with memory_used_again():
        assert memory._USERS.count == 0
    memory._libc.cache_clear()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="needs glibc")
def test_memory_is_given_back_after_the_last_task() -> None:
    work = """
from imd_widget.large import memory
told = []
memory._set = lambda libc, values: told.append(dict(values))
with memory.memory_used_again():
    with memory.memory_used_again():
        pass
    assert told == [memory.WITHIN], told
assert told == [memory.WITHIN, {memory.TRIM: 70000, memory.MAPPED: memory.USUAL_MAPPED}], told
"""
    environment = {**os.environ, memory.VARIABLE: "70000"}
    environment.pop("MALLOC_MMAP_THRESHOLD_", None)
    done = subprocess.run(
        [sys.executable, "-c", work], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
