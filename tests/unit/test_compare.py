"""`diff` and `ModelDiff`: options, refinement, measures."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.comparison.confusion import Confusion
from imd_widget.data.sampling import hashed, holdout_rows
from imd_widget.tree.local_source import LocalSource

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(400, 3)), columns=["a", "b", "c"])
Y1 = (X["a"] + X["b"] > 0).to_numpy(int)
Y2 = (X["a"] - 0.5 * X["c"] > 0.2).to_numpy(int)


@pytest.mark.parametrize(
    "option, message",
    [
        ({"max_depth": 0}, "max_depth=0: a whole number from 1 to 30"),
        ({"max_depth": 50}, "max_depth=50"),
        ({"max_depth": 2.5}, "max_depth=2.5"),
        ({"max_depth": True}, "max_depth=True"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0: a whole number from 1 up"),
        ({"max_bins": 1}, "max_bins=1: a whole number from 2 to 65535"),
        ({"test_size": 1}, "test_size=1: .*below 1"),
        ({"test_size": "half"}, "test_size='half'"),
        ({"random_state": -1}, "random_state=-1"),
        ({"method": "magic"}, "method='magic' is not known. Choose one of calibrated, imd"),
        ({"method": "imd", "alpha": 1.5}, "alpha=1.5: a number up to 1"),
        ({"method": "imd", "alpha": "x"}, "alpha='x'"),
        ({"alpha": 0.5}, 'alpha=0.5 has no meaning with method="calibrated"'),
        ({"diff_weight": -1}, r"diff_weight=-1: a number from 0 to 1e\+12 is needed"),
        ({"rule_cost": "high"}, "rule_cost='high'"),
        ({"rule_cost": float("nan")}, "rule_cost=nan"),
        ({"max_rules": 0}, "max_rules=0: a whole number from 1 up"),
        ({"sensitivity": 1.5}, "sensitivity=1.5: .*from 0 to 1"),
        ({"method": "separate", "alpha": 0.5}, "alpha=0.5 has no meaning"),
    ],
)
def test_bad_options(option: dict[str, Any], message: str) -> None:
    with pytest.raises(imd.InputError, match=re.compile(message)):
        imd.diff(Y1, Y2, X, **option)


def test_bad_options_are_found_before_a_model_is_asked() -> None:
    def never(table: Any) -> Any:
        raise AssertionError("asked")

    with pytest.raises(imd.InputError):
        imd.diff(never, never, X, max_depth=0)
    with pytest.raises(imd.InputError):
        imd.diff(never, never, X.assign(a=1j))


def test_the_same_call_gives_the_same_diff() -> None:
    first, second = (imd.diff(Y1, Y2, X) for _ in range(2))
    assert first.rules == second.rules
    assert first.metrics == second.metrics


def test_measures_come_from_rows_kept_aside() -> None:
    d = imd.diff(Y1, Y2, X, test_size=0.25, measure="holdout")
    assert d.metrics.on_holdout
    assert d.metrics.measured_rows == 100
    aside = holdout_rows(400, 0.25, 0)
    claimed, differs = d.predict(X)[aside], (Y1 != Y2)[aside]
    assert d.metrics.precision == pytest.approx((claimed & differs).sum() / claimed.sum())
    assert d.metrics.recall == pytest.approx((claimed & differs).sum() / differs.sum())
    said = d.tree.predict(X)[aside]
    assert d.metrics.fidelity == pytest.approx(
        ((said[:, 0] == Y1[aside]).mean(), (said[:, 1] == Y2[aside]).mean())
    )
    assert d.metrics.disagreement == pytest.approx((Y1 != Y2).mean())


def test_without_rows_kept_aside_it_says_so() -> None:
    d = imd.diff(Y1, Y2, X, test_size=0)
    assert not d.metrics.on_holdout
    assert d.metrics.measured_rows == 400
    assert "used to fit" in d.summary()


def test_predicates_are_counted_once() -> None:
    d = imd.diff(Y1, Y2, X, method="imd")
    distinct = {p for rule in d.rules for c in rule.conditions for p in c.predicates}
    assert (
        d.metrics.n_predicates
        == len(distinct)
        < sum(len(c.predicates) for rule in d.rules for c in rule.conditions)
    )


def test_refinement_splits_only_impure_leaves_of_rules_and_ends() -> None:
    d = imd.diff(Y1, Y2, X, max_depth=2, method="imd")
    assert d.refinable
    refined = d.refine()
    assert refined.refinements == 1
    assert refined.tree.n_nodes == d.tree.n_nodes + 2 * len(d.refinable)
    assert d.refine(2).rules == refined.refine().rules
    last = d.refine(100)
    assert last.refinable == ()
    assert last.refine() is last
    assert d.refine(0) is d


@pytest.mark.parametrize("n", [-1, 1.5, "2"])
def test_refine_takes_a_number_of_steps(n: Any) -> None:
    with pytest.raises(imd.InputError, match="number of refinement steps"):
        imd.diff(Y1, Y2, X).refine(n)


def test_rows_that_no_condition_can_tell_apart() -> None:
    same = pd.DataFrame({"a": np.zeros(60)})
    y1 = np.arange(60) % 2
    for method in ("calibrated", "imd", "separate", "direct"):
        d = imd.diff(y1, np.ones(60, int), same, test_size=0, method=method)
        assert d.tree.n_nodes == 3
        assert d.refine() is d


def test_separate_has_one_or_node_and_more_rules() -> None:
    joint = imd.diff(Y1, Y2, X, max_depth=4, method="imd")
    separate = imd.diff(Y1, Y2, X, max_depth=4, method="separate")
    assert separate.tree.or_nodes == ("r",)
    assert len(separate.rules) > len(joint.rules) > 0


@pytest.mark.parametrize("method", ["calibrated", "direct"])
def test_refining_regions_raises_their_rate_and_ends(method: Any) -> None:
    d = imd.diff(Y1, Y2, X, max_depth=3, method=method, test_size=0)
    refined = d.refine()
    assert refined.refinements == 1
    assert refined.metrics.precision >= d.metrics.precision
    assert d.refine(3).metrics.precision > d.metrics.precision
    assert refined.metrics.recall <= d.metrics.recall
    inside = d.predict(X)
    assert not (refined.predict(X) & ~inside).any(), "a refined rule lies inside the old one"
    last = d.refine(100)
    assert last.refine() is last


def test_sensitivity_trades_precision_for_recall() -> None:
    found = [imd.diff(Y1, Y2, X, test_size=0, sensitivity=s).metrics for s in (0.2, 0.5, 0.9, 1)]
    assert [m.recall for m in found] == sorted(m.recall for m in found)
    assert found[0].precision > found[-1].precision
    assert found[-1].recall > 0.95


def test_max_rules_is_kept() -> None:
    free = imd.diff(Y1, Y2, X, rule_cost=0)
    assert len(free.rules) > 3
    for most in (3, 2, 1):
        assert len(imd.diff(Y1, Y2, X, rule_cost=0, max_rules=most).rules) <= most


def test_a_higher_rule_cost_leaves_fewer_questions() -> None:
    sizes = [imd.diff(Y1, Y2, X, rule_cost=cost).metrics.n_predicates for cost in (0, 0.02, 0.2)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_the_skeleton_costs_little_fidelity() -> None:
    calibrated, paper = imd.diff(Y1, Y2, X), imd.diff(Y1, Y2, X, method="imd")
    assert sum(calibrated.metrics.fidelity) > sum(paper.metrics.fidelity) - 0.1


def test_differences_spread_evenly_give_no_rule() -> None:
    rng = np.random.default_rng(1)
    y2 = np.where(rng.random(400) < 0.2, 1 - Y1, Y1)
    d = imd.diff(Y1, y2, X, rule_cost=0.3)
    assert len(d.rules) == 0
    assert not d.predict(X).any()


def test_reaches_follows_the_path() -> None:
    d = imd.diff(Y1, Y2, X, test_size=0)
    for node, count in zip(d.tree.ids, d.tree.rows, strict=True):
        assert d.reaches(node).sum() == count


def test_predict_needs_the_columns_by_name_in_any_order() -> None:
    d = imd.diff(Y1, Y2, X)
    np.testing.assert_array_equal(d.predict(X[["c", "a", "b"]]), d.predict(X))
    with pytest.raises(imd.InputError, match="lacks the column"):
        d.predict(X[["a"]])


def test_numpy_columns_have_names() -> None:
    d = imd.diff(Y1, Y2, X.to_numpy())
    assert d.rules
    assert {c.column for rule in d.rules for c in rule.conditions} <= {"x0", "x1", "x2"}
    assert d.rules.mask(X.to_numpy()).sum() == d.predict(X.to_numpy()).sum()


@pytest.mark.parametrize(
    "claimed, differing, both, expected",
    [
        (10, 5, 4, (0.4, 0.8, 2 * 0.32 / 1.2)),
        (0, 5, 0, (0, 0, 0)),
        (5, 0, 0, (0, 1, 0)),
        (0, 0, 0, (1, 1, 1)),
    ],
)
def test_scores(claimed: int, differing: int, both: int, expected: tuple[float, ...]) -> None:
    scores = Confusion(claimed, differing, both, total=100)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


def test_rows_kept_aside_depend_on_number_and_seed_alone() -> None:
    aside = holdout_rows(10_000, 0.25, 7)
    assert aside.sum() == 2_500
    np.testing.assert_array_equal(aside, holdout_rows(10_000, 0.25, 7))
    assert not np.array_equal(aside, holdout_rows(10_000, 0.25, 8))
    # another seed is not the same choice moved along
    agree = [
        (holdout_rows(10_000, 0.25, 8)[10:] == np.roll(aside, shift)[10:]).mean()
        for shift in range(-3, 4)
    ]
    assert max(agree) < 0.7
    np.testing.assert_array_equal(hashed(50, 3), hashed(100, 3)[:50])
    assert holdout_rows(1, 0.5, 0).sum() == 0
    assert holdout_rows(2, 0.99, 0).sum() == 1


def test_the_table_of_rules() -> None:
    d = imd.diff(Y1, Y2, X)
    frame = d.rules.to_frame()
    assert len(frame) == len(d.rules)
    assert frame["differing"].is_monotonic_decreasing
    assert frame["rule"][0] in str(d.rules[0])
    assert d.rules[:2].to_frame().equals(frame[:2])
    assert "<table" in d.rules._repr_html_()
    assert str(d.rules[:0]) == "no rules"
    with pytest.raises(IndexError, match="there is no rule 0: the diff has 0 rules"):
        d.rules[:0][0]


def test_repr_is_the_headline() -> None:
    d = imd.diff(Y1, Y2, X, names=("old", "new"))
    assert repr(d) == f"<ModelDiff: {d.summary()}>"


def test_one_diff_in_many_threads() -> None:
    """The widget refines in a thread while a cell may do the same."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 5))
    y1, y2 = (X[:, 0] + X[:, 1] > 1).astype(int), (X[:, 0] + X[:, 2] > 1).astype(int)
    d = imd.diff(y1, y2, X, max_depth=4)

    def work(i: int) -> str:
        return str((d.refine() if i % 2 == 0 else d.change(max_depth=5)).rules)

    alone = [work(0), work(1)]
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(32))) == alone * 16
    finally:
        sys.setswitchinterval(often)


def test_rows_kept_aside_are_told() -> None:
    d = imd.diff([0, 1] * 100, [0] * 200, [[i % 2] for i in range(200)], measure="holdout")
    assert d.kept_aside.sum() == d.metrics.measured_rows == 50
    own = imd.diff([0, 1] * 100, [0] * 200, [[i % 2] for i in range(200)], test_size=0)
    assert not own.kept_aside.any()
    mask = np.arange(200) < 30
    given = imd.diff([0, 1] * 100, [0] * 200, [[i % 2] for i in range(200)], holdout=mask)
    np.testing.assert_array_equal(given.kept_aside, mask)


def test_some_of_the_rules_are_rules_again() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(2000, 2)), columns=["a", "b"])
    y2 = np.select([X["a"] > 0.9, X["b"] > 0.95], [1, 2], 0)
    d = imd.diff(np.zeros(2000, int), y2, X)
    ones = d.rules.where(lambda rule: rule.outcomes == (0, 1))
    assert 0 < len(ones) < len(d.rules)
    np.testing.assert_array_equal(ones.mask(X), X.eval(ones.to_query()))
    assert d.rules.where(lambda rule: rule.support < 0).to_sql() == "FALSE"
    assert d.rules.to_frame()["outcome_share"].between(0, 1).all()


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_predicting_needs_only_the_columns_that_are_asked_about(method: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=300) for name in "abc"})
    d = imd.diff(X["a"] > 0, (X["a"] > 0) & (X["b"] < 1), X, method=method, max_depth=2)
    few = X[["b", "a"]]
    np.testing.assert_array_equal(d.predict(few), d.predict(X))
    np.testing.assert_array_equal(d.tree.predict(few), d.tree.predict(X))
    np.testing.assert_array_equal(d.rules.mask(few), d.rules.mask(X))
    with pytest.raises(imd.InputError, match="lacks the column 'b'"):
        d.predict(X[["a", "c"]])


@pytest.mark.parametrize("method", ["calibrated", "imd"])
def test_no_row_numbers_are_kept_once_an_answer_is_there(method: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=500) for name in "abc"})
    d = imd.diff(X["a"] + X["b"] > 0, X["a"] - X["c"] > 0, X, method=method)
    assert d.refinable
    imd.show(d, picture=False)
    assert d.rows.problem.source.n_kept == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", ["max_kept", "max_pairs"])
def test_how_much_is_kept_changes_nothing(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=200) for name in "abc"})
    said = X["a"] + X["b"] > 0, X["a"] - X["c"] > 0
    whole = [imd.diff(*said, X, method=method) for method in ("calibrated", "imd")]
    source = partial(LocalSource, **{option: 100})
    monkeypatch.setattr("imd_widget.comparison.memory_dataset.LocalSource", source)
    for before in whole:
        again = imd.diff(*said, X, method=before.method)
        assert again.rules == before.rules
        assert again.refine().rules == before.refine().rules


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("with_truth", [False, True])
def test_an_own_holdout_that_no_array_can_hold(library: str, with_truth: bool) -> None:
    days = (np.datetime64("2020-01-01", "D") + np.arange(200)).astype("datetime64[us]")
    columns = {"day": days, "flag": np.arange(200) % 2 == 0, "number": np.arange(200) % 7 / 2}
    own = pytest.importorskip(library)
    X = own.DataFrame(columns) if library == "polars" else own.table(columns)

    def above(bound: float) -> Any:
        return lambda rows: np.asarray(rows["number"]) > bound

    holdout = (X, np.ones(200, bool)) if with_truth else X
    d = imd.diff(above(1), above(2), X, holdout=holdout)
    assert d.has_own_holdout
    assert d.metrics.f1 == 1
