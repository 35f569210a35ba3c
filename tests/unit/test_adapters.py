"""Accepted kinds of model, and the errors for other objects."""

from __future__ import annotations

import re
import traceback
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import imd_widget as imd

X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 5})
LOW = (X["a"] < 20).to_numpy()
GOOD = LOW.astype(int)


def raises(message: str) -> Any:
    return pytest.raises(imd.InputError, match=re.compile(message, re.DOTALL))


@pytest.mark.parametrize(
    "outputs",
    [
        GOOD,
        GOOD.tolist(),
        GOOD.astype(float),
        GOOD.astype(np.uint8),
        LOW,
        pd.Series(GOOD, index=range(100, 140)),
        pd.Series(GOOD).astype(object),
        GOOD.reshape(-1, 1),
        lambda X: (X["a"] < 20).astype(int),
    ],
    ids=lambda value: type(value).__name__,
)
def test_outputs_of_many_kinds_mean_the_same(outputs: Any) -> None:
    d = imd.diff(outputs, 1 - GOOD, X)
    assert d.labels == (0, 1)
    assert d.metrics.disagreement == 1


@pytest.mark.parametrize("kind", [str, object, "category", "string"])
def test_labels_of_text(kind: Any) -> None:
    m1 = pd.Series(np.where(LOW, "low", "high")).astype(kind)
    d = imd.diff(m1, np.where(LOW, "low", "other"), X)
    assert d.labels == ("high", "low", "other")
    assert d.rules[0].outcomes == ("high", "other")


def test_a_model_gets_the_table_as_it_was_given() -> None:
    seen = []

    def model(table: Any) -> Any:
        seen.append(table)
        return GOOD

    imd.diff(model, model, X)
    assert len(seen) == 2
    assert all(table is X for table in seen)
    array = X.to_numpy()
    imd.diff(model, GOOD, array)
    assert seen[-1] is array


def test_the_message_names_the_second_model_too() -> None:
    with raises("m2 gave 3 outputs for 40 rows"):
        imd.diff(GOOD, [1, 2, 3], X)


def test_an_error_of_the_model_keeps_its_type_and_traceback_and_says_which_model() -> None:
    def broken(table: Any) -> Any:
        raise KeyError("column z")

    with pytest.raises(KeyError) as caught:
        imd.diff(GOOD, broken, X)
    text = "".join(traceback.format_exception(caught.value))
    assert "in broken" in text
    assert "m2 (broken) raised this" in text
    assert "shape 40 x 2" in text


def test_an_unfitted_model() -> None:
    with pytest.raises(NotFittedError) as caught:
        imd.diff(LogisticRegression(), GOOD, X)
    assert "m1 (LogisticRegression)" in caught.value.__notes__[0]


def forest(table: Any) -> Any:
    return GOOD


@pytest.mark.parametrize(
    "m1, m2, expected",
    [
        (LogisticRegression(), forest, ("LogisticRegression", "forest")),
        (
            LogisticRegression(),
            LogisticRegression(),
            ("LogisticRegression 1", "LogisticRegression 2"),
        ),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            GOOD,
            ("LogisticRegression", "model 2"),
        ),
        (pd.Series(GOOD, name="old"), pd.Series(GOOD, name="new"), ("old", "new")),
        (lambda X: GOOD, GOOD, ("model 1", "model 2")),
        (LogisticRegression().fit(X, GOOD).predict, GOOD, ("LogisticRegression", "model 2")),
    ],
)
def test_names_of_models(m1: Any, m2: Any, expected: tuple[str, str]) -> None:
    if hasattr(m1, "fit"):
        m1.fit(X, GOOD)
    if hasattr(m2, "fit"):
        m2.fit(X, GOOD)
    assert imd.diff(m1, m2, X).names == expected


@pytest.mark.parametrize(
    "names, message",
    [
        (["a"], "names has 1 entries"),
        ("ab", "names has 1 entries"),
        (["a", "a"], "both models are called 'a'"),
    ],
)
def test_bad_names(names: Any, message: str) -> None:
    with raises(message):
        imd.diff(GOOD, GOOD, X, names=names)


def test_class_names() -> None:
    assert imd.diff(GOOD, GOOD, X, class_names=["no", "yes"]).class_names == ("no", "yes")
    assert imd.diff(GOOD, GOOD, X, class_names={1: "yes"}).class_names == ("0", "yes")
    with raises("3 entries, the models give 2 labels"):
        imd.diff(GOOD, GOOD, X, class_names=["a", "b", "c"])


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, pyarrow.Table.from_pandas])
def test_models_may_be_names_of_columns_which_are_no_features_then(convert: Any) -> None:
    scored = X.assign(old=LOW, new=X["a"] < 30)
    d = imd.diff("old", "new", convert(scored))
    assert d.names == ("old", "new")
    assert d.column_names == ("a", "b")
    wanted = imd.diff(scored["old"], scored["new"], X)
    assert str(d.rules) == str(wanted.rules).replace("model 1", "old").replace("model 2", "new")
    assert imd.diff("old", lambda table: table["a"] < 30, scored).metrics == wanted.metrics
    c = imd.compare(["old", "new"], convert(scored))
    assert (c.names, c["old", "new"].column_names) == (d.names, d.column_names)


def test_a_column_of_ids_is_remarked_on_once() -> None:
    table = pd.concat([X] * 4, ignore_index=True)
    named = table.assign(id=[f"no {n}" for n in range(160)])
    low = np.tile(LOW, 4)
    with pytest.warns(imd.InputWarning, match="the column 'id' holds a different value") as found:
        d = imd.diff(low, ~low, named, measure="cv")
    assert len(found) == 1
    assert "X.drop(columns=['id'])" in str(found[0].message)
    assert all(c.column != "id" for rule in d.rules for c in rule.conditions)
    imd.diff(low, ~low, named, columns=["a"])
    imd.diff(low, ~low, named.assign(id=[f"no {n}" for n in np.arange(160) // 2]))
    imd.diff(low[:40], ~low[:40], named[:40])
    with pytest.warns(imd.InputWarning, match="the columns 'id', 'text' hold a different value"):
        imd.diff(low, ~low, named.assign(text=named["id"] + "!"))
