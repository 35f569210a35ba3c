"""Numbers: probabilities and values, when they differ, and how it is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.outputs.number_text import short_number

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


def test_predictions_are_what_the_models_gave() -> None:
    rng = np.random.default_rng(0)
    one, two = np.round(rng.normal(1e3, 7, (2, 300)), 1)
    two[:2] = -3e-128, 0.1
    d = imd.diff(one, two, pd.DataFrame({"a": rng.normal(size=300)}), outputs="value")
    np.testing.assert_array_equal(d.predictions.to_numpy().T, [one, two])


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
    half = X["age"] // 2
    assert imd.diff(half, half, X).outputs == "class", "45 whole numbers"
    assert imd.diff(half * 1.0, half * 1.0, X).outputs == "class", "45 whole floats"
    some = np.arange(N) % 70
    assert imd.diff(np.arange(N) * 1.0, some, X).outputs == "value", "many whole floats"
    assert imd.diff(np.arange(N), some, X).outputs == "value", "1,200 integers"
    model = LinearRegression().fit(X, few)
    assert imd.diff(model, few, X).outputs == "value", "a regressor says what it is"
    assert imd.diff(model.predict, few, X).outputs == "value"
    assert imd.diff(few, few, X, outputs="value", tolerance=0.5).outputs == "value"
    assert imd.diff(few * 0.5, few, X, outputs="class").outputs == "class"


def test_values_that_are_all_the_same() -> None:
    same = np.full(N, 0.5)
    d = imd.diff(same, same, X, outputs="value")
    assert d.tolerance == 0
    assert d.summary().endswith("agree on all 1,200 rows.")
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
    assert [str(c) for c in d.rules[0].conditions] == ["age is 20 to 24"]
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
        (1_254_000.0, 5000, "1.254M"),
        (1_254_000.0, 50_000, "1.25M"),
        (355_499.0, 3, "355499"),
        (1_003_000.0, 240, "1.003M"),
        (-3.0, 0.0005, "-3"),
        (1.25e-7, 1e-9, "1.25e-07"),
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


def test_rows_of_weight_zero_and_new_rows_do_not_say_what_differs() -> None:
    values = X["area"].to_numpy() / 2
    other = values + np.where(X["age"] < 20, 30.0, 0.0)
    counts = (X["area"] < 100).to_numpy()
    weighted = imd.diff(values, other, X, sample_weight=counts.astype(float))
    alone = imd.diff(values[counts], other[counts], X[counts])
    assert weighted.tolerance == alone.tolerance

    def m1(table: Any) -> Any:
        return np.asarray(table["area"] * table["age"])

    def m2(table: Any) -> Any:
        return m1(table) + np.where(table["age"] < 20, 500.0, 0.0)

    small = X[:60]
    plain, more = (imd.diff(m1, m2, small, augment=way) for way in (None, "neighbours"))
    assert plain.tolerance == more.tolerance
    beside = imd.diff(m1, m2, small, holdout=(small * 50).assign(age=small["age"]))
    assert beside.tolerance == plain.tolerance


def test_new_rows_bring_no_new_labels() -> None:
    def m1(table: Any) -> Any:
        return (10 * table["age"] + table["area"] // 40).astype(int)

    def m2(table: Any) -> Any:
        return m1(table).where(table["age"] >= 20, -1)

    small = X[:60]
    ways: tuple[Any, ...] = (None, "neighbours")
    plain, more = (imd.diff(m1, m2, small, augment=way, outputs="class") for way in ways)
    assert plain.labels == more.labels


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
def test_the_scale_of_the_weights_kept_aside_does_not_matter(scale: float) -> None:
    def m1(table: Any) -> Any:
        return table["area"] > 100

    def m2(table: Any) -> Any:
        return (table["area"] > 100) & (table["age"] < 50)

    first, other = X[:800], X[800:]
    plain = imd.diff(m1, m2, first, y=m1(first), holdout=other)
    weight = np.full(len(other), scale)
    d = imd.diff(m1, m2, first, y=m1(first), holdout=(other, None, weight))
    assert d.rules.to_query() == plain.rules.to_query()
    assert d.metrics.f1 == pytest.approx(plain.metrics.f1)
    assert d.right.breaks == pytest.approx(plain.right.breaks)


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_what_the_table_does_not_have_lies_in_no_rule_of_the_holdout(method: Any) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"c": rng.choice(list("uvwx"), 400), "n": rng.normal(size=400)})

    def m1(rows: Any) -> Any:
        return np.zeros(len(rows), int)

    def m2(rows: Any) -> Any:
        return (np.isin(rows["c"], ["u", "v"]) | (rows["n"] > 1)).astype(int)

    words, gaps = ["zz"] * 20 + ["u"] * 20, [np.nan, 2.0, 0.0, 1.5] * 10
    other = pd.DataFrame({"n": gaps, "more": 1, "c": words})
    d = imd.diff(m1, m2, table, holdout=other, method=method)
    inside, differs = d.predict(other), m1(other) != m2(other)
    assert (
        sum(rule.holdout_support for rule in d.rules) == inside.sum() == d.rules.mask(other).sum()
    )
    assert d.metrics.recall == pytest.approx((inside & differs).sum() / differs.sum())
    assert d.metrics.precision == pytest.approx((inside & differs).sum() / inside.sum())


def test_a_holdout_is_asked_in_the_order_of_the_table() -> None:
    model = LogisticRegression(max_iter=1000).fit(X, X["age"] > 40)
    other = X[["age", "area"]].assign(extra=1)
    again = LogisticRegression(max_iter=1000, C=0.01).fit(X, X["area"] > 40)
    d = imd.diff(model, again, X, holdout=other)
    assert d.metrics.measured_rows == N
    assert d.metrics.measured_differing == d.metrics.n_differing


@pytest.mark.parametrize("scale", [1e-290, 1e-30, 1.0, 1e80])
@pytest.mark.parametrize("method", ["calibrated", "imd"])
def test_neither_the_size_nor_a_wild_output_spoils_the_means(scale: float, method: Any) -> None:
    b = np.arange(400) % 5
    table = pd.DataFrame({"b": b})
    first, second = b * scale, (b + 2.0 * (b == 3)) * scale
    first[0] = 1e15 * scale
    d = imd.diff(first, second, table, outputs="value", tolerance=scale, method=method)
    rule = next(rule for rule in d.rules if rule.mask(table)[3])
    assert rule.outcomes == pytest.approx((3 * scale, 5 * scale))
    assert d.metrics.recall > 0.9


def test_a_tenth_is_a_tenth() -> None:
    one = np.repeat([0.1, 0.2, 0.3, 0.4, 0.6, 0.7], 50)
    two = np.repeat([0.2, 0.3, 0.4, 0.5, 0.7, 0.8], 50)
    d = imd.diff(one, two, np.arange(300)[:, None], outputs="proba")
    assert d.metrics.n_differing == 0


def test_the_truth_of_a_class_that_never_happens() -> None:
    position = np.linspace(-1, 1, 400)[:, None]

    class Model:
        classes_ = np.array([0, 1])

        def __init__(self, cut: float) -> None:
            self.cut = cut

        def predict_proba(self, table: Any) -> Any:
            one = np.where(table[:, 0] > self.cut, 0.9, 0.2)
            return np.stack([1 - one, one], axis=1)

    y = np.ones(400, int)
    for label in (0, 1):
        d = imd.diff(Model(-0.5), Model(0.5), position, outputs="proba", pos_label=label, y=y)
        assert d.right is not None
        assert d.right.accuracy == pytest.approx((0.75, 0.25))


def test_the_tone_of_the_headline_is_by_weight() -> None:
    rng = np.random.default_rng(0)
    a = rng.random(4000)
    m2 = ((a < 0.9) & (rng.random(4000) > 0.03)).astype(int)
    weight = np.where(m2, 1.0, np.where(a < 0.9, 10, 100))
    d = imd.diff(np.zeros(4000, int), m2, pd.DataFrame({"a": a}), sample_weight=weight)
    assert d.metrics.precision > 0.7
    assert "as a hint" not in d.summary()


def test_moments_are_no_values() -> None:
    days = pd.Series(pd.to_datetime(np.arange(N) % 5, unit="D"))
    with pytest.raises(imd.InputError, match="not numbers"):
        imd.diff(days, days, X, outputs="value")


def test_more_and_less_do_not_cancel() -> None:
    rng = np.random.default_rng(1)
    either = np.where(rng.random(N) < 0.6, 40_000, -40_000)
    other = OLD + np.where(X["age"] < 20, either, 0)
    d = imd.diff(OLD, other, X, tolerance=20_000, test_size=0)
    assert d.rules
    for rule in d.rules:
        inside = rule.mask(X)
        assert rule.outcomes == pytest.approx((OLD[inside].mean(), other[inside].mean()))
        up, down = (other > OLD)[inside & d.differs], (other < OLD)[inside & d.differs]
        assert (rule.up, rule.down) == (up.sum(), down.sum())
        most = max(up.mean(), down.mean())
        assert rule.outcome_share == pytest.approx(most)
        assert rule.direction == ("either" if most < 0.75 else "up" if up.mean() > 0.5 else "down")
    assert any(rule.direction == "either" for rule in d.rules)


def test_who_is_right_is_asked_of_the_holdout_where_there_is_one() -> None:
    first, other = X[:800], X[800:]

    def m1(table: Any) -> Any:
        return np.where(table["area"] > 100, "large", "small")

    def m2(table: Any) -> Any:
        return np.where(table["area"] > 120, "large", "small")

    d = imd.diff(m1, m2, first, y=m2(first), holdout=(other, m1(other)), names=("old", "new"))
    assert d.right is not None
    assert d.holdout_right is not None
    assert d.right.accuracy[1] == 1
    assert d.holdout_right.accuracy[0] == 1
    said = d.summary()
    assert "On the 400 held-out rows with y, old is right on 100.0 %" in said
    frame = d.rules.to_frame()
    assert frame["fixes"].sum() > 0
    assert frame["holdout_fixes"].sum() == 0
    assert frame["holdout_breaks"].sum() > 0
    assert d.to_dict()["headline"]["notes"] == [said[said.index("On the 400") :]]


def test_rules_that_are_no_better_than_chance_are_called_so() -> None:
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd"))
    m1 = (noise["a"] > 0).astype(int)
    d = imd.diff(m1, np.where(rng.random(3000) < 0.1, 1 - m1, m1), noise)
    headline = d.to_dict()["headline"]
    assert headline["tone"] == "weak"
    assert any(
        words in d.summary()
        for words in ("not shown to be better than chance", "No rules", "not localised")
    )


def test_how_far_apart_values_are_is_said_where_the_tolerance_was_chosen_for_the_user() -> None:
    assert "the furthest 50k; the tolerance sets what counts" in imd.diff(OLD, NEW, X).summary()
    assert "furthest" not in imd.diff(OLD, NEW, X, tolerance=1000).summary()


def test_a_column_that_is_the_output_is_remarked_on() -> None:
    held = X.assign(old=OLD, target=NEW)
    with pytest.warns(imd.InputWarning, match="X holds the column 'old', which is m1 itself"):
        imd.diff(held["old"], NEW + 1, held[["age", "old"]])
    with pytest.warns(imd.InputWarning, match="'target', which is y itself"):
        imd.diff(OLD, NEW + 1, held[["age", "target"]], y=NEW)


def test_an_index_in_another_order_is_remarked_on() -> None:
    shuffled = X.sample(frac=1, random_state=0)
    with pytest.warns(imd.InputWarning, match=r"m1 has the index of X in a different.*m1\.loc"):
        imd.diff(pd.Series(OLD), NEW.to_numpy(), shuffled)
    with pytest.warns(imd.InputWarning, match="y has the index of X in a different order"):
        imd.diff(OLD.to_numpy(), NEW.to_numpy(), shuffled, y=pd.Series(OLD))
    imd.diff(OLD.loc[shuffled.index], NEW.loc[shuffled.index].to_numpy(), shuffled)


def counts_of_visits() -> tuple[pd.DataFrame, Any, Any, Any]:
    """Skewed counts: a low model is near most of them, a high one has their mean."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.uniform(0, 10, 3000), "b": rng.uniform(0, 10, 3000)})
    ill = table["a"] < 3
    y = rng.negative_binomial(1, 1 / np.where(ill, 7.7, 3)).astype(float)
    y[::40] = np.nan
    low, high = (np.where(ill, mean, 2.0) + 0.01 * table["b"] for mean in (3.2, 6.7))
    return table, low, high, y


def test_errors_and_means_of_values_are_those_of_a_plain_computation() -> None:
    table, low, high, y = counts_of_visits()
    d = imd.diff(low, high, table, y=y, tolerance=2)
    inside = d.rules[0].mask(table)
    fit = np.zeros(len(table), dtype=bool)
    fit[d.rows.dataset.fit] = True
    rows_of = [
        (d.right, np.ones(len(table), dtype=bool)),
        (d.rules[0].right, inside & fit),
        (d.rules[0].holdout_right, inside & ~fit),
        (d.cohort("b < 5").right, (table["b"] < 5).to_numpy()),
    ]
    for right, rows in rows_of:
        assert right is not None
        truth, *said = (np.asarray(own)[rows & ~np.isnan(y)] for own in (y, low, high))
        assert right.mean_y == pytest.approx(truth.mean())
        assert right.mean_outputs == pytest.approx([own.mean() for own in said])
        assert right.errors == pytest.approx([np.abs(own - truth).mean() for own in said])
        assert right.rmse == pytest.approx([((own - truth) ** 2).mean() ** 0.5 for own in said])
    frame = d.rules.to_frame()
    assert frame["mean_y"][0] == d.rules[0].right.mean_y  # type: ignore[union-attr]
    for prefix, right in (("", d.rules[0].right), ("holdout_", d.rules[0].holdout_right)):
        assert right is not None
        assert tuple(frame.loc[0, [f"{prefix}m1_mae", f"{prefix}m2_mae"]]) == right.errors
        assert tuple(frame.loc[0, [f"{prefix}m1_rmse", f"{prefix}m2_rmse"]]) == right.rmse


def test_who_is_closer_to_the_truth_goes_by_errors_not_by_the_tolerance() -> None:
    table, low, high, y = counts_of_visits()
    ill = (table["a"] < 3).to_numpy()
    d = imd.diff(low[ill], high[ill], table[ill], y=y[ill], names=("low", "high"), tolerance=2)
    right = d.right
    assert right is not None
    assert right.net < 0, "fewer rows are within the tolerance"
    said = d.summary()
    assert "which one is closer to y depends on the metric" in said
    assert said.index("y is ") < said.index("mean absolute error") < said.index("is within 2 of y")
    d = imd.diff(low[ill] - 3, high[ill], table[ill], y=y[ill], names=("low", "high"), tolerance=5)
    assert d.right is not None
    assert d.right.net < 0, "by the tolerance the low model looks better"
    assert ": high is closer to y." in d.summary()
    assert "only low is within 5 of y on " in str(d.rules[0])
    assert "y is " in str(d.rules[0])
    assert "is right" not in d.summary() + str(d.rules)


def test_values_to_which_both_models_are_equally_close_name_no_closer_one() -> None:
    d = imd.diff(OLD, NEW, X, y=(OLD + NEW) / 2)
    assert d.right is not None
    assert d.right.errors is not None
    assert d.right.errors[0] == pytest.approx(d.right.errors[1])
    assert "closer" not in d.summary()


def test_labels_beside_probabilities_are_remarked_on() -> None:
    chance = np.linspace(0, 1, N)
    with pytest.warns(imd.InputWarning, match="m2 gives only 0 and 1"):
        imd.diff(chance, (chance > 0.5).astype(int), X, outputs="proba")


def test_arrays_of_0_and_1_that_are_called_probabilities_are_remarked_on() -> None:
    low = (np.arange(N) < 100).astype(int)
    with pytest.warns(imd.InputWarning, match='both models give only 0 and 1.*outputs="class"'):
        imd.diff(low, 1 - low, X, outputs="proba")


def test_a_tree_whose_probabilities_are_0_and_1_is_not_remarked_on() -> None:
    trees = [DecisionTreeClassifier().fit(X, OLD.quantile(q) < OLD) for q in (0.4, 0.6)]
    assert imd.diff(*trees, X, outputs="proba").metrics.n_differing


def test_few_whole_numbers_beside_values_are_remarked_on_once() -> None:
    counts, means = np.arange(N) % 5, np.linspace(0.3, 4.7, N)
    with pytest.warns(imd.InputWarning, match="m1 gives 5 different whole numbers") as found:
        d = imd.diff(counts, means, X)
    assert (d.outputs, len(found)) == ("value", 1)
    imd.diff(counts, means, X, outputs="value")
    imd.diff(counts, LinearRegression().fit(X, OLD), X)


def test_two_amounts_beside_values_are_values() -> None:
    assert imd.diff(np.where(X["area"] < 100, 200.0, 100.0), OLD, X).outputs == "value"


def test_labels_beside_scores_can_be_compared_as_values() -> None:
    scores = np.linspace(-7, 5, N)
    d = imd.diff(scores, (scores > 0).astype(int), X, outputs="value")
    assert d.outputs == "value"


def pushed(share_up: float, n_rows: int = 1000) -> imd.ModelDiff:
    """Values that differ by 20 where area is below 100: up on that share of the rows."""
    table = pd.DataFrame({"area": np.arange(n_rows) * 200 / n_rows})
    inside = (table["area"] < 100).to_numpy()
    up = np.arange(n_rows) % 100 < round(100 * share_up)
    first = 100 + table["area"] / 50
    second = first + np.where(inside, np.where(up, 20, -20), 0)
    options: dict[str, Any] = {"tolerance": 5, "test_size": 0, "max_bins": None}
    return imd.diff(first, second, table, names=("old", "new"), **options)


def test_noise_either_way_shows_the_means_of_all_rows_and_no_arrow() -> None:
    d = pushed(0.5)
    (rule,) = d.rules
    inside = rule.mask(d.table.native)
    both = d.predictions[inside]
    assert rule.outcomes == pytest.approx(tuple(both.mean()))
    assert rule.outcomes[0] == pytest.approx(rule.outcomes[1], abs=0.5)
    assert (rule.up, rule.down, rule.direction) == (250, 250, "either")
    text = str(rule)
    assert "more than 5 apart either way, on average about 101 and about 101" in text
    assert "(500 of 500 rows differ: up on 250, down on 250)" in text
    assert "->" not in text


@pytest.mark.parametrize(
    "share_up, direction",
    [
        (0.0, "down"),
        (0.2, "down"),
        (0.25, "down"),
        (0.26, "either"),
        (0.74, "either"),
        (0.75, "up"),
        (1.0, "up"),
    ],
)
def test_an_arrow_is_drawn_where_three_quarters_go_one_way(share_up: float, direction: str) -> None:
    d = pushed(share_up)
    (rule,) = d.rules
    assert (rule.up, rule.down) == (round(500 * share_up), round(500 * (1 - share_up)))
    assert rule.direction == direction
    assert ("->" in str(rule)) == (direction != "either")
    assert ("either way" in str(rule)) == (direction == "either")
    assert ("up on" in str(rule)) == (0 < share_up < 1)
    view = d.to_dict()["rules"][0]
    assert (view["direction"], view["up"], view["down"]) == (direction, rule.up, rule.down)
    frame = d.rules.to_frame()
    assert (frame["up"][0], frame["down"][0]) == (rule.up, rule.down)


def test_up_and_down_are_by_weight_and_come_back_from_a_file(tmp_path: Any) -> None:
    table = pd.DataFrame({"area": np.arange(400.0)})
    up = np.arange(400) % 2 == 0
    first = pd.Series(100 + np.arange(400) / 100)
    second = first + np.where(table["area"] < 200, np.where(up, 20, -20), 0)
    weight = np.where(up, 4.0, 1.0)
    d = imd.diff(first, second, table, tolerance=5, test_size=0, sample_weight=weight)
    (rule,) = d.rules
    assert rule.up == pytest.approx(4 * rule.down, rel=0.01)
    assert rule.direction == "up"
    inside = rule.mask(table)
    expected = [np.average(own[inside], weights=weight[inside]) for own in (first, second)]
    assert rule.outcomes == pytest.approx(tuple(expected), rel=1e-3)
    again = imd.load(d.save(tmp_path / "diff.json"))
    assert again.rules == d.rules
    assert again.rules[0].direction == "up"
    assert str(again.rules[0]) == str(rule)
    assert again.metrics.mean_difference == d.metrics.mean_difference


def test_classes_have_no_direction() -> None:
    d = imd.diff(X["age"] < 20, X["age"] < 30, X)
    assert (d.rules[0].direction, d.rules[0].up, d.rules[0].down) == (None, None, None)
    assert "up" not in d.rules.to_frame()
    assert d.metrics.mean_difference is None


def test_probabilities_have_a_direction_too() -> None:
    one = np.full(400, 0.5)
    two = one + np.where(np.arange(400) < 100, 0.2, np.where(np.arange(400) >= 300, -0.2, 0))
    table = pd.DataFrame({"k": np.arange(400)})
    d = imd.diff(one, two, table, outputs="proba", test_size=0)
    ways = {rule.outcomes[1]: rule.direction for rule in d.rules}
    assert [way for _, way in sorted(ways.items())] == ["down", "up"]
    assert "On average model 1 and model 2 are equal." in d.summary()


@pytest.mark.parametrize(
    "push, sentence",
    [
        (50_000, "On average new is 6250 higher than old."),
        (-50_000, "On average new is 6250 lower than old."),
    ],
)
def test_the_headline_says_who_says_more_on_average(push: float, sentence: str) -> None:
    first = pd.Series(np.arange(400.0) * 1000)
    second = first + np.where(np.arange(400) % 8 == 3, push, 0)
    table = pd.DataFrame({"k": np.arange(400) % 8})
    d = imd.diff(first, second, table, tolerance=1000, names=("old", "new"))
    assert d.metrics.mean_difference == pytest.approx(push / 8)
    assert sentence in d.summary()
    assert d.to_dict()["metrics"]["mean_difference"] == d.metrics.mean_difference


def test_the_mean_difference_is_by_weight_and_of_all_rows() -> None:
    first = np.linspace(100, 200, 400)
    second = first + np.where(np.arange(400) % 4 == 0, 30.0, 0.0) - 1.0
    weight = np.where(np.arange(400) % 4 == 0, 5.0, 1.0)
    table = pd.DataFrame({"k": np.arange(400) % 4})
    d = imd.diff(first, second, table, tolerance=5, names=("old", "new"), sample_weight=weight)
    assert d.metrics.mean_difference == pytest.approx(np.average(second - first, weights=weight))
    assert "On average new is 17.8 higher than old." in d.summary()


def test_probabilities_say_who_says_more_on_average() -> None:
    one = np.linspace(0, 0.7, 400)
    two = one + np.where(np.arange(400) % 4 == 0, 0.2, 0.0)
    table = pd.DataFrame({"k": np.arange(400) % 4})
    d = imd.diff(one, two, table, outputs="proba", names=("old", "new"))
    assert d.metrics.mean_difference == pytest.approx(0.05)
    assert "On average new is 0.050 higher than old." in d.summary()
    swapped = imd.diff(two, one, table, outputs="proba", names=("new", "old"))
    assert "On average old is 0.050 lower than new." in swapped.summary()


PROBABILITIES = "numbers from 0 to 1 that are not whole, which are taken for probabilities"
SCORES = pd.DataFrame({"b": np.arange(400) % 7, "c": np.arange(400) // 40})


def first_score(table: Any) -> Any:
    return np.asarray(table["c"]) / 10 + np.asarray(table["b"]) / 100


def second_score(table: Any) -> Any:
    return first_score(table) * np.where(np.asarray(table["c"]) > 6, 0.7, 1)


@pytest.mark.parametrize("asked", [True, False], ids=["functions", "arrays"])
def test_numbers_from_zero_to_one_are_probabilities_with_a_remark(asked: bool) -> None:
    models: list[Any] = [first_score, second_score]
    if not asked:
        models = [model(SCORES) for model in models]
    with pytest.warns(imd.InputWarning, match=PROBABILITIES) as caught:
        d = imd.diff(*models, SCORES)
    assert len(caught) == 1
    assert (d.outputs, d.tolerance) == ("proba", 0.1)
    assert "give probabilities more than 0.1 apart" in d.summary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # both ways out that the remark names
        assert imd.diff(*models, SCORES, outputs="proba").rules == d.rules
        assert imd.diff(*models, SCORES, outputs="value").outputs == "value"


def test_numbers_that_are_no_probabilities_are_not_taken_for_them() -> None:
    """Beside a pair that is: the sizes of the numbers and what a model says of itself decide."""
    one, two = first_score(SCORES), second_score(SCORES)
    target = first_score(SCORES)
    regressors = [LinearRegression().fit(SCORES, own) for own in (target, target**2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert imd.diff(one * 2, two, SCORES).outputs == "value"
        assert imd.diff(one - 0.5, two, SCORES).outputs == "value"
        assert imd.diff(*regressors, SCORES).outputs == "value"
        assert imd.diff(regressors[0], np.clip(two, 0, 1), SCORES).outputs == "value"
        with pytest.raises(imd.InputError, match=r"m1 gives the labels .*as a probability is"):
            imd.diff((one > 0.5).astype(int), two, SCORES)
    with pytest.warns(imd.InputWarning, match=PROBABILITIES):
        assert imd.diff(one, two, SCORES).outputs == "proba"


def test_a_truth_of_two_words_beside_probabilities_without_a_name() -> None:
    one, two = first_score(SCORES), second_score(SCORES)
    y = np.where(one > 0.5, "yes", "no")
    remark = r"they are taken for probabilities of 'yes'\. pos_label chooses the class"
    with pytest.warns(imd.InputWarning, match=remark) as caught:
        d = imd.diff(one, two, SCORES, outputs="proba", y=y)
    assert len(caught) == 1
    assert d.right is not None
    assert d.right.accuracy == (
        (y == np.where(one > 0.5, "yes", "no")).mean(),
        pytest.approx((y == np.where(two > 0.5, "yes", "no")).mean()),
    )
    assert "probabilities of yes" in d.summary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = imd.diff(one, two, SCORES, outputs="proba", y=y, pos_label="yes")
        other = imd.diff(one, two, SCORES, outputs="proba", y=y, pos_label="no")
    assert same.right == d.right
    assert "probabilities of no" in other.summary()
    assert other.right.accuracy[0] == pytest.approx(1 - d.right.accuracy[0])


def test_a_truth_of_words_with_auto_works_as_well() -> None:
    one, two = first_score(SCORES), second_score(SCORES)
    with pytest.warns(imd.InputWarning) as caught:
        d = imd.diff(one, two, SCORES, y=np.where(one > 0.5, "yes", "no"))
    assert d.outputs == "proba"
    assert [PROBABILITIES in str(w.message) for w in caught] == [True, False]


def test_a_truth_of_three_words_asks_for_the_class_and_the_advice_works() -> None:
    one, two = first_score(SCORES), second_score(SCORES)
    y = np.array(["a", "b", "c"])[SCORES["b"] % 3]
    message = (
        r"y holds \['a', 'b', 'c'\], and the models give .*pos_label='c', or give y as 0 and 1"
    )
    for outputs in ("proba", "auto"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", imd.InputWarning)
            with pytest.raises(imd.InputError, match=message):
                imd.diff(one, two, SCORES, outputs=outputs, y=y)
    by_label = imd.diff(one, two, SCORES, outputs="proba", y=y, pos_label="c")
    by_flag = imd.diff(one, two, SCORES, outputs="proba", y=(y == "c").astype(int))
    assert by_label.right is not None
    assert by_label.right == by_flag.right
    assert by_label.right.accuracy[0] == pytest.approx(((one > 0.5) == (y == "c")).mean())


def test_a_probability_that_is_missing_is_told_by_its_row() -> None:
    one = np.linspace(0, 1, 400)
    both = np.stack([1 - one, one], axis=1)
    holes = both.copy()
    holes[7] = np.nan
    holes[30, 1] = np.nan
    with pytest.raises(imd.InputError, match=r"no output for 2 of 400 rows \(the first is row 7\)"):
        imd.diff(holes, both, X[:400], outputs="proba")


def test_the_smallest_values_there_are() -> None:
    code = np.arange(400) % 10
    table = pd.DataFrame({"k": code})
    d = imd.diff(code * 5e-324, code * 1e-323, table, outputs="value", tolerance=2e-323)
    np.testing.assert_array_equal(d.differs, code > 4)
    assert d.rules
    np.testing.assert_array_equal(d.rules.mask(table), d.predict(table))
    assert imd.diff(code * 5e-324, code * 1e-323, table, outputs="value").metrics.n_differing > 0


def test_means_that_are_equal_are_said_to_be_the_same() -> None:
    d = pushed(0.5)
    assert d.metrics.mean_difference == pytest.approx(0, abs=1e-9)
    assert "On average old and new are equal." in d.summary()


def test_shares_with_a_truth_that_is_measured_are_values() -> None:
    share = np.linspace(0.01, 0.99, N)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d = imd.diff(share, np.where(X["age"] < 30, share / 2, share), X, y=share)
    assert d.outputs == "value"
    assert d.right is not None
