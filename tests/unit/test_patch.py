"""Patched models: laws of their outputs, the choice of rules, the bound on what they break."""

import json
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget._base.intervals import SampleSize
from imd_widget._base.paired import exact_interval
from imd_widget.deciding.choosing import halves
from imd_widget.rules.rule import RuleSet
from tests.examples import examples

RNG = np.random.default_rng(0)


def table(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.integers(0, 100, n), "site": rng.choice(list("ABC"), n)})


def old(t):
    return np.where(t["a"] >= 50, "yes", "no")


def new(t):
    wrong = (t["site"] == "C") & (t["a"] >= 50)
    better = (t["site"] == "A") & (t["a"] < 20)
    return np.where(wrong, "no", np.where(better, "yes", old(t)))


def truth(t):
    return np.where((t["site"] == "A") & (t["a"] < 20), "yes", old(t))


@pytest.fixture(scope="module")
def planted():
    X = table()
    return X, imd.diff(old, new, X, y=truth(X), names=("old", "new"))


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(["old", "new"]), st.sets(st.integers(0, 1)), st.integers(0, 5))
def test_a_patched_model_is_one_model_inside_and_the_other_outside(inside, numbers, seed):
    X = table()
    d = imd.diff(old, new, X)
    patched = imd.patch(old, new, d.rules[sorted(numbers)], inside=inside)
    fresh = table(300, seed)
    mask = d.rules[sorted(numbers)].mask(fresh)
    first, second = (old, new) if inside == "old" else (new, old)
    rows = zip(first(fresh), second(fresh), mask, strict=True)
    assert patched.predict(fresh).tolist() == [one if own else two for one, two, own in rows]


def test_a_patch_chooses_the_rules_in_which_the_new_model_is_worse(planted):
    X, d = planted
    careful, bold = imd.patch(old, new, d), imd.patch(old, new, d, inside="new")
    (worse,), (better,) = careful.rules, bold.rules
    assert set(X[worse.mask(X)]["site"]) == {"C"}
    assert set(X[better.mask(X)]["site"]) == {"A"}
    for patched in (careful, bold):
        figures = patched.figures
        assert figures.rows == d.kept_aside.sum()
        assert figures.chosen_on == (~d.kept_aside).sum()
        assert (figures.candidates, figures.right.breaks) == (2, 0)
        aside = X[d.kept_aside]
        without = new if patched is careful else old
        gained = (patched.predict(aside) == truth(aside)).sum() - (
            without(aside) == truth(aside)
        ).sum()
        assert figures.right.net == gained
        assert figures.breaks_bound == exact_interval(0.0, SampleSize(len(aside)))[1]
    assert "old inside, new elsewhere:\n  a >= 50 and site is C" in str(careful.patch)


def test_a_comparison_with_the_patched_model_shows_exactly_the_rules(planted):
    X, d = planted
    patched = imd.patch(old, new, d)
    found = imd.diff(new, patched, X)
    assert (found.predict(X) == patched.patch.mask(X)).all()
    assert [set(r.conditions) for r in found.rules] == [set(r.conditions) for r in patched.rules]


def test_a_patched_model_has_a_short_name_and_a_true_headline(planted):
    X, d = planted
    found = imd.diff(new, imd.patch(old, new, d), X)
    assert found.names == ("new", "patched")
    assert "The rules are those of the patch; elsewhere the models agree." in found.summary()
    assert "too high" not in found.summary()


def test_a_rule_names_the_models_like_its_diff(planted):
    _, d = planted
    assert "; only old is right on " in str(d.rules[0])
    assert str(d.rules[0]).split("; ")[-1] == str(d.rules).splitlines()[0].split("; ")[-1]
    of_its_own = pickle.loads(pickle.dumps(d.rules[0]))
    assert "; only m1 is right on " in str(of_its_own)


def test_known_rules_are_described_and_not_fitted(fitted):
    X, y, one, two, d = fitted
    for inside, other in (("old", two), ("new", one)):
        patched = imd.patch(one, two, d.rules, inside=inside)
        found = imd.diff(other, patched, X, y=y)
        assert sorted(r.to_sql() for r in found.rules) == sorted(r.to_sql() for r in d.rules)
        assert (found.predict(X) == patched.patch.mask(X)).all()
        assert not found.differs[~found.predict(X)].any()
        for rule in found.rules:
            inside_rule = rule.mask(X) & ~found.kept_aside
            assert rule.support == inside_rule.sum()
            assert rule.differing == (inside_rule & found.differs).sum()
        leaves = found.tree.apply(X)
        assert (found.tree.leaf_outputs[leaves] == found.tree.predict(X)).all()
        assert "The rules are those of the patch" in found.summary()


def test_known_rules_survive_a_file_and_other_options_fit_rules(fitted, tmp_path):
    X, _, one, two, d = fitted
    patched = imd.patch(one, two, imd.load(imd.patch(one, two, d.rules).save(tmp_path / "p.json")))
    found = imd.diff(two, patched, X)
    assert found.has_known_rules
    again = imd.load(found.save(tmp_path / "d.json"))
    assert again.summary() == found.summary()
    assert again.rules.to_sql() == found.rules.to_sql()
    assert "those of the patch" in found.save(tmp_path / "d.html").read_text()
    fitted_again = found.change(max_depth=1)
    assert not fitted_again.has_known_rules
    assert fitted_again.change(max_depth=found.max_depth).rules.to_sql() == found.rules.to_sql()
    assert not imd.diff(two, patched, X, max_depth=2).has_known_rules
    assert not found.refine().has_known_rules or not found.refinable
    assert not imd.diff(one, patched, X).has_known_rules
    with pytest.raises(imd.InputError, match="resamples cannot find them again"):
        found.stability(2)


def test_the_headline_of_known_rules_is_no_warning(planted):
    X, _ = planted
    often = imd.patch(old, new, imd.diff(old, new, X, max_depth=1, sensitivity=1).rules)
    found = imd.diff(new, often, X)
    assert found.metrics.precision < 0.5
    for words in ("hint", "chance", "not localised", "too few"):
        assert words not in found.summary()


def test_known_rules_on_a_table_that_lacks_their_thresholds(planted):
    X, d = planted
    patched = imd.patch(old, new, d.rules)
    even = X[X["a"] % 7 == 3].rename(columns=str).reset_index(drop=True)[["site", "a"]]
    found = imd.diff(new, patched, even, measure="none")
    assert found.has_known_rules
    assert {r.to_query() for r in found.rules} <= {r.to_query() for r in d.rules}
    assert (found.predict(even) | ~found.differs).all()


def test_known_rules_about_words_dates_and_missing_values():
    rng = np.random.default_rng(0)
    words = np.array(["refund", "order", "late", "slow", "fast", "box", "good", "bad"])
    n = 1200
    X = pd.DataFrame(
        {
            "text": [" ".join(rng.choice(words, 8)) for _ in range(n)],
            "at": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 8000, n), unit="h"),
            "x": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "c": pd.Series(rng.choice(["a", "b", None], n)),
        }
    )

    def first(t):
        return np.zeros(len(t), dtype=bool)

    def second(t):
        night = t["at"].dt.hour.isin([22, 23, 0, 1]) & t["c"].isna()
        return (t["text"].str.contains("refund") & ~(t["x"] < 0.5)) | night

    d = imd.diff(first, second, X)
    assert len(d.rules) >= 2
    patched = imd.patch(first, second, d.rules)
    for table, part in ((X, X), (X[["x", "at", "c", "text"]], X.iloc[:400])):
        found = imd.diff(second, patched, table if part is X else part[list(table)])
        assert (found.predict(part) == patched.patch.mask(part)).all()
        assert found.has_known_rules
    assert {r.to_query() for r in found.rules} == {r.to_query() for r in d.rules}


def test_rules_that_overlap_are_fitted_anew(planted):
    X, d = planted
    other = imd.diff(lambda t: t["a"] < 70, lambda t: t["a"] < 90, X).rules
    patched = imd.patch(old, new, [*d.rules, *other])
    assert not imd.diff(new, patched, X).has_known_rules
    apart = imd.diff(lambda t: t["a"] < 22, lambda t: t["a"] < 33, X).rules
    patched = imd.patch(old, new, [*d.rules, *apart])
    found = imd.diff(new, patched, X)  # the models agree inside the other rule
    assert {str(r.to_query()) for r in found.rules} == {r.to_query() for r in d.rules}


def test_a_patch_of_columns_is_compared_with_a_column(planted):
    X, d = planted
    scored = X.assign(pred_old=old(X), pred_new=new(X))
    found = imd.diff("pred_new", imd.patch("pred_old", "pred_new", d.rules), scored)
    assert found.has_known_rules
    assert found.column_names == ("a", "site")
    assert found.rules.to_query() == imd.diff(new, imd.patch(old, new, d.rules), X).rules.to_query()


def test_new_rows_are_split_into_halves(planted):
    _, d = planted
    X = table(seed=7)
    loaded_from = imd.patch(old, new, d, X, y=truth(X))
    assert loaded_from.figures.chosen_on == loaded_from.figures.rows == 1000
    groups = np.repeat(np.arange(200), 10)
    grouped = imd.patch(old, new, d, X, y=truth(X), groups=groups).figures
    assert grouped.right.degrees is not None or not grouped.right.breaks


def test_without_rows_kept_aside_rules_are_found_again_on_one_half(planted):
    X, _ = planted
    d = imd.diff(old, new, X, y=truth(X), measure="cv")
    figures = imd.patch(old, new, d).figures
    assert (figures.chosen_on, figures.rows, figures.right.breaks) == (1000, 1000, 0)


@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 9))
def test_halves_share_no_group(n_rows, n_groups, seed):
    groups = np.arange(n_rows) % n_groups
    one, two = halves(n_rows, groups, seed)
    assert sorted([*one, *two]) == list(range(n_rows))
    assert not set(groups[one]) & set(groups[two])


def test_the_bound_holds_in_95_of_100_worlds():
    """A rule that looks good on the half that chooses it breaks rows on the other one."""
    rng = np.random.default_rng(1)
    n, rate, missed, worlds = 400, 0.03, 0, 300
    for _ in range(worlds):
        broken = rng.binomial(n, rate)
        missed += exact_interval(broken / n, SampleSize(n))[1] < rate
    assert missed / worlds <= 0.08


def test_the_bound_of_chosen_rules_holds_in_small_worlds():
    """The truth is independent of the models: patches gain nothing, and break half of the rows."""
    missed, patched = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"a": rng.integers(0, 12, 300)})
        one, two = X["a"].to_numpy() < 4, X["a"].to_numpy() < 8
        y = rng.random(300) < 0.62  # inside the difference `two` is right more often
        d = imd.diff(one, two, X, y=y, test_size=0.5, measure="holdout", random_state=seed)
        own = imd.patch(lambda t: t["a"] < 4, lambda t: t["a"] < 8, d, inside="new")
        if not len(own.rules):
            continue
        patched += 1
        inside = (X["a"] >= 4) & (X["a"] < 8) & own.patch.mask(X)
        true_breaks = 0.38 * len(np.unique(X["a"][inside])) / 12
        missed += own.figures.breaks_bound < true_breaks
    assert patched >= 10
    assert missed <= 5


def test_sql_selects_the_output_that_predict_gives(planted):
    X, d = planted
    for inside in ("old", "new"):
        patched = imd.patch(old, new, d, inside=inside)
        scored = duckdb.from_df(X.assign(pred_old=old(X), pred_new=new(X)))
        found = scored.project(f"{patched.to_sql('pred_old', 'pred_new')} AS out").df()["out"]
        assert found.tolist() == patched.predict(X).tolist()
    assert patched.to_sql() == patched.to_sql("old", "new")


def test_models_may_be_columns_of_the_table(planted):
    X, d = planted
    scored = X.assign(pred_old=old(X), pred_new=new(X))
    patched = imd.patch("pred_old", "pred_new", d.rules[:1])
    assert patched.predict(scored).tolist() == imd.patch(old, new, d.rules[:1]).predict(X).tolist()
    assert patched.predict(pl.from_pandas(scored)).tolist() == patched.predict(scored).tolist()
    assert patched.to_sql().endswith('THEN "pred_old" ELSE "pred_new" END')
    with pytest.raises(imd.InputError, match="column 'pred_old', which X does not have"):
        patched.predict(X)


@pytest.fixture(scope="module")
def fitted():
    X = pd.DataFrame(RNG.normal(size=(600, 3)), columns=list("abc"))
    y = np.where(X["a"] + X["b"] ** 2 > 0.6, "yes", "no")
    one = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    two = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    return X, y, one, two, imd.diff(one, two, X, y=y)


def test_probabilities_are_those_of_the_model_that_is_used(fitted):
    X, y, one, two, d = fitted
    patched = imd.patch(one, two, d.rules)
    mask = d.rules.mask(X)
    found = patched.predict_proba(X)
    assert (found[mask] == one.predict_proba(X)[mask]).all()
    assert (found[~mask] == two.predict_proba(X)[~mask]).all()
    assert patched.classes_.tolist() == ["no", "yes"]
    assert patched.score(X, y) == (patched.predict(X) == y).mean()
    assert not hasattr(imd.patch(one, two.predict, d.rules), "predict_proba")
    assert not hasattr(imd.patch(one, two.predict, d.rules), "classes_")


def test_a_class_that_one_model_does_not_know_has_probability_0(fitted):
    X, y, one, _, d = fitted
    three = np.where(X["c"] > 1, "maybe", y)
    more = DecisionTreeClassifier(max_depth=3).fit(X, three)
    patched = imd.patch(one, more, d.rules)
    found, mask = patched.predict_proba(X), d.rules.mask(X)
    assert patched.classes_.tolist() == ["maybe", "no", "yes"]
    assert (found[mask, 0] == 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_it_is_an_estimator_of_scikit_learn(fitted):
    X, y, one, two, d = fitted
    patched = imd.patch(one, two, d)
    assert is_classifier(patched)
    assert set(patched.get_params(deep=False)) == {"old", "new", "patch"}
    for again in (clone(patched), pickle.loads(pickle.dumps(patched)), patched.fit(X, y)):
        assert (again.predict(X) == patched.predict(X)).all()
    assert clone(patched).old is one
    assert (cross_val_predict(patched, X, y, cv=3) == patched.predict(X)).all()
    assert repr(patched.patch).startswith("<Patch: ")


def test_labels_that_one_model_gives_as_text_are_the_same_labels():
    X = pd.DataFrame({"a": np.arange(100)})
    patched = imd.patch(
        lambda t: (t["a"] < 40).astype(int).astype(str),
        lambda t: (t["a"] < 60).astype(int),
        imd.diff(X["a"] < 40, X["a"] < 60, X).rules,
    )
    assert patched.predict(X).dtype.kind == "i"
    assert patched.predict(X).tolist() == (X["a"] < 40).astype(int).tolist()


def test_values_are_chosen_by_their_absolute_error():
    X = pd.DataFrame({"a": np.tile(np.arange(40.0), 50)})
    y = X["a"] + np.random.default_rng(0).normal(size=2000)
    first, second = lambda t: t["a"], lambda t: t["a"] + 3 * (t["a"] >= 30)
    d = imd.diff(first, second, X, y=y, outputs="value", tolerance=1)
    patched = imd.patch(first, second, d)
    assert (patched.predict(X) == X["a"]).all()
    [loss, _] = patched.figures.right.losses
    assert loss.interval[1] < 0
    assert not len(imd.patch(first, second, d, inside="new").rules)


def test_a_file_restores_rules_and_figures(planted, fitted, tmp_path):
    X, d = planted
    for patched in (imd.patch(old, new, d), imd.patch(old, new, d.rules[:0])):
        again = imd.load(patched.save(tmp_path / "patch.json"))
        assert (again.mask(X) == patched.patch.mask(X)).all()
        assert str(again) == str(patched.patch)
        assert again.figures == patched.figures
        assert again.to_sql() == patched.to_sql()
        text = (tmp_path / "patch.json").read_text()
        assert again.save(tmp_path / "again.json").read_text() == text
        assert (imd.patch(old, new, again).predict(X) == patched.predict(X)).all()
    numbers, _, one, two, of_numbers = fitted
    patched = imd.patch(one, two, of_numbers.rules)
    again = imd.load(patched.save(tmp_path / "numbers.json"))
    assert (again.mask(numbers) == patched.patch.mask(numbers)).all()


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"inside": "both"}, "inside"),
        ({"names": ["one"]}, "names are"),
        ({"columns": []}, "the column of a rule"),
        ({"figures": {"rows": 3}}, "right"),
        ({"version": 99}, "reads up to 1"),
    ],
)
def test_a_file_that_was_edited_is_refused(planted, tmp_path, change, reason):
    _, d = planted
    path = imd.patch(old, new, d).save(tmp_path / "patch.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(imd.InputError, match=reason):
        imd.load(path)


def test_rules_of_several_diffs_are_patched_together_and_not_saved(planted, tmp_path):
    X, d = planted
    other = imd.diff(X["a"] < 10, X["a"] < 12, X)
    patched = imd.patch(old, new, [d.rules[0], other.rules[0]])
    expected = d.rules[0].mask(X) | other.rules[0].mask(X)
    assert (patched.patch.mask(X) == expected).all()
    with pytest.raises(imd.InputError, match="rules come from diffs of different tables"):
        patched.save(tmp_path / "patch.json")


def test_messages(planted):
    X, d = planted
    without = imd.diff(old, new, X)
    for arguments, options, text in (
        ((old(X), new, d), {}, "old is ndarray, the outputs of a model"),
        ((old, new, d), {"inside": "all"}, 'inside=\'all\': .*"old" or "new"'),
        ((old, new, without), {}, "chosen on rows with a truth: pass y"),
        ((old, new, d.rules), {"y": truth(X)}, "y is only used to choose among the rules"),
        ((old, new, "rules"), {}, "rules is str: expected rules"),
        ((old, new, d), {"names": "ab"}, "expected two names"),
        ((old, new, d), {"random_state": -1}, "random_state=-1"),
    ):
        with pytest.raises(imd.InputError, match=text):
            imd.patch(*arguments, **options)
    patched = imd.patch(old, new, d)
    with pytest.raises(imd.InputError, match="in memory"):
        patched.predict("scores/*.parquet")


def test_rules_are_picked_by_their_numbers(planted):
    _, d = planted
    picked = d.rules[[1]]
    assert isinstance(picked, RuleSet)
    assert (picked[0], picked.numbers) == (d.rules[1], (1,))
    assert str(picked).lstrip().startswith("1.")
    with pytest.raises(IndexError, match="there is no rule"):
        d.rules[[9]]


def test_the_widget_has_the_patch_of_the_selected_rules(planted, tmp_path):
    X, d = planted
    widget = imd.show(d, picture=False)
    with pytest.raises(imd.InputError, match="no rule is selected"):
        _ = widget.patch
    widget.selected_rules = [1]
    assert widget.patch.rules.numbers == (1,)
    expected = imd.patch(old, new, d.rules[[1]]).predict(X)
    assert (widget.patch.predict(X) == expected).all()
    loaded = imd.show(imd.load(d.save(tmp_path / "d.json")), picture=False)
    loaded.selected_rules = [0]
    with pytest.raises(imd.InputError, match="neither rows nor models"):
        _ = loaded.patch
