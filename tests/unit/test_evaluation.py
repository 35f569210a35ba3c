"""Methods measured side by side: the table, its figures, its baselines and its errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.evaluation.baselines import BASELINES, TrainingData, _leaf_rules, feature_encoder
from imd_widget.evaluation.evaluate import COLUMNS, METHODS

RNG = np.random.default_rng(0)
N = 600
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, N).astype(float),
        "town": RNG.choice(["Berlin", "Paris", "Rome"], N),
        "hired": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), unit="D"),
    }
)
X.loc[::11, "age"] = np.nan
Y1 = np.where(X["age"].fillna(0) > 50, "old", "young")
Y2 = np.where((X["town"] == "Rome") & (X["age"].fillna(0) < 70), "young", Y1)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    methods = (*METHODS, "direct", "grounded")
    return imd.evaluate(Y1, Y2, X, methods=methods, n_splits=3)


def test_one_row_a_method_and_split(found: pd.DataFrame) -> None:
    assert tuple(found.columns) == COLUMNS
    assert len(found) == 7 * 3
    assert all(list(part["split"]) == [0, 1, 2] for _, part in found.groupby("method"))
    assert found["n_rows"].eq(180).all()
    assert found.groupby("split")["disagreement"].nunique().eq(1).all(), "the same splits for all"


def test_what_is_plain_to_see_is_found_by_every_method(found: pd.DataFrame) -> None:
    best = found.groupby("method")["f1"].mean()
    assert (best > 0.85).all(), best
    boosting = found["method"].eq("direct_boosting")
    assert found.loc[boosting, "n_rules"].isna().all()
    assert found.loc[~boosting, "n_rules"].ge(1).all()
    assert found.loc[~boosting, "n_predicates"].ge(1).all()
    assert (found["seconds"] > 0).all()


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_scores_are_those_of_a_diff_with_that_holdout(method: Any) -> None:
    [row] = imd.evaluate(Y1, Y2, X, methods=[method], n_splits=1).itertuples()
    [(_, rows)] = ShuffleSplit(1, test_size=round(0.3 * N), random_state=0).split(X)
    aside = np.isin(np.arange(N), rows)
    d = imd.diff(Y1, Y2, X, method=method, holdout=aside)
    metrics = d.metrics
    assert (row.precision, row.recall, row.f1) == pytest.approx(
        (metrics.precision, metrics.recall, metrics.f1)
    )
    assert (row.n_rules, row.n_predicates) == (metrics.n_rules, metrics.n_predicates)
    assert row.disagreement == pytest.approx(metrics.measured_disagreement)


def test_variants_have_names_and_options() -> None:
    found = imd.evaluate(
        Y1,
        Y2,
        X,
        methods={
            "shallow": {"method": "imd", "max_depth": 1},
            "deep": {"method": "imd", "max_depth": 5},
            "refined": {"method": "imd", "max_depth": 2, "refinements": 2},
            "tree": {"method": "direct_tree", "max_depth": 1},
            "default": {},
        },
        n_splits=1,
    ).set_index("method")
    assert found.loc["shallow", "f1"] < found.loc["deep", "f1"]
    assert found.loc["tree", "n_rules"] <= 2
    assert found.loc["default", "f1"] > 0.9


def test_models_are_asked_once() -> None:
    asked = []

    def model(table: Any) -> Any:
        asked.append(len(table))
        return Y1

    imd.evaluate(model, Y2, X, methods=["imd", "direct_tree"], n_splits=3)
    assert asked == [N]


@pytest.mark.parametrize("outputs", ["value", "proba"])
def test_values_and_probabilities(outputs: Any) -> None:
    one = X["age"].fillna(40).to_numpy() / 100
    two = np.where(X["town"] == "Rome", one / 2, one)
    found = imd.evaluate(one, two, X, outputs=outputs, tolerance=0.1, n_splits=2)
    assert (found.groupby("method")["f1"].mean() > 0.9).all()


@pytest.mark.parametrize("kind", ["numpy", "polars"])
def test_other_tables(kind: str) -> None:
    numbers = np.column_stack([X["age"].fillna(-1), np.arange(N)])
    table: Any = numbers
    if kind == "polars":
        pl = pytest.importorskip("polars")
        table = pl.DataFrame({"age": numbers[:, 0], "row": numbers[:, 1]})
    found = imd.evaluate(Y1, np.where(numbers[:, 0] > 60, "new", Y1), table, n_splits=1)
    assert (found["f1"] > 0.9).all()


@pytest.mark.parametrize(
    "options, text",
    [
        ({"methods": ["best"]}, "method 'best' is not known. Choose from calibrated, imd,"),
        ({"methods": []}, "methods is empty: name at least one of calibrated"),
        ({"methods": {"a": "imd"}}, "methods['a'] is 'imd': a mapping of options is needed"),
        (
            {"methods": {"a": {"method": "grounded", "alpha": 1}}},
            "methods['a']: alpha has no meaning for grounded, which takes no options.",
        ),
        (
            {"methods": {"a": {"method": "imd", "tolerance": 1}}},
            "methods['a']: tolerance has no meaning for imd, which takes max_depth, refinements",
        ),
        (
            {"methods": {"a": {"method": "direct_tree", "max_depth": 0}}},
            "methods['a']: max_depth=0: a whole number from 1 up is needed",
        ),
        ({"n_splits": 0}, "n_splits=0: a whole number from 1 up"),
        ({"test_size": 1}, "test_size=1: a share between 0 and 1"),
        ({"test_size": 0.0001}, "600 rows cannot be split: test_size=0.0001 keeps 0 aside"),
        ({"alpha": 1}, "evaluate does not take alpha=. It takes names, outputs"),
    ],
)
def test_bad_input(options: dict[str, Any], text: str) -> None:
    with pytest.raises(imd.InputError, match=re.escape(text)):
        imd.evaluate(Y1, Y2, X, **options)


def test_rule_sets_are_for_two_classes() -> None:
    three = np.where(X["town"] == "Paris", "middle", Y1)
    with pytest.raises(imd.InputError, match="compare two models with two labels"):
        imd.evaluate(Y1, three, X, methods=["grounded"], n_splits=1)


@pytest.mark.parametrize("name", ["direct_tree", "direct_boosting"])
@pytest.mark.parametrize("always", [True, False])
def test_nothing_to_learn(name: str, always: bool) -> None:
    same = np.full(N, always)
    claims = BASELINES[name](TrainingData(X, Y1, Y2, same, 6, 0))
    assert (claims.predict(X) == always).all()
    assert (claims.n_rules, claims.n_predicates) == (int(always), 0)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 1000), depth=st.integers(1, 5))
def test_rules_of_a_tree_are_its_leaves_that_say_yes(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(120, 3)).astype(float)
    differs = rng.random(120) < 0.4
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(values, differs)
    n_rules, n_predicates = _leaf_rules(tree)
    # every leaf that a row falls into, by what the tree says there
    leaves = tree.apply(values)
    assert n_rules == len(set(leaves[tree.predict(values)]))
    assert n_predicates is not None
    assert n_predicates <= 2 * (tree.tree_.node_count - tree.get_n_leaves())


def test_features_have_names_and_keep_what_they_learnt() -> None:
    table = X.assign(
        grade=pd.Categorical(RNG.choice(["high", "low"], N), ["low", "high"], ordered=True),
        adult=X["age"].gt(30),
    )
    encoder = feature_encoder(table).set_output(transform="pandas")
    features = encoder.fit_transform(table)
    assert list(features) == [
        *("age", "hired", "adult", "missingindicator_age", "grade"),
        *("town_Berlin", "town_Paris", "town_Rome"),
    ]
    assert np.isfinite(features.to_numpy()).all()
    known = X["age"].notna()
    assert (features["age"] == X["age"].fillna(X["age"].median()) - X["age"].median()).all()
    assert (features["missingindicator_age"] == ~known).all()
    assert features["hired"].corr(X["hired"].astype("int64")) == pytest.approx(1)
    assert (features["grade"].diff() > 0).equals(table["grade"].cat.codes.diff() > 0)
    assert (features["adult"].diff() > 0).equals(table["adult"].astype(int).diff() > 0)
    for town in ("Berlin", "Paris", "Rome"):
        assert (features[f"town_{town}"] == (X["town"] == town)).all()
    other = encoder.transform(table[:2].assign(town=["Oslo", None]))
    assert (other.filter(like="town_") == 0).all(axis=None), "a new town is none of the others"
    with pytest.raises(imd.InputError, match="'age' held numbers, and now does not"):
        encoder.transform(table[:2].assign(age=["a", "b"]))


@pytest.mark.parametrize(
    "column, n_features",
    [
        (["a", None, "b", np.nan], 3),  # a missing value is a category of its own
        (["a", 1, 2.5, ("t",)], 4),  # of any type
        (pd.Categorical(["a", None, "b", "a"]), 3),
        (pd.array(["a", pd.NA, "b", "a"], dtype="string"), 3),
        (pd.Categorical([3, None, 1, 2], [3, 1, 2], ordered=True), 2),
        (pd.array([1, None, 3, 4], dtype="Int64"), 2),
        (pd.array([True, None, False, True], dtype="boolean"), 2),
        (pd.to_datetime(["2026-01-01", None, "2026-01-02", "2026-01-03"]), 2),
        (pd.to_datetime(["2026-01-01", None, "2026-01-02", "2026-01-03"], utc=True), 2),
        (pd.to_timedelta([1, None, 2, 3], unit="s"), 2),
        ([np.nan] * 4, 2),
        ([None] * 4, 1),
        ([np.inf, -np.inf, np.nan, 1.0], 2),
    ],
)
def test_features_of_each_kind_of_column(column: Any, n_features: int) -> None:
    table = pd.DataFrame({0: column})
    features = feature_encoder(table).fit(table).transform(table)
    assert features.shape == (4, n_features)
    assert np.isfinite(features.astype(np.float32)).all()
    # rows that differ in the table differ in their features
    distinct = table[0].nunique() + table[0].isna().any()
    assert len(np.unique(features, axis=0)) == distinct


def test_ordered_categories_are_one_feature_in_their_order() -> None:
    table = pd.DataFrame({"size": pd.Categorical(["M", "L", "S"], ["S", "M", "L"], ordered=True)})
    features = feature_encoder(table).fit_transform(table)
    assert features[:, 0].argsort().tolist() == [2, 0, 1]


def test_baselines_see_minutes_and_large_numbers() -> None:
    minutes = RNG.integers(0, 60, N)
    moment = pd.Timestamp("2026-03-01 10:00") + pd.to_timedelta(minutes, unit="min")
    table = pd.DataFrame({"moment": moment, "id": 10**9 + RNG.integers(0, 60, N)})
    differs = (minutes >= 30) & (minutes < 33)
    found = imd.evaluate(np.zeros(N, int), differs.astype(int), table, n_splits=2)
    assert (found.groupby("method")["f1"].mean() > 0.9).all(), found


def test_infinite_values_do_not_stop_a_baseline() -> None:
    table = X[["age"]].assign(rate=np.where(Y1 == "old", np.inf, 1.0))
    lesson = TrainingData(table, Y1, Y2, Y1 == "old", 3, 0)
    for name in ("direct_tree", "direct_boosting"):
        assert (BASELINES[name](lesson).predict(table) == (Y1 == "old")).all()
