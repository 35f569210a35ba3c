"""Each model gets the columns that it was trained on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.models.trained_columns import trained_columns

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.normal(size=300),
        "weekly hours": RNG.normal(size=300),
        "town": RNG.choice(["a", "b"], 300),
    }
)
Y = ((X["age"] > 0) & (X["town"] == "a")).to_numpy(int)
NUMBERS = ["weekly hours", "age"]


def whole() -> Any:
    encode = make_column_transformer(
        (OneHotEncoder(), ["town"]), (StandardScaler(), ["age", "weekly hours"])
    )
    return make_pipeline(encode, LogisticRegression()).fit(X, Y)


def with_numbers(kind: str) -> Any:
    if kind == "tree":
        return DecisionTreeClassifier(random_state=0).fit(X[NUMBERS], Y)
    if kind == "pipeline":
        return make_pipeline(StandardScaler(), LogisticRegression()).fit(X[NUMBERS], Y)
    if kind == "search":
        tree = DecisionTreeClassifier(random_state=0)
        return GridSearchCV(tree, {"max_depth": [2, 3]}, cv=2).fit(X[NUMBERS], Y)
    if kind == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        return lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X[NUMBERS], Y)
    if kind == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        return xgboost.XGBClassifier(n_estimators=5).fit(X[NUMBERS], Y)
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostClassifier(iterations=5, verbose=0, allow_writing_files=False)
    return model.fit(X[NUMBERS], Y)


@pytest.mark.parametrize("kind", ["tree", "pipeline", "search", "lightgbm", "xgboost", "catboost"])
def test_with_and_without_a_column(kind: str) -> None:
    model = with_numbers(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM speaks of names that it changed itself
        d = imd.diff(whole(), model, X)
        said = model.predict(X[NUMBERS])
    np.testing.assert_array_equal(d.predictions.iloc[:, 1], said)
    assert any("town" in str(rule) for rule in d.rules), "rules may ask about every column"


def test_a_bound_method_has_the_columns_of_its_model() -> None:
    model = with_numbers("tree")
    assert trained_columns(model.predict) == ("weekly hours", "age")
    np.testing.assert_array_equal(
        imd.diff(whole(), model.predict, X).differs, imd.diff(whole(), model, X).differs
    )
    assert trained_columns(lambda table: table) is None


def test_a_holdout_and_other_libraries_too() -> None:
    model = with_numbers("tree")
    d = imd.diff(model, Y, X)
    other = imd.diff(
        lambda table: model.predict(pd.DataFrame(table.to_dict(as_series=False))[NUMBERS]),
        Y,
        pl.from_pandas(X),
    )
    np.testing.assert_array_equal(d.differs, other.differs)
    split = imd.diff(whole(), model, X[:200], holdout=X[200:])
    assert split.metrics.measured_rows == 100


def test_the_one_line_wrapper_is_shown() -> None:
    model = DecisionTreeClassifier(random_state=0).fit(X[NUMBERS].to_numpy(), Y)

    class Stern:
        """A model that says how many columns it was trained on, and takes no others."""

        n_features_in_ = 2

        def predict(self, table: pd.DataFrame) -> Any:
            return model.predict(table.to_numpy())

    wide = X[NUMBERS].assign(more=1.0)
    with pytest.raises(ValueError, match="features") as error:
        imd.diff(Y, Stern(), wide)
    [note] = error.value.__notes__
    assert 'm2=lambda X: model.predict(X[["a", "b"]])' in note
    assert "trained on 2 columns without names, X has 3" in note


def test_rules_ask_about_some_columns_only() -> None:
    d = imd.diff(Y, np.zeros(300, int), X, columns=["age"])
    assert {c.column for rule in d.rules for c in rule.conditions} == {"age"}
    assert d.column_names == tuple(X.columns)
    given = imd.diff(Y, np.zeros(300, int), X, columns=["age"], given="m2")
    np.testing.assert_array_equal(given.predict(X, given=np.zeros(300, int)), given.covered())


def test_columns_of_an_array_have_names(tmp_path: Any) -> None:
    table = X[NUMBERS].to_numpy()
    d = imd.diff(Y, np.zeros(300, int), table, feature_names=["hours", "age"])
    assert d.column_names == ("hours", "age")
    assert {c.column for rule in d.rules for c in rule.conditions} <= {"hours", "age"}
    np.testing.assert_array_equal(d.predict(table), d.covered())
    frame = pd.DataFrame(table[:, ::-1], columns=["age", "hours"])
    np.testing.assert_array_equal(d.predict(frame), d.covered())
    again = imd.load(d.save(tmp_path / "d.json"))
    np.testing.assert_array_equal(again.predict(table), d.covered())
