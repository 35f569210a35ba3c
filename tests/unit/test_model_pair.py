"""Models kept beside a diff, and tables with other values in a column."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.data.table import open_table


@pytest.fixture
def X() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=200), "b": rng.integers(0, 5, 200)})


def test_outputs_of_classes_are_labels(X: pd.DataFrame) -> None:
    y = np.where(X["a"] + X["b"] > 2, "yes", "no")
    m1, m2 = LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=2).fit(X, y)
    pair = imd.diff(m1, m2, X).rows.models
    new = X.head(7) + 1
    expected = np.stack([m1.predict(new), m2.predict(new)], axis=1)
    assert pair.outputs(open_table(new)).tolist() == expected.tolist()


def test_outputs_of_probabilities_are_of_the_compared_class(X: pd.DataFrame) -> None:
    y = np.where(X["a"] + X["b"] > 2, "yes", "no")
    m1, m2 = LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=2).fit(X, y)
    pair = imd.diff(m1, m2, X, outputs="proba", pos_label="no").rows.models
    expected = np.stack([m1.predict_proba(X)[:, 0], m2.predict_proba(X)[:, 0]], axis=1)
    np.testing.assert_array_equal(pair.outputs(open_table(X)), expected)


def test_outputs_of_values_are_floats(X: pd.DataFrame) -> None:
    m1 = LinearRegression().fit(X, X["a"] * 3)
    d = imd.diff(m1, lambda table: table["b"] * 2, X, outputs="value")
    both = d.rows.models.outputs(open_table(X.head(3)))
    assert both.dtype == float
    np.testing.assert_array_equal(both[:, 1], X["b"].head(3) * 2)


def test_text_and_numbers_of_one_spelling_stay_one_label(X: pd.DataFrame) -> None:
    with pytest.warns(imd.InputWarning, match="same spelling"):
        d = imd.diff(
            lambda table: (table["a"] > 0).astype(int),
            lambda table: np.where(table["b"] > 2, "1", "0"),
            X,
        )
    labels = set(d.rows.models.outputs(open_table(X)).ravel().tolist())
    assert labels == set(d.labels)


def test_an_array_of_outputs_cannot_be_called(X: pd.DataFrame) -> None:
    d = imd.diff(X["a"] > 0, lambda table: table["a"] > 1, X)
    pair = d.rows.models
    assert pair.can_be_called == (False, True)
    assert pair.output(1, open_table(X.head(2))).tolist() == (X["a"] > 1).head(2).tolist()
    with pytest.raises(imd.InputError, match=r"^m1 \(a\) was given as an array|^m1 \(model 1\)"):
        pair.outputs(open_table(X))


def test_models_are_not_pickled_with_a_diff(X: pd.DataFrame) -> None:
    d = imd.diff(lambda table: table["a"] > 0, lambda table: table["a"] > 1, X)
    again = pickle.loads(pickle.dumps(d))
    assert again.rules == d.rules
    assert again.rows.models.can_be_called == (False, False)
    with pytest.raises(imd.InputError, match="the models are not saved with a diff"):
        again.rows.models.outputs(open_table(X))
    assert copy.deepcopy(d).rows.models.can_be_called == (True, True)


@pytest.mark.parametrize(
    "column, value",
    [
        (pd.Series([1, 2, 3]), 7),
        (pd.Series([1, 2, 3], dtype="uint8"), 7),
        (pd.Series([1, None, 3], dtype="Int64"), 7),
        (pd.Series([1.5, 2, 3], dtype="float32"), 0.5),
        (pd.Series([True, False, True]), False),
        (pd.Series(["a", "b", "a"]), "b"),
        (pd.Series(["a", "b", "a"], dtype="category"), "b"),
        (pd.to_datetime(pd.Series(["2020-01-01", "2021-01-01", None])), pd.Timestamp("2022-01-01")),
    ],
)
def test_a_column_keeps_its_type_with_other_values(column: Any, value: Any) -> None:
    X = pd.DataFrame({"a": column, "b": [4, 5, 6]})
    changed = open_table(X).with_values(0, value).native
    assert changed["a"].tolist() == [value] * 3
    assert changed.dtypes.tolist() == X.dtypes.tolist()
    assert X["a"].equals(column)
    pd.testing.assert_series_equal(changed["b"], X["b"])


def test_a_whole_column_takes_fractions() -> None:
    X = pd.DataFrame({"a": [1, 2, 3]})
    assert open_table(X).with_values(0, 0.5).native["a"].tolist() == [0.5] * 3
    array = open_table(np.array([[1, 2], [3, 4]]))
    assert array.with_values(1, 0.5).native.tolist() == [[1, 0.5], [3, 0.5]]
    assert array.with_values(1, [7, 8]).native.dtype == int


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries_keep_their_type(library: str) -> None:
    module = pytest.importorskip(library)
    columns = {"a": [1, 2, 3], "b": ["x", "y", "z"]}
    X = module.DataFrame(columns) if library == "polars" else module.table(columns)
    table = open_table(X)
    numbers = table.with_values(0, 7).native
    assert isinstance(numbers, type(X))
    assert open_table(numbers).get(0).tolist() == [7] * 3
    assert str(numbers["a"].type if library == "pyarrow" else numbers["a"].dtype).lower() == "int64"
    assert table.with_values(1, ["p", "q", "r"]).get(1).tolist() == ["p", "q", "r"]
    assert table.with_values(0, 0.5).get(0).tolist() == [0.5] * 3
