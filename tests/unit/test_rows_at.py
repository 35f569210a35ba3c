"""Outputs, ``y`` and codes of some rows: those that all rows have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.comparison import advice, memory_dataset
from imd_widget.comparison.rows import row_order, rows_as_csv
from imd_widget.data.sampling import sampled
from tests.examples import examples

N = 30
X = pd.DataFrame({"a": np.arange(N), "b": np.arange(N) % 7}, index=np.arange(N) + 100)

#: Labels of a model, of which another one gives some only: their dtype depends on which.
LABELS: dict[str, list[Any]] = {
    "text": ["x", "y"],
    "whole": [1, 2, 3_000_000_000],
    "whole, and then not": [3_000_000_000, 1, 2.5],
    "not, and then whole": [2.5, 3_000_000_000, 1],
    "flags": [True, False],
    "a number, then text": [7, "x", 2.5],
    "text, then a number": ["x", 7, 2.5],
    "a lone surrogate": ["x", "\ud800"],
    "moments": [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    "tuples": [("x", 1), ("y", 2)],
}


def said(labels: list[Any], seed: int) -> np.ndarray[Any, Any]:
    outputs = np.empty(N, dtype=object)
    places = np.random.default_rng(seed).integers(0, len(labels), N)
    outputs[:] = [labels[place] for place in places]
    return outputs


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("n_others", [1, 2])
def test_outputs_at_rows_have_the_dtype_of_all_rows(labels: str, n_others: int) -> None:
    own = LABELS[labels]
    d = imd.diff(said(own, 0), said(own[:n_others], 1), X, outputs="class")
    for rows in ([4, 2, 2], [], [0], list(range(N))):
        found = d.rows.predictions_at(np.array(rows, dtype=np.intp))
        naive = d.predictions.iloc[rows].reset_index(drop=True)
        for side in (0, 1):
            pd.testing.assert_series_equal(found[side], naive.iloc[:, side], check_names=False)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(N) % 3,
        np.where(np.arange(N) % 3, 1.0, np.nan),
        np.array([None if i % 3 else 1 for i in range(N)], dtype=object),
        np.array([None if i % 3 else 1.0 + i % 2 / 2 for i in range(N)], dtype=object),
    ],
)
def test_truth_at_rows_has_the_dtype_of_all_rows(y: Any) -> None:
    d = imd.diff(np.arange(N) % 2, np.arange(N) % 3, X, y=y, outputs="class")
    assert d.truth is not None
    every = pd.Series(d.truth).infer_objects()
    for rows in ([3, 0, 0], [1], []):
        found = d.rows.truth_at(np.array(rows, dtype=np.intp))
        assert found is not None
        pd.testing.assert_series_equal(found, every.iloc[rows].reset_index(drop=True))


def test_without_y_no_row_has_a_truth() -> None:
    assert imd.diff(X["a"] < 3, X["a"] < 9, X).rows.truth_at(np.array([0])) is None


@settings(deadline=None, max_examples=examples(40))
@given(seed=st.integers(0, 10_000), column=st.integers(0, 4), descending=st.booleans())
def test_rows_are_ordered_by_their_own_values(seed: int, column: int, descending: bool) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=(2, N)).round(1)
    d = imd.diff(one, two, X, outputs="value", y=one)
    inside = rng.random(N) < 0.5
    found = row_order(d, inside, (), (column, descending))
    values = [one, two, one, np.abs(one - two), X["a"].to_numpy()][column]
    key = [(-1 if descending else 1) * values[row] for row in np.flatnonzero(inside)]
    naive = np.flatnonzero(inside)[np.argsort(np.round(key, 9), kind="stable")]
    np.testing.assert_array_equal(np.round(values[found], 9), np.round(values[naive], 9))


def test_a_csv_file_reads_its_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    d = imd.diff(X["a"] < 3, X["a"] < 9, X)
    asked = []
    values_at = type(d.table).values_at

    def spy(table: Any, position: int, rows: Any) -> Any:
        asked.append(rows.tolist())
        return values_at(table, position, rows)

    monkeypatch.setattr(type(d.table), "values_at", spy)
    text = rows_as_csv(d, np.array([5, 2]), ())
    assert asked == [[5, 2], [5, 2]]
    first, *rows = text.splitlines()
    assert first.endswith("a,b")
    assert [row.split(",")[0] for row in rows] == ["5", "2"]


def test_codes_are_taken_of_the_columns_asked_about() -> None:
    d = imd.diff(X["a"] < 3, X["a"] < 9, X)
    dataset, rows = d.rows.dataset, np.array([7, 0])
    first, second = dataset.codes_at({1}, rows)
    assert len(first) == 0
    np.testing.assert_array_equal(second, dataset.codes[1][rows])
    assert d.tree.asked == {0}
    np.testing.assert_array_equal(
        d.rows.leaves_of(rows), d.tree.route(dataset.codes, rows.astype(np.int32))
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("outputs", ["class", "value"])
def test_a_change_is_tried_on_the_sampled_rows_alone(
    weighted: bool, grouped: bool, outputs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compact dataset gives what the whole one gives with the same rows."""
    rng = np.random.default_rng(1)
    n_rows = 1200
    table = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"))
    one, two = (rng.random((2, n_rows)) < 0.5).astype(int)
    two = np.where(table["a"] > 0.3, one, two)
    arguments: dict[str, Any] = {"outputs": outputs, "y": one}
    if weighted:
        arguments["sample_weight"] = rng.integers(0, 3, n_rows)
    if grouped:
        arguments["groups"] = np.arange(n_rows) // 2
    d = imd.diff(one, two, table, **arguments)
    results = d.rows
    monkeypatch.setattr(advice, "MOST_ROWS", 300)
    few = advice.on_fewer_rows(results)
    assert few.dataset.n_rows == len(few.compared.observations) <= 600 < n_rows
    assert len(few.dataset.fit) <= 300
    assert few.table.n_rows == few.dataset.n_rows
    assert few.fit_input.comparison.given.n_own == few.dataset.n_rows
    monkeypatch.setattr(
        memory_dataset, "sampled", lambda rows, numbers, _: sampled(rows, numbers, 300)
    )
    monkeypatch.setattr(advice, "MOST_ROWS", n_rows)
    same = advice.on_fewer_rows(results)
    assert same.dataset.n_rows == n_rows
    np.testing.assert_array_equal(
        few.dataset.codes[0][few.dataset.fit], same.dataset.codes[0][same.dataset.fit]
    )
    for given_model in ("m1", "m2"):
        options = replace(results.method, given=given_model)
        small, large = (own.changed(options).measured.metrics for own in (few, same))
        assert small.mcc == large.mcc != d.metrics.mcc


def test_tolerances_are_quantiles_of_the_sampled_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    one = rng.normal(size=5000)
    two = one + rng.uniform(0, 1, 5000)
    d = imd.diff(one, two, rng.normal(size=(5000, 2)), tolerance=0.01)
    whole = advice._tolerances(advice.on_fewer_rows(d.rows))
    apart = np.quantile(np.abs(one - two), advice.QUANTILES)
    assert whole == [float(f"{quantile:.2g}") for quantile in apart]
    monkeypatch.setattr(advice, "MOST_ROWS", 1000)
    of_few = advice._tolerances(advice.on_fewer_rows(d.rows))
    assert of_few == pytest.approx(whole, rel=0.15)
