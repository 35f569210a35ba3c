"""Rules that may use the outputs of one model."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.comparison import cross_fit
from imd_widget.comparison.prepare import compare
from tests.examples import examples
from tests.unit.strategies import Problem, problems

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=800), "b": RNG.normal(size=800), "c": RNG.normal(size=800)})


def erratic(table: pd.DataFrame) -> Any:
    """A model that no tree can describe."""
    return np.where(np.sin(37 * table["a"] + 53 * table["b"]) > 0, "yes", "no")


def smooth(table: pd.DataFrame) -> Any:
    return np.where(table["c"] > 0, "yes", "no")


def fit(**options: Any) -> imd.ModelDiff:
    return imd.diff(erratic, smooth, X, **options)


def test_given_the_erratic_model_the_smooth_one_tells_where_they_differ() -> None:
    alone, given_first = fit(), fit(given="m1")
    assert alone.given is None
    assert given_first.given == "m1"
    assert (alone.metrics.mcc or 0) < 0.3
    assert (given_first.metrics.mcc or 0) > 0.95
    asked = {c.column for rule in given_first.rules for c in rule.conditions}
    assert asked == {"erratic predicts", "c"}
    assert {rule.outcomes for rule in given_first.rules} == {("yes", "no"), ("no", "yes")}


def test_the_headline_says_that_it_is_another_question() -> None:
    summary = fit(given="m1").summary()
    assert "Given erratic's output, 2 rules show where smooth disagrees: " in summary
    chance = fit(given="m2", rule_cost=0).summary()
    assert "Given smooth's output, 5 rules were found, but they are not shown to be" in chance
    nothing = fit(given="m2", rule_cost=1e6).summary()
    assert "Given smooth's output, " in nothing
    assert "Given" not in fit().summary()


def noisy(seed: int) -> tuple[Any, Any]:
    noise = np.random.default_rng(5).random((2, 800)) < 0.5
    lucky = np.random.default_rng(seed).random(800) < 0.15
    return noise[0], np.where((X["a"] > 0.5) | lucky, noise[0], noise[1])


def scored(d: imd.ModelDiff, own: Any) -> float:
    """G of a given model in folds of the rows that a diff is fitted to."""
    rows = d.change(given=own).rows
    found = cross_fit.held_out(rows.dataset, rows.compared, rows.method)
    assert found is not None
    return found.balanced


@pytest.mark.parametrize("measure", ["holdout", "none"])
def test_auto_chooses_by_folds_of_the_rows_used_to_fit(measure: Any) -> None:
    for seed in range(3):
        first, second = noisy(seed)
        options: Any = {"measure": measure, "random_state": seed, "rule_cost": 0}
        d = imd.diff(first, second, X, given="auto", **options)
        assert d.given == max(("m1", "m2"), key=lambda own, d=d: scored(d, own))
        aside = d.rows.dataset.holdout
        first[aside] = ~first[aside]  # the figures that are reported have no part in it
        assert imd.diff(first, second, X, given="auto", **options).given == d.given


def test_measured_by_folds_auto_takes_the_model_whose_metrics_are_better() -> None:
    for seed in range(3):
        d = imd.diff(*noisy(seed), X, given="auto", measure="cv", rule_cost=0)
        scores = {own: d.change(given=own).rows.measured.score for own in ("m1", "m2")}
        assert d.given == max(scores, key=scores.__getitem__)


def test_from_many_rows_on_one_fold_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    fit_problem = cross_fit.fit_problem
    monkeypatch.setattr(
        cross_fit, "fit_problem", lambda problem: fits.append(1) or fit_problem(problem)
    )
    fit(given="auto", measure="none")
    assert len(fits) == 2 * cross_fit.N_FOLDS
    fits.clear()
    monkeypatch.setattr(cross_fit, "FEW_ROWS", 800)
    assert fit(given="auto", measure="none").given == "m1"
    assert len(fits) == 2


def test_one_group_is_not_divided_into_folds() -> None:
    assert fit(given="auto", measure="holdout", groups=np.arange(800) % 2).given == "m1"


def test_auto_takes_the_model_with_the_larger_score() -> None:
    both = {model: fit(given=model).rows.measured.score for model in ("m1", "m2")}
    assert both["m1"] > both["m2"]
    assert fit(given="auto").given == "m1"
    swapped = imd.diff(smooth, erratic, X, given="auto")
    assert swapped.given == "m2"


def test_a_change_calls_no_model_and_gives_the_same_as_a_new_diff() -> None:
    calls = []

    def counted(table: pd.DataFrame) -> Any:
        calls.append(len(table))
        return erratic(table)

    d = imd.diff(counted, smooth, X)
    before = len(calls)
    changed = d.change(given="m1")
    assert len(calls) == before
    assert changed.rules == imd.diff(counted, smooth, X, given="m1").rules
    assert changed.change(given="nothing").rules == d.rules
    assert changed.change(max_depth=2).given == "m1"
    assert changed.change(given="m2").given == "m2"


def test_new_rows_ask_the_model_a_column_or_an_array() -> None:
    d = fit(given="m1")
    new = X.head(50) * 1.5
    by_model = d.predict(new)
    outputs = erratic(new)
    np.testing.assert_array_equal(d.predict(new, given=outputs), by_model)
    with_column = new.assign(**{"erratic predicts": outputs})
    np.testing.assert_array_equal(d.predict(with_column), by_model)
    # an array is taken before a column, and a column before the model
    wrong = new.assign(**{"erratic predicts": "neither"})
    assert not d.predict(wrong).any()
    np.testing.assert_array_equal(d.predict(wrong, given=outputs), by_model)
    np.testing.assert_array_equal(d.rules.mask(new, given=list(outputs)), by_model)
    np.testing.assert_array_equal(
        d.tree.predict(new, given=outputs)[:, 0], d.tree.predict(with_column)[:, 0]
    )


def test_outputs_may_be_numbers_where_the_diff_has_text() -> None:
    def whole(table: pd.DataFrame) -> Any:
        return (erratic(table) == "yes").astype(int)

    with pytest.warns(imd.InputWarning, match="same spelling"):
        d = imd.diff(whole, lambda table: np.where(table["c"] > 0, "1", "0"), X, given="m1")
    assert d.labels == ("0", "1")
    assert d.covered().any()
    for outputs in (whole(X), whole(X).astype(str), list(whole(X)), pd.Series(whole(X))):
        np.testing.assert_array_equal(d.predict(X, given=outputs), d.covered())


def test_outputs_at_hand_must_be_passed() -> None:
    d = imd.diff(pd.Series(erratic(X), name="old"), smooth(X), X, given="m1")
    with pytest.raises(imd.InputError, match="has no column 'old predicts': pass"):
        d.predict(X)
    with pytest.raises(imd.InputError, match="given has 3 outputs, X has 800 rows"):
        d.predict(X, given=["yes"] * 3)
    np.testing.assert_array_equal(d.predict(X, given=erratic(X)), d.covered())


@pytest.mark.parametrize("taken", ["erratic predicts", "ERRATIC predicts", "Erratic PREDICTS"])
@pytest.mark.parametrize("columns", [None, ["c"]])
def test_the_column_of_outputs_has_a_name_of_its_own(taken: str, columns: list[str] | None) -> None:
    """Also in SQL, which ignores case, and if rules may not ask about the column of that name."""
    table = X.assign(**{taken: "neither"})
    d = imd.diff(erratic, smooth, table, given="m1", columns=columns)
    names = {c.column for rule in d.rules for c in rule.conditions}
    assert names == {"model erratic predicts", "c"}
    np.testing.assert_array_equal(d.predict(table), d.covered())
    with duckdb.connect() as database:
        database.register("rows", table.assign(**{"model erratic predicts": erratic(table)}))
        for rule in d.rules:
            found = database.sql(f"SELECT count(*) FROM rows WHERE {rule.to_sql()}").fetchall()
            assert found == [(rule.mask(table).sum(),)]


@settings(max_examples=examples(40))
@given(problem=problems(), model=st.sampled_from(["m1", "m2"]), n_chunks=st.sampled_from([1, 3]))
def test_mask_query_and_sql_are_the_same_rows_with_that_column(
    problem: Problem, model: Any, n_chunks: int
) -> None:
    options = {**problem.options, "test_size": 0, "min_samples_leaf": 1, "rule_cost": 0}
    with pytest.MonkeyPatch.context() as patch:
        in_chunks = partial(compare, n_chunks=n_chunks)
        patch.setattr("imd_widget.api.diff.compare", in_chunks)
        d = imd.diff(problem.y1, problem.y2, problem.X, given=model, **options)
    outputs = problem.y1 if model == "m1" else problem.y2
    np.testing.assert_array_equal(d.predict(problem.X, given=outputs), d.covered())
    column = "model 1 predicts" if model == "m1" else "model 2 predicts"
    asked = [c for rule in d.rules for c in rule.conditions if c.given]
    assert {c.column for c in asked} <= {column}
    frame = problem.X.reset_index(drop=True).assign(**{column: outputs})
    for number, rule in enumerate(d.rules):
        inside = d.covered([number])
        np.testing.assert_array_equal(rule.mask(problem.X, given=outputs), inside)
        for given_condition in (c for c in rule.conditions if c.given):
            assert str(given_condition).startswith((column, column.removesuffix("predicts")))
        if all(c.given for c in rule.conditions) and rule.conditions:
            query = frame.query(rule.to_query()).index
            np.testing.assert_array_equal(query, np.flatnonzero(inside))
            database = duckdb.connect()
            database.register("kept", frame[[column]].assign(row=np.arange(len(frame))))
            found = database.sql(f"SELECT row FROM kept WHERE {rule.to_sql()} ORDER BY row")
            np.testing.assert_array_equal([row for (row,) in found.fetchall()], query)


def test_a_model_is_never_asked_about_both() -> None:
    """Both outputs together are the difference."""
    for model in ("m1", "m2", "auto"):
        d = fit(given=model)
        assert sum(column.given for column in d.tree.columns) == 1


@pytest.mark.parametrize(
    "low, high, text",
    [
        (None, 0.7, "f predicts less than 0.7"),
        (0.7, None, "f predicts 0.7 or more"),
        (0.3, 0.7, "f predicts 0.3 or more and less than 0.7"),
    ],
)
def test_numbers_that_a_model_says(low: Any, high: Any, text: str) -> None:
    from imd_widget.rules.conditions import Interval

    assert str(Interval("f predicts", low, high, given=True)) == text


def test_labels_that_a_model_says() -> None:
    from imd_widget.rules.conditions import Membership

    assert str(Membership("f predicts", ("a",), given=True)) == "f predicts a"
    assert str(Membership("f predicts", ("a",), negated=True, given=True)) == "f does not predict a"
    assert str(Membership("f predicts", ("a", "b"), given=True)) == "f predicts one of a, b"
    none = Membership("f predicts", ("a", "b"), negated=True, given=True)
    assert str(none) == "f predicts none of a, b"


def test_values_are_given_in_their_own_units() -> None:
    first, second = (
        100 * X["a"],
        np.where(X["a"] > 0.5, 100 * X["a"] + 50 * (X["b"] > 0), 100 * X["a"]),
    )
    d = imd.diff(
        first, second, X[["b", "c"]], outputs="value", tolerance=10, given="m1", names=("f", "g")
    )
    texts = [str(c) for rule in d.rules for c in rule.conditions if c.given]
    assert texts
    (bound,) = {c.low for rule in d.rules for c in rule.conditions if c.given}
    assert bound == pytest.approx(50, abs=3)


def test_a_column_called_like_the_outputs_stays_apart() -> None:
    table = X.assign(**{"erratic predicts": 1.0})
    d = imd.diff(erratic, smooth, table, given="m1")
    names = {c.column for rule in d.rules for c in rule.conditions if c.given}
    assert names == {"model erratic predicts"}
    np.testing.assert_array_equal(d.predict(table), d.covered())


def test_files_pages_and_rows_keep_it(tmp_path: Path) -> None:
    d = fit(given="m1")
    again = imd.load(d.save(tmp_path / "d.json"))
    assert again.given == "m1"
    assert again.rules == d.rules
    np.testing.assert_array_equal(again.predict(X, given=erratic(X)), d.covered())
    plain = json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))
    assert [own.get("given", False) for own in plain["columns"]] == [False] * 3 + [True]
    assert "erratic predicts" in d.save(tmp_path / "d.html", rows=20).read_text(encoding="utf-8")
    d.save(tmp_path / "d.svg")
    w = imd.show(d, picture=False)
    assert w.diff.given == "m1"


def test_it_has_a_meaning_for_the_default_method_only() -> None:
    with pytest.raises(imd.InputError, match="given='m1' has no meaning with method=\"imd\""):
        fit(given="m1", method="imd")
    with pytest.raises(imd.InputError, match='given=\'m3\': choose "m1" or "m2"'):
        fit(given="m3")


@settings(max_examples=examples(25))
@given(problem=problems(values=False))
def test_given_tells_at_least_something_where_labels_do(problem: Problem) -> None:
    """With the output of one model as the only column, rules split it as a confusion table does."""
    assume(len(set(problem.y1.tolist())) > 1)
    only = pd.DataFrame({"constant": np.zeros(len(problem.X))})
    options = {**problem.options, "test_size": 0, "min_samples_leaf": 1, "rule_cost": 0}
    d = imd.diff(problem.y1, problem.y2, only, given="m1", **options)
    for rule in d.rules:
        for condition in rule.conditions:
            assert condition.given
