"""Partial dependence and individual conditional expectation: laws, naive twins, sklearn's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import imd_widget as imd
from imd_widget.explanations import asking
from imd_widget.models import pace
from tests.examples import examples
from tests.unit.explain_models import additive, frozen, interacting, tables


def values(m1: Any, m2: Any, X: Any, **options: Any) -> imd.ModelDiff:
    return imd.diff(m1, m2, X, outputs="value", tolerance=0.1, names=("A", "B"), **options)


@settings(max_examples=examples(12), deadline=None)
@given(X=tables(), at=st.integers(0, 1), n_points=st.integers(2, 6))
def test_curves_equal_a_naive_twin(X: pd.DataFrame, at: int, n_points: int) -> None:
    m1, m2 = interacting([1.0, 2.0, 0.5][: X.shape[1]]), additive([2.0, -1.0, 0.0][: X.shape[1]])
    curves = values(m1, m2, X).explain(n_points=n_points).partial_dependence(f"c{at}")
    missing = X[f"c{at}"].isna()
    for point, value in enumerate(curves.grid):
        # a row that has the value, so that the twin needs no conversion
        same = missing if value is None else X[f"c{at}"] == value
        donor = int(np.flatnonzero(same.fillna(False).to_numpy(dtype=bool))[0])
        rows = []
        for row in curves.rows.tolist():
            changed = X.iloc[[row]].copy()
            changed.isetitem(at, X.iloc[[donor], at].array)
            rows.append([float(m1(changed)[0]), float(m2(changed)[0])])
        scores = np.array(rows)
        np.testing.assert_allclose(curves.individual[:, :, point], scores.T, atol=1e-9)
        np.testing.assert_allclose(curves.first[point], scores[:, 0].mean(), atol=1e-9)
        np.testing.assert_allclose(
            curves.spread.difference[point], (scores[:, 0] - scores[:, 1]).std(), atol=1e-9
        )
    assert len(curves.grid) <= n_points + bool(missing.any())
    assert curves.support.sum() == pytest.approx(1) or len(curves.grid) >= n_points


@settings(max_examples=examples(12), deadline=None)
@given(X=tables(), at=st.integers(0, 1))
def test_the_curve_of_the_difference_is_the_difference_of_the_curves(
    X: pd.DataFrame, at: int
) -> None:
    m1, m2 = interacting([1.0, 2.0, 0.5][: X.shape[1]]), additive([2.0, -1.0, 1.0][: X.shape[1]])
    curves = values(m1, m2, X).explain().partial_dependence(f"c{at}")
    np.testing.assert_array_equal(curves.difference, curves.first - curves.second)
    # the difference as a model of its own, beside one that says 0
    alone = values(lambda t: m1(t) - m2(t), lambda t: np.zeros(len(t)), X).explain()
    np.testing.assert_allclose(
        alone.partial_dependence(f"c{at}").first, curves.difference, atol=1e-12
    )
    ice = values(m1, m2, X).explain(row=3).ice(f"c{at}")
    np.testing.assert_array_equal(ice.difference, ice.first - ice.second)
    assert ice.scores == pytest.approx((m1(X.iloc[[3]])[0], m2(X.iloc[[3]])[0]))


@settings(max_examples=examples(12), deadline=None)
@given(X=tables())
def test_swapped_models_flip_signs_exactly(X: pd.DataFrame) -> None:
    m1, m2 = interacting([1.0, 2.0, 0.5][: X.shape[1]]), additive([2.0, -1.0, 1.0][: X.shape[1]])
    there, back = values(m1, m2, X).explain(), values(m2, m1, X).explain()
    assert there.columns == back.columns
    for one, other in zip(there.curves(), back.curves(), strict=True):
        np.testing.assert_array_equal(one.difference, -other.difference)
        np.testing.assert_array_equal(one.first, other.second)
        np.testing.assert_array_equal(one.spread.difference, other.spread.difference)


@settings(max_examples=examples(12), deadline=None)
@given(X=tables(), unused=st.integers(0, 1))
def test_a_column_that_no_model_uses_is_flat_and_last(X: pd.DataFrame, unused: int) -> None:
    weights = [1.0, 1.0, 1.0][: X.shape[1]]
    weights[unused] = 0.0
    e = values(additive(weights), additive([-2 * weight for weight in weights]), X).explain()
    curves = e.partial_dependence(f"c{unused}")
    for line in (curves.first, curves.second, curves.difference):
        np.testing.assert_array_equal(line, line[0])
    assert curves.moves == 0
    assert e.curves(None)[-1].moves == 0
    assert e.columns[0] != f"c{unused}"


@settings(max_examples=examples(6), deadline=None)
@given(X=tables())
def test_a_model_does_not_differ_from_itself(X: pd.DataFrame) -> None:
    model = interacting([1.0, 2.0, 0.5][: X.shape[1]])
    e = values(model, model, X).explain()
    for curves in e.curves(None):
        assert not curves.difference.any()
        assert not curves.spread.difference.any()
        assert curves.moves == curves.apart == 0


@settings(max_examples=examples(12), deadline=None)
@given(X=tables(), at=st.integers(0, 1))
def test_a_frozen_column_comes_first_and_all_others_are_flat(X: pd.DataFrame, at: int) -> None:
    m1 = additive([1.0, 2.0, 0.5][: X.shape[1]])
    e = values(m1, frozen(m1, at, X.iloc[0, at]), X).explain()
    first, *others = e.curves(None)
    assert first.column == f"c{at}"
    assert first.moves > 1e-6
    for curves in others:
        np.testing.assert_allclose(curves.difference, curves.difference[0], atol=1e-12)
    assert e.columns[0] == f"c{at}"


@pytest.fixture(scope="module")
def numeric() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 4)), columns=list("abcd"))
    return X, np.where(X["a"] + X["b"] * X["c"] > 0, "yes", "no")


def test_curves_equal_those_of_scikit_learn(numeric: tuple[pd.DataFrame, Any]) -> None:
    X, y = numeric
    m1 = LogisticRegression().fit(X, y)
    m2 = RandomForestClassifier(10, random_state=0).fit(X, y)
    e = imd.diff(m1, m2, X).explain()
    for name in X:
        for model, own in ((m1, "first"), (m2, "second")):
            theirs = partial_dependence(
                model,
                X,
                [name],
                method="brute",
                grid_resolution=15,
                kind="both",
                response_method="predict_proba",
            )
            grid = theirs["grid_values"][0]
            ours = e.partial_dependence(name, grid=grid.tolist())
            np.testing.assert_allclose(getattr(ours, own), theirs["average"][0], atol=1e-12)
            side = 0 if own == "first" else 1
            np.testing.assert_allclose(ours.individual[side], theirs["individual"][0], atol=1e-12)


def test_values_equal_those_of_scikit_learn(numeric: tuple[pd.DataFrame, Any]) -> None:
    X = numeric[0].to_numpy()
    y = X[:, 0] * 3 + X[:, 1] ** 2
    m1, m2 = LinearRegression().fit(X, y), DecisionTreeRegressor(max_depth=3).fit(X, y)
    e = imd.diff(m1, m2, X).explain()
    theirs = partial_dependence(m2, X, [1], method="brute", grid_resolution=9)
    ours = e.partial_dependence("x1", grid=theirs["grid_values"][0].tolist())
    np.testing.assert_allclose(ours.second, theirs["average"][0], atol=1e-9)


def test_a_rule_is_explained_as_its_rows(numeric: tuple[pd.DataFrame, Any]) -> None:
    X, y = numeric
    m1, m2 = LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=4).fit(X, y)
    d = imd.diff(m1, m2, X)
    rule = max(d.rules, key=lambda own: own.support)
    by_rule, by_mask = d.explain(rule), d.explain(rule.mask(X))
    assert by_rule.selection.rows.tolist() == np.flatnonzero(rule.mask(X)).tolist()
    assert by_rule.columns == by_mask.columns
    for name in X:
        one = by_rule.partial_dependence(name)
        other = by_mask.partial_dependence(name, grid=one.grid)
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.individual, other.individual)
        np.testing.assert_array_equal(one.difference, other.difference)
    node = d.explain(rule.node)
    assert node.selection.rows.tolist() == np.flatnonzero(d.reaches(rule.node)).tolist()


def test_a_grid_stays_inside_the_rule(numeric: tuple[pd.DataFrame, Any]) -> None:
    X, y = numeric
    m1, m2 = LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=4).fit(X, y)
    d = imd.diff(m1, m2, X)
    asked = 0
    for rule in d.rules:
        if rule.mask(X).sum() < 20:
            continue
        for condition in rule.conditions:
            curves = d.explain(rule).partial_dependence(condition.column)
            low, high = condition.named
            assert low is None or curves.grid[0] == low
            assert high is None or curves.grid[-1] == high
            assert curves.condition == condition
            inside = X.loc[rule.mask(X), condition.column]
            assert inside.min() >= curves.grid[0]
            asked += 1
    assert asked


def test_whole_numbers_stay_whole_and_inside() -> None:
    X = pd.DataFrame({"n": np.tile(np.arange(100), 4), "m": np.arange(400) % 7})
    seen: set[str] = set()

    def model(table: pd.DataFrame) -> Any:
        seen.update(table.dtypes.astype(str))
        return np.where(table["n"] < 40, "no", "yes")

    def other(table: pd.DataFrame) -> Any:
        return np.where(table["n"] < 60, "no", "yes")

    d = imd.diff(model, other, X)
    curves = d.explain(d.rules[0]).partial_dependence("n")
    assert (curves.grid[0], curves.grid[-1]) == (40, 59)
    assert seen == {"int64"}
    np.testing.assert_array_equal(curves.first, 1)
    np.testing.assert_array_equal(curves.second, 0)


def test_points_that_a_frequent_value_saves_go_to_the_others() -> None:
    X = pd.DataFrame({"gain": np.where(np.arange(500) < 450, 0, np.arange(500))})
    e = values(lambda t: t["gain"] * 1.0, lambda t: t["gain"] * 2.0, X).explain(n_points=10)
    curves = e.partial_dependence("gain")
    assert len(curves.grid) == 10
    assert curves.support[0] >= 0.9
    assert (curves.grid[0], curves.grid[-1]) == (0, 499)


def test_weights_weigh_the_mean() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    weight = rng.integers(0, 4, 60).astype(float)
    e = values(lambda t: t["a"] * t["b"], lambda t: t["a"], X, sample_weight=weight).explain()
    curves = e.partial_dependence("a", grid=[2.0])
    assert curves.first[0] == pytest.approx(np.average(2 * X["b"], weights=weight))
    assert set(curves.rows.tolist()) == set(np.flatnonzero(weight > 0).tolist())
    expected = np.sqrt(np.average((2 * X["b"] - curves.first[0]) ** 2, weights=weight))
    assert curves.spread.first[0] == pytest.approx(expected)


def test_outside_one_standard_deviation_is_said_in_words() -> None:
    X = pd.DataFrame({"a": np.tile([0.0, 1.0], 20), "b": np.repeat([0.0, 10.0], [39, 1])})
    d = values(lambda t: t["b"] * 1.0, lambda t: t["a"] * 1.0, X)
    odd, usual = d.explain(row=39).ice("a"), d.explain(row=0).ice("a")
    assert odd.outside == (True, False, True)
    assert usual.outside == (False, False, False)
    assert odd.text == (
        "A: 10 for row 39, outside one standard deviation (1.56) of the average 0.25 at a = 1. "
        "B: 1 for row 39, within one standard deviation (0) of the average 1 at a = 1. "
        "The difference: 9 for row 39, outside one standard deviation (1.56) of the average -0.75 "
        "at a = 1."
    )


@pytest.mark.parametrize("library", ["polars", "pyarrow", "numpy"])
def test_tables_of_other_libraries_give_the_same_curves(
    library: str, numeric: tuple[pd.DataFrame, Any]
) -> None:
    X, y = numeric
    plain = X.to_numpy()
    fitted = [LogisticRegression().fit(plain, y), DecisionTreeClassifier(max_depth=3).fit(plain, y)]

    def asked(model: Any) -> Any:
        def ask(table: Any) -> Any:
            return model.predict(np.asarray(table if library == "numpy" else table.to_pandas()))

        return ask

    if library == "numpy":
        native: Any = plain
    else:
        module = pytest.importorskip(library)
        native = module.from_pandas(X) if library == "polars" else module.Table.from_pandas(X)
    theirs = imd.diff(*map(asked, fitted), native).explain()
    ours = imd.diff(*(lambda t, m=m: m.predict(t.to_numpy()) for m in fitted), X).explain()
    assert theirs.what == ours.what == "share of votes for yes"
    assert theirs.score.note == (
        "model 1 and model 2 give no probability of yes, so the share of votes is explained: a "
        "prediction of yes counts as 1, any other as 0."
    ) or theirs.score.note.startswith("ask")
    names = ["x0", "x3"] if library == "numpy" else ["a", "d"]
    for name, own in zip(names, ["a", "d"], strict=True):
        np.testing.assert_array_equal(
            theirs.partial_dependence(name).first, ours.partial_dependence(own).first
        )


def test_curves_in_threads_are_those_of_one_thread(
    numeric: tuple[pd.DataFrame, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = numeric
    m1, m2 = LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=4).fit(X, y)
    d = imd.diff(m1, m2, X)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    many = d.explain(random_state=1).curves()
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    one = imd.diff(m1, m2, X).explain(random_state=1).curves()
    for left, right in zip(many, one, strict=True):
        assert left.column == right.column
        np.testing.assert_allclose(left.individual, right.individual, atol=1e-12)


def test_work_can_be_ended_between_curves_and_what_is_done_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pace.Pace, "rows_within", lambda *_: 0)  # a model that is very slow
    X = pd.DataFrame({f"c{j}": np.arange(40.0) * (j + 1) for j in range(4)})
    calls: list[int] = []

    def model(table: pd.DataFrame) -> Any:
        calls.append(len(table))
        return table.sum(axis=1)

    class Enough(Exception):
        pass

    def stop(done: int) -> None:
        if done == 2:
            raise Enough

    e = values(model, lambda t: t["c0"] * 2, X).explain()
    with pytest.raises(Enough):
        e.curves(None, after_each=stop)
    before = len(calls)
    done: list[int] = []
    e.curves(None, after_each=done.append)
    assert done == [1, 2]
    assert len(calls) == before + 2
    e.curves(None)
    assert len(calls) == before + 2


class Priced:
    """A model whose calls cost seconds of a clock that nobody waits for."""

    def __init__(self, clock: list[float], a_call: float, a_row: float) -> None:
        self.clock, self.a_call, self.a_row = clock, a_call, a_row
        self.sizes: list[int] = []

    def __call__(self, table: Any) -> Any:
        self.sizes.append(len(table))
        self.clock[0] += self.a_call + self.a_row * len(table)
        return np.asarray(table["c0"]) + np.asarray(table["c3"])


@pytest.mark.parametrize(
    "a_call, a_row, expected",
    [
        (0.0, 1e-7, [12_000]),
        (1.0, 1e-6, [12_000]),  # the calls before showed that a call costs more than its rows
        (0.0, 1e-3, [4_000, 4_000, 4_000]),
        (0.0, 1e-2, [2_000] * 6),
    ],
    ids=["quick", "each call has a price", "each row has a price", "slow"],
)
def test_columns_are_asked_about_together(
    a_call: float, a_row: float, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 rows at 20 points of each of six columns, once contributions have ranked them."""
    clock = [0.0]
    monkeypatch.setattr(pace, "perf_counter", lambda: clock[0])
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 6)), columns=[f"c{at}" for at in range(6)])
    model = Priced(clock, a_call, a_row)
    e = values(model, lambda t: t["c0"] * 2, X).explain()
    e.contribution_room.rank()
    model.sizes.clear()
    made = e.curves(None)
    assert model.sizes == expected
    alone = values(model, lambda t: t["c0"] * 2, X).explain()
    for curves in made:
        np.testing.assert_array_equal(
            curves.individual, alone.partial_dependence(curves.column).individual
        )
    model.sizes.clear()
    e.curve_room.ices(range(6), 3)
    assert model.sizes == [6 * (20 + 1 + 100)], "one row is asked about in one call"


def test_surrogates_of_probabilities_are_asked_for_in_one_call(
    numeric: tuple[pd.DataFrame, Any],
) -> None:
    X, y = numeric
    X, y = pd.concat([X] * 4, ignore_index=True), np.tile(y, 4)
    assert len(X) > 1000
    sizes: list[int] = []

    class Counted(LogisticRegression):
        def predict_proba(self, table: Any) -> Any:
            sizes.append(len(table))
            return super().predict_proba(table)

    d = imd.diff(Counted(C=0.01).fit(X, y), DecisionTreeClassifier(max_depth=3).fit(X, y), X)
    sizes.clear()
    assert d.explain().importance.columns
    assert sizes == [len(X)]


def test_a_call_has_a_bound_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_CELLS", 30_000)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 6)), columns=[f"c{at}" for at in range(6)])
    model = Priced([0.0], 0.0, 0.0)
    e = values(model, lambda t: t["c0"] * 2, X).explain()
    e.contribution_room.rank()
    model.sizes.clear()
    e.curves(None)
    assert model.sizes == [4_000, 4_000, 4_000]
    monkeypatch.setattr(asking, "MOST_CELLS", 6_000)
    model.sizes.clear()
    e.partial_dependence("c0", grid=list(range(30)))
    assert model.sizes == [1_000] * 3


@pytest.mark.parametrize("outputs", ["value", "class", "proba"])
def test_a_model_without_an_answer_at_a_point_is_told_by_column_and_value(outputs: Any) -> None:
    every = pd.DataFrame({"b": np.arange(310) % 7, "a": np.arange(310) % 3})
    X = every[(every["a"] < 2) | (every["b"] % 2 == 1)].reset_index(drop=True)

    scale = 0.9 if outputs == "proba" else 1.0  # only 0 and 1 would be labels

    def no_answer(table: pd.DataFrame) -> Any:
        said = (table["a"] + table["b"] > 3) * scale
        return said.mask((table["a"] == 2) & (table["b"] % 2 == 0))

    def answers(table: pd.DataFrame) -> Any:
        return (table["b"] > 2) * scale

    e = imd.diff(answers, no_answer, X, outputs=outputs, names=("A", "B")).explain()
    even, last = int((X["b"] % 2 == 0).sum()), int((X["a"] == 2).sum())
    with pytest.raises(imd.InputError) as caught:
        e.partial_dependence("a")
    assert str(caught.value).startswith(
        f"m2 gave no output for {even} of the {len(X)} rows explained if 'a' is 2. A curve needs "
    )
    with pytest.raises(imd.InputError) as caught:
        e.partial_dependence("b", grid=[3, 4])
    told = f"for {last} of the {len(X)} rows explained if 'b' is 4. A"
    assert told in str(caught.value)
    with pytest.raises(imd.InputError, match=r"[\d,]+ rows of [\d,]+ whose values come from two"):
        e.curves()
