"""`imd.explain`: one model by every technique."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.explanations.model_results import ColumnTable
from imd_widget.views import schema
from tests.unit.conformance import departures
from tests.unit.test_saved_things import page_data

mpl.use("Agg")

RNG = np.random.default_rng(2)
N = 400
X = pd.DataFrame(
    {
        "a": RNG.uniform(size=N),
        "b": RNG.uniform(size=N),
        "c": RNG.uniform(size=N),
        "job": RNG.choice(["cook", "nurse"], N),
    }
)


class Counted:
    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, table: pd.DataFrame) -> Any:
        self.rows += len(table)
        return 3 * table["a"] * table["b"] + (table["job"] == "cook")


@pytest.fixture(scope="module")
def e() -> imd.ModelExplanation:
    return imd.explain(Counted(), X, X["a"] * 2, outputs="value", name="product")


def test_contributions_are_those_of_a_diff_from_zero(e: imd.ModelExplanation) -> None:
    d = imd.diff(Counted(), lambda t: 0.0 * t["a"], X, outputs="value", tolerance=0.5)
    own, other = e.contributions_of(7), d.explain().contributions_of(7)
    by_name = dict(zip(other.columns, other.first, strict=True))
    for name, value in zip(own.columns, own.contribution, strict=True):
        assert value == pytest.approx(by_name[name], abs=4 * other.standard_error.max() + 1e-9)
    assert own.base + own.contribution.sum() == pytest.approx(own.level, abs=1e-9)
    assert own.level == pytest.approx(Counted()(X.iloc[[7]]).iloc[0])
    whole = e.contributions
    assert whole.base + whole.contribution.sum() == pytest.approx(whole.level, abs=1e-9)
    assert whole.columns[-1] == "c"
    assert whole.size[-1] == 0, "the model does not use it"


def test_the_model_is_called_no_more_than_allowed() -> None:
    model = Counted()
    e = imd.explain(model, X, outputs="value", max_calls=5000)
    model.rows = 0
    assert e.contributions.n_asked == model.rows <= 5000


def test_curves_are_those_of_the_model(e: imd.ModelExplanation) -> None:
    curves = e.partial_dependence("a", grid=[0.0, 0.5])
    for value, found in zip(curves.grid, curves.first, strict=True):
        assert found == pytest.approx(np.mean(Counted()(X.assign(a=value))))
    assert curves.drawn == (True, False)
    ax = curves.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["product"]
    ice = e.ice("a", 3)
    assert ice.scores[0] == pytest.approx(Counted()(X.iloc[[3]]).iloc[0])
    assert {own.column for own in e.curves(3)} == {"a", "b", "job"}


def test_interactions_are_those_of_the_product(e: imd.ModelExplanation) -> None:
    frame = e.interactions.to_frame()
    assert list(frame.columns) == ["column", "other", "strength", "standard error"]
    assert frame.iloc[0][["column", "other"]].tolist() == ["a", "b"]
    assert (frame["strength"].iloc[1:] == 0).all()


def test_surrogates_imitate_the_model(e: imd.ModelExplanation) -> None:
    assert e.tree.r2 is not None
    assert e.tree.r2 > 0.7
    shares = e.tree_columns.to_frame()
    assert shares["share"].sum() == pytest.approx(1)
    assert shares["share"].is_monotonic_decreasing
    assert "c" not in shares["column"].tolist()[:2]
    pairs = e.tree_interactions.to_frame()
    assert pairs["share"].is_monotonic_decreasing
    assert {"a", "b"} <= {*pairs["column"], *pairs["other"]}
    importance = e.importance.to_frame().set_index("column")
    assert importance.loc["c", "contribution"] == 0
    assert importance["loco"].idxmin() == "c"


def test_the_shares_of_the_tree_are_those_of_scikit_learn(e: imd.ModelExplanation) -> None:
    estimator = e.tree._estimator
    expected = sorted(estimator.feature_importances_[estimator.feature_importances_ > 0])
    assert sorted(e.tree.column_shares.values()) == pytest.approx(expected)


def test_local_models_are_linear_and_ranked(e: imd.ModelExplanation) -> None:
    table = e.local_models.to_frame()
    assert table["model"].tolist()[0] == "global"
    assert table["rows"].iloc[0] == table["rows"].iloc[1:].sum()
    assert table.loc[0, "a"] > 0.1
    assert table.loc[0, "c"] == pytest.approx(0, abs=0.1)
    ranked = e.ranked_predictions
    frame = ranked.to_frame()
    assert frame["model"].is_monotonic_increasing
    assert frame["y"].tolist() == (X["a"] * 2).iloc[frame["row"]].tolist()
    expected = Counted()(X.iloc[frame["row"]]).to_numpy()
    assert frame["model"].to_numpy() == pytest.approx(expected)
    fitted = np.corrcoef(frame["model"], frame["local models"])[0, 1]
    assert fitted > 0.8
    assert len(ranked.plot(row=5).get_lines()) == 5


def test_reasons_of_a_row_hold_three_techniques(e: imd.ModelExplanation) -> None:
    frame = e.reasons(7).to_frame()
    assert list(frame.columns) == ["column", "value", "contribution", "klime", "loco"]
    row = frame.set_index("column").loc["job"]
    assert row["value"] == X["job"][7]
    assert np.sign(row["contribution"]) == np.sign(row["loco"]) != 0


def test_the_report_holds_single_rows_only_if_they_are_named(
    e: imd.ModelExplanation, tmp_path: Path
) -> None:
    text = e.report()
    assert "## Row" not in text
    for part in ("## Columns", "## Interactions", "## Decision tree", "K-LIME"):
        assert part in text
    assert "## Row 7" in e.report(rows=[7])
    path = e.save(tmp_path / "model.md")
    assert path.read_text(encoding="utf-8") == text
    with pytest.raises(imd.InputError, match=r"ends in '\.txt'"):
        e.save(tmp_path / "model.txt")
    assert len(e.plot(2).axes) >= 3


def test_classes_are_explained_by_the_probability_of_one() -> None:
    y = np.where(X["a"] > 0.5, "yes", "no")
    model = LogisticRegression().fit(X[["a", "b"]], y)
    e = imd.explain(model, X[["a", "b"]], y)
    assert e.what == "probability of yes"
    assert e.contributions.columns[0] == "a"
    assert set(e.ranked_predictions.to_frame()["y"]) == {0.0, 1.0}
    other = imd.explain(model, X[["a", "b"]], pos_label="no")
    assert other.what == "probability of no"
    assert other.contributions.level == pytest.approx(1 - e.contributions.level)
    votes = imd.explain(lambda t: np.where(t["a"] > 0.5, "yes", "no"), X)
    assert votes.what == "share of votes for yes"


def test_some_rows_are_explained() -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "b"]], X["a"] > 0.5)
    e = imd.explain(model, X[["a", "b"]], where="a > 0.5")
    assert e.n_rows == int((X["a"] > 0.5).sum())
    mask = imd.explain(model, X[["a", "b"]], where=(X["a"] > 0.5).to_numpy())
    assert mask.contributions.contribution.tolist() == e.contributions.contribution.tolist()
    assert e.contributions.level == pytest.approx(1)
    assert e.contributions.contribution[0] == pytest.approx(1 - e.contributions.base)


@pytest.mark.parametrize(
    "ask, text",
    [
        (lambda: imd.explain(np.zeros(N), X), "model is an array of outputs"),
        (lambda: imd.explain(Counted(), X.head(5)), "X has 5 rows: at least 20 are needed"),
        (lambda: imd.explain(Counted(), X, [1, 2]), "y has the shape (2,): one value for each of"),
        (lambda: imd.explain(Counted(), X, where="a > 2"), "0 rows lie inside (a > 2)"),
        (lambda: imd.explain(Counted(), X, where=[True]), "where is a list: a condition as text"),
        (lambda: imd.explain(Counted(), X, max_calls=0), "max_calls=0"),
    ],
)
def test_what_cannot_be_explained_is_said(ask: Any, text: str) -> None:
    with pytest.raises(imd.InputError) as error:
        ask()
    assert text in str(error.value)


def asked(widget: imd.ModelWidget, kind: str, **fields: Any) -> Any:
    """The answer of a widget without an event loop to one message."""
    sent: list[Any] = []
    widget.send = lambda content, *_: sent.append(content)  # type: ignore[method-assign]
    widget._answer(None, {"id": 1, "kind": kind, **fields}, [])
    return sent[-1]


def test_a_widget_answers_every_kind_of_message(e: imd.ModelExplanation) -> None:
    w = e.show(picture=False)
    assert departures(w.model, schema.OneModelView) == []
    assert asked(w, "hello") == {"id": 1}
    quick = asked(w, "explain", curves=False, max_calls=5_000)["why"]
    assert departures(quick, schema.WhyView) == []
    assert sum(c["first"] for c in quick["contributions"]["columns"]) == pytest.approx(
        quick["contributions"]["level"][0] - quick["contributions"]["base"][0]
    )
    why = asked(w, "explain", row=7, surrogates=True)["why"]
    assert departures(why, schema.WhyView) == []
    assert {p["second"] for c in why["curves"] for p in c["points"]} == {None}
    assert why["row"]["scores"] == [pytest.approx(Counted()(X.iloc[[7]]).iloc[0])]
    assert [len(tree) for tree in (why["trees"], why["imitation"]["linear"][:1])] == [1, 1]
    ranked = why["imitation"]["ranked"]
    assert ranked["model"] == sorted(ranked["model"])
    assert ranked["model"] == pytest.approx(Counted()(X.iloc[ranked["rows"]]).tolist())
    pairs = asked(w, "interactions")["interactions"]
    assert pairs["pairs"][0]["columns"] == ["a", "b"]
    found = asked(w, "map", columns=[0, 1])["map"]
    x, y = found["x"]["numbers"], found["y"]["numbers"]
    cooks = np.asarray(found["first"]) - 3 * np.outer(y, x)
    assert np.ptp(cooks) < 1e-9, "what is left is the mean over the jobs"
    edited = asked(w, "what_if", row=7, values={"0": "0.5", "1": "0.5", "3": "cook"})["what_if"]
    assert departures(edited, schema.WhatIfView) == []
    assert edited["scores"] == [pytest.approx(1.75)]
    change = asked(w, "smallest_change", row=7)["change"]
    assert departures(change, schema.SmallestChangeView) == []
    assert change["text"] == str(e.smallest_change(7))
    assert "cannot be asked of one model" in asked(w, "refine")["error"]
    assert "row=4000" in asked(w, "explain", row=4000)["error"]


def test_what_if_is_what_the_model_gives(e: imd.ModelExplanation) -> None:
    found = e.what_if(7, a=0.5, b=0.5, job="cook")
    assert found.scores[0] == found.outputs[0] == pytest.approx(1.75)
    own = found.contributions
    assert own.base[0] + own.first.sum() == pytest.approx(1.75, abs=1e-9)
    assert str(found).startswith("With a 0.5 instead of ")
    with pytest.raises(imd.InputError, match="row=400"):
        e.what_if(400)
    with pytest.raises(imd.InputError, match="no column"):
        e.what_if(7, age=3)


def test_a_page_holds_single_rows_only_if_they_are_named(tmp_path: Path) -> None:
    secret = X.assign(name=[f"secret {n}" for n in range(N)], a=X["a"] + np.arange(N) * 1e-9)
    e = imd.explain(Counted(), secret, X["a"], outputs="value", name="product")
    data = page_data(e.save(tmp_path / "none.html"))
    text = (tmp_path / "none.html").read_text(encoding="utf-8")
    assert "secret" not in text
    assert all(str(value) not in text for value in secret["a"])
    assert departures(data["why"], schema.PageWhy) == []
    [whole] = data["why"]["answers"]
    ranked = whole["why"]["imitation"]["ranked"]
    assert (ranked["rows"], ranked["labels"]) == ([], [])
    assert ranked["each"] >= 10
    assert np.mean(ranked["model"]) == pytest.approx(Counted()(secret).mean(), abs=1e-3)

    path = e.save(tmp_path / "some.html", rows=[3, 9])
    text, data = path.read_text(encoding="utf-8"), page_data(path)
    assert data["model"]["rows"] == [3, 9]
    assert {n for n in range(N) if f'"secret {n}"' in text} == {3, 9}
    for answer, row in zip(data["why"]["answers"][1:], (3, 9), strict=True):
        found = answer["why"]["row_contributions"]
        gives = Counted()(secret.iloc[[row]]).iloc[0]
        assert (answer["row"], found["level"][0]) == (row, pytest.approx(gives, abs=1e-4))
    assert len(page_data(e.save(tmp_path / "n.html", rows=5))["model"]["rows"]) == 5
    with pytest.raises(imd.InputError, match="row=-1"):
        e.save(tmp_path / "bad.html", rows=[-1])


def test_linear_models_have_the_accuracy_of_their_side_of_a_half() -> None:
    y = np.where(X["a"] > 0.5, "yes", "no")
    model = LogisticRegression(C=100).fit(X[["a", "b"]], y)
    e = imd.explain(model, X[["a", "b"]], y)
    data = e.explanation.surrogate_room.data
    whole = e.linear_models[0]
    aside = np.flatnonzero(data.aside)
    given = model.predict_proba(X[["a", "b"]].iloc[data.rows[aside]])[:, 1]
    own = whole.model.predict(data.linear.matrix[aside])[:, 0]
    assert whole.accuracy == pytest.approx(np.mean((own >= 0.5) == (given >= 0.5)))
    assert to_json(e.local_models.to_frame()["accuracy"].iloc[0]) == whole.accuracy


def test_other_things_are_no_explanation_of_a_model() -> None:
    with pytest.raises(imd.InputError, match="ModelWidget expects a ModelExplanation, got int"):
        imd.ModelWidget(3)  # type: ignore[arg-type]
    with pytest.raises(imd.InputError, match="besides the explanation of a model"):
        imd.show(imd.explain(Counted(), X), Counted(), X)


@pytest.fixture(scope="module")
def classes() -> tuple[imd.ModelExplanation, Any, pd.DataFrame]:
    table = X.iloc[:60].round(1)
    target = np.where(table["a"] + table["b"] > 1, "yes", "no")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(table[["a", "b", "c"]], target)
    return imd.explain(model, table[["a", "b", "c"]]), model, table[["a", "b", "c"]]


def test_the_smallest_change_to_another_class_is_that_of_the_oracle(classes: Any) -> None:
    e, model, table = classes
    places = table.rank(method="average") - 0.5
    for row in (0, 5, 17):
        found = e.smallest_change(row)
        before = model.predict(table.iloc[[row]])[0]
        sizes = []
        for name in table:
            for other in range(len(table)):
                changed = table.iloc[[row]].assign(**{name: table[name].iloc[other]})
                if model.predict(changed)[0] != before:
                    sizes.append(
                        abs(places[name].iloc[other] - places[name].iloc[row]) / len(table)
                    )
        if sizes:
            assert len(found.edits) == 1
            assert found.size == pytest.approx(min(sizes))
        values = {edit.column: edit.after for edit in found.edits}
        assert model.predict(table.iloc[[row]].assign(**values))[0] != before
        assert found.text.startswith("DecisionTreeClassifier gives ")
    same = e.smallest_change(0, model.predict(table.iloc[[0]])[0])
    assert (same.needed, same.edits) == (False, ())
    with pytest.raises(imd.InputError, match="is not a class"):
        e.smallest_change(0, "maybe")


def test_the_smallest_change_of_a_value_reaches_it(e: imd.ModelExplanation) -> None:
    before = Counted()(X.iloc[[7]]).iloc[0]
    for to in (before + 0.2, before / 2):
        found = e.smallest_change(7, to)
        after = Counted()(X.iloc[[7]].assign(**{str(own.column): own.after for own in found.edits}))
        assert (after.iloc[0] >= to) if to > before else (after.iloc[0] <= to)
        assert found.what_if is not None
        assert found.what_if.outputs[0] == pytest.approx(after.iloc[0])
    never = e.smallest_change(7, 1000.0, max_calls=2000)
    assert not never.found
    assert str(never) == (
        "No change of one or two columns that was tried makes product give at least 1000 on row 7."
    )
    with pytest.raises(imd.InputError, match="the outputs are numbers"):
        e.smallest_change(7, "more")


def test_a_condition_of_one_model_has_its_sentence() -> None:
    own = imd.explain(
        lambda t: t["a"].round() * 2, X, where="a > 0.5", outputs="value", name="steps"
    )
    [condition] = own.conditions
    assert str(condition).startswith("If a were 0.")
    assert str(condition).endswith("the mean value would be 0.0 instead of 2.0.")
    assert str(condition) in own.summary()
    [view] = asked(own.show(picture=False), "explain", curves=False, max_calls=5000)["why"][
        "conditions"
    ]
    assert view["sentence"] == str(condition)
    assert {point["second"] for point in view["curve"]["points"]} == {None}


@pytest.mark.parametrize(
    "technique",
    [
        *("contributions", "interactions", "importance", "local_models", "tree_columns"),
        *("tree_interactions", "ranked_predictions"),
    ],
)
def test_every_technique_has_a_picture_and_a_table(e: imd.ModelExplanation, technique: str) -> None:
    found = getattr(e, technique)
    assert found.plot().get_title(loc="left") or found.plot().get_ylabel()
    assert len(found.to_frame()) > 0


def test_results_of_rows_and_columns_have_pictures(e: imd.ModelExplanation) -> None:
    assert "row 7" in e.reasons(7).plot().get_title(loc="left")
    for found in (e.contributions_of(7), e.partial_dependence("a"), e.ice("a", 7), e.tree):
        assert found.plot() is not None
    assert e.column_map("a", "b").plot() is not None


def test_a_model_without_a_name_begins_a_sentence() -> None:
    e = imd.explain(lambda t: t["a"] * 2 + t["b"], PLAIN, where="a > 0.2", outputs="value")
    title, contributions, *_ = e.summary().splitlines()
    assert title == f"The model: value on {(PLAIN['a'] > 0.2).sum()} rows (a > 0.2)."
    assert contributions.startswith("The model: value ")
    row = int((PLAIN["a"] > 0.2).to_numpy().argmax())
    assert str(e.contributions_of(row)).startswith("The model gives ")
    assert str(e.smallest_change(row, to=1.0)).startswith("The model gives ")
    never = str(e.smallest_change(row, to=1000.0, max_calls=500))
    assert never.startswith("No change of one or two columns")
    assert "makes the model give at least 1000 on row" in never


def test_ranked_predictions_are_printed_and_reasons_have_a_text() -> None:
    e = imd.explain(lambda t: t["a"] * 2 + t["b"], PLAIN, outputs="value", name="sum")
    ranked = e.ranked_predictions
    title, head, *rows = str(ranked).splitlines()
    assert title.startswith(
        f"sum: value of {len(PLAIN)} rows in the order of the prediction, from "
    )
    assert head.split() == ["row", "model", "global", "model", "local", "models"]
    assert len(rows) == 10
    assert repr(ranked) == f"<RankedPredictions: {title}>"
    assert e.reasons(3).text == e.contributions_of(3).text
    assert e.reasons(3).text.startswith("sum gives ")


def test_a_missing_figure_is_an_empty_cell() -> None:
    e = imd.explain(lambda t: t["a"] * 2 + t["b"], PLAIN, outputs="value", name="sum")
    small = e.local_models.to_frame()
    empty = ColumnTable("Some.", ("model",), ("R²",), small.assign(**{"R²": np.nan}))
    for text in (str(empty), empty._repr_html_(), empty.to_markdown(), e.report(rows=[3])):
        assert "nan" not in text.casefold()


PLAIN = pd.DataFrame(np.random.default_rng(0).uniform(size=(120, 2)), columns=["a", "b"])
