"""`d.explain`: what is selected, what is explained, plain values, pictures, errors."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any, get_type_hints

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.explanations import api, memory, schema
from tests.unit.explain_models import POOLS

mpl.use("Agg")


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 600
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "pay": np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 10, n)),
            "job": rng.choice(["cook", "nurse", "smith"], n),
            "hired": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )


def old(table: pd.DataFrame) -> Any:
    return np.where(table["age"] >= 40, "yes", "no")


def new(table: pd.DataFrame) -> Any:
    return np.where(table["job"] == "cook", old(table), "no")


@pytest.fixture(scope="module")
def d(X: pd.DataFrame) -> imd.ModelDiff:
    return imd.diff(old, new, X)


@pytest.fixture(scope="module")
def three() -> tuple[imd.ModelDiff, pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 3, (900, 2)), columns=["a", "b"])
    y = np.array(["low", "mid", "top"])[X["a"].to_numpy().astype(int)]
    m1 = DecisionTreeClassifier(max_depth=2).fit(X, y)
    m2 = LogisticRegression().fit(X, np.where(X["b"] > 2, "top", y))
    return imd.diff(m1, m2, X), X, m1, m2


# --- what is explained --------------------------------------------------------------------------


def test_the_same_question_has_the_same_answer(d: imd.ModelDiff) -> None:
    assert d.explain() is d.explain()
    assert d.explain(d.rules[0]) is d.explain(d.rules[0])
    assert d.explain(d.rules[0]) is not d.explain()
    assert d.explain(random_state=1) is not d.explain()
    mask = np.arange(600) < 100
    assert d.explain(mask) is d.explain(mask.copy())
    assert d.explain(mask) is not d.explain(~mask)
    one, other = d.explain(row=3), d.explain(row=5)
    assert (one.row, other.row) == (3, 5)
    assert one.partial_dependence("age") is other.partial_dependence("age")
    assert one.importance is d.explain().importance


def test_the_latest_explanations_are_kept(X: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "MOST_EXPLANATIONS", 3)
    d = imd.diff(old(X), new(X), X)
    whole = d.explain()
    for start in range(0, 200, 10):
        d.explain(X["age"].rank(method="first").to_numpy() > start)
        assert d.explain() is whole, "it was used before the last three"
    assert len(d.explanations) == 3
    assert sum(len(part) for key in d.explanations for part in key if isinstance(part, bytes)) < 99


def test_results_of_the_latest_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_ROWS", 5)
    kept = memory.Memory()
    kept.get("curves", lambda: 1)
    for row in range(40):
        for key in range(9):
            assert kept.of_row(row, key, lambda result=(row, key): result) == (row, key)
        assert kept.of_row(0, 3, lambda: None) == (0, 3), "it was used before the last five"
    assert len(kept._rows) == 5
    assert [kept.has_of_row(row, 0) for row in (0, 1, 39, None)] == [True, False, True, False]
    assert "curves" in kept


def test_explanations_are_not_pickled_with_a_diff(X: pd.DataFrame) -> None:
    d = imd.diff(old(X), new(X), X)
    d.explain().importance  # noqa: B018
    again = pickle.loads(pickle.dumps(d))
    assert "_explanations" not in vars(again)
    assert again.explain().importance.columns == d.explain().importance.columns


def test_the_class_is_that_of_the_rule(three: Any) -> None:
    d, X, m1, m2 = three
    order = list(d.labels)
    seen = set()
    for rule in d.rules:
        if rule.mask(X).sum() < 20:
            continue
        e = d.explain(rule)
        assert e.score.label == max(rule.outcomes, key=order.index)
        assert e.what == f"probability of {e.score.label}"
        seen.add(e.score.label)
        row = int(e.selection.rows[0])
        at = list(m1.classes_).index(e.score.label)
        scores = e.ice("a", row).scores
        assert scores == pytest.approx((m1.predict_proba(X)[row, at], m2.predict_proba(X)[row, at]))
    assert seen
    chosen = d.explain(d.rules[0], pos_label="low")
    assert chosen.what == "probability of low"
    assert imd.diff(m2, m1, X).explain().score.label == d.explain().score.label


def test_votes_are_explained_where_a_model_has_no_probabilities(three: Any) -> None:
    _, X, m1, m2 = three
    e = imd.diff(m1, m2.predict, X, names=("tree", "function")).explain(pos_label="top")
    assert e.what == "share of votes for top"
    assert e.score.note == (
        "function gives no probability of top, so the share of votes is explained: a "
        "prediction of top counts as 1, any other as 0."
    )
    curves = e.partial_dependence("a", grid=[2.5])
    at = X.loc[curves.rows].assign(a=2.5)
    assert curves.first[0] == pytest.approx((m1.predict(at) == "top").mean())
    assert curves.second[0] == pytest.approx((m2.predict(at) == "top").mean())
    assert e.score.note in e.summary()


def test_labels_are_matched_as_in_the_diff(three: Any) -> None:
    _, X, m1, _ = three
    numbers = {"low": 0, "mid": 1, "top": 2}
    y = np.array([numbers[label] for label in m1.predict(X)])
    one = DecisionTreeClassifier(max_depth=2).fit(X, y)
    two = LogisticRegression().fit(X, y.astype(str))
    with pytest.warns(imd.InputWarning, match="same spelling"):
        d = imd.diff(one, two, X)
    e = d.explain(pos_label=d.labels[2])
    row = X.head(1)
    assert e.ice("a", 0).scores == pytest.approx(
        (one.predict_proba(row)[0, 2], two.predict_proba(row)[0, 2])
    )


@pytest.mark.parametrize("kind", sorted(POOLS))
def test_every_kind_of_column_is_explained_whole(kind: str) -> None:
    pool, dtype = POOLS[kind]
    values = pd.Series([pool[at % len(pool)] for at in range(60)], dtype=dtype)
    X = pd.DataFrame({"odd": values, "n": np.arange(60.0)})
    special = values.map(str).iloc[0]

    def model(table: pd.DataFrame) -> Any:
        assert table["odd"].dtype == values.dtype
        return table["n"] + 30 * (table["odd"].map(str) == special)

    e = imd.diff(model, lambda t: t["n"], X, outputs="value", tolerance=1).explain(row=0)
    assert e.curves()[0].column == "odd"
    plain = json.loads(json.dumps(e.compute().to_dict(), allow_nan=False))
    assert {curve["column"] for curve in plain["curves"]} == {"odd", "n"}
    assert e.importance.columns[0] == "odd"
    assert e.reasons().columns[0] in ("odd", "n")
    e.plot()
    e.ice("odd").plot()
    mpl.pyplot.close("all")


def test_columns_that_libraries_stumble_over_are_explained() -> None:
    swapped = np.arange(60).astype(np.dtype(np.int64).newbyteorder(">"))
    X = pd.DataFrame(
        {
            "big": pd.Series(swapped),
            "wild": np.tile([1e308, -1e308, 5e-324], 20),
            "endless": np.tile([np.inf, -np.inf, 0.0, 1.0], 15),
            "none": [None] * 60,
            "one": 1.0,
        }
    )
    d = imd.diff(
        lambda t: t["big"].to_numpy().astype(float),
        lambda t: (t["wild"] > 0) * 10.0,
        X,
        outputs="value",
        tolerance=1,
    )
    e = d.explain(row=3).compute()
    assert {own.column for own in e.curves(None)[:2]} == {"big", "wild"}
    assert e.importance.columns[0] in ("big", "wild")
    json.dumps(e.to_dict(), allow_nan=False)
    assert e.partial_dependence("none").texts == ("missing",)


def test_a_rule_on_dates_has_its_ends_on_the_axis(X: pd.DataFrame) -> None:
    late = pd.Timestamp("2021-06-01")
    d = imd.diff(
        lambda t: np.where(t["hired"] >= late, "yes", "no"), lambda t: np.full(len(t), "no"), X
    )
    view = d.explain(d.rules[0]).to_dict()
    hired = next(own for own in view["curves"] if own["column"] == "hired")
    assert hired["interval"] is not None
    low = hired["interval"]["low"]
    assert low is not None
    assert low <= hired["points"][0]["number"]  # type: ignore[operator]
    assert abs(low - late.timestamp()) < 10 * 86_400
    assert hired["points"][0]["text"].startswith("2021-06")


def test_a_diff_of_some_columns_explains_all_columns() -> None:
    X = pd.DataFrame(
        {"a": np.arange(60.0), "b": np.arange(60) % 7, "odd": [[n] for n in range(60)]}
    )
    d = imd.diff(
        lambda t: t["a"] + t["b"], lambda t: t["a"], X, outputs="value", columns=["a"], tolerance=1
    )
    e = d.explain()
    assert e.importance.columns[0] == "b"
    assert set(e.importance.columns) == {"a", "b"}
    assert e.partial_dependence("b").moves > 0.5


# --- arrays, files ------------------------------------------------------------------------------


def test_arrays_of_outputs_have_no_curves_and_all_the_rest(X: pd.DataFrame) -> None:
    d = imd.diff(old(X), new(X), X, names=("old", "new"))
    e = d.explain(d.rules[0], row=int(np.flatnonzero(d.rules[0].mask(X))[0]))
    text = (
        "the models m1 (old) and m2 (new) were given as arrays of outputs, so curves cannot be "
        "drawn: a model that can be called with other values is needed, the model itself or a "
        "function of the table."
    )
    for ask in (
        lambda: e.partial_dependence("age"),
        lambda: e.partial_dependence("age", grid=[1, 2]),
        lambda: e.ice("age"),
        lambda: e.curves(),
        lambda: e.columns,
    ):
        with pytest.raises(imd.InputError) as error:
            ask()
        assert str(error.value) == text
    assert e.importance.to_frame().shape == (4, 6)
    assert e.reasons().scores == (1.0, 0.0)
    assert "so curves cannot be drawn" in e.summary()
    e.plot()
    mpl.pyplot.close("all")
    done: list[int] = []
    plain = e.compute(after_each=done.append).to_dict()
    assert done == [1, 2, 3, 4, 5]
    assert plain["cannot"] == text
    assert plain["curves"] == plain["waiting"] == []
    assert plain["trees"] is not None


@pytest.mark.parametrize("array", [0, 1])
def test_of_one_array_the_other_model_has_its_curves(X: pd.DataFrame, array: int) -> None:
    both = [old, new]
    both[array] = both[array](X)
    known = ("first", "second")[1 - array]
    absent = ("first", "second")[array]
    d = imd.diff(*both, X, names=("old", "new"))
    row = int(np.flatnonzero(d.rules[0].mask(X))[0])
    e, whole = d.explain(d.rules[0], row=row), imd.diff(old, new, X).explain()
    all_rows = d.explain()
    for column in X.columns:
        own, curves = all_rows.partial_dependence(column), whole.partial_dependence(column)
        assert getattr(own, known).tolist() == getattr(curves, known).tolist()
        assert np.isnan(getattr(own, absent)).all()
        assert np.isnan(own.difference).all()
        assert own.moves >= 0
    assert e.score.lacking == (
        f"m{array + 1} ({('old', 'new')[array]}) was given as an array of outputs, which cannot be "
        f"called with other values, so only {('old', 'new')[1 - array]} has curves: for both, pass "
        "the model itself or a function of the table."
    )
    assert e.score.lacking in e.summary()
    assert f"moves {('old', 'new')[1 - array]} by" in all_rows.summary()
    text = e.ice("age").text
    assert text.startswith(f"{('old', 'new')[1 - array]}: ")
    assert "nan" not in text
    assert text.count("standard deviation") == 1
    e.plot()
    e.ice("age").plot()
    mpl.pyplot.close("all")
    plain = json.loads(json.dumps(e.to_dict(), allow_nan=False))
    point = plain["curves"][0]["points"][0]
    assert point[absent] is point["difference"] is point["spread"][array] is None
    assert isinstance(point[known], float)
    assert plain["lacking"] == e.score.lacking
    ranked = [own.moves for own in all_rows.curves()]
    assert ranked == sorted(ranked, reverse=True)


def test_the_look_before_the_curves_is_told_and_can_be_ended(X: pd.DataFrame) -> None:
    class Enough(Exception):
        pass

    def enough(done: int) -> None:
        raise Enough

    wide = pd.concat([X.add_suffix(str(n)) for n in range(5)], axis=1)
    calls = []

    def counted(table: pd.DataFrame) -> pd.Series:
        calls.append(len(table))
        return old(table.rename(columns={f"{name}0": name for name in X}))

    d = imd.diff(counted, lambda t: new(t[[f"{n}0" for n in X]].set_axis(X.columns, axis=1)), wide)
    calls.clear()
    with pytest.raises(Enough):
        d.explain().curves(after_each=enough)
    assert sum(calls) < 15_000, "it ends after the first part of the walks"
    done: list[int] = []
    d.explain().curves(2, after_each=done.append)
    assert done == [0] * d.explain().contribution_room.n_parts + [1, 2]
    assert d.explain().contribution_room.n_parts == 10
    done.clear()
    d.explain().curves(3, after_each=done.append)
    assert done == [1], "what was ranked is remembered"


def test_a_diff_from_a_file_says_why_it_cannot_be_explained(
    d: imd.ModelDiff, tmp_path: Any
) -> None:
    loaded = imd.load(d.save(tmp_path / "d.json"))
    with pytest.raises(imd.InputError, match="read from a file, which holds neither rows nor mod"):
        loaded.explain()


# --- plain values, pictures, words --------------------------------------------------------------


def fits(value: Any, kind: Any) -> bool:
    """Whether a plain value is what a record, tuple, mapping or union of them says."""
    from collections.abc import Mapping
    from dataclasses import is_dataclass
    from types import UnionType
    from typing import get_args, get_origin

    if is_dataclass(kind):
        hints = get_type_hints(kind)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            return False
        return all(fits(value[k], hints[k]) for k in hints)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(fits(one, get_args(kind)[0]) for one in value)
    if get_origin(kind) is Mapping:
        return all(fits(one, get_args(kind)[1]) for one in value.values())
    if get_origin(kind) is UnionType:
        return any(fits(value, own) for own in get_args(kind))
    return type(value) is kind


def test_plain_values_are_what_the_schema_says(d: imd.ModelDiff) -> None:
    rule = d.rules[0]
    row = int(d.explain(rule).selection.rows[0])
    e = d.explain(rule, row=row)
    first = e.to_dict(n_curves=1)
    assert fits(first, schema.ExplanationView)
    assert len(first["curves"]) == 1
    assert len(first["waiting"]) == 3
    assert first["fidelity"] == []
    assert first["importance"] is first["trees"] is first["klime"] is first["row"] is None
    e.ice("age")
    e.reasons()
    whole = e.compute().to_dict()
    assert fits(whole, schema.ExplanationView)
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole
    assert whole["waiting"] == []
    assert [own["technique"] for own in whole["fidelity"]] == [
        "decision tree",
        "random forest",
        "K-LIME",
    ]
    age = next(curve for curve in whole["curves"] if curve["column"] == "age")
    assert age["interval"] == {"text": "age >= 40", "low": 40.0, "high": None}
    job = next(curve for curve in whole["curves"] if curve["column"] == "job")
    assert job["interval"] is not None
    assert job["interval"]["low"] is job["interval"]["high"] is None
    assert not job["ordered"]
    pay = next(curve for curve in whole["curves"] if curve["column"] == "pay")
    assert pay["points"][-1]["text"] == "missing"
    assert pay["points"][-1]["number"] is None
    assert sum(point["support"] for point in pay["points"]) == pytest.approx(1)
    assert whole["row"] is not None
    assert whole["row"]["row"] == row
    assert len(whole["ice"]) == 1
    moves = [curve["moves"] for curve in whole["curves"]]
    assert moves == sorted(moves, reverse=True)


def test_a_summary_says_what_moves_them_apart(d: imd.ModelDiff) -> None:
    text = d.explain().summary().splitlines()
    assert text[0] == "old and new: share of votes for yes on 600 rows (all rows)."
    assert text[1].startswith("old and new give no probability of yes")
    assert re.search(r"the columns that move them apart most are (age|job) \(0\.\d+\), ", text[2])
    assert "pay" not in text[2], "no model uses it"
    assert not any(line.startswith("old − new = ") for line in text), "two samples of all rows"
    of_rule = d.explain(d.rules[0]).summary().splitlines()
    assert of_rule[-2].startswith("old − new = ")
    assert " on average over all rows " in of_rule[-2]
    assert text[-1] == "Averages over 600 rows; each model was called with 47,400 rows for them."
    same = imd.diff(old, old, d.table.native).explain().summary().splitlines()[2]
    assert same.endswith("No column moves them apart.")


def test_pictures_hold_what_was_computed(d: imd.ModelDiff) -> None:
    e = d.explain(d.rules[0])
    figure = e.plot(2)
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == [str(own.column) for own in e.curves(2)]
    curves = e.partial_dependence("age")
    ax = curves.plot()
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(lines["old"].get_ydata(), curves.first)
    np.testing.assert_allclose(lines["new"].get_ydata(), curves.second)
    tree = e.surrogates.difference
    texts = [text.get_text() for text in tree.plot().texts]
    for leaf in tree.leaves:
        assert f"{leaf.rows} rows" in texts[texts.index(tree._text(leaf.value)) :]
    row = int(e.selection.rows[0])
    assert len(e.reasons(row).plot().patches) == 3 * 4
    assert len(e.importance.plot(n=2).patches) == 3 * 2
    assert len(e.interactions.plot(n=1).patches) == 3
    [condition, *_] = e.conditions
    title = condition.plot().get_title(loc="left").replace("\n", " ")
    assert title == str(condition)
    mpl.pyplot.close("all")


def test_names_of_users_are_no_formulas(X: pd.DataFrame) -> None:
    odd = X.rename(columns={"age": "pay $x$ \\frac{1", "job": "<b>job</b>"})
    names = list(odd.columns)
    d = imd.diff(
        lambda t: t[names[0]] * 1.0,
        lambda t: t[names[0]] * 2.0,
        odd,
        outputs="value",
        names=("$a$", "<i>b</i>"),
    )
    e = d.explain(row=3)
    for figure in (e.plot(), e.reasons().plot().figure, e.surrogates.first.plot().figure):
        figure.canvas.draw()
    assert "<i>" not in e.importance._repr_html_()
    assert "<b>" not in e.importance._repr_html_()
    assert "<b>" not in e.reasons()._repr_html_()
    mpl.pyplot.close("all")


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask, text",
    [
        (lambda d: d.explain(0), "where=0: a rule is passed itself, d.explain(d.rules[0]), and"),
        (lambda d: d.explain("ryyyyyyyy"), "there is no node 'ryyyyyyyy': d.tree.ids has them"),
        (lambda d: d.explain("wage < 3"), "condition='wage < 3' cannot be used: there is no col"),
        (
            lambda d: d.explain(np.arange(600) < 0),
            "where: 0 rows lie inside (rows of a mask), and at least 1 is needed to explain them. "
            "Take a larger region, or explain one row among all: d.explain(row=...).",
        ),
        (
            lambda d: d.explain(np.arange(600) < 3).importance,
            "where: 3 rows lie inside (rows of a mask), and at least 20 are needed to fit "
            "surrogates to them. Contributions and curves need no surrogate.",
        ),
        (
            lambda d: d.explain(np.arange(600) < 1).surrogates,
            "where: 1 row lies inside (rows of a mask), and at least 20",
        ),
        (lambda d: d.explain(max_calls=0), "max_calls=0: a whole number from 1 up is needed."),
        (lambda d: d.explain(np.arange(600)), "where is a ndarray (as an array: int64, shape (6"),
        (lambda d: d.explain(np.ones(5, bool)), "one True or False for each of the 600 rows"),
        (
            lambda d: d.explain(row=600),
            "row=600: rows are numbered 0 to 599.",
        ),
        (lambda d: d.explain(row=-1), "row=-1: rows are numbered 0 to 599."),
        (lambda d: d.explain(row=True), "row=True: rows are numbered"),
        (lambda d: d.explain(row="3"), "row='3': rows are numbered"),
        (
            lambda d: d.explain(np.arange(600) > 50, row=3),
            "row=3: row 3 is not among the rows explained (rows of a mask). Explain it among all "
            "rows: d.explain(row=3).",
        ),
        (
            lambda d: d.explain().partial_dependence("wage"),
            "there is no column 'wage': did you mean 'age'? The table has 'age', 'pay', 'job', "
            "'hired'.",
        ),
        (lambda d: d.explain().partial_dependence(["age"]), "there is no column ['age']"),
        (lambda d: d.explain().ice("wage", 3), "there is no column 'wage'"),
        (
            lambda d: d.explain().ice("age"),
            "row is missing: which row? Its position in the table, from 0.",
        ),
        (lambda d: d.explain().reasons(), "row is missing: which row?"),
        (lambda d: d.explain().reasons(9999), "row=9999: rows are numbered"),
        (
            lambda d: d.explain().partial_dependence("age", grid="abc"),
            "grid is a str: the values at which the models are asked are needed, as a list.",
        ),
        (lambda d: d.explain().partial_dependence("age", grid=[]), "grid is empty: at least one"),
        (
            lambda d: d.explain().partial_dependence("age", grid=[1, "x"]),
            "grid holds 'x', and the column 'age' holds numbers.",
        ),
        (
            lambda d: d.explain(pos_label="maybe"),
            "pos_label='maybe' is not a class of the diff, which has ['no', 'yes'].",
        ),
        (lambda d: d.explain(pos_label=["yes"]), "pos_label=['yes'] is not a class of the diff"),
        (lambda d: d.explain().curves(0), "n=0: a whole number from 1 up is needed."),
        (lambda d: d.explain().to_dict(n_curves=-1), "n_curves=-1: a whole number from 0 up"),
        (lambda d: d.explain(n_points=1), "n_points=1: a whole number from 2 up is needed."),
        (lambda d: d.explain(max_samples=5), "max_samples=5: a whole number from 20 up"),
        (lambda d: d.explain(max_depth=0), "max_depth=0: a whole number from 1 up is needed."),
        (
            lambda d: d.explain(segments="city"),
            "segments='city' is not a column of the table, which has 'age', 'pay', 'job', 'hired'.",
        ),
        (lambda d: d.explain(segments=[1, 2]), "segments has the shape (2,): a column name, or"),
        (lambda d: d.explain().plot(0), "n=0: a whole number from 1 up is needed."),
    ],
)
def test_what_cannot_be_explained_is_said(d: imd.ModelDiff, ask: Any, text: str) -> None:
    with pytest.raises(imd.InputError) as error:
        ask(d)
    assert str(error.value).startswith(text) or text in str(error.value)


def test_a_rule_of_another_diff_is_refused(d: imd.ModelDiff, X: pd.DataFrame) -> None:
    other = imd.diff(lambda t: np.where(t["age"] > 60, "yes", "no"), old, X)
    with pytest.raises(imd.InputError) as error:
        d.explain(other.rules[0])
    assert str(error.value) == (
        "where is a rule of another diff: 'age is 40 to 60'. Pass a rule of this one, "
        "d.explain(d.rules[0]), or the rows of that rule: d.explain(rule.mask(X))."
    )
    assert d.explain(other.rules[0].mask(X)).n_rows == int(other.rules[0].mask(X).sum())


def test_values_have_no_classes(X: pd.DataFrame) -> None:
    d = imd.diff(lambda t: t["age"] * 1.5, lambda t: t["age"] * 2.0, X, outputs="value")
    with pytest.raises(imd.InputError) as error:
        d.explain(pos_label="yes")
    text = "pos_label='yes': the outputs are numbers (value), not classes. Leave it out."
    assert str(error.value) == text
    with pytest.raises(imd.InputError) as error:
        imd.surrogate(lambda t: t["age"] * 1.5, X, pos_label="yes")
    assert str(error.value) == text


def test_a_model_that_fails_raises_its_own_error_and_is_named(X: pd.DataFrame) -> None:
    asked = []

    def moody(table: pd.DataFrame) -> Any:
        asked.append(len(table))
        if len(asked) > 1:
            raise ZeroDivisionError("out of patience")
        return old(table)

    d = imd.diff(moody, new, X)
    e = d.explain()
    with pytest.raises(ZeroDivisionError, match="out of patience") as error:
        e.partial_dependence("age")
    assert any("m1 (moody) raised this" in note for note in error.value.__notes__)
    assert e.importance.columns  # what needs no model goes on


@pytest.mark.parametrize(
    "ask, text",
    [
        (lambda X: imd.surrogate(old, X.head(5)), "X has 5 rows: at least 20 are needed"),
        (lambda X: imd.surrogate(old, X, max_depth=0), "max_depth=0: a whole number from 1 up"),
        (lambda X: imd.surrogate(old, X, test_size=1), "test_size=1: a share of the rows between"),
        (lambda X: imd.surrogate(old, X, outputs="rank"), "outputs='rank' is not known."),
        (lambda X: imd.surrogate(old, X, pos_label="no!"), "pos_label='no!' is not a class"),
        (lambda X: imd.surrogate(X, old), "X is a function, which is a model"),
        (lambda X: imd.surrogate("old", X), "m is the text 'old'."),
    ],
)
def test_what_cannot_be_imitated_is_said(X: pd.DataFrame, ask: Any, text: str) -> None:
    with pytest.raises(imd.InputError) as error:
        ask(X)
    assert str(error.value).startswith(text)


def test_the_summary_of_a_row_is_about_this_row(X: pd.DataFrame) -> None:
    d = imd.diff(
        lambda t: t["age"] * 1.5, lambda t: t["age"] * 2.0, X, outputs="value", names=("A", "B")
    )
    e = d.explain(row=17)
    own = e.contributions_of()
    title, *lines = e.summary().splitlines()
    assert title == "A and B: value on row 17 (among all rows)."
    assert lines == [own.headline, *own.unused_sentences, own.total(), own.note]
    assert "for this row" in lines[0]
    assert repr(e) == "<Explanation: value on row 17 (among all rows)>"
    assert repr(d.explain()) == f"<Explanation: value on {len(X):,} rows (all rows)>"
    young = (X["age"] < 30).to_numpy()
    one = int(young.argmax())
    assert "row" in d.explain(young, row=one).summary().splitlines()[0]
    said = X["age"].to_numpy(float) ** 0.5
    arrays = imd.diff(said, said * 2, X, outputs="value").explain(row=3)
    assert arrays.reasons().text in arrays.summary()


def test_a_rule_is_explained_by_its_text(X: pd.DataFrame) -> None:
    d = imd.diff(
        lambda t: np.where(t["job"].isin(["cook", "nurse"]), 1.0, 0.0),
        lambda t: np.zeros(len(t)),
        X,
        outputs="value",
        names=("A", "B"),
    )
    rule = d.rules[0]
    text = str(rule).split(":")[0]
    assert " is " in text, "no condition of DataFrame.query"
    for own in (text, str(rule)):
        assert d.explain(own) is d.explain(rule)
    with pytest.raises(imd.InputError, match="cannot be used"):
        d.explain("job is baker")


def test_arrays_name_what_was_asked(X: pd.DataFrame) -> None:
    said = X["age"].to_numpy(float) ** 0.5
    d = imd.diff(said, said * 2, X, outputs="value")
    for ask, what in ((d.what_if, "what_if"), (d.smallest_change, "smallest_change")):
        with pytest.raises(imd.InputError, match=f"so {what} cannot try other values") as error:
            ask(3)
        assert "urves" not in str(error.value)
    assert "The models m1 (model 1) and m2 (model 2) were given" in d.explain().summary()


def test_an_output_of_what_if_is_plain(X: pd.DataFrame) -> None:
    d = imd.diff(lambda t: t["age"] * 1.5, lambda t: t["age"] * 2.0, X, outputs="value")
    found = d.what_if(3, age=40)
    assert {type(own) for own in (*found.outputs, *found.outputs_before)} == {float}
