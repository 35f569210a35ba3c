"""The fast engine against the naive reading of the paper, rule for rule."""

from __future__ import annotations

import bisect
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.rules.conditions import Membership
from tests.unit.oracle import Oracle
from tests.unit.strategies import NUMERIC, Problem, problems


def canonical(d: imd.ModelDiff, X: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Our rules in the oracle's terms: a threshold stands for the least data value not below it."""
    values = {name: sorted(set(X[name].tolist())) for name in X.columns}
    position = {name: j for j, name in enumerate(X.columns)}

    def data_value(column: Any, threshold: Any, unbounded: float) -> float:
        if threshold is None:
            return unbounded
        return values[column][bisect.bisect_left(values[column], threshold)]

    def ends(c: Any) -> tuple[float, float]:
        if isinstance(c, Membership):  # of a column that has two values: which of them it is
            low, high = values[c.column]
            return (-math.inf, high) if (c.values == (low,)) != c.negated else (high, math.inf)
        return data_value(c.column, c.low, -math.inf), data_value(c.column, c.high, math.inf)

    rules = []
    for rule in d.rules:
        bounds = sorted((position[c.column], ends(c)) for c in rule.conditions)
        rules.append((tuple(bounds), rule.outcomes, rule.support, rule.differing))
    return sorted(rules)


def fitted(problem: Problem, **options: Any) -> imd.ModelDiff:
    return imd.diff(
        problem.y1, problem.y2, problem.X, max_bins=None, test_size=0, method="imd", **options
    )


def oracle(problem: Problem, **options: Any) -> Oracle:
    rows = problem.X.to_numpy().tolist()
    return Oracle(rows, problem.y1.tolist(), problem.y2.tolist(), **options)


@settings(max_examples=150, deadline=None)
@given(
    problem=problems(values=False, weights=False, kinds=NUMERIC, gaps=False),
    max_depth=st.integers(1, 5),
    alpha=st.sampled_from([None, None, 1.0, 0.9, 0.5, 0.0, -1.0]),
    min_samples_leaf=st.sampled_from([1, 1, 2, 4]),
    steps=st.integers(0, 3),
)
def test_rule_for_rule(
    problem: Problem, max_depth: int, alpha: float | None, min_samples_leaf: int, steps: int
) -> None:
    options = {"max_depth": max_depth, "alpha": alpha, "min_samples_leaf": min_samples_leaf}
    d, naive = fitted(problem, **options), oracle(problem, **options)
    assert canonical(d, problem.X) == naive.rules()
    assert len(d.tree.or_nodes) == len(naive.or_nodes)
    for _ in range(steps):
        naive.refine()
    assert canonical(d.refine(steps), problem.X) == naive.rules()


@pytest.mark.parametrize("max_depth", [3, 5])
def test_on_real_models(max_depth: int) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    m1 = LogisticRegression(max_iter=1000).fit(X.iloc[::2], y[::2])
    m2 = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X.iloc[1::3], y[1::3])
    problem = Problem(X, m1.predict(X), m2.predict(X))
    d, naive = fitted(problem, max_depth=max_depth), oracle(problem, max_depth=max_depth)
    assert d.rules, "this pair differs, and the test is only worth something if rules are found"
    assert canonical(d, X) == naive.rules()


def test_separate_is_alpha_one() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y1, y2 = (X["a"] + X["b"] > 0).to_numpy(int), (X["a"] - X["c"] > 0).to_numpy(int)
    d = imd.diff(y1, y2, X, method="separate", max_bins=None, test_size=0, max_depth=3)
    naive = oracle(Problem(X, y1, y2), max_depth=3, alpha=1.0)
    assert d.tree.or_nodes == ("r",)
    assert canonical(d, X) == naive.rules()
