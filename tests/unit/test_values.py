"""Numbers: probabilities and values, when they differ, and how it is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import imd_widget as imd
from imd_widget.outputs import short_number

RNG = np.random.default_rng(0)
N = 1200
X = pd.DataFrame({"area": RNG.uniform(20, 200, N), "age": RNG.integers(0, 90, N)})
OLD = 1000 * X["area"] + 2000
#: model 2 asks more for new houses
NEW = OLD + np.where((X["age"] < 20) & (X["area"] > 100), 50_000, 0)


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_where_values_differ_is_found(method: Any) -> None:
    d = imd.diff(OLD, NEW, X, method=method, max_depth=8)
    assert d.outputs == "value"
    np.testing.assert_array_equal(d.differs, (NEW - OLD).abs() > d.tolerance)
    assert d.metrics.f1 > (0.5 if method == "separate" else 0.9)
    assert min(d.metrics.fidelity) > (0.1 if method == "direct" else 0.9)
    assert d.labels == d.class_names == ()
    said = d.tree.predict(X)
    assert said.shape == (N, 2)
    assert np.corrcoef(said[:, 0], OLD)[0, 1] > (0.3 if method == "direct" else 0.95)


def test_a_rule_says_about_how_much() -> None:
    d = imd.diff(OLD, NEW, X, test_size=0, max_bins=None)
    assert [{c.column for c in rule.conditions} for rule in d.rules] == [{"age", "area"}]
    np.testing.assert_array_equal(d.rules[0].mask(X), d.differs)
    rule = d.rules[0]
    inside = rule.mask(X)
    assert rule.outcomes == pytest.approx((OLD[inside].mean(), NEW[inside].mean()))
    assert rule.said == ("about 152k", "about 202k")
    assert "about 152k -> about 202k" in str(rule)
    assert d.rules.to_frame()["m2"][0] == rule.outcomes[1]
    named = imd.diff(OLD, NEW, X, names=("old", "new")).summary()
    assert named.startswith("old and new give values more than 17000 apart on 148 of 1,200 rows")


def test_the_default_tolerance_is_a_tenth_of_the_usual_range() -> None:
    d = imd.diff(OLD, NEW, X)
    low, high = np.quantile(np.concatenate([OLD, NEW]), [0.05, 0.95])
    assert d.tolerance == pytest.approx(0.1 * (high - low), rel=0.05)
    assert d.tolerance == float(f"{d.tolerance:.2g}")
    assert imd.diff(OLD, NEW, X, tolerance=60_000).metrics.n_differing == 0
    everywhere = imd.diff(OLD, OLD + 1, X, tolerance=0.5)
    assert everywhere.metrics.n_differing == N
    assert [rule.conditions for rule in everywhere.rules] == [()]


def test_more_and_less_are_not_one_rule() -> None:
    other = OLD + np.where(X["age"] < 20, 50_000, np.where(X["age"] >= 70, -50_000, 0))
    d = imd.diff(OLD, other, X, test_size=0)
    found = {tuple(map(str, rule.conditions)): rule.outcomes for rule in d.rules}
    assert set(found) == {("age < 20",), ("age >= 70",)}
    assert found[("age < 20",)][0] < found[("age < 20",)][1]
    assert found[("age >= 70",)][0] > found[("age >= 70",)][1]


def test_a_few_wild_outputs_hide_nothing() -> None:
    wild = NEW.copy()
    wild.iloc[:3] = 1e12
    d = imd.diff(OLD, wild, X, tolerance=20_000)
    assert d.metrics.f1 > 0.85
    assert d.tree.means[0, 1] == pytest.approx(wild[d.tree.apply(X)[:, 0] >= 0].mean(), rel=0.5)


def test_what_auto_chooses() -> None:
    few = X["age"] % 3
    assert imd.diff(few, few + 0.0, X).outputs == "class"
    assert imd.diff(few * 0.5, few, X).outputs == "value"
    assert imd.diff(X["age"], X["age"], X).outputs == "class", "90 whole numbers"
    assert imd.diff(X["age"] * 1.0, X["age"] * 1.0, X).outputs == "class", "90 whole floats"
    assert imd.diff(np.arange(N) * 1.0, np.arange(N) % 7, X).outputs == "value", "many whole floats"
    assert imd.diff(np.arange(N), np.arange(N) % 7, X).outputs == "value", "1,200 integers"
    model = LinearRegression().fit(X, few)
    assert imd.diff(model, few, X).outputs == "value", "a regressor says what it is"
    assert imd.diff(model.predict, few, X).outputs == "value"
    assert imd.diff(few, few, X, outputs="value", tolerance=0.5).outputs == "value"
    assert imd.diff(few * 0.5, few, X, outputs="class").outputs == "class"


def test_values_that_are_all_the_same() -> None:
    same = np.full(N, 0.5)
    d = imd.diff(same, same, X)
    assert d.tolerance == 0
    assert d.summary().endswith("agree on all 1,200 rows: no two values are more than 0 apart.")
    assert imd.diff(same, same + 1, X, tolerance=0).metrics.n_differing == N


def two_classifiers() -> tuple[Any, Any, Any]:
    y = np.where(X["area"] + X["age"] > 150, "yes", "no")
    noise = RNG.random(N) < 0.1
    y = np.where(noise, "no", y)
    m1 = LogisticRegression(max_iter=1000).fit(X, y)
    return m1, RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y), y


def test_probabilities_of_the_second_class() -> None:
    m1, m2, y = two_classifiers()
    d = imd.diff(m1, m2, X, outputs="proba", y=y)
    one, two = m1.predict_proba(X)[:, 1], m2.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(d.differs, np.abs(one - two) > 0.1)
    assert d.tolerance == 0.1
    assert "probabilities of yes more than 0.1 apart" in d.summary()
    assert d.right is not None
    assert d.right.accuracy == pytest.approx((m1.score(X, y), m2.score(X, y)))
    errors = [np.abs(p - (y == "yes")).mean() for p in (one, two)]
    assert d.right.errors == pytest.approx(errors)
    other = imd.diff(m1, m2, X, outputs="proba", pos_label="no")
    np.testing.assert_array_equal(other.differs, d.differs)
    assert other.rules[0].outcomes[0] == pytest.approx(1 - d.rules[0].outcomes[0])


def test_probabilities_are_values_from_zero_to_one() -> None:
    m1, m2, _ = two_classifiers()
    arrays = [model.predict_proba(X)[:, 1] for model in (m1, m2)]
    proba = imd.diff(m1, m2, X, outputs="proba", tolerance=0.2)
    shapes = (arrays, [a[:, None] for a in arrays], [np.stack([1 - a, a], axis=1) for a in arrays])
    for given in shapes:
        again = imd.diff(*given, X, outputs="proba", tolerance=0.2)
        assert [r.conditions for r in again.rules] == [r.conditions for r in proba.rules]
    values = imd.diff(*arrays, X, outputs="value", tolerance=0.2)
    np.testing.assert_array_equal(values.differs, proba.differs)


def test_columns_are_found_by_the_names_of_their_classes() -> None:
    y = np.array(["a", "b", "c"])[X["age"] % 3]
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)

    class Reversed:
        classes_ = model.classes_[::-1]

        def predict_proba(self, table: Any) -> Any:
            return model.predict_proba(table)[:, ::-1]

    for label in "abc":
        d = imd.diff(model, Reversed(), X, outputs="proba", pos_label=label)
        assert d.metrics.n_differing == 0
        unnamed = imd.diff(model, model.predict_proba, X, outputs="proba", pos_label=label)
        assert unnamed.metrics.n_differing == 0


def test_who_is_right_about_values() -> None:
    truth = pd.Series(OLD).where(X["age"] > 3)
    d = imd.diff(OLD, NEW, X, y=truth)
    assert d.right is not None
    known, near = truth.notna(), (NEW - OLD).abs() <= d.tolerance
    assert d.right.both == (known & near).sum()
    assert (d.right.first, d.right.second, d.right.neither) == ((known & ~near).sum(), 0, 0)
    assert d.right.unknown == (~known).sum()
    assert d.right.net == -(known & ~near).sum()
    assert d.right.errors == pytest.approx((0, (NEW - OLD)[known].mean()))
    assert d.rules[0].right is not None
    assert d.rules[0].right.breaks == d.rules[0].right.first > 0
    assert "fixes 0 and breaks" in d.summary()
    frame = d.rules.to_frame()
    assert frame["net"][0] == -d.rules[0].right.first


def test_truth_as_the_second_model_is_error_analysis() -> None:
    y = np.where(X["age"] < 20, "new", "old")
    d = imd.diff(np.where(X["age"] < 25, "new", "old"), y, X, names=("model", "truth"), test_size=0)
    assert [str(c) for c in d.rules[0].conditions] == ["20 <= age < 25"]
    assert d.rules[0].outcomes == ("new", "old")


def test_a_holdout_of_ones_own() -> None:
    def m1(table: Any) -> Any:
        return table["area"] > 100

    def m2(table: Any) -> Any:
        return (table["area"] > 100) & (table["age"] < 50)

    first, other = X[:800], X[800:]
    d = imd.diff(m1, m2, first, holdout=other)
    assert d.metrics.on_holdout
    assert d.metrics.n_rows == 800
    assert d.metrics.measured_rows == 400
    assert d.metrics.measured_differing == (m1(other) != m2(other)).sum()
    assert d.tree.rows[0] == 800
    for rule in d.rules:
        assert rule.holdout_support == rule.mask(other).sum()
        assert rule.support == rule.mask(first).sum()
    marked = imd.diff(m1, m2, X, holdout=np.arange(N) >= 800)
    assert marked.metrics.n_rows == N
    assert marked.rules == d.rules
    assert marked.metrics.f1 == d.metrics.f1
    arrays = imd.diff(m1(X), m2(X), X, holdout=(np.arange(N) >= 800).tolist())
    assert arrays.rules == marked.rules


def test_a_holdout_with_truth_and_weights() -> None:
    def m1(table: Any) -> Any:
        return np.where(table["area"] > 100, "large", "small")

    def m2(table: Any) -> Any:
        return np.where(table["area"] > 120, "large", "small")

    first, other = X[:800], X[800:]
    d = imd.diff(m1, m2, first, y=m1(first), holdout=(other, m2(other)))
    assert (d.right.fixes, d.right.breaks) == (0, d.metrics.n_differing)
    inside = d.rules[0].mask(other)
    assert d.rules[0].holdout_right.second == (inside & (m1(other) != m2(other))).sum()
    weight = np.where(other["age"] < 45, 3.0, 1.0)
    d = imd.diff(m1, m2, first, holdout=(other, None, weight), test_size=0)
    inside, differs = d.predict(other), m1(other) != m2(other)
    assert d.metrics.precision == pytest.approx(
        weight[inside & differs].sum() / weight[inside].sum()
    )
    assert d.metrics.recall == pytest.approx(weight[inside & differs].sum() / weight[differs].sum())


def test_weights_count() -> None:
    y1 = (X["area"] > 100).astype(int)
    y2 = y1.where((X["age"] >= 10) | (X["area"] > 100), 1)
    weight = np.where(X["age"] < 10, 10.0, 1.0)
    d = imd.diff(y1, y2, X, sample_weight=weight)
    differs = (y1 != y2).to_numpy()
    assert d.metrics.disagreement == pytest.approx(weight[differs].sum() / weight.sum())
    assert d.metrics.n_differing == differs.sum()
    assert "by weight" in d.summary()
    without = imd.diff(y1, y2, X, sample_weight=np.where(X["age"] < 10, 0.0, 1.0))
    assert without.metrics.n_differing == 0
    assert without.metrics.n_rows == (X["age"] >= 10).sum()


@pytest.mark.parametrize(
    "value, finest, text",
    [
        (310_250.0, 2400, "310k"),
        (1_254_000.0, 5000, "1254k"),
        (1_254_000.0, 50_000, "1.25M"),
        (355_499.0, 3, "355499"),
        (0.3149, 0.02, "0.31"),
        (0.0, 0.02, "0"),
        (-0.001, 0.02, "0"),
        (-17.4, 1.0, "-17"),
        (17.46, 0.1, "17.5"),
        (2.5e-9, 1e-10, "2.5e-09"),
        (3e20, 1e19, "3e+20"),
        (5.0, 0.0, "5"),
    ],
)
def test_numbers_are_shown_as_finely_as_a_difference_shows(
    value: float, finest: float, text: str
) -> None:
    assert short_number(value, finest) == text
