"""scikit-learn's own standard for an estimator."""

from __future__ import annotations

import doctest
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import imd_widget as imd
from imd_widget import JointSurrogateTree

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"a": RNG.normal(size=400), "b": RNG.normal(size=400), "c": RNG.choice(list("xyz"), 400)}
)
Y1 = (X["a"] > 0).astype(int)
Y2 = Y1.where((X["b"] < 0.5) | (X["c"] != "y"), 1 - Y1)
Y = np.column_stack([Y1, Y2])


class Doubled(JointSurrogateTree):
    """The checks give one column: the second model never says the last of the labels."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, self._twice(y), sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return super().score(X, self._twice(y), sample_weight)

    @staticmethod
    def _twice(y: Any) -> Any:
        column = np.asarray(y).ravel()
        if y is None or not len(column):
            return y
        ordered = np.sort(column)
        second = np.where(column == ordered[-1], ordered[0], column)
        return np.column_stack([column, second])


Doubled.__doc__ = JointSurrogateTree.__doc__


@parametrize_with_checks(
    [Doubled(min_samples_leaf=1), Doubled(method="imd", max_depth=3), Doubled(method="direct")]
)
def test_it_passes_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_finds_what_a_diff_finds() -> None:
    model = JointSurrogateTree(max_depth=4).fit(X, Y)
    d = imd.diff(Y1, Y2, X, max_depth=4, test_size=0)
    assert model.rules_ == d.rules
    np.testing.assert_array_equal(model.predict_diff(X), d.predict(X))
    np.testing.assert_array_equal(model.predict(X), d.tree.predict(X))
    assert model.score(X, Y) == pytest.approx(d.metrics.f1)
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_parameters_are_those_of_a_diff_and_survive_a_clone() -> None:
    model = JointSurrogateTree(max_depth=3, method="imd", alpha=0.5)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert again.set_params(max_depth=5).get_params()["max_depth"] == 5
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        model.set_params(depth=3)
    with pytest.raises(imd.InputError, match="max_depth=0"):
        JointSurrogateTree(max_depth=0).fit(X, Y)


def test_it_can_be_pickled() -> None:
    model = JointSurrogateTree().fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.rules_ == model.rules_


def test_a_grid_search_over_depth_finds_the_depth_that_is_needed() -> None:
    search = GridSearchCV(JointSurrogateTree(), {"max_depth": [1, 2, 3]}, cv=4).fit(X, Y)
    assert search.best_params_["max_depth"] >= 2
    assert search.best_score_ > 0.9
    scores = cross_val_score(JointSurrogateTree(max_depth=1), X, Y, cv=4)
    assert scores.mean() < search.best_score_


@pytest.mark.parametrize("kind", ["classes", "text", "values"])
def test_the_score_is_the_f1_of_where_they_differ(kind: str) -> None:
    both = {"classes": Y, "text": np.array(["no", "yes"])[Y], "values": Y * 3.5}[kind]
    options = {"outputs": "value", "tolerance": 1.0} if kind == "values" else {}
    model = JointSurrogateTree(max_depth=2, **options).fit(X, both)
    claimed, differs = model.predict_diff(X), Y[:, 0] != Y[:, 1]
    hits = (claimed & differs).sum()
    assert model.score(X, both) == pytest.approx(2 * hits / (claimed.sum() + differs.sum()))
    weight = np.where(differs, 2.0, 1.0)
    total = weight[claimed].sum() + weight[differs].sum()
    assert model.score(X, both, weight) == pytest.approx(
        2 * weight[claimed & differs].sum() / total
    )
    frame = pd.DataFrame(both, columns=["m1", "m2"])
    assert model.fit(X, frame).score(X, frame) == pytest.approx(model.score(X, both))


@pytest.mark.parametrize(
    "bad, message",
    [
        (None, "requires y to be passed"),
        (Y1, r"shape \(400,\): two columns are needed"),
        (np.zeros((400, 3)), r"shape \(400, 3\)"),
        (Y[:-1], "Y has 399 rows, X has 400"),
    ],
)
def test_what_is_no_pair_of_outputs(bad: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        JointSurrogateTree().fit(X, bad)


def test_it_has_to_be_fitted_and_knows_its_columns() -> None:
    with pytest.raises(NotFittedError):
        JointSurrogateTree().predict(X)
    model = JointSurrogateTree().fit(X, Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"a": "z"}))
    with pytest.raises(imd.InputError, match="Y has 3 rows, X has 400"):
        model.score(X, Y[:3])


def test_the_example_in_the_docstring_is_true() -> None:
    from imd_widget.api import estimator

    assert doctest.testmod(estimator).failed == 0
    assert doctest.testmod(estimator).attempted > 3


def test_two_columns_of_one_name_are_refused() -> None:
    X = pd.DataFrame(np.arange(40).reshape(20, 2), columns=["a", "a"])
    Y = np.column_stack([X.iloc[:, 0] > 5, X.iloc[:, 0] > 9])
    with pytest.raises(imd.InputError, match="X has 2 columns called 'a'"):
        imd.JointSurrogateTree().fit(X, Y)
