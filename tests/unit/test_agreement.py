"""Models that differ on most rows: rules of agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import imd_widget as imd
from imd_widget.comparison.summary import headline
from imd_widget.rules.regions import _ranked
from imd_widget.tree.pruning import balanced_score
from tests.examples import examples
from tests.unit.strategies import Problem, problems

RNG = np.random.default_rng(5)
N = 4000
X = pd.DataFrame({"a": RNG.uniform(size=N), "b": RNG.choice(["x", "y", "z"], N)})
TRUTH = RNG.integers(0, 3, N)


def mostly_different(noise: float = 0.05) -> imd.ModelDiff:
    agree = ((X["a"] < 0.3) & (X["b"] == "x")).to_numpy() ^ (RNG.random(N) < noise)
    return imd.diff(TRUTH, np.where(agree, TRUTH, (TRUTH + 1) % 3), X, names=("A", "B"))


def test_rules_of_agreement_find_where() -> None:
    d = mostly_different(noise=0.0)
    [rule] = d.agreement
    assert rule.agrees
    assert {c.column for c in rule.conditions} == {"a", "b"}
    assert (rule.mask(X) == ~d.differs).mean() > 0.999
    assert rule.rate < 0.02
    assert rule.coverage > 0.99
    assert d.metrics.agreement_precision > 0.98  # type: ignore[operator]
    agreeing = rule.support - rule.differing
    assert str(rule).endswith(f": they agree ({agreeing} of {rule.support} rows)")


def test_the_headline_tells_the_rarer_side_first() -> None:
    text = mostly_different().summary()
    assert text.index("where they agree") < text.index("where they differ")
    assert "of the agreement, and" in text
    assert headline(mostly_different()).tone == "good"


def test_the_sentence_below_the_bar_is_about_both_kinds_of_rules() -> None:
    short = headline(mostly_different()).short
    assert " of the rows inside the rules of difference differ, measured on " in short
    assert short.endswith(" of the rows inside the rule of agreement agree.")


def test_no_row_is_said_to_agree_and_to_differ() -> None:
    d = mostly_different()
    assert d.rules
    assert not (d.rules.mask(X) & d.agreement.mask(X)).any()
    np.testing.assert_array_equal(d.covered([len(d.rules)]), d.agreement[0].mask(X))


def test_models_that_mostly_agree_have_no_such_rules() -> None:
    new = np.where(X["a"] > 0.8, (TRUTH + 1) % 3, TRUTH)
    d = imd.diff(TRUTH, new, X)
    assert len(d.agreement) == 0
    assert d.metrics.agreement_precision is None


def test_one_question_that_separates_ninety_from_fifty_percent_is_found() -> None:
    rng = np.random.default_rng(0)
    differs = rng.random(N) < np.where(X["a"] < 0.5, 0.9, 0.5)
    d = imd.diff(TRUTH, np.where(differs, (TRUTH + 1) % 3, TRUTH), X)
    assert "not localised" not in d.summary()
    [condition] = d.agreement[0].conditions
    assert condition.column == "a"
    assert d.metrics.agreement_precision == pytest.approx(0.5, abs=0.08)


@settings(max_examples=examples(80))
@given(problems(max_rows=40))
def test_regions_keep_to_their_side_of_the_base_rate(problem: Problem) -> None:
    options: Any = {"outputs": "class"}
    if problem.tolerance is not None:
        options = {"outputs": "value", "tolerance": problem.tolerance}
    d = imd.diff(problem.y1, problem.y2, problem.X, test_size=0, **options)
    base = d.differs.mean()
    assert not (d.rules.mask(problem.X) & d.agreement.mask(problem.X)).any()
    if len(d.agreement):
        assert base > 0.5
    for rule in d.agreement:
        assert rule.differing < rule.support
    for rule in d.rules:
        assert rule.differing > 0


@pytest.mark.parametrize("name", ["d.json", "d.md", "d.html"])
def test_files_tell_of_agreement(name: str, tmp_path: Path) -> None:
    d = mostly_different()
    path = d.save(tmp_path / name)
    if name == "d.json":
        again = imd.load(path)
        assert again.agreement == d.agreement
        assert str(again.agreement) == str(d.agreement)
        assert again.summary() == d.summary()
        np.testing.assert_array_equal(again.agreement.mask(X), d.agreement.mask(X))
    elif name == "d.md":
        assert "where they agree" in path.read_text(encoding="utf-8")


def test_refinement_keeps_the_agreement() -> None:
    d = mostly_different(noise=0.1)
    refined = d.refine()
    np.testing.assert_array_equal(refined.agreement.mask(X), d.agreement.mask(X))


def score(weight: Any, found: Any, chosen: list[int], wanted: float, total: float) -> float:
    claimed, both = weight[chosen].sum(), found[chosen].sum()
    return float(balanced_score(np.array([claimed]), np.array([both]), wanted, total).value[0])


def test_rules_come_in_the_order_of_what_they_add() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 9))
        weight = rng.integers(1, 60, n).astype(float)
        found = np.floor(weight * rng.random(n))
        wanted, total = found.sum() + 10, weight.sum() + 300
        order = _ranked(weight, found, wanted, total)
        assert sorted(order) == list(range(n))
        for place in range(n):
            scores = [
                score(weight, found, [*order[:place], other], wanted, total)
                for other in order[place:]
            ]
            assert scores[0] == max(scores)


def test_the_first_rule_tells_most() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.uniform(size=N), "b": rng.uniform(size=N)})
    new = ((table["a"] > 0.9) | ((table["b"] > 0.7) & (rng.random(N) < 0.7))).to_numpy(int)
    d = imd.diff(np.zeros(N, int), new, table)
    assert len(d.rules) > 1
    found = [rule.differing for rule in d.rules]
    assert found[0] == max(found)
