"""How models are asked: once, with the table as it was given; slow ones in batches."""

from __future__ import annotations

import io
import time
from contextlib import redirect_stderr
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import imd_widget as imd
from imd_widget import asking

SMALL = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 5}, index=range(100, 140))
LARGE = pd.DataFrame({"a": np.arange(5000.0), "b": np.arange(5000) % 7}, index=range(7, 5007))


class Recorder:
    """A function of the table that remembers what it was asked."""

    def __init__(self, threshold: float, seconds_a_row: float = 0.0) -> None:
        self.threshold = threshold
        self.seconds_a_row = seconds_a_row
        self.tables: list[Any] = []

    def __call__(self, table: Any) -> Any:
        self.tables.append(table)
        time.sleep(self.seconds_a_row * len(table))
        column = table[:, 0] if isinstance(table, np.ndarray) else np.asarray(table["a"])
        return column < self.threshold


def test_a_small_table_is_asked_once_as_it_is() -> None:
    one, two = Recorder(10), Recorder(20)
    imd.diff(one, two, SMALL)
    assert [len(one.tables), len(two.tables)] == [1, 1]
    assert one.tables[0] is SMALL
    array = SMALL.to_numpy()
    imd.diff(one, two, array)
    assert one.tables[-1] is array


def test_a_quick_model_is_asked_about_the_whole_table_at_once() -> None:
    one, two = Recorder(1000), Recorder(2000)
    d = imd.diff(one, two, LARGE)
    assert one.tables[-1] is LARGE
    assert [len(table) for table in one.tables] == [100, 5000]
    assert d.metrics.n_differing == 1000


@pytest.mark.parametrize("kind", ["pandas", "numpy", "polars", "pyarrow"])
def test_a_slow_model_is_asked_in_batches_of_the_same_kind(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SLOW", 0.05)
    monkeypatch.setattr(asking, "BATCH_SECONDS", 0.05)
    table: Any = {
        "pandas": LARGE,
        "numpy": LARGE.to_numpy(),
        "polars": pl.from_pandas(LARGE),
        "pyarrow": pa.Table.from_pandas(LARGE, preserve_index=False),
    }[kind]
    one = Recorder(1000, seconds_a_row=1e-4)
    shown = io.StringIO()
    with redirect_stderr(shown):
        d = imd.diff(one, np.arange(5000) < 2000, table)
    assert d.metrics.n_differing == 1000
    batches = one.tables[1:]
    assert len(batches) > 2
    assert all(type(batch) is type(table) for batch in one.tables)
    assert sum(map(len, batches)) == 5000
    assert "asking Recorder" in shown.getvalue()
    assert "5000/5000" in shown.getvalue() or "%" in shown.getvalue()
    if kind == "pandas":
        assert [i for batch in batches for i in batch.index] == list(LARGE.index)
        assert all(list(batch.columns) == ["a", "b"] for batch in batches)


def test_nothing_is_shown_for_a_quick_model() -> None:
    shown = io.StringIO()
    with redirect_stderr(shown):
        imd.diff(Recorder(1000), Recorder(2000), LARGE)
    assert shown.getvalue() == ""


def test_a_function_that_looks_at_the_whole_table_is_asked_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "SLOW", 0.01)
    monkeypatch.setattr(asking, "BATCH_SECONDS", 0.02)
    recorder = Recorder(0, seconds_a_row=2e-5)

    def above_average(table: pd.DataFrame) -> Any:
        recorder(table)
        return table["a"] > table["a"].mean()

    with pytest.warns(imd.InputWarning, match="differently when it is asked about other rows"):
        d = imd.diff(above_average, LARGE["a"] > 2000, LARGE)
    assert recorder.tables[-1] is LARGE
    assert d.metrics.n_differing == (LARGE["a"] > 2000).sum() - (LARGE["a"] > 2499.5).sum()


def test_a_quick_function_that_looks_at_the_whole_table_is_asked_about_it_too() -> None:
    with pytest.warns(imd.InputWarning, match="whole table at once are used") as caught:
        d = imd.diff(lambda t: t["a"] > t["a"].mean(), LARGE["a"] > 2499.5, LARGE)
    assert len(caught) == 1
    assert d.metrics.n_differing == 0


def test_a_model_that_answers_otherwise_each_time_is_noticed() -> None:
    rng = np.random.default_rng(0)
    with pytest.warns(imd.InputWarning, match="or asked again"):
        imd.diff(lambda t: rng.integers(0, 2, len(t)), LARGE["a"] > 2499.5, LARGE)


def test_a_function_that_knows_the_whole_table_only() -> None:
    answers = np.arange(5000) < 100
    d = imd.diff(lambda t: np.where(t["a"] >= 0, answers, False), answers, LARGE)
    assert d.metrics.n_differing == 0


class Breaks(Exception):
    pass


def test_a_model_that_raises_half_way_keeps_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SLOW", 0.01)
    monkeypatch.setattr(asking, "BATCH_SECONDS", 0.02)
    recorder = Recorder(10, seconds_a_row=2e-5)

    def breaks_late(table: pd.DataFrame) -> Any:
        if table["a"].iloc[-1] > 3000:
            raise Breaks("the server is gone")
        return recorder(table)

    shown = io.StringIO()
    with redirect_stderr(shown), pytest.raises(Breaks, match="the server is gone") as caught:
        imd.diff(breaks_late, LARGE["a"] > 1, LARGE)
    assert "m1 (breaks_late) raised this" in caught.value.__notes__[0]
    assert any("breaks_late" in str(entry) for entry in caught.traceback)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupt_leaves_nothing_broken(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SLOW", 0.01)
    monkeypatch.setattr(asking, "BATCH_SECONDS", 0.02)
    recorder = Recorder(1000, seconds_a_row=2e-5)

    def interrupted(table: pd.DataFrame) -> Any:
        if len(recorder.tables) == after:
            raise KeyboardInterrupt
        return recorder(table)

    before = LARGE.copy()
    with redirect_stderr(io.StringIO()), pytest.raises(KeyboardInterrupt):
        imd.diff(interrupted, LARGE["a"] > 1, LARGE)
    pd.testing.assert_frame_equal(LARGE, before)
    d = imd.diff(Recorder(1000), Recorder(2000), LARGE)
    assert d.metrics.n_differing == 1000


def test_an_interrupted_refinement_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = imd.datasets.breast_cancer_pair()
    d = imd.diff(pair.m1, pair.m2, pair.X)
    assert d.refinable
    expected = d.refine().rules
    source = d._found.problem.source
    count, calls = source.count, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return count(*arguments)

    monkeypatch.setattr(source, "count", interrupted)
    fresh = imd.ModelDiff(d.names, replace(d._found))
    with pytest.raises(KeyboardInterrupt):
        fresh.refine()
    assert fresh.refine().rules == expected


def test_a_large_change_in_place_is_seen_in_a_large_table() -> None:
    table = pd.DataFrame({"a": np.arange(30_000.0)})

    def scales(rows: pd.DataFrame) -> Any:
        rows["a"] = rows["a"] / 10
        return rows["a"] > 3

    with pytest.raises(imd.InputError, match="changed the table in place"):
        imd.diff(scales, table["a"] > 4, table)


def test_the_index_of_the_table_and_of_the_outputs_need_not_agree() -> None:
    outputs = pd.Series(np.arange(40) < 7, index=range(40))
    d = imd.diff(outputs, lambda t: (t["a"] < 9).to_numpy(), SMALL)
    assert d.metrics.n_differing == 2


def test_a_model_is_asked_about_a_large_table_with_big_endian_columns() -> None:
    table = pd.DataFrame({"a": np.arange(30_000).astype(">f8")})
    d = imd.diff(lambda t: t["a"] < 700, lambda t: t["a"] < 9000, table)
    assert d.metrics.n_differing == 8300
