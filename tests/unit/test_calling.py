"""Calls of models: one call with the table as it was given, batches for slow models."""

from __future__ import annotations

import io
import time
import warnings
from contextlib import redirect_stderr
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import imd_widget as imd
from imd_widget.models import calling, pace
from imd_widget.tree.requests import Histograms

SMALL = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 5}, index=range(100, 140))
LARGE = pd.DataFrame({"a": np.arange(5000.0), "b": np.arange(5000) % 7}, index=range(7, 5007))


class Recorder:
    """A function of the table that records its arguments."""

    def __init__(self, threshold: float, seconds_a_row: float = 0.0) -> None:
        self.threshold = threshold
        self.seconds_a_row = seconds_a_row
        self.tables: list[Any] = []
        #: What a clock shows that a busy machine does not delay.
        self.seconds = 0.0

    def __call__(self, table: Any) -> Any:
        self.tables.append(table)
        self.seconds += self.seconds_a_row * len(table)
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
    monkeypatch.setattr(calling, "SLOW", 0.05)
    monkeypatch.setattr(calling, "BAR_DELAY", 0.05)
    monkeypatch.setattr(calling, "BATCH_SECONDS", 0.05)
    table: Any = {
        "pandas": LARGE,
        "numpy": LARGE.to_numpy(),
        "polars": pl.from_pandas(LARGE),
        "pyarrow": pa.Table.from_pandas(LARGE, preserve_index=False),
    }[kind]
    one = Recorder(1000, seconds_a_row=1e-4)
    monkeypatch.setattr(pace, "perf_counter", lambda: one.seconds)
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


class Priced:
    """A function of the table whose calls cost seconds of a clock that nobody waits for."""

    def __init__(self, clock: list[float], a_call: float, a_row: float) -> None:
        self.clock, self.a_call, self.a_row = clock, a_call, a_row
        self.sizes: list[int] = []

    def __call__(self, table: Any) -> Any:
        self.sizes.append(len(table))
        self.clock[0] += self.a_call + self.a_row * len(table)
        return np.asarray(table["a"]) % 2 == 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds = [0.0]
    monkeypatch.setattr(pace, "perf_counter", lambda: seconds[0])
    return seconds


@pytest.mark.parametrize(
    "a_call, a_row, expected",
    [
        (0.0, 1e-6, [400, 20_000]),
        (0.05, 1e-5, [400, 20_000]),
        (1.0, 1e-5, [400, 1600, 18_400]),  # a busy machine: each call costs a second by itself
        (0.0, 1e-3, [400, 1600, *[1022] * 18]),
        (0.1, 1e-2, [400, 1600, *[1023] * 17, 1009]),
    ],
)
def test_a_table_is_cut_up_for_the_price_of_rows_and_not_of_calls(
    clock: list[float], a_call: float, a_row: float, expected: list[int]
) -> None:
    table = pd.DataFrame({"a": np.arange(20_000)})
    model = Priced(clock, a_call, a_row)
    with redirect_stderr(io.StringIO()):
        imd.diff(model, np.arange(20_000) % 3 == 0, table)
    assert model.sizes[:2] == expected[:2]
    assert sum(model.sizes[1:]) == 20_000
    assert len(model.sizes) == len(expected)


def test_nothing_is_shown_for_a_quick_model() -> None:
    shown = io.StringIO()
    with redirect_stderr(shown):
        imd.diff(Recorder(1000), Recorder(2000), LARGE)
    assert shown.getvalue() == ""


def test_a_function_that_looks_at_the_whole_table_is_asked_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calling, "SLOW", 0.01)
    monkeypatch.setattr(calling, "BATCH_SECONDS", 0.02)
    recorder = Recorder(0, seconds_a_row=2e-5)

    def above_average(table: pd.DataFrame) -> Any:
        recorder(table)
        return table["a"] > table["a"].mean()

    with pytest.warns(imd.InputWarning, match="differently when it is called with other rows"):
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
    with pytest.warns(imd.InputWarning, match="or called again"):
        imd.diff(lambda t: rng.integers(0, 2, len(t)), LARGE["a"] > 2499.5, LARGE)


def test_a_function_that_knows_the_whole_table_only() -> None:
    answers = np.arange(5000) < 100
    d = imd.diff(lambda t: np.where(t["a"] >= 0, answers, False), answers, LARGE)
    assert d.metrics.n_differing == 0


class Breaks(Exception):
    pass


def test_a_model_that_raises_half_way_keeps_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "SLOW", 0.01)
    monkeypatch.setattr(calling, "BATCH_SECONDS", 0.02)
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


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_interrupt_leaves_nothing_broken(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "SLOW", 0.01)
    monkeypatch.setattr(calling, "BATCH_SECONDS", 0.02)
    recorder = Recorder(1000, seconds_a_row=2e-5)
    monkeypatch.setattr(pace, "perf_counter", lambda: recorder.seconds)

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
    d = imd.diff(pair.m1, pair.m2, pair.X, measure="holdout")
    assert d.refinable
    expected = d.refine().rules
    source = d.rows.problem.source
    answer, calls = source.answer, []

    def interrupted(request: Any) -> Any:
        if isinstance(request, Histograms):
            calls.append(1)
            if len(calls) == 1:
                raise KeyboardInterrupt
        return answer(request)

    monkeypatch.setattr(source, "answer", interrupted)
    fresh = imd.ModelDiff.of(replace(d.rows))
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


class Runtime:
    """A model that returns the same buffer from every call, as some runtimes do."""

    def __init__(self, threshold: float, memory: Any = None) -> None:
        self.threshold = threshold
        self.memory = np.zeros(10_000, int) if memory is None else memory
        self.asked: list[int] = []

    def predict(self, table: pd.DataFrame) -> Any:
        self.asked.append(len(table))
        self.memory[: len(table)] = table["a"] < self.threshold
        return self.memory[: len(table)]


def test_a_model_that_uses_its_memory_again_is_asked_in_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pace.Pace, "rows_within", lambda *_: 100)
    one, two = Runtime(400), Runtime(700)
    with redirect_stderr(io.StringIO()):
        d = imd.diff(one, two, LARGE[:1200])
    assert len(one.asked) > 3
    assert sum(one.asked[1:]) == 1200
    assert d.metrics.n_differing == 300
    assert d.predictions.sum().tolist() == [400, 700]
    assert len(d.rules) == 1


@pytest.mark.parametrize("table", [SMALL, LARGE], ids=["small", "large"])
def test_two_models_that_share_their_memory(table: pd.DataFrame) -> None:
    memory = np.zeros(5000, int)
    d = imd.diff(Runtime(10, memory), Runtime(30, memory), table)
    assert d.metrics.n_differing == 20
    assert d.predictions.sum().tolist() == [10, 30]


def test_a_model_that_uses_its_memory_again_and_a_holdout_of_ones_own() -> None:
    holdout = pd.DataFrame({"a": np.arange(100.0), "b": 1})
    d = imd.diff(Runtime(10), Runtime(30), SMALL, holdout=holdout[::-1])
    assert d.metrics.n_differing == 20
    assert d.metrics.measured_differing == 20
    assert d.predictions.sum().tolist() == [10, 30]


def test_an_array_in_which_the_other_model_writes() -> None:
    memory = np.where(SMALL["a"] < 10, 1, 0)
    d = imd.diff(memory, Runtime(30, memory), SMALL)
    assert d.metrics.n_differing == 20


class Tensor:
    """Outputs with the methods of a tensor: they are cloned, detached and converted to an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def clone(self) -> Tensor:
        return Tensor(self.values.copy())

    def detach(self) -> Tensor:
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype)

    def __len__(self) -> int:
        return len(self.values)


@pytest.mark.parametrize(
    "wrap", [Tensor, lambda v: pd.Series(v, copy=False)], ids=["tensor", "series"]
)
def test_outputs_of_other_libraries_are_copied_too(wrap: Any) -> None:
    memory = np.zeros(40, int)

    def model(threshold: float) -> Any:
        def predict(table: pd.DataFrame) -> Any:
            memory[:] = table["a"] < threshold
            return wrap(memory)

        return predict

    assert imd.diff(model(10), model(30), SMALL).metrics.n_differing == 20


def test_a_truth_that_the_user_changes_later() -> None:
    truth = np.where(SMALL["a"] < 10, 1, 0)
    d = imd.diff(SMALL["a"] < 20, SMALL["a"] < 10, SMALL, y=truth)
    truth[:] = 7
    assert d.truth is not None
    assert d.truth.tolist() == [1] * 10 + [0] * 30


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda v: scipy.sparse.csr_matrix(v[:, None]), "m1 gave a sparse matrix"),
        (lambda v: np.array(1), "m1 gave a single output for the whole table"),
        (lambda v: pd.array([None, *(v[1:] > 0)], dtype="boolean"), "m1 gave no output for 1 of"),
        (lambda v: np.array([pd.NA, *v[1:]], dtype=object), "m1 gave no output for 1 of"),
    ],
    ids=["sparse", "single", "nullable", "NA"],
)
def test_what_is_no_output_is_told_alike_of_small_and_large_tables(
    answer: Any, message: str
) -> None:
    def m1(table: pd.DataFrame) -> Any:
        return answer((table["a"] > 4).to_numpy(int))

    for n_rows in (400, 1200):
        with pytest.raises(imd.InputError, match=message) as caught:
            imd.diff(m1, lambda t: t["a"] > 5, LARGE[:n_rows])
        assert not hasattr(caught.value, "__notes__"), "the model raised nothing"


def test_missing_outputs_that_are_the_same_each_time_are_no_other_answers() -> None:
    """pandas' NA is not equal to itself, and has no truth value."""
    labels = np.array(["x", "y"], dtype=object)

    def m1(table: pd.DataFrame) -> Any:
        answers = pd.array(labels[(table["a"] > 4).astype(int)], dtype="string")
        answers[0] = pd.NA
        return answers

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            imd.InputError, match=r"no output for 1 of 1200 rows \(the first is row"
        ):
            imd.diff(m1, lambda t: labels[(t["a"] > 5).astype(int)], LARGE[:1200])


def test_a_function_that_looks_at_all_rows_is_noticed_by_its_first_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the first batch repeated the rows of the trial call, both outputs would be equal."""
    monkeypatch.setattr(calling, "SLOW", 0.0)
    monkeypatch.setattr(calling, "BATCH_SECONDS", 1e-9)
    table = LARGE[:1500]
    with (
        redirect_stderr(io.StringIO()),
        pytest.warns(imd.InputWarning, match="whole table at once are used"),
    ):
        d = imd.diff(lambda t: t["a"] > t["a"].mean(), (table["a"] > 749.5).to_numpy(), table)
    assert d.metrics.n_differing == 0


def test_a_changed_index_is_told_as_such() -> None:
    def sorts(table: pd.DataFrame) -> Any:
        table.index = table.index[::-1]
        return table["a"].to_numpy() > 3

    with pytest.raises(imd.InputError, match=r"changed the table in place.*its index has changed"):
        imd.diff(sorts, SMALL["a"] > 4, SMALL.copy())


def test_a_model_is_asked_about_a_large_table_with_big_endian_columns() -> None:
    table = pd.DataFrame({"a": np.arange(30_000).astype(">f8")})
    d = imd.diff(lambda t: t["a"] < 700, lambda t: t["a"] < 9000, table)
    assert d.metrics.n_differing == 8300
