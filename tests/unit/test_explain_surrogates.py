"""Surrogates of both models and of the difference: laws, naive twins, what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

import imd_widget as imd
from imd_widget.data.table import open_table
from imd_widget.explanations.fidelity import Fidelity, fit_of
from imd_widget.explanations.fidelity import SurrogateFit as Fit
from imd_widget.explanations.forest import path_tree
from imd_widget.explanations.klime import CANDIDATES, RIDGE, linear_model
from imd_widget.explanations.precision import precision_of
from tests.examples import examples
from tests.unit.explain_models import additive, frozen, interacting, tables


def values(m1: Any, m2: Any, X: Any, **options: Any) -> imd.ModelDiff:
    return imd.diff(m1, m2, X, outputs="value", tolerance=0.1, names=("A", "B"), **options)


def mixed(n_rows: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": rng.integers(0, 9, n_rows),
            "job": rng.choice(["cook", "nurse", "smith"], n_rows),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
            "gap": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows)),
        }
    )


def bent(X: pd.DataFrame) -> Any:
    return np.abs(X["a"]) + X["b"] / 9 + (X["job"] == "cook") * 0.7


def straight(X: pd.DataFrame) -> Any:
    return X["a"] + X["b"] / 9 + (X["job"] == "cook") * 0.2


# --- LOCO ---------------------------------------------------------------------------------------


def naive_contributions(tree: Any, row: np.ndarray[Any, Any], owner: Any, n: int) -> Any:
    """One row down one tree, with a sum for each column."""
    found, node = np.zeros(n), 0
    while tree.children_left[node] >= 0:
        feature = tree.feature[node]
        left = row[feature] <= tree.threshold[node]
        child = (tree.children_left if left else tree.children_right)[node]
        found[owner[feature]] += tree.value[child, 0, 0] - tree.value[node, 0, 0]
        node = child
    return found


@settings(max_examples=examples(10), deadline=None)
@given(seed=st.integers(0, 1000), depth=st.integers(1, 8), n_columns=st.integers(1, 3))
def test_contributions_equal_a_naive_walk(seed: int, depth: int, n_columns: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (80, 5)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + rng.normal(size=80)
    owner = np.sort(rng.integers(0, n_columns, 5))
    fitted = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    found = path_tree(fitted.tree_, owner, n_columns)
    leaves = fitted.apply(X)
    for row, leaf in zip(X, leaves.tolist(), strict=True):
        naive = naive_contributions(fitted.tree_, row, owner, n_columns)
        np.testing.assert_allclose(found.contributions[leaf], naive, atol=1e-12)
    total = found.means[0] + found.contributions[leaves].sum(axis=1)
    np.testing.assert_allclose(total, fitted.predict(X), atol=1e-12)


@settings(max_examples=examples(4), deadline=None)
@given(X=tables(n_rows=60), unused=st.integers(0, 1))
def test_loco_is_additive_and_zero_for_a_column_that_is_not_used(
    X: pd.DataFrame, unused: int
) -> None:
    # with 60 rows a forest may split by chance on any column, unless that column is constant
    X[f"c{unused}"] = X[f"c{unused}"].iloc[0] if X.notna().iloc[0, unused] else 1
    e = values(additive([1.0, 1.0, 0.0][: X.shape[1]]), additive([2.0, -1.0, 0.5][: X.shape[1]]), X)
    reasons = e.explain(row=7).reasons()
    assert reasons.loco[:, reasons.columns.index(f"c{unused}")].tolist() == [0, 0, 0]
    room = e.explain().surrogate_room
    place = room.data.place_of(7)
    assert place is not None
    predicted = [own._estimator.predict(room.data.tree_matrix[[place]])[0] for own in room.forests]
    np.testing.assert_allclose(reasons.loco_predicted, predicted, atol=1e-12)


def test_loco_is_scaled_as_in_its_source() -> None:
    reasons = values(bent, straight, mixed()).explain(row=3).reasons()
    assert reasons.loco_scaled.max(axis=1).tolist() == [1, 1, 1]
    assert (reasons.loco_scaled >= 0).all()
    largest = np.abs(reasons.loco[2]).max()
    np.testing.assert_allclose(reasons.loco_scaled[2], np.abs(reasons.loco[2]) / largest)
    scaled = values(bent, straight, mixed()).explain().importance.to_frame(scale=True)
    assert scaled.max().tolist() == [1] * 6


def test_importance_is_of_columns_not_of_features() -> None:
    importance = values(bent, straight, mixed()).explain().importance
    assert set(importance.columns) == {"a", "b", "job", "when", "gap"}
    np.testing.assert_allclose(importance.forest.sum(axis=1), 1)
    frame = importance.to_frame()
    assert frame["loco_difference"].idxmax() == importance.columns[0] == "a"
    # the difference is in a and job alone
    assert set(importance.columns[:2]) == {"a", "job"}
    assert frame["loco_difference"].is_monotonic_decreasing


def test_importance_is_the_mean_over_the_rows() -> None:
    d = values(bent, straight, mixed(60))
    e = d.explain()
    frame = e.importance.to_frame()
    every = [e.reasons(row).to_frame() for row in range(60)]
    for target in ("first", "second", "difference"):
        mean = sum(own[f"loco_{target}"].abs() for own in every) / 60
        pd.testing.assert_series_equal(
            mean.sort_index(), frame[f"loco_{target}"].sort_index(), check_names=False
        )


# --- K-LIME -------------------------------------------------------------------------------------


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 1000), n_features=st.integers(1, 5), collinear=st.booleans())
def test_coefficients_of_the_difference(seed: int, n_features: int, collinear: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, n_features))
    if collinear:
        X = np.hstack([X, X[:, :1]])
    scores = rng.normal(size=(50, 2))
    weights = np.ones(50)
    both = linear_model(X, scores, weights)
    difference = scores[:, :1] - scores[:, 1:]
    alone = linear_model(X, np.hstack([difference, 0 * difference]), weights)
    np.testing.assert_allclose(both.coefficients[2], alone.coefficients[0], atol=1e-12)
    theirs = Ridge(alpha=RIDGE).fit(X, scores)
    np.testing.assert_allclose(both.coefficients[:2], theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(both.predict(X)[:, :2], theirs.predict(X), atol=1e-9)
    if collinear:  # columns that say the same share what they say
        np.testing.assert_allclose(both.coefficients[:, 0], both.coefficients[:, -1], atol=1e-9)


def test_reason_codes_sum_to_the_prediction() -> None:
    d = values(bent, straight, mixed())
    for row in (0, 17, 399):
        reasons = d.explain(row=row).reasons()
        klime = d.explain().surrogates.klime
        room = d.explain().surrogate_room
        place = room.data.place_of(row)
        features = room.data.linear.matrix[[place]]
        assert klime.clusters[place] == reasons.cluster
        predicted = klime.models[reasons.cluster].predict(features)[0]
        np.testing.assert_allclose(reasons.klime_predicted, predicted, atol=1e-12)
        np.testing.assert_allclose(
            reasons.klime[2], reasons.klime[0] - reasons.klime[1], atol=1e-12
        )
        expected = (bent(mixed())[row], straight(mixed())[row])
        np.testing.assert_allclose(reasons.scores, expected)


def test_k_is_not_the_largest_on_noise() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 4)), columns=list("abcd"))
    noise = rng.normal(size=(1500, 2))
    klime = values(noise[:, 0], noise[:, 1], X).explain().surrogates.klime
    assert max(klime.chosen_by) == CANDIDATES[-1]
    assert klime.k == 1
    # in sample the largest number of clusters would always win
    assert max(klime.chosen_by.values()) < 0.05


def test_k_grows_where_models_bend() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=2000)})
    klime = values(lambda t: t["a"].abs(), lambda t: t["a"] * 0.1, X).explain().surrogates.klime
    assert klime.k > 1
    assert klime.fits[2].r2 > 0.9


def test_a_small_cluster_takes_the_global_model() -> None:
    X = mixed(200)
    segment = np.where(np.arange(200) < 12, "few", "many")
    klime = values(bent, straight, X).explain(segments=segment).surrogates.klime
    assert klime.segments == ("few", "many")
    few, many = klime.models
    assert few.is_global
    assert not many.is_global
    np.testing.assert_array_equal(few.coefficients, klime.global_model.coefficients)
    np.testing.assert_array_equal(few.intercepts, klime.global_model.intercepts)
    np.testing.assert_array_equal(few.center, klime.global_model.center)
    assert (many.coefficients != klime.global_model.coefficients).any()
    assert few.rows < 20 <= many.rows


def test_r2_of_a_cluster_is_that_of_its_rows_kept_aside() -> None:
    """Recomputed from predictions; those of the fitted rows are better, and not what is said."""
    from sklearn.metrics import r2_score

    X = mixed(800)
    weights = np.random.default_rng(1).uniform(0.5, 2, 800)
    d = values(bent, straight, X, sample_weight=weights)
    e = d.explain(segments="job")
    klime, data = e.surrogates.klime, e.surrogate_room.data
    assert klime.k == 3
    for cluster, model in enumerate(klime.models):
        inside = klime.clusters == cluster
        of_rows = {}
        for name, rows in (("aside", inside & data.aside), ("fitted", inside & ~data.aside)):
            predicted = model.predict(data.linear.matrix[rows])
            of_rows[name] = [
                r2_score(
                    data.targets[rows, target],
                    predicted[:, target],
                    sample_weight=data.weights[rows],
                )
                for target in range(3)
            ]
        np.testing.assert_allclose(klime.cluster_r2[cluster], of_rows["aside"])
        assert not np.allclose(of_rows["aside"], of_rows["fitted"], rtol=1e-3)


def test_segments_may_be_a_column() -> None:
    X = mixed(300)
    klime = values(bent, straight, X).explain(segments="job", row=5)
    assert set(klime.surrogates.klime.segments) == {"cook", "nurse", "smith"}
    assert klime.surrogates.klime.segments[klime.reasons().cluster] == X["job"][5]


# --- decision trees -----------------------------------------------------------------------------


@settings(max_examples=examples(10), deadline=None)
@given(X=tables(n_rows=60), depth=st.integers(1, 4))
def test_rules_of_a_tree_partition_the_rows_and_predict(X: pd.DataFrame, depth: int) -> None:
    tree = imd.surrogate(interacting([1.0, 2.0, 0.5][: X.shape[1]]), X, max_depth=depth)
    predicted = tree.predict(X)
    times = np.zeros(60, dtype=int)
    for leaf in tree.leaves:
        inside = np.ones(60, dtype=bool)
        for condition in leaf.conditions:
            inside &= condition.mask(open_table(X))
        times += inside
        np.testing.assert_allclose(predicted[inside], leaf.value)
    assert times.tolist() == [1] * 60
    assert sum(leaf.rows for leaf in tree.leaves) == tree.n_fit
    assert max(node.depth for node in tree.nodes) <= depth


def test_a_surrogate_is_measured_on_rows_kept_aside() -> None:
    X = mixed(300)
    tree = imd.surrogate(bent, X, max_depth=3)
    assert tree.n_fit + tree.n_aside == 300
    # measured again: the rows kept aside are those of the same seed
    from imd_widget.data.sampling import holdout_rows

    aside = holdout_rows(300, 0.25, 1)
    error = (bent(X) - tree.predict(X))[aside]
    assert tree.rmse == pytest.approx(np.sqrt((error**2).mean()))
    assert tree.r2 == pytest.approx(1 - (error**2).mean() / bent(X)[aside].var(ddof=0))


def test_a_tree_that_is_a_model_is_found_again() -> None:
    X = mixed(500)
    tree = imd.surrogate(
        lambda t: np.where(t["b"] < 4, "no", np.where(t["job"] == "nurse", "yes", "no")), X
    )
    assert tree.r2 == 1
    assert {rule.split(": 1.00")[0] for rule in tree.rules if ": 1.00" in rule} <= {
        "b >= 4 and job is nurse",
        "job is nurse and b >= 4",
    }
    assert tree.note is not None
    assert "share of votes for yes" in tree.fidelity
    with pytest.raises(imd.InputError, match="lacks the column 'b'"):
        tree.predict(X.drop(columns="b"))


# --- what they are worth ------------------------------------------------------------------------


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 0.1, 3.0]))
def test_r2_is_that_of_scikit_learn(seed: int, spread: float) -> None:
    from sklearn.metrics import r2_score

    rng = np.random.default_rng(seed)
    target, weights = rng.normal(size=20), rng.uniform(0.1, 2, 20)
    predicted = target + spread * rng.normal(size=20)
    found = fit_of(target, predicted, weights, precision_of(-2, 2))
    assert found.r2 == pytest.approx(r2_score(target, predicted, sample_weight=weights))


def test_a_target_that_hardly_varies_has_no_r2() -> None:
    precision, weights = precision_of(0, 1), np.ones(20)
    tiny = np.linspace(1e-22, 2e-22, 20)
    assert fit_of(np.full(20, 0.1), np.full(20, 0.1), weights, precision) == Fit(0, None)
    assert fit_of(tiny, np.full(20, 0.1), weights, precision) == Fit(pytest.approx(0.1), None)
    assert fit_of(tiny, np.zeros(20), weights, precision) == Fit(0, None)
    assert fit_of(1e-6 * tiny / tiny.max(), np.zeros(20), weights, precision).r2 is not None
    # numbers near a million have six digits fewer
    assert (
        fit_of(
            1e6 + np.arange(20) * 1e-10, np.full(20, 1e6), weights, precision_of(1e6, 1e6 + 1e-9)
        ).r2
        is None
    )


def test_what_hardly_varies_is_said_in_place_of_an_r2() -> None:
    def constant_inside(X: pd.DataFrame) -> Any:
        return np.where(X["b"] > 4, 1e-22 * X["a"], bent(X))

    X = mixed(600)
    e = values(constant_inside, straight, X).explain(X["b"] > 4, row=int(np.argmax(X["b"] > 4)))
    for own in e.fidelity.techniques.values():
        assert own.first.r2 is None
        assert own.difference.r2 is not None
        assert "A hardly varies on these rows, so it has no R²." in own.text
        assert "held out: " in own.text
    reasons = e.reasons()
    assert not reasons.klime[0].any()
    assert "A gives 0: 0 on average here." in reasons.text
    assert "e-" not in str(reasons)
    frame = e.fidelity.to_frame()
    assert frame["r2_first"].isna().all()
    assert e.surrogates.first.r2 is None
    assert e.surrogates.first.fidelity.startswith("RMSE 0, no R² on ")
    assert not e.surrogates.first.to_record().careful
    view = e.to_dict()
    assert [own["r2"][0] for own in view["fidelity"]] == [None] * 3
    assert view["trees"] is not None
    assert view["trees"][0]["r2"] is None


def test_nothing_below_the_precision_of_the_score_is_listed() -> None:
    def noisy(X: pd.DataFrame) -> Any:
        return straight(X) + 1e-17 * X["gap"].fillna(0)

    e = values(noisy, lambda X: straight(X) + (X["a"] > 0), mixed()).explain()
    assert e.partial_dependence("gap").moves == 0
    assert e.partial_dependence("a").moves > 0
    assert "gap moves" not in e.summary()
    every = np.abs(np.concatenate([e.importance.loco.ravel(), e.reasons(7).klime.ravel()]))
    assert every[every > 0].min() > e.score.precision


def test_two_good_surrogates_can_know_nothing_of_the_difference() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 3)), columns=list("abc"))
    noise = rng.normal(size=1500) * 0.05
    base = (X["a"] + X["b"]).to_numpy()
    d = values(base, base + noise, X)
    fidelity = d.explain().fidelity
    for own in fidelity.techniques.values():
        assert own.first.r2 > 0.8
        assert own.second.r2 > 0.8
        assert own.difference.r2 < 0.05
        assert own.warning is not None
        assert own.warning in own.text
    assert fidelity.low
    e = d.explain(row=3)
    warning = "shows little about why the models differ here"
    texts = [
        str(e.importance),
        e.importance._repr_html_(),
        str(e.reasons()),
        e.reasons()._repr_html_(),
        e.reasons().text,
        str(e.surrogates),
        repr(e.surrogates),
        *(str(tree) for tree in e.surrogates.trees),
        e.summary(),
    ]
    assert all(warning in text for text in texts)
    good = values(bent, straight, mixed()).explain(row=3)
    assert warning not in str(good.importance)


def test_r2_below_the_limit_never_reads_as_the_limit() -> None:
    low = Fidelity(
        "random forest",
        ("A", "B"),
        Fit(0, 0.9999),
        Fit(0, 0.5),
        Fit(1, 0.2999),
    )
    assert low.text == (
        "random forest, R² held out: 0.29 of the difference, 0.99 of A, 0.50 of B. Careful: it "
        "explains 29 % of the difference, so it shows little about why the models differ here."
    )
    assert Fidelity("K-LIME", ("A", "B"), Fit(0, 1), Fit(0, 1), Fit(0, 0.3)).text == (
        "K-LIME, R² held out: 0.30 of the difference, 1.00 of A, 1.00 of B."
    )
    none = Fidelity("K-LIME", ("A", "B"), Fit(0, 1), Fit(0, 1), Fit(0, -11.6))
    assert "explains nothing of the difference" in none.text
    assert "R² held out: below -1 of the difference" in none.text
    both = Fidelity("K-LIME", ("A", "B"), Fit(0, None), Fit(0, 0.5), Fit(0, None))
    assert both.text == (
        "K-LIME, R² held out: 0.50 of B. The difference and A hardly vary on these rows, so they "
        "have no R²."
    )


# --- laws of all of them ------------------------------------------------------------------------


def test_a_model_does_not_differ_from_itself() -> None:
    X = mixed(200)
    e = values(bent, bent, X).explain(row=4)
    assert not e.importance.loco[2].any()
    assert not e.reasons().klime[2].any()
    assert not e.reasons().loco[2].any()
    assert {leaf.value for leaf in e.surrogates.difference.leaves} == {0}
    for own in e.fidelity.techniques.values():
        assert own.difference == Fit(0, None)
        assert "The difference hardly varies on these rows, so it has no R²." in own.text
        assert own.warning is None


def test_swapped_models_flip_signs_exactly() -> None:
    X = mixed(300)
    there, back = values(bent, straight, X).explain(row=9), values(straight, bent, X).explain(row=9)
    one, other = there.reasons().to_frame(), back.reasons().to_frame()
    for technique in ("klime", "loco"):
        flipped = -other[f"{technique}_difference"]
        pd.testing.assert_series_equal(one[f"{technique}_difference"], flipped, check_exact=True)
        pd.testing.assert_series_equal(
            one[f"{technique}_first"],
            other[f"{technique}_second"],
            check_exact=True,
            check_names=False,
        )
    np.testing.assert_array_equal(there.importance.loco[2], back.importance.loco[2])
    for tree, mirror in zip(
        there.surrogates.difference.leaves, back.surrogates.difference.leaves, strict=True
    ):
        assert str(tree) == str(mirror)
        assert tree.value == -mirror.value
    assert there.fidelity["random forest"].difference == back.fidelity["random forest"].difference


def test_a_frozen_column_is_the_most_important_one_of_the_difference() -> None:
    X = mixed(600)
    e = values(bent, frozen(bent, 1, 4), X).explain()
    assert e.importance.columns[0] == "b"
    assert e.importance.to_frame().loc["b", "forest_difference"] > 0.9
    assert e.fidelity["random forest"].difference.r2 > 0.9


def test_a_rule_is_explained_as_its_rows() -> None:
    X = mixed(800)
    d = values(bent, straight, X)
    rule = max(d.rules, key=lambda own: own.support)
    by_rule, by_mask = d.explain(rule), d.explain(rule.mask(X))
    pd.testing.assert_frame_equal(
        by_rule.importance.to_frame(), by_mask.importance.to_frame(), check_exact=True
    )
    row = int(np.flatnonzero(rule.mask(X))[0])
    pd.testing.assert_frame_equal(
        by_rule.reasons(row).to_frame(), by_mask.reasons(row).to_frame(), check_exact=True
    )
    assert str(by_rule.fidelity) == str(by_mask.fidelity)


def test_a_row_outside_the_sample_has_the_reasons_of_a_row_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("imd_widget.explanations.surrogate_room.SURROGATE_ROWS", 150)
    X = mixed(300)
    X = pd.concat([X, X], ignore_index=True)  # every row twice
    e = values(bent, straight, X).explain()
    rows = set(e.surrogate_room.data.rows.tolist())
    assert len(rows) == 150
    inside = next(row for row in sorted(rows) if (row + 300) % 600 not in rows)
    twin = (inside + 300) % 600
    one, other = e.reasons(inside), e.reasons(twin)
    assert (one.row, other.row) == (inside, twin)
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


def test_probabilities_of_classifiers_are_explained() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    y = np.where(X["a"] * X["b"] > 0, "yes", "no")
    m1 = LogisticRegression().fit(X, y)
    m2 = RandomForestClassifier(20, random_state=0).fit(X, y)
    e = imd.diff(m1, m2, X).explain(row=3)
    assert e.what == "probability of yes"
    assert e.score.note is None
    expected = (m1.predict_proba(X)[3, 1], m2.predict_proba(X)[3, 1])
    np.testing.assert_allclose(e.reasons().scores, expected)
    np.testing.assert_allclose(
        e.surrogate_room.data.targets[:, 0], m1.predict_proba(X)[e.surrogate_room.data.rows, 1]
    )
