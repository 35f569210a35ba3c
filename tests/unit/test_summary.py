"""The headline, word for word, in every case it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.comparison.summary import headline
from imd_widget.rules.languages import percent

X = pd.DataFrame({"a": np.arange(400.0)})
LOW = (X["a"] < 100).to_numpy(int)


def test_a_clear_difference() -> None:
    d = imd.diff(LOW, np.zeros(400, int), X, names=("A", "B"), measure="holdout")
    assert headline(d).tone == "good"
    assert d.summary() == (
        "A and B disagree on 100 of 400 rows (25.0 %). "
        "1 rule shows where: on 100 held-out rows it covers 17 of the 17 differences, and 17 of "
        "the 17 rows it covers differ."
    )
    by_folds = imd.diff(LOW, np.zeros(400, int), X, names=("A", "B"))
    assert headline(by_folds).tone == "good"
    assert by_folds.summary() == (
        "A and B disagree on 100 of 400 rows (25.0 %). "
        "1 rule shows where: in five-fold cross-fitting it covers 100 % of the differences, and "
        "over 99 % of the rows it covers differ."
    )


def test_several_rules() -> None:
    d = imd.diff(LOW, (X["a"].between(50, 198)).to_numpy(int), X, names=("A", "B"), test_size=0)
    assert d.summary() == (
        "A and B disagree on 149 of 400 rows (37.2 %). "
        "2 rules show where: they cover 100 % of the differences, and 100 % of the rows they cover "
        "differ. "
        "Measured on the rows used to fit: expect less on new rows."
    )


def test_models_that_mostly_differ_agree_somewhere() -> None:
    d = imd.diff(LOW, (X["a"].between(50, 298)).to_numpy(int), X, names=("A", "B"), test_size=0)
    assert headline(d).tone == "good"
    assert d.summary() == (
        "A and B disagree on 249 of 400 rows (62.3 %). "
        "2 rules show where they agree: they cover 100 % of the agreement, and 100 % of the rows "
        "they cover agree. "
        "2 rules show where they differ: they cover 100 % of the differences, and 100 % of the "
        "rows they cover differ. "
        "Measured on the rows used to fit: expect less on new rows."
    )


def test_no_disagreement() -> None:
    d = imd.diff(LOW, LOW, X, names=("A", "B"))
    assert headline(d).tone == "none"
    assert d.summary() == "A and B agree on all 400 rows."


def test_one_class() -> None:
    d = imd.diff(LOW * 0, LOW * 0, X, names=("A", "B"), class_names=["benign"])
    assert d.summary() == "A and B always predict benign."


def test_disagreement_everywhere() -> None:
    d = imd.diff(LOW * 0, LOW * 0 + 1, X, names=("A", "B"))
    assert d.summary().startswith("A and B disagree on all 400 rows. 1 rule shows where: on")


def test_disagreement_but_no_rule() -> None:
    y2 = np.zeros(400, int)
    y2[20::40] = 1
    d = imd.diff(
        np.zeros(400, int), y2, X, names=("A", "B"), max_depth=1, test_size=0, method="imd"
    )
    assert headline(d).tone == "weak"
    assert "disagree on 10 of 400 rows (2.5 %). No rules were found" in d.summary()


def test_none_of_the_rows_kept_aside_differs() -> None:
    from imd_widget.data.sampling import holdout_rows

    y2 = np.where(holdout_rows(400, 0.25, 0), 0, LOW)
    d = imd.diff(np.zeros(400, int), y2, X, names=("A", "B"), measure="holdout")
    assert headline(d).tone == "weak"
    assert (
        "The holdout (100 rows) has no differences, so precision and recall are unknown."
        in d.summary()
    )


def test_too_few_rows() -> None:
    d = imd.diff([0, 0, 1], [1, 0, 1], X[:3], names=("A", "B"), test_size=0)
    assert headline(d).tone == "weak"
    assert d.summary().endswith("Fitted on only 3 rows: too few to trust a rule.")


def noise() -> imd.ModelDiff:
    """Two models that differ on more than half of the rows, wherever one looks."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 2))).rename(columns=str)
    y1 = rng.integers(0, 3, 400)
    return imd.diff(y1, rng.permutation(y1), table, names=("A", "B"), rule_cost=0.05)


def test_rules_no_better_than_chance_are_weak() -> None:
    assert headline(noise()).tone == "weak"


def test_differences_that_no_question_finds() -> None:
    d = noise()
    assert [rule.conditions for rule in d.rules] == [()]
    assert d.summary().endswith("The differences are not localised: no split isolates them.")


@pytest.mark.parametrize(
    "share, digits, text",
    [
        (0, 0, "0 %"),
        (1, 1, "100.0 %"),
        (0.225, 1, "22.5 %"),
        (0.81, 0, "81 %"),
        (0.0001, 1, "under 0.1 %"),
        (0.9999, 1, "over 99.9 %"),
        (0.999, 0, "over 99 %"),
        (0.004, 0, "under 1 %"),
    ],
)
def test_percent_never_rounds_to_none_or_all(share: float, digits: int, text: str) -> None:
    assert percent(share, digits) == text


def test_a_long_name_does_not_drown_the_sentence() -> None:
    names = ("first " + "very " * 60 + "one", "b")
    d = imd.diff([0, 1] * 30, [0, 1] * 29 + [1, 0], [[i] for i in range(60)], names=names)
    assert d.names == names
    assert d.summary().startswith("first very very very ve…very very very very one and b disagree")


def test_sure_rules_that_miss_most_are_not_called_hints() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(4000, 2))
    y1 = np.zeros(4000, int)
    scattered = rng.random(4000) < 0.15
    y2 = np.where((X[:, 0] > 0.9) | scattered, 1, 0)
    d = imd.diff(y1, y2, X)
    assert d.metrics.recall < 0.5 < d.metrics.precision
    missed = round(100 * (1 - d.metrics.recall))
    assert f"{missed} % of the differences lie elsewhere; raise the sensitivity" in d.summary()
    assert "hint" not in d.summary()


def test_few_rows_are_counted_not_shared() -> None:
    pair = imd.datasets.breast_cancer_pair()
    d = imd.diff(pair.m1, pair.m2, pair.X[::3], names=pair.names, measure="holdout")
    metrics = d.metrics
    assert metrics.measured_differing < 20
    both = round(metrics.recall * metrics.measured_differing)
    assert f"covers {both} of the {metrics.measured_differing} differences" in d.summary()
    assert f"{both} of the {metrics.measured_claimed} rows it covers differ." in d.summary()


def test_an_own_holdout_is_named() -> None:
    pair = imd.datasets.breast_cancer_pair()
    d = imd.diff(pair.m1, pair.m2, pair.X[::2], names=pair.names, holdout=pair.X[1::2])
    assert "on 284 held-out rows they cover" in d.summary()


def test_rules_that_cover_no_row_kept_aside() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(size=400)})
    aside = X["a"].to_numpy() > 0.5
    m2 = (X["a"] < 0.1) | (X["a"] > 0.95)
    d = imd.diff(np.zeros(400, bool), m2, X, names=("A", "B"), holdout=aside)
    assert "it covers no rows and none of the " in d.summary()


def test_values_within_the_tolerance_may_still_be_apart_on_average() -> None:
    X = pd.DataFrame({"x": np.arange(100.0)})
    value = np.arange(100) * 1.3
    shifted = imd.diff(value, value + 3, X, tolerance=5, names=("old", "new"))
    assert shifted.summary().endswith("On average new is 3 higher than old.")
    same = imd.diff(value, value, X, tolerance=5, names=("old", "new"))
    assert "On average" not in same.summary()


def test_means_that_cancel_are_no_difference() -> None:
    X = pd.DataFrame({"x": np.arange(200.0)})
    value = np.arange(200) / 7
    apart = np.where(np.arange(200) % 2, 3.1, -3.1)
    d = imd.diff(value, value + apart, X, tolerance=1, outputs="value", names=("old", "new"))
    assert d.metrics.mean_difference == 0
    assert "On average old and new are equal." in d.summary()


@pytest.mark.parametrize("test_size", [0, 0.5])
def test_a_long_list_says_what_its_first_rules_cover(test_size: float) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((3000, 3)), columns=list("abc"))
    second = ((X * 4).astype(int).sum(axis=1) % 3 == 0).to_numpy(int)
    d = imd.diff(np.zeros(3000, int), second, X, rule_cost=0, max_depth=8, test_size=test_size)
    assert len(d.rules) >= 10
    rows = d.kept_aside if test_size else np.ones(3000, bool)
    covered = (d.covered([0, 1, 2]) & d.differs & rows).sum() / (d.differs & rows).sum()
    assert f"The first three alone cover {percent(covered)} of the differences." in d.summary()
    assert "The first three" not in d.change(max_depth=2).summary()


def test_columns_that_no_rule_can_use_are_named(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": np.arange(200.0), "id": [f"c{number}" for number in range(200)]})
    with pytest.warns(imd.InputWarning, match="'id' holds a different value in nearly every row"):
        d = imd.diff(X["a"] < 50, X["a"] < 80, X)
    sentence = "No rule can use the column id: nearly every row has a value of its own."
    assert d.summary().endswith(sentence)
    back = imd.load(d.save(tmp_path / "d.json"))
    assert (back.summary(), back.identifiers) == (d.summary(), ("id",))
    assert sentence in d.save(tmp_path / "d.html").read_text(encoding="utf-8")
    assert sentence in imd.show(d, picture=False).view["headline"]["notes"]
    X.assign(m1=X["a"] < 50, m2=X["a"] < 80).to_parquet(tmp_path / "x.parquet")
    with pytest.warns(imd.InputWarning, match="'id'"):
        assert imd.diff("m1", "m2", str(tmp_path / "x.parquet")).summary().endswith(sentence)
    many = X.assign(**{f"id {n}": X["id"] for n in range(6)})
    with pytest.warns(imd.InputWarning):
        assert (
            "columns id, id 0, id 1, id 2, id 3 and 2 more:"
            in imd.diff(X["a"] < 50, X["a"] < 80, many).summary()
        )
    assert imd.diff(X["a"] < 50, X["a"] < 80, X[["a"]]).identifiers == ()


def test_a_note_states_what_rules_may_use_of_texts_and_dates(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, 200), "D")
    words = np.array(["late", "parcel", "again", "money", "back", "call", "nobody", "came"])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(200)]
    table = pd.DataFrame({"sent": days, "review": texts, "k": rng.normal(size=200)})
    options: dict[str, Any] = {"outputs": "value", "tolerance": 0.1}
    d = imd.diff(lambda t: t["k"], lambda t: t["k"] * 0, table, **options)
    note = "Rules may use weekday of sent; length and words of review."
    assert note in headline(d).notes
    d.save(tmp_path / "diff.json")
    assert note in headline(imd.load(tmp_path / "diff.json")).notes
    parts = {"sent": ("part_of_day", "day")}
    dated = table.drop(columns="review")
    own = imd.diff(lambda t: t["k"], lambda t: t["k"] * 0, dated, derive=parts, **options)
    assert "Rules may use part of the day and day of the month of sent." in headline(own).notes
    off = imd.diff(lambda t: t["k"], lambda t: t["k"] * 0, table[["k"]], **options)
    assert "Rules may use" not in str(headline(off))
