"""The score by which regions become rules, and the price of a row that follows from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef

import imd_widget as imd
from imd_widget.methods import calibrated
from imd_widget.tree.pruning import balanced_score, prune
from tests.examples import examples
from tests.unit.strategies import Problem, problems


def score(claimed: float, both: float, differing: float, rows: float) -> tuple[float, float]:
    found = balanced_score(np.array([claimed]), np.array([both]), differing, rows)
    return float(found.value[0]), float(found.price[0])


@given(outcomes=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=40))
def test_the_score_is_the_mean_of_f1_and_matthews(outcomes: list[tuple[bool, bool]]) -> None:
    claimed, differs = (np.array(own) for own in zip(*outcomes, strict=True))
    if not claimed.any() or not differs.any():
        return
    value, _ = score(claimed.sum(), (claimed & differs).sum(), differs.sum(), len(outcomes))
    # of one class alone scikit-learn warns, and takes the correlation as 0, too
    mcc = 0 if differs.all() else matthews_corrcoef(differs, claimed)
    expected = (f1_score(differs, claimed) + mcc) / 2
    assert value == pytest.approx(expected, abs=1e-12)


@given(
    rows=st.integers(20, 10_000),
    differing=st.floats(0.05, 0.95),
    claimed=st.floats(0.05, 0.95),
    share=st.floats(0, 1),
)
def test_a_row_at_the_price_leaves_the_score_as_it_is(
    rows: int, differing: float, claimed: float, share: float
) -> None:
    total, size = differing * rows, claimed * rows
    most, least = min(total, size), max(0.0, total + size - rows)
    both = least + share * (most - least)
    value, price = score(size, both, total, rows)
    step = 1e-4
    after, _ = score(size + step, both + price * step, total, rows)
    assert after == pytest.approx(value, abs=1e-9)


def test_always_scores_half_of_its_f1() -> None:
    assert score(100, 60, 60, 100) == (pytest.approx(0.375), pytest.approx(0.375))


@settings(max_examples=examples(60))
@given(problem=problems())
def test_a_rule_differs_more_often_than_the_table(problem: Problem) -> None:
    d = imd.diff(
        problem.y1, problem.y2, problem.X, test_size=0, min_samples_leaf=1, **problem.options
    )
    base = d.metrics.disagreement
    for rule in d.rules:
        assert rule.differing > 0
        if rule.conditions:
            assert rule.rate > base


def test_one_question_that_separates_is_found_where_models_differ_often() -> None:
    """F1 alone would rather cover everything: 2 b / (1 + b) is 0.82 here."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(4000), "b": rng.random(4000)})
    differs = rng.random(4000) < np.where(X["a"] < 0.5, 0.9, 0.5)
    d = imd.diff(np.zeros(4000, int), differs.astype(int), X)
    (rule,) = d.rules
    (condition,) = rule.conditions
    assert condition.column == "a"
    assert condition.high == pytest.approx(0.5, abs=0.02)


def test_a_split_costs_one_row_more_than_a_share_of_the_differences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = pd.DataFrame({"a": np.arange(400), "b": np.arange(400) % 7})
    first, second = np.zeros(400, int), (X["a"] < 100).to_numpy(int)
    prices = []

    def spy(source: Any, shared_tree: Any, calibration: Any, price: float, *more: Any) -> Any:
        prices.append(price)
        return prune(source, shared_tree, calibration, price, *more)

    monkeypatch.setattr(calibrated, "prune", spy)
    for cost in (0.01, 0):
        imd.diff(first, second, X, rule_cost=cost, test_size=0)
    imd.diff(first, second, X, rule_cost=0.01, test_size=0, sample_weight=np.full(400, 3.0))
    assert prices[:2] == [pytest.approx(0.01 * 100 + 1), 0]
    # weights that are all the same change nothing: the price is in units of an average row
    source_unit = prices[2] / prices[0]
    assert source_unit == pytest.approx(round(source_unit))
