"""Rules that may use scores: sums of points over a few columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.markdown_text import cell
from imd_widget.cli.report import text_report
from imd_widget.comparison.dataset import Dataset
from imd_widget.data.point_score import PointScore, ScoreItem
from imd_widget.data.score_fit import Term, Terms, fit_score
from imd_widget.rules.languages import rule_text
from imd_widget.views.build import view_of
from tests.examples import examples
from tests.unit.strategies import Problem, problems


def table(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "debt": (100 * rng.normal(size=n)).round(1),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
        }
    )
    X.loc[rng.random(n) < 0.1, "debt"] = np.nan
    return X


def old(X: pd.DataFrame) -> Any:
    return np.where(points(X) > 0, "yes", "no")


def new(X: pd.DataFrame) -> Any:
    return np.where(points(X) > 0.4, "yes", "no")


def points(X: pd.DataFrame) -> Any:
    return (X["age"] - 50) / 15 + X["debt"].fillna(0) / 100 + (X["job"] == "nurse")


def scores_of(d: imd.ModelDiff) -> list[PointScore]:
    found = {c.column for rule in d.rules for c in rule.conditions}
    return [name for name in found if isinstance(name, PointScore)]


def test_a_slanted_shift_is_two_scores_and_one_rule() -> None:
    X = table()
    alone, scored = imd.diff(old, new, X), imd.diff(old, new, X, scores=True)
    assert (scored.metrics.mcc or 0) > 0.9 > (alone.metrics.mcc or 0) + 0.2
    assert len(scored.rules) <= len(alone.rules)
    assert {str(score) for score in scores_of(scored)} == {"old's score", "new's score"}


def test_the_points_are_those_of_the_model() -> None:
    scores = scores_of(imd.diff(old, new, table(), scores=True))
    assert {score.model for score in scores} == {"old", "new"}
    assert len({score.answer for score in scores}) == 1  # both are for the same class
    for score in scores:
        sign = 1 if score.answer == "yes" else -1
        by_column = {item.source: sign * item.factor for item in score.items}
        assert by_column["age"] * 15 == pytest.approx(by_column["debt"] * 100, rel=0.2)
        assert by_column["debt"] * 100 == pytest.approx(by_column["job"], rel=0.2)
        [debt] = [item for item in score.items if item.source == "debt"]
        assert debt.has_missing
        assert str(debt).endswith(f"per 100 of debt (missing: {debt.missing:g})")
        assert "changes its prediction: mostly " in score.meaning


def test_zero_is_where_the_model_changes_its_prediction() -> None:
    X = table()
    for score in scores_of(imd.diff(old, new, X, scores=True)):
        values = score.values(*(X[name] for name, _ in score.sources)).to_numpy()
        said = {"old": old, "new": new}[score.model](X) == score.answer
        assert said[values >= 2].mean() > 0.95
        assert said[values < -2].mean() < 0.05


def test_no_scores_is_the_same_diff_to_the_bit() -> None:
    X = table()
    alone = imd.diff(old, new, X)
    for d in (imd.diff(old, new, X, scores=False), imd.diff(old, new, X, scores=True)):
        back = d.change(scores=False)
        assert back.to_dict() == alone.to_dict()


def test_a_change_is_the_same_as_a_new_diff_and_calls_no_model() -> None:
    X = table()
    d = imd.diff(old(X), new(X), X)
    changed = d.change(scores=True)
    assert changed.to_dict() == imd.diff(old(X), new(X), X, scores=True).to_dict()
    given_one = changed.change(given="m1")
    assert given_one.change(given="nothing").to_dict() == changed.to_dict()
    assert given_one.to_dict() == imd.diff(old(X), new(X), X, scores=True, given="m1").to_dict()


@pytest.mark.parametrize("outputs", ["value", "proba"])
def test_numbers_have_no_scores(outputs: Any) -> None:
    X = table(400)
    first = 1 / (1 + np.exp(-points(X).to_numpy()))
    second = np.where(X["age"] > 40, first, 1 - first)
    options: Any = {"outputs": outputs}
    alone = imd.diff(first, second, X, **options)
    assert str(imd.diff(first, second, X, scores=True, **options).rules) == str(alone.rules)


def test_tables_without_numbers_have_no_scores() -> None:
    X = table().assign(age=lambda t: t["age"] > 50)[["age", "job"]]
    first = np.where(X["age"] & (X["job"] != "cook"), 1, 0)
    second = np.where(X["age"] & (X["job"] != "nurse"), 1, 0)
    alone, scored = (imd.diff(first, second, X, scores=own) for own in (False, True))
    assert str(scored.rules) == str(alone.rules)


def test_several_classes_have_a_score_each() -> None:
    X = table()
    z = points(X).to_numpy()
    first = np.select([z < -1, z < 1], ["low", "middle"], "high")
    second = np.select([z < -0.7, z < 1.3], ["low", "middle"], "high")
    d = imd.diff(first, second, X, scores=True, names=("A", "B"))
    names = set(map(str, scores_of(d)))
    assert names
    assert names <= {f"{m}'s score for {c}" for m in "AB" for c in ("low", "high")}
    assert all(score.other is None for score in scores_of(d))


def test_scores_are_fitted_to_the_rows_used_to_fit_alone(monkeypatch: Any) -> None:
    """Other values in the rows kept aside change no score."""
    X = table()
    aside = np.arange(len(X)) % 3 == 0
    strange = X.assign(debt=np.where(aside, 3.0, X["debt"]), age=np.where(aside, 20, X["age"]))
    one = imd.diff(old(X), new(X), X, scores=True, holdout=aside)
    two = imd.diff(old(X), new(X), strange, scores=True, holdout=aside)
    assert scores_of(one)
    assert {s.items for s in scores_of(one)} == {s.items for s in scores_of(two)}
    # and every fold has scores of its own
    from imd_widget.comparison import diff_rows

    seen: list[Any] = []
    real = diff_rows.with_scores

    def spy(dataset: Dataset, *others: Any) -> Dataset:
        seen.append(set(dataset.fit.tolist()))
        return real(dataset, *others)

    monkeypatch.setattr(diff_rows, "with_scores", spy)
    d = imd.diff(old(X), new(X), X, scores=True, measure="cv")
    assert d.metrics.f1 > 0
    assert len(seen) == 6
    assert all(len(fold) < len(seen[0]) for fold in seen[1:])


def test_a_file_holds_the_points(tmp_path: Path) -> None:
    X = table()
    d = imd.diff(old, new, X, scores=True)
    back = imd.load(d.save(tmp_path / "d.json"))
    assert [rule_text(rule) for rule in back.rules] == [rule_text(rule) for rule in d.rules]
    assert (back.predict(X) == d.predict(X)).all()
    assert [c.column for r in back.rules for c in r.conditions] == [
        c.column for r in d.rules for c in r.conditions
    ]


def test_a_file_with_a_damaged_score_is_refused(tmp_path: Path) -> None:
    path = imd.diff(old, new, table(), scores=True).save(tmp_path / "d.json")
    text = path.read_text()
    for was, becomes in (('"per": 100', '"per": -1'), ('"points": ', '"points": "x", "p": ')):
        assert was in text or was.replace(": ", ":") in text
        damaged = text.replace(was, becomes).replace(was.replace(": ", ":"), becomes)
        path.write_text(damaged)
        with pytest.raises(imd.InputError):
            imd.load(path)


def test_the_view_lists_the_points() -> None:
    d = imd.diff(old, new, table(), scores=True)
    views = [c for c in view_of(d).conditions if c.score is not None]
    assert views
    for one in views:
        assert one.score is not None
        assert one.position >= 3  # no column of the table
        assert any("per 100 of debt" in line for line in one.score.lines)
        assert one.score.meaning.startswith("Near 0, ")
    json.dumps(d.to_dict())


def test_errors_name_the_choices() -> None:
    X = table(200)
    with pytest.raises(imd.InputError, match="scores='yes': choose True or False"):
        imd.diff(old, new, X, scores="yes")  # type: ignore[arg-type]
    with pytest.raises(imd.InputError, match='has no meaning with method="imd"'):
        imd.diff(old, new, X, scores=True, method="imd")


# --- laws ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=examples(40))
@given(problems())
def test_swapped_models_mirror_the_rules(problem: Problem) -> None:
    names = {"names": ("A", "B")}, {"names": ("B", "A")}
    common: Any = {"scores": True, "test_size": 0}
    one = imd.diff(problem.y1, problem.y2, problem.X, **common, **names[0])
    two = imd.diff(problem.y2, problem.y1, problem.X, **common, **names[1])
    assert (one.predict(problem.X) == two.predict(problem.X)).all()


@settings(deadline=None, max_examples=examples(60))
@given(
    st.lists(st.integers(-1000, 1000).filter(bool), min_size=1, max_size=4),
    st.integers(-5000, 5000),
    st.sampled_from([1.0, 2.0, 0.5, 0.02, 500.0]),
)
def test_values_are_the_sum_rounded_down_to_halves(
    weights: list[int], constant: int, per: float
) -> None:
    rng = np.random.default_rng(len(weights))
    columns = [pd.Series(rng.normal(size=30) * 50).round(3) for _ in weights]
    items = tuple(
        ScoreItem(f"c{at}", at, number, per, missing=0.25) for at, number in enumerate(weights)
    )
    columns[0].iloc[3] = np.nan
    score = PointScore("s", "m", "yes", "no", constant, items)
    found = score.values(*columns)
    for row in range(30):
        exact = constant + sum(
            number * (0.25 if np.isnan(column[row]) else column[row]) / per
            for number, column in zip(weights, columns, strict=True)
        )
        assert abs(found[row] - exact) <= 0.5 + 1e-6


def test_a_score_needs_to_rank_rows_well() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 2000))
    terms = Terms.of(
        [Term(ScoreItem(f"c{at}", at, 0), own) for at, own in enumerate(values)], np.ones(2000)
    )
    assert fit_score(terms, rng.random(2000) < 0.5) is None
    weak = values[0] + 3 * rng.normal(size=2000) > 0
    assert fit_score(terms, weak) is None
    strong = fit_score(terms, values[0] + 0.3 * rng.normal(size=2000) > 0)
    assert strong is not None
    assert strong.items[0].source == "c0"
    assert strong.items[0].points == 10


def test_every_list_of_rules_has_the_points_once(tmp_path: Path) -> None:
    d = imd.diff(old, new, table(), scores=True)
    sentences = [score.sentence for score in d.rules.scores]
    assert len(sentences) == 2
    assert str(d.rules).splitlines()[-2:] == sentences
    assert [line for line in text_report(d, None, ()).splitlines() if " = " in line] == sentences
    page = d.save(tmp_path / "d.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if " = " in line] == [*map(cell, sentences)]
    lines = pd.read_csv(d.save(tmp_path / "d.csv"))["scores"]
    for number, line in enumerate(lines):
        assert line == " ".join(d.rules[[number]].score_sentences)
    alone = imd.diff(old, new, table())
    assert "Near 0" not in f"{alone.rules}{alone.to_markdown()}{text_report(alone, None, ())}"
    assert "scores" not in pd.read_csv(alone.save(tmp_path / "alone.csv"))


def test_a_score_is_one_sentence() -> None:
    risk = ScoreItem("risk", 0, -10, per=10)
    nurse = ScoreItem("job", 1, 3, of_level=True, level="nurse")
    meaning = "Near 0, RF changes its prediction: mostly yes above, no below."
    score = PointScore("RF's score", "RF", "yes", "no", 60, (risk, nurse))
    assert score.sentence == (
        f"RF's score = 60 \N{MINUS SIGN} 10 per 10 of risk + 3 if job is nurse. {meaning}"
    )
    without = PointScore("RF's score", "RF", "yes", "no", 0, (nurse, risk))
    assert without.sentence.startswith("RF's score = 3 if job is nurse \N{MINUS SIGN} 10 per 10")


def words() -> pd.DataFrame:
    X = table()[["job"]]
    return X.assign(town=np.where(X.index % 3, "A", "B"))


@pytest.mark.parametrize(
    "X, options, reason",
    [
        (table(), {"outputs": "value"}, "only classes have them"),
        (words(), {}, "the table has no column of numbers"),
        (table()[["job"]].assign(n=table(seed=1)["age"]), {}, "no sum of points ranks the rows"),
    ],
)
def test_a_remark_tells_why_there_are_no_scores(
    X: pd.DataFrame, options: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    full = table()
    said: tuple[Any, Any] = old(full), new(full)
    if options:
        said = points(full), points(full) + (full["age"] > 60)
    d = imd.diff(*said, X, scores=True, **options)
    assert not d.rules.scores
    assert d.summary().count(f"There are no scores: {reason}") == 1
    assert imd.load(d.save(tmp_path / "d.json")).summary() == d.summary()
    assert "no scores" not in d.change(scores=False).summary()


def test_scores_need_no_remark() -> None:
    assert "There are no scores" not in imd.diff(old, new, table(), scores=True).summary()


def test_scores_of_many_rows_are_those_of_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are computed in pieces, which change nothing."""
    X = table()
    score = imd.diff(old, new, X, scores=True).rules.scores[0]
    raw = [X[name] for name, _ in score.sources]
    whole = score.values(*raw)
    assert any(item.of_level for item in score.items)
    monkeypatch.setattr("imd_widget.data.point_score.PIECE", 7)
    pd.testing.assert_series_equal(score.values(*raw), whole)
