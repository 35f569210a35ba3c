"""The headline as a picture: the parts of the bar, their words, and fixes and breaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import imd_widget as imd
from imd_widget.comparison.headline_bar import LEAST_SHOWN, SHORTENED
from imd_widget.comparison.kept_rules import GONE, kept_rules, still_selected
from imd_widget.comparison.summary import headline
from tests.examples import examples
from tests.unit.example_views import EXAMPLES
from tests.unit.strategies import Problem, problems

X = pd.DataFrame({"a": np.arange(400.0), "b": np.arange(400) % 7})
LOW = (X["a"] < 100).to_numpy(int)


def shares(d: imd.ModelDiff) -> dict[str, float]:
    return {part.kind: part.share for part in headline(d).bar}


def words(d: imd.ModelDiff) -> list[str]:
    return [part.text for part in headline(d).bar]


def counted(d: imd.ModelDiff, X: Any, differs: Any, weight: Any) -> dict[str, float]:
    """The same parts, by the masks of the rules."""
    inside = np.zeros(len(X), dtype=bool)
    for rule in d.rules:
        inside |= np.asarray(rule.mask(X), dtype=bool)
    parts = {
        "agree": ~inside & ~differs,
        "inside": inside & ~differs,
        "covered": inside & differs,
        "missed": ~inside & differs,
    }
    found = {kind: float(weight[rows].sum() / weight.sum()) for kind, rows in parts.items()}
    return {kind: share for kind, share in found.items() if share > 0}


@settings(max_examples=examples(60), deadline=None)
@given(problems())
def test_parts_are_those_that_the_masks_of_the_rules_count(problem: Problem) -> None:
    options: dict[str, Any] = {"test_size": 0, "measure": "none"}
    d = imd.diff(problem.y1, problem.y2, problem.X, **options, **problem.options)
    bar = headline(d).bar
    assert sum(part.share for part in bar) == pytest.approx(1)
    assert sum(part.length for part in bar) == pytest.approx(1)
    assert all(part.share > 0 and part.text for part in bar)
    if not d.rules or d.agreement:
        return
    weight = np.ones(len(problem.X)) if problem.weight is None else problem.weight
    expected = counted(d, problem.X, problem.differs, weight)
    assert shares(d) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_bar_and_the_sentences_share_their_numbers(name: str) -> None:
    d = EXAMPLES[name]()
    bar, metrics = headline(d).bar, d.metrics
    found = shares(d)
    differ = sum(found.get(kind, 0) for kind in ("covered", "missed", "differ"))
    assert differ == pytest.approx(metrics.disagreement)
    if "covered" in found:
        assert found["covered"] / differ == pytest.approx(metrics.recall)
    assert len({part.kind for part in bar}) == len(bar)


def test_words_of_a_clear_difference() -> None:
    d = imd.diff(LOW, np.zeros(400, int), X, names=("A", "B"))
    assert words(d) == ["agree", "agree, but inside a rule", "all differences are inside 1 rule"]
    assert headline(d).short == (
        "Over 99 % of the rows inside the rule differ, measured by five-fold cross-fitting."
    )


def test_few_measured_rows_are_counted() -> None:
    d = imd.diff(LOW, np.zeros(400, int), X, names=("A", "B"), measure="holdout")
    assert headline(d).short == (
        "17 of the 17 rows inside the rule differ, measured on 100 held-out rows."
    )


def test_rare_differences_are_seen_and_the_rest_is_cut() -> None:
    wide = pd.DataFrame({"a": np.arange(10_000.0)})
    rare = (wide["a"] < 60).to_numpy(int)
    first, *rest = headline(imd.diff(rare, 0 * rare, wide, names=("A", "B"))).bar
    assert (first.kind, first.cut, first.length) == ("agree", True, SHORTENED)
    assert first.text == "agree (not to scale)"
    assert sum(part.share for part in rest) < LEAST_SHOWN
    assert sum(part.length for part in rest) == pytest.approx(1 - SHORTENED)
    assert not any(part.cut for part in rest)


def test_models_that_agree_have_one_part() -> None:
    found = headline(imd.diff(LOW, LOW, X))
    assert [(part.kind, part.share) for part in found.bar] == [("agree", 1.0)]
    assert (found.short, found.truth) == ("", None)


def test_differences_without_a_rule_are_one_part() -> None:
    rng = np.random.default_rng(0)
    d = imd.diff(rng.integers(0, 2, 400), rng.integers(0, 2, 400), X, method="imd", max_depth=1)
    assert not d.rules
    assert list(shares(d)) == ["agree", "differ"]
    assert headline(d).short.startswith("No rules were found")


def test_fixes_and_breaks_are_those_of_the_sentence() -> None:
    truth = (X["a"] < 130).to_numpy(int)
    d = imd.diff(LOW, (X["a"].between(20, 150)).to_numpy(int), X, y=truth, names=("A", "B"))
    bar = headline(d).truth
    assert bar is not None
    assert d.right is not None
    assert (bar.fixes, bar.breaks) == (d.right.fixes, d.right.breaks) == (30, 41)
    assert (bar.text, bar.net) == ("B breaks 41, fixes 30", "net −11")
    assert "fixes 30 and breaks 41, net −11" in d.summary()


def test_no_bar_of_the_truth_without_a_truth() -> None:
    assert headline(imd.diff(LOW, 1 - LOW, X)).truth is None


# --- rules that are still there -------------------------------------------------------------------


@pytest.fixture(scope="module")
def cancer() -> imd.ModelDiff:
    return EXAMPLES["regions"]()


def test_every_rule_of_the_same_diff_is_kept(cancer: imd.ModelDiff) -> None:
    everything = tuple(range(len(cancer.rules) + len(cancer.agreement)))
    assert kept_rules(cancer, cancer) == everything
    assert still_selected([2, 0], cancer, cancer) == [2, 0]


def test_a_refined_rule_is_found_inside_the_old_one(cancer: imd.ModelDiff) -> None:
    refined = cancer.refine()
    assert refined is not cancer
    kept = kept_rules(cancer, refined)
    old_rules = (*cancer.rules, *cancer.agreement)
    new_rules = (*refined.rules, *refined.agreement)
    assert GONE not in kept
    for old, number in zip(old_rules, kept, strict=True):
        new = new_rules[number]
        assert new.agrees == old.agrees
        assert new.node.startswith(old.node) or old.node.startswith(new.node)
    back = kept_rules(refined, cancer)
    assert all(back[new] == old for old, new in enumerate(kept))


def test_a_rule_elsewhere_is_gone() -> None:
    here = imd.diff(LOW, 0 * LOW, X)
    there = imd.diff(1 - LOW, np.ones(400, int) * (X["a"] < 300), X)
    assert here.rules
    assert there.rules
    assert still_selected([0], here, there) in ([], [0])
    assert kept_rules(here, imd.diff(LOW, LOW, X)) == (GONE,)


def test_a_selected_rule_gives_way_to_the_one_with_most_rows_in_common() -> None:
    here = imd.diff(LOW, 0 * LOW, X, method="calibrated")
    other = here.change(method="separate")
    numbers = still_selected([0], here, other)
    assert len(numbers) == 1
    common = [(here.covered([0]) & other.covered([i])).sum() for i in range(len(other.rules))]
    assert common[numbers[0]] == max(common) > 0


def test_a_rule_without_a_row_in_common_is_gone() -> None:
    here = imd.diff(LOW, 0 * LOW, X)
    high = X["a"].to_numpy() > 300
    there = imd.diff(high * 1, high * 0, X)
    assert not (here.covered([0]) & there.covered()).any()
    assert still_selected([0], here, there) == []
