"""Rows to look at, the way of one of them, and a diff that is changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.comparison.rows import page
from imd_widget.tree.shape import Kind
from tests.examples import examples
from tests.unit.strategies import Problem, problems

RNG = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "word": RNG.choice(["x", "y", None], N),
        "c": RNG.integers(0, 5, N),
    },
    index=[f"row {k}" for k in range(N)],
)
Y1 = np.where(X["a"] > 0, "yes", "no")
Y2 = np.where((X["a"] > 0) & (X["word"] == "x"), "yes", "no")


@pytest.fixture
def w(monkeypatch: pytest.MonkeyPatch) -> Any:
    widget = imd.show(Y1, Y2, X, names=("old", "new"), y=Y1)
    widget.sent = []
    monkeypatch.setattr(widget, "send", widget.sent.append)
    return widget


def ask(w: Any, **message: Any) -> Any:
    w._handle_custom_msg(message, [])
    return w.sent[-1]


def test_predictions_are_what_the_models_said() -> None:
    d = imd.diff(Y1, Y2, X, names=("old", "new"))
    assert d.predictions.columns.tolist() == ["old", "new"]
    assert d.predictions.index.equals(X.index)
    assert d.predictions["old"].tolist() == Y1.tolist()
    values = imd.diff(X["a"] * 2, X["a"] + 1, X)
    np.testing.assert_allclose(values.predictions.iloc[:, 1], X["a"] + 1)


def test_a_page_of_rows(w: Any) -> None:
    answer = ask(w, id="7", kind="rows", rules=[0], node="", start=0, count=20, sort=None)
    assert answer["id"] == "7"
    rows = answer["rows"]
    inside = w.diff.rules[0].mask(X)
    asked = [c.column for c in w.diff.rules[0].conditions]
    assert rows["total"] == inside.sum()
    assert rows["columns"][: rows["lead"]] == [*asked, "old", "new", "y"]
    others = ["column"] * (len(X.columns) - len(asked))
    outputs = ["output1", "output2", "truth"]
    assert rows["roles"] == [*(["column"] * len(asked)), *outputs, *others]
    assert sorted(rows["columns"][rows["lead"] :]) == sorted(set(X.columns) - set(asked))
    assert rows["positions"] == np.flatnonzero(inside)[:20].tolist()
    assert rows["labels"] == X.index[inside][:20].tolist()
    assert rows["differs"] == (Y1 != Y2)[inside][:20].tolist()
    for cells, row in zip(rows["cells"], rows["positions"], strict=True):
        shown = dict(zip(rows["columns"], cells, strict=True))
        assert (shown["old"], shown["new"], shown["y"]) == (Y1[row], Y2[row], Y1[row])
        word = X["word"].iloc[row]
        assert shown["word"] == ("missing" if pd.isna(word) else word)
        assert shown["a"] == f"{X['a'].iloc[row]:.4g}"


@pytest.mark.parametrize(
    "value, text",
    [(0.123456, "0.1235"), (1234.56, "1235"), (123456.7, "123457"), (3.0, "3"), (1e20, "1e+20")],
)
def test_numbers_have_four_digits_and_all_before_the_point(value: float, text: str) -> None:
    d = imd.diff([0, 1] * 30, [0, 0] * 30, pd.DataFrame({"a": [value] * 60}))
    held = page(d, np.ones(60, bool), (0,), 0, 1, None)
    assert held.cells[0][0] == text
    # the tooltip has all of it
    whole = {(row, column): full for row, column, full in held.whole}
    assert float(whole.get((0, 0), text)) == value


def test_rows_are_sorted_filtered_and_paged(w: Any) -> None:
    first = ask(w, id="1", kind="rows", node="r", start=0, count=50, differing=True)["rows"]
    assert first["total"] == (Y1 != Y2).sum()
    assert all(first["differs"])
    at = first["columns"].index("a")
    order = {"column": at, "descending": True}
    found: list[int] = []
    for start in range(0, 300, 50):
        page = ask(w, id="2", kind="rows", node="r", start=start, count=50, sort=order)["rows"]
        found += page["positions"]
    assert found == np.argsort(-X["a"].to_numpy(), kind="stable").tolist()
    nothing = ask(w, id="3", kind="rows", node="r", start=9000, count=50)["rows"]
    assert (nothing["cells"], nothing["total"]) == ([], 300)


def test_a_wrong_question_about_rows_is_answered(w: Any) -> None:
    assert "there is no rule 99" in ask(w, id="1", kind="rows", rules=[99])["error"]
    assert "there is no node 'zz'" in ask(w, id="1", kind="rows", node="zz")["error"]
    assert "row=900" in ask(w, id="1", kind="trace", row=900)["error"]
    assert "max_depth=0" in ask(w, id="1", kind="change", options={"max_depth": 0})["error"]


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(), method=st.sampled_from(["calibrated", "imd", "direct"]))
def test_a_row_is_traced_through_the_nodes_that_it_passes(problem: Problem, method: Any) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method=method, **problem.options)
    leaves = d.tree.apply(problem.X)
    masks = [rule.mask(problem.X) for rule in d.rules]
    for row in range(min(5, len(problem.X))):
        found = d.trace(row)
        for node in d.tree.ids:
            assert (node in found.nodes) == d.reaches(node)[row]
        assert {d.tree.ids[leaf] for leaf in leaves[row]} <= set(found.nodes)
        if problem.counts[row]:
            assert found.rules == tuple(k for k, mask in enumerate(masks) if mask[row])


def test_trace_is_seen_by_both_sides(w: Any) -> None:
    seen: list[Any] = []
    w.observe(lambda change: seen.append(change["new"]), "traced")
    assert ask(w, id="1", kind="trace", row=3) == {"id": "1"}
    assert w.traced["row"] == 3
    assert w.traced["label"] == "row 3"
    assert w.traced["said"] == [Y1[3], Y2[3]]
    w.trace(None)
    assert [one and one["row"] for one in seen] == [3, None]
    for bad in (-1, 300, 1.5, True, "a"):
        with pytest.raises(imd.InputError, match="rows are numbered 0 to 299"):
            w.trace(bad)


def test_a_diff_is_changed_without_asking_the_models_again() -> None:
    calls = []

    def m1(table: Any) -> Any:
        calls.append(1)
        return table["a"] > 0

    d = imd.diff(m1, lambda t: (t["a"] > 0) & (t["c"] > 1), X)
    n_calls = len(calls)
    shallow = d.change(max_depth=1)
    assert len(calls) == n_calls
    assert (shallow.max_depth, shallow.tree.depth) == (1, 1)
    assert shallow.change(max_depth=6).rules == d.rules
    much = d.change(sensitivity=1.0)
    assert much.sensitivity == 1.0
    assert much.change(sensitivity="auto").rules == d.rules
    assert much.metrics.recall >= d.metrics.recall
    assert d.refine().change().refinements == 0


def test_change_and_undo_in_the_widget(w: Any) -> None:
    before = w.diff
    assert ask(w, id="1", kind="change", options={"max_depth": 1}) == {"id": "1"}
    assert w.view["options"]["max_depth"] == 1
    assert w.view["refinement"]["undoable"]
    assert ask(w, id="2", kind="change", options={"sensitivity": None}) == {"id": "2"}
    w.undo()
    w.undo()
    assert w.diff is before
    assert not w.view["refinement"]["undoable"]


def test_the_page_can_be_asked_for(w: Any) -> None:
    page = ask(w, id="1", kind="save")["page"]
    assert page.startswith("<!doctype html>")
    assert w.diff.summary().split(".")[0] in page


@settings(deadline=None, max_examples=examples(60))
@given(problem=problems(), method=st.sampled_from(["calibrated", "imd", "separate"]))
def test_bars_hold_every_row_of_the_split(problem: Problem, method: Any) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method=method, **problem.options)
    for node in np.flatnonzero(d.tree.kind == Kind.SPLIT):
        bars = d.bars(d.tree.ids[node])
        missing = bars.missing or (0, 0)
        differing = d.tree.target.differing_rows(d.tree.counts[node])
        assert sum(bars.same) + sum(bars.differ) + sum(missing) == d.tree.rows[node]
        assert sum(bars.differ) + missing[1] == differing
        yes = d.tree.children[node, 0]
        if bars.cut is not None:
            left = sum(bars.same[: bars.cut]) + sum(bars.differ[: bars.cut])
            left += sum(missing) if d.tree.missing[node] else 0
            assert left == d.tree.rows[yes]
            assert bars.labels is None
        else:
            assert bars.labels is not None
            assert len(bars.labels) == len(bars.same) <= 11
    with pytest.raises(imd.InputError, match="is not a split"):
        d.bars("zz")


HALF = "half\ud800"


def test_labels_with_half_a_letter_can_be_looked_at(tmp_path: Any) -> None:
    """A lone surrogate, which no encoding of text holds."""
    labels = np.array(["ok", HALF], dtype=object)
    first, second = labels[(X["a"] > 0).astype(int)], labels[(X["a"] > 0.5).astype(int)]
    d = imd.diff(first, second, X)
    assert d.predictions.iloc[:, 0].tolist() == first.tolist()
    row = int(np.argmax(d.differs))
    assert d.trace(row).said == (HALF, "ok")
    assert set(d.rules.to_frame()["m1"]) == {HALF}
    assert d.rules._repr_html_()
    widget = imd.show(d, picture=False)
    widget.selected_rules = [0]
    assert len(widget.selected_rows) == d.rules[0].mask(X).sum()
    for name in ("diff.csv", "diff.html", "diff.md"):
        d.save(tmp_path / name)
    d.save(tmp_path / "rows.html", rows=20)


def test_rows_of_labels_with_half_a_letter_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.array(["ok", HALF], dtype=object)
    first, second = labels[(X["a"] > 0).astype(int)], labels[(X["a"] > 0.5).astype(int)]
    own = pd.Series(first[::-1], index=X.index, dtype=object)
    widget: Any = imd.show(first, second, X.assign(own=own), y=second, picture=False)
    widget.sent = []
    monkeypatch.setattr(widget, "send", widget.sent.append)
    rows = ask(widget, id="1", kind="rows", rules=[0], node="", start=0, count=20, sort=None)[
        "rows"
    ]
    assert rows["columns"].index("y") < rows["lead"]
    assert rows["total"] == widget.diff.rules[0].mask(widget.diff.table).sum()
    for column in range(len(rows["columns"])):
        order = {"column": column, "descending": True}
        answer = ask(widget, id="2", kind="rows", rules=[0], start=0, count=5, sort=order)
        assert len(answer["rows"]["cells"]) == 5


def test_the_first_day_of_all_can_be_looked_at_in_every_zone(tmp_path: Any) -> None:
    """A date that databases write for "none"; west of Greenwich it lies before the year 1."""
    code = np.arange(N) % 10
    first = pd.Timestamp("0001-01-01", tz="UTC")
    moments = [first if k == 3 else pd.Timestamp(2020, 1, 1 + k, tz="UTC") for k in code]
    zoned = pd.Series(moments).dt.as_unit("us").dt.tz_convert("America/New_York")
    d = imd.diff(code > 4, code > 6, pd.DataFrame({"t": zoned}))
    shown = page(d, code == 3, (), 0, 5, None).cells
    assert [cells[-1] for cells in shown] == ["0001-01-01 00:00:00+00:00"] * 5
    d.save(tmp_path / "rows.html", rows=N)
    assert d.trace(3).label == "3"


def test_a_trace_says_whether_the_models_differ() -> None:
    """The surrogates may say otherwise: a tree of one question cannot tell every row."""
    noise = np.random.default_rng(0).random(N) < 0.1
    d = imd.diff(Y1, np.where(noise, Y1, Y2), X, max_depth=1)
    traces = [d.trace(row) for row in range(N)]
    assert [one.differs for one in traces] == d.differs.tolist()
    assert any((one.surrogate[0] != one.surrogate[1]) != one.differs for one in traces)
    widget = imd.show(d, picture=False)
    widget.trace(3)
    assert widget.traced["differs"] == d.differs[3]
