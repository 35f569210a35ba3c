"""Methods measured side by side: the table, its figures, its baselines and its errors."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from benchmarks.boolean_rules import grounded_baseline
from imd_widget.data.table import open_table
from imd_widget.evaluation.baselines import BASELINES, TrainingData, _leaf_rules, feature_encoder
from imd_widget.evaluation.evaluate import COLUMNS, METHODS
from tests.examples import examples

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
    methods = {name: {"method": name} for name in (*METHODS, "direct")}
    return imd.evaluate(Y1, Y2, X, methods={**methods, "grounded": grounded_baseline}, n_splits=3)


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
            {"methods": {"a": {"method": grounded_baseline, "alpha": 1}}},
            "methods['a']: alpha has no meaning for grounded_baseline, which takes max_depth.",
        ),
        (
            {"methods": ["grounded"]},
            "method 'grounded' is not known. Choose from calibrated, imd, separate, direct, "
            "direct_tree, direct_boosting. Grounded rule sets are part of the benchmarks in the "
            "repository, not of the package: run from a clone, import grounded_baseline from "
            'benchmarks.boolean_rules and pass methods={"grounded": grounded_baseline}.',
        ),
        (
            {"methods": {"a": lambda _: SimpleNamespace(predict=lambda X: np.zeros((len(X), 2)))}},
            "methods: predict of a baseline returned an array of shape (180, 2) for 180 rows. One "
            "boolean for each row is needed.",
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
        imd.evaluate(Y1, three, X, methods={"grounded": grounded_baseline}, n_splits=1)


def test_a_callable_is_a_baseline() -> None:
    given: list[TrainingData] = []

    def always(data: TrainingData) -> Any:
        given.append(data)
        return SimpleNamespace(predict=lambda X: np.ones(len(X)))

    methods = {"always": always, "shallow": {"method": always, "max_depth": 2}}
    found = imd.evaluate(Y1, Y2, X, methods=methods, n_splits=1, random_state=3)
    assert list(found["method"]) == ["always", "shallow"]
    assert (found["recall"] == 1).all()
    assert (found["precision"] == found["disagreement"]).all()
    assert found["n_rules"].isna().all(), "it has no rules"
    assert found["n_predicates"].isna().all()
    first, second = given
    assert (first.max_depth, second.max_depth) == (6, 2)
    assert first.random_state == 3
    assert list(first.X) == list(X)
    assert len(first.X) == len(first.differs) == N - 180
    assert ((first.first != first.second) == first.differs).all()


def test_columns_of_one_name_are_numbered_for_a_baseline() -> None:
    table = X[["age", "town"]].set_axis(["a", "a"], axis=1)
    seen: list[list[Any]] = []

    def never(data: TrainingData) -> Any:
        seen.append(list(data.X))
        return SimpleNamespace(predict=lambda X: np.zeros(len(X)))

    imd.evaluate(Y1, Y2, table, methods={"never": never}, n_splits=1)
    assert seen == [[0, 1]]


@pytest.mark.parametrize("name", ["direct_tree", "direct_boosting"])
@pytest.mark.parametrize("always", [True, False])
def test_nothing_to_learn(name: str, always: bool) -> None:
    same = np.full(N, always)
    claims = BASELINES[name](TrainingData(X, Y1, Y2, same, 6, 0))
    assert (claims.predict(X) == always).all()
    assert (claims.n_rules, claims.n_predicates) == (int(always), 0)


@settings(deadline=None, max_examples=examples(25))
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


def test_baselines_see_numbers_first() -> None:
    table = X.assign(
        grade=pd.Categorical(RNG.choice(["high", "low"], N), ["low", "high"], ordered=True),
        adult=X["age"].gt(30),
    )
    table.loc[::7, ["town", "grade"]] = None
    encoder = feature_encoder(table)
    assert encoder.names == [
        *("age", "hired", "adult", "age=missing", "grade", "grade=missing"),
        *("town=Berlin", "town=Paris", "town=Rome", "town=missing"),
    ]
    features = encoder.transform(open_table(table))
    assert np.isfinite(features).all()
    np.testing.assert_array_equal(np.median(features, axis=0), 0)


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
