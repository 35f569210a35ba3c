"""Rules that may use how sure both models are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.cli.report import text_report
from imd_widget.views.build import view_of

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(1200, 3)), columns=["a", "b", "c"])


class Model:
    """A model of three classes whose probabilities a tree cannot describe by columns."""

    classes_ = np.array(["x", "y", "z"])

    def __init__(self, noise: float) -> None:
        self.noise = noise
        self.calls: list[str] = []

    def predict(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict")
        return self.classes_[self._probabilities(table).argmax(axis=1)]

    def predict_proba(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict_proba")
        return self._probabilities(table)

    def _probabilities(self, table: pd.DataFrame) -> Any:
        angle = 31 * table["a"] + 17 * table["b"] + self.noise * np.sin(97 * table["c"])
        scores = np.exp(2 * np.stack([np.sin(angle + k) for k in (0, 2, 4)], axis=1))
        return scores / scores.sum(axis=1, keepdims=True)


def fit(**options: Any) -> imd.ModelDiff:
    return imd.diff(Model(0), Model(0.3), X, names=("A", "B"), **options)


def test_margins_describe_models_that_columns_do_not() -> None:
    alone, sure = fit(), fit(given="margins")
    assert (sure.metrics.mcc or 0) > (alone.metrics.mcc or 0) + 0.3
    named = {str(c.column) for rule in sure.rules for c in rule.conditions}
    assert named & {"A's margin", "B's margin"}
    assert sure.given == "margins"
    assert "Given how sure they are, " in sure.summary()
    assert view_of(sure).options.given == "margins"


def test_a_change_is_the_same_as_a_new_diff() -> None:
    alone, sure = fit(), fit(given="margins")
    assert alone.change(given="margins").to_dict() == sure.to_dict()
    assert sure.change(given="nothing").to_dict() == alone.to_dict()


def test_only_probabilities_are_called_for() -> None:
    one, two = Model(0), Model(0.3)
    d = imd.diff(one, two, X, names=("A", "B"))
    one.calls.clear()
    d.change(given="margins")
    assert one.calls == ["predict_proba"]


def test_new_rows_need_the_margins(tmp_path: Path) -> None:
    d = fit(given="margins")
    both = []
    for model in (Model(0), Model(0.3)):
        proba = np.sort(model.predict_proba(X), axis=1)
        both.append(proba[:, -1] - proba[:, -2])
    wanted = d.predict(X)
    assert wanted.any()
    assert (d.rules.mask(X) == wanted).all()
    back = imd.load(d.save(tmp_path / "d.json"))
    assert (back.predict(X, given=np.stack(both, axis=1)) == wanted).all()
    named = X.assign(**{"A's margin": both[0], "B's margin": both[1]})
    assert (back.predict(named) == wanted).all()
    assert {row for rule in d.rules for row in named.query(rule.to_query()).index} == set(
        np.flatnonzero(wanted)
    )


def test_probabilities_have_margins_without_a_call() -> None:
    first, second = (Model(noise).predict_proba(X)[:, 0] for noise in (0, 0.3))
    d = imd.diff(first, second, X, outputs="proba", given="margins")
    assert {c.given for rule in d.rules for c in rule.conditions} >= {True}


def test_labels_have_none() -> None:
    said = [Model(noise).predict(X) for noise in (0, 0.3)]
    with pytest.raises(imd.InputError, match="needs probabilities, and neither model has predict"):
        imd.diff(*said, X, given="margins")


def test_swapped_models_predict_the_same() -> None:
    one = imd.diff(Model(0), Model(0.3), X, names=("A", "B"), given="margins")
    two = imd.diff(Model(0.3), Model(0), X, names=("B", "A"), given="margins")
    assert (one.predict(X) == two.predict(X)).all()


class Cut:
    """A model of two classes that predicts "bad" above a cut of its probability."""

    classes_ = np.array(["bad", "good"])

    def __init__(self, cut: float, noise: float = 0.0) -> None:
        self.cut, self.noise = cut, noise

    def predict(self, table: pd.DataFrame) -> Any:
        return self.classes_[(self.predict_proba(table)[:, 1] > self.cut).astype(int)]

    def predict_proba(self, table: pd.DataFrame) -> Any:
        slope = 3 * np.sin(9 * table["a"]) * table["b"] + self.noise * np.sin(1e6 * table["a"])
        of_good = 1 / (1 + np.exp(-slope.to_numpy()))
        return np.column_stack([1 - of_good, of_good])


def moved(**options: Any) -> imd.ModelDiff:
    return imd.diff(Cut(0.5), Cut(0.3), X, names=("c5", "c3"), **options)


def test_a_moved_cut_is_one_band_of_a_probability() -> None:
    d = moved(given="margins")
    [rule] = d.rules
    assert str(rule).startswith("c5's probability of good is 0.3 to under 0.5: bad -> good")
    assert rule.support == rule.differing
    of_good = Cut(0.5).predict_proba(X)[:, 1]
    inside = (of_good >= 0.3) & (of_good < 0.5)
    assert (d.predict(X) == inside).all()
    assert (d.predict(X, given=of_good) == inside).all()
    named = X.assign(**{"c5's probability of good": of_good})
    assert (rule.mask(named) == inside).all()
    assert (named.eval(rule.to_query()) == inside).all()
    with duckdb.connect() as database:
        database.register("named", named)
        found = database.execute(f"SELECT count(*) FROM named WHERE {rule.to_sql()}").fetchall()
    assert found == [(inside.sum(),)]


def test_the_headline_names_the_band_that_its_button_shows() -> None:
    d = moved()
    band = "c5's probability of good is between 0.30 and 0.50"
    assert f"100 % of the differences are where {band}" in d.summary()
    assert "unsure" not in d.summary()
    shown = d.change(**d.suggestions[0].options)
    assert [str(condition) for rule in shown.rules for condition in rule.conditions] == [
        "c5's probability of good is 0.3 to under 0.5"
    ]
    assert shown.change(given="nothing").to_dict() == d.to_dict()


def test_every_text_has_the_band() -> None:
    d = moved(given="margins")
    for text in (d.to_markdown(), text_report(d, None, ()), str(d.rules)):
        assert "c5's probability of good is 0.3 to under 0.5" in text
        assert "margin" not in text


def test_both_probabilities_are_never_columns_at_once() -> None:
    """Together they are the difference itself."""
    for options in ({}, {"outputs": "proba", "tolerance": 0.05}):
        d = imd.diff(Cut(0.5), Cut(0.5, noise=0.4), X, given="margins", **options)
        given = [str(column.name) for column in d.tree.columns if column.given]
        assert len(given) == 1
        assert given[0].endswith("'s probability of good")
        named = {str(c.column) for rule in d.rules for c in rule.conditions}
        assert named == set(given)


def test_the_shape_of_given_is_checked() -> None:
    d = moved(given="margins")
    with pytest.raises(imd.InputError, match=r"2 columns, 1 needed: .*c5's probability of good"):
        d.predict(X, given=np.zeros((len(X), 2)))


def test_numbers_as_classes_are_named_as_classes() -> None:
    class Numbered(Cut):
        classes_ = np.array([0, 1])

    d = imd.diff(Numbered(0.5), Numbered(0.3), X, given="margins", names=("c5", "c3"))
    assert str(d.rules[0]).startswith("c5's probability of class 1 is 0.3 to under 0.5")


def test_margins_of_two_classes_in_an_older_file_stay_margins(tmp_path: Path) -> None:
    """Earlier versions wrote margins of two classes too."""
    path = moved(given="margins").save(tmp_path / "d.json")
    older = path.read_text(encoding="utf-8").replace("probability of good", "margin")
    path.write_text(older, encoding="utf-8")
    d = imd.load(path)
    margin = np.abs(2 * Cut(0.5).predict_proba(X)[:, 1] - 1)
    inside = (margin >= 0.3) & (margin < 0.5)
    assert (d.predict(X, given=margin) == inside).all()
    measured = d.measure(Cut(0.5), Cut(0.3), X)
    assert measured.regions[0].now.rows == inside.sum()
