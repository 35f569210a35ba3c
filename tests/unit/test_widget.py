"""The Python half of the widget: traits, messages, and what the mouse can do as methods."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.tree.local_source import LocalSource
from imd_widget.tree.requests import Histograms
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from imd_widget.widget.history import Snapshot
from imd_widget.widget.preview_formats import text_of

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(400, 3)), columns=["a", "b", "c"])
Y1 = (X["a"] + X["b"] > 0).to_numpy(int)
Y2 = (X["a"] - 0.5 * X["c"] > 0.2).to_numpy(int)


@pytest.fixture
def w(monkeypatch: pytest.MonkeyPatch) -> imd.DiffWidget:
    widget = imd.show(Y1, Y2, X, names=("old", "new"), max_depth=3)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget.sent = sent
    return widget


def ask(w: imd.DiffWidget, **message: Any) -> Any:
    """What the front-end does when a button is pressed; the answer it gets."""
    w._handle_custom_msg(message, [])
    return w.sent[-1]


def test_show_takes_the_options_of_diff(w: imd.DiffWidget) -> None:
    assert w.diff.names == ("old", "new")
    assert w.diff.tree.depth == 3
    assert w.view == to_json(packed(view_of(w.diff)))
    assert (w.height, w.theme) == (None, "auto")


def test_refine_and_undo(w: imd.DiffWidget) -> None:
    before = w.diff
    refined = w.refine()
    assert w.diff is refined is not before
    assert w.view["refinement"]["steps"] == 1
    assert w.view["refinement"]["added"]
    assert w.undo() is before
    assert w.view == to_json(packed(view_of(before)))
    with pytest.raises(imd.InputError, match="Nothing to undo"):
        w.undo()


def test_refine_until_nothing_is_left(w: imd.DiffWidget) -> None:
    while w.view["refinement"]["reason"] is None:
        ask(w, id="1", kind="refine")
    assert w.diff.refinements >= 1
    with pytest.raises(imd.InputError, match=re.escape(w.view["refinement"]["reason"])):
        w.refine()


def test_rows_that_cannot_be_told_apart_are_said_so() -> None:
    same = pd.DataFrame({"a": np.zeros(60)})
    w = imd.show(np.arange(60) % 2, np.ones(60, int), same, test_size=0)
    assert w.diff.rules
    with pytest.raises(imd.InputError, match="No further split"):
        w.refine()


def test_messages_do_what_methods_do(w: imd.DiffWidget) -> None:
    before = w.diff
    assert ask(w, id="7", kind="refine") == {"id": "7"}
    assert w.diff.refinements == 1
    assert ask(w, id="8", kind="undo") == {"id": "8"}
    assert w.diff is before


def test_an_error_is_sent_to_the_one_who_asked_and_nothing_is_lost(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = w.diff
    assert ask(w, id="1", kind="undo") == {
        "id": "1",
        "error": "Nothing to undo.",
    }
    assert "Unknown message kind 'dance'" in ask(w, id="2", kind="dance")["error"]

    def broken(self: Any, n: int = 1) -> Any:
        raise MemoryError

    monkeypatch.setattr(imd.ModelDiff, "refine", broken)
    assert ask(w, id="3", kind="refine") == {"id": "3", "error": "MemoryError"}
    assert w.diff is before


def test_a_greeting_is_answered(w: imd.DiffWidget) -> None:
    assert ask(w, id="1", kind="hello") == {"id": "1"}


@pytest.mark.parametrize("step", ["refine", "change"])
def test_an_interrupt_while_a_view_is_made_changes_nothing(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    w.change(max_depth=2)
    before, view = w.diff, w.view

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("imd_widget.widget.history.view_of", interrupted)
        answer = ask(w, id="1", kind=step, options={"max_depth": 3})
    assert "Interrupted" in answer["error"]
    assert w.diff is before
    assert w.view == view
    w.undo()
    assert w.diff.max_depth == 3
    with pytest.raises(imd.InputError, match="Nothing to undo"):
        w.undo()


class Slow:
    """Lets `ModelDiff.refine` wait in its thread until the test says go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        refine = imd.ModelDiff.refine

        def slow(diff: imd.ModelDiff, n: int = 1) -> imd.ModelDiff:
            assert self.go.wait(10)
            return refine(diff, n)

        monkeypatch.setattr(imd.ModelDiff, "refine", slow)


async def answers(w: imd.DiffWidget, count: int) -> list[Any]:
    """What was sent, once there is so much of it."""
    for _ in range(1000):
        if len(w.sent) >= count:
            break
        await asyncio.sleep(0.01)
    return list(w.sent)


def test_in_a_kernel_work_does_not_keep_others_waiting(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "refine"}, [])
        w._handle_custom_msg({"id": "2", "kind": "hello"}, [])
        assert await answers(w, 1) == [{"id": "2"}]
        assert w.diff.refinements == 0
        slow.go.set()
        assert await answers(w, 2) == [{"id": "2"}, {"id": "1"}]
        assert w.diff.refinements == 1

    asyncio.run(kernel())
    assert not w._tasks


@pytest.mark.parametrize("begun", [True, False])
def test_what_is_cancelled_is_not_shown(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    slow, before = Slow(monkeypatch), w.diff

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "refine"}, [])
        if begun:
            await asyncio.sleep(0.05)
        w._handle_custom_msg({"id": "2", "kind": "cancel", "of": "1"}, [])
        [answer] = await answers(w, 1)  # at once: nobody waits for the end of it
        slow.go.set()
        assert answer == {"id": "1", "error": "Cancelled; nothing changed."}
        assert w.diff is before
        w._handle_custom_msg({"id": "3", "kind": "refine"}, [])
        assert (await answers(w, 2))[1] == {"id": "3"}
        assert w.diff.refinements == 1
        w._handle_custom_msg({"id": "4", "kind": "cancel", "of": "3"}, [])
        assert len(await answers(w, 2)) == 2, "what is done cannot be cancelled"

    asyncio.run(kernel())
    assert not w._tasks


def test_a_fit_ends_before_the_next_level_if_it_is_cancelled(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, begun, counted = threading.Event(), threading.Event(), []
    answer = LocalSource.answer

    def slow(self: LocalSource, request: Any) -> Any:
        if isinstance(request, Histograms):
            counted.append(request)
            begun.set()
            assert go.wait(10)
        return answer(self, request)

    monkeypatch.setattr(LocalSource, "answer", slow)

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "change", "options": {"max_depth": 5}}, [])
        await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
        w._handle_custom_msg({"id": "2", "kind": "cancel", "of": "1"}, [])
        [answer] = await answers(w, 1)
        assert answer == {"id": "1", "error": "Cancelled; nothing changed."}
        go.set()

    asyncio.run(kernel())  # waits for the threads of the executor
    assert len(counted) == 2, "the counts of all rows are known; the next level is not begun"
    w.change(max_depth=5)
    assert len(counted) > 4


def test_what_is_worked_out_too_late_is_not_shown(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "refine"}, [])
        await asyncio.sleep(0.05)
        w.change(max_depth=2)
        slow.go.set()
        [answer] = await answers(w, 1)
        assert answer["error"] == "The view has changed; please retry."

    asyncio.run(kernel())
    assert (w.diff.max_depth, w.diff.refinements) == (2, 0)


def test_selected_rows_can_be_observed(w: imd.DiffWidget) -> None:
    seen: list[Any] = []
    w.observe(lambda change: seen.append(change.new), "selected_rows")
    w.selected_rules = [0]
    pd.testing.assert_frame_equal(seen[-1], X[w.diff.rules[0].mask(X)])
    w.selected_rules = []
    assert len(seen) == 2
    assert len(seen[-1]) == w.diff.predict(X).sum()
    w.unobserve_all("selected_rows")
    w.selected_rules = [0]
    assert len(seen) == 2


def test_rows_are_told_once_and_never_of_a_diff_that_is_gone(w: imd.DiffWidget) -> None:
    seen: list[Any] = []
    w.observe(lambda change: seen.append(len(change.new)), "selected_rows")
    w.selected_rules = [len(w.diff.rules) - 1]
    w.selected_node = w.diff.tree.ids[-1]
    del seen[:]
    before = w.diff.rules[w.selected_rules[0]].mask(X)
    w.change(max_depth=1)
    assert (w.view["options"]["max_depth"], w.selected_node) == (1, "")
    # a rule with rows in common takes the place of the one that is gone
    [number] = w.selected_rules
    assert (before & w.diff.rules[number].mask(X)).any()
    assert set(seen) <= {len(w.selected_rows)}
    w.undo()
    assert seen[-1] == len(w.selected_rows)


def test_a_trace_that_comes_late_is_not_shown(
    w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, trace = threading.Event(), imd.ModelDiff.trace

    def slow(diff: imd.ModelDiff, row: int) -> Any:
        assert row != 1 or go.wait(10)
        return trace(diff, row)

    monkeypatch.setattr(imd.ModelDiff, "trace", slow)

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "trace", "row": 1}, [])
        w._handle_custom_msg({"id": "2", "kind": "trace", "row": 2}, [])
        assert await answers(w, 1) == [{"id": "2"}]
        go.set()
        assert len(await answers(w, 2)) == 2
        assert w.traced["row"] == 2
        go.clear()
        w._handle_custom_msg({"id": "3", "kind": "trace", "row": 1}, [])
        await asyncio.sleep(0.05)
        w.change(max_depth=1)
        go.set()
        assert len(await answers(w, 3)) == 3

    asyncio.run(kernel())
    assert w.traced is None


def test_filters_are_checked(w: imd.DiffWidget) -> None:
    w.filters = {"text": "a", "column": "b", "outcome": "0,1", "order": "rate"}
    for bad, text in (
        ({"colour": "a"}, "invalid filter 'colour': 'a'. Filters are strings with the keys text,"),
        ({"text": 3}, "invalid filter 'text': 3"),
        ({"order": "size"}, "unknown order 'size'; use one of added, coverage, rows, rate"),
    ):
        with pytest.raises(imd.InputError, match=re.escape(text)):
            w.filters = bad
    assert w.filters["order"] == "rate"


def test_a_saved_page_is_opened_as_the_widget_was_left(w: imd.DiffWidget, tmp_path: Path) -> None:
    w.selected_rules, w.tab, w.folds = [0], "Node", {"r": True}
    w.filters, w.differences_only, w.orientation = {"text": "a"}, False, "down"
    page = w.save(tmp_path / "page.html").read_text(encoding="utf-8")
    data = re.search(r'id="imd-data">(.*?)</script>', page, re.S)
    assert data is not None
    state = json.loads(data[1])
    for name in ("selected_rules", "tab", "folds", "filters", "differences_only", "orientation"):
        assert state[name] == getattr(w, name)
    assert state["traced"] is None


def test_selection(w: imd.DiffWidget) -> None:
    assert len(w.selected_rows) == w.diff.predict(X).sum()
    node = w.diff.rules[0].node
    w.selected_node = node
    pd.testing.assert_frame_equal(w.selected_rows, X[w.diff.reaches(node)])
    w.selected_rules = [0, 1]
    assert len(w.selected_rows) == w.diff.rules[:2].mask(X).sum()


def test_selection_of_what_is_not_there(w: imd.DiffWidget) -> None:
    with pytest.raises(imd.InputError, match="there is no node 'zzz'"):
        w.selected_node = "zzz"
    with pytest.raises(imd.InputError, match="there is no rule 99"):
        w.selected_rules = [99]
    assert (w.selected_node, w.selected_rules) == ("", [])


def test_selection_through_refinement(w: imd.DiffWidget) -> None:
    kept = w.diff.rules[0].node
    w.selected_node, w.selected_rules = kept, [0]
    w.refine()
    now = w.view["refinement"]["kept"][0]
    assert (w.selected_node, w.selected_rules) == (kept, [now])
    assert w.diff.rules[now].node.startswith(kept)
    new = w.view["refinement"]["added"][0]
    w.selected_node = new
    w.undo()
    assert w.selected_node == ""
    assert w.selected_rules == [0]


def test_what_it_shows_is_read_only(w: imd.DiffWidget) -> None:
    with pytest.raises(Exception, match="read-only"):
        w.view = {}


@pytest.mark.parametrize(
    "option", [{"theme": "pink"}, {"orientation": "up"}, {"height": 5}, {"height": "tall"}]
)
def test_bad_looks(option: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=next(iter(option))):
        imd.show(Y1, Y2, X, **option)


def test_a_widget_shows_a_diff_only() -> None:
    with pytest.raises(imd.InputError, match="expects a ModelDiff, got int"):
        imd.DiffWidget(3)  # type: ignore[arg-type]


def test_errors_of_diff_reach_the_cell() -> None:
    with pytest.raises(imd.InputError, match="0 rows"):
        imd.show(Y1, Y2, X[:0])
    with pytest.raises(TypeError, match="depth"):
        imd.show(Y1, Y2, X, depth=3)


def test_a_diff_can_be_shown() -> None:
    d = imd.diff(Y1, Y2, X)
    assert imd.show(d, height=300).diff is d
    with pytest.raises(imd.InputError, match="takes no models, table or options"):
        imd.show(d, max_depth=3)
    with pytest.raises(imd.InputError, match="two models and a table are required"):
        imd.show(Y1, Y2)


def test_an_interrupt_is_answered(w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    before = w.diff
    monkeypatch.setattr(imd.ModelDiff, "refine", interrupted)
    assert "Interrupted" in ask(w, id="1", kind="refine")["error"]
    assert w.diff is before


# --- the end of the way back ----------------------------------------------------------------------


def kept_alive(w: imd.DiffWidget) -> int:
    """Diffs that can be reached from what is shown."""
    return len({id(w.diff), *(id(shown.diff) for shown in w._snapshot.past)})


def test_the_way_back_has_an_end_and_says_so() -> None:
    w = imd.DiffWidget(imd.diff(Y1, Y2, X, max_depth=2), picture=False)
    w._show(Snapshot.first(w.diff, most=3))
    for depth in (1, 3, 4, 2, 1, 4):
        w.change(max_depth=depth)
        assert kept_alive(w) <= 4
        assert w.view["refinement"]["undoable"]
    depths = []
    for left in (2, 1, 0):
        depths.append(w.undo().max_depth)
        assert w.view["refinement"]["undoable"] == (left > 0)
    assert depths == [1, 2, 4]
    text = "Nothing to undo: at most 3 steps are kept."
    assert w.view["lacks"]["undo"] == text
    with pytest.raises(imd.InputError, match=text):
        w.undo()
    # from there it goes on, and back again
    w.change(max_depth=1)
    assert w.view["refinement"]["undoable"]
    assert "undo" not in w.view["lacks"]
    assert w.undo().max_depth == 4
    assert w.view["lacks"]["undo"] == text


def test_the_way_back_of_a_page_begins_where_it_is_kept(tmp_path: Path) -> None:
    w = imd.DiffWidget(imd.diff(Y1, Y2, X, max_depth=2, method="separate"), picture=False)
    w._show(Snapshot.first(w.diff, most=1))
    w.refine()
    w.refine()
    page = w.save(tmp_path / "page.html", refinements=0).read_text(encoding="utf-8")
    data = re.search(r'id="imd-data">(.*?)</script>', page, re.S)
    assert data is not None
    held = json.loads(data[1])
    assert held["at"] == 1
    assert [step["refinement"]["steps"] for step in held["steps"]] == [1, 2]
    assert [step["refinement"]["undoable"] for step in held["steps"]] == [False, True]


# --- what the front-end sends ---------------------------------------------------------------------


@pytest.fixture
def messages(w: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is sent to the front-end."""
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(w, "_send", lambda message, buffers=None: sent.append(message))
    return sent


def set_in_the_browser(w: imd.DiffWidget, **state: Any) -> None:
    data = {"method": "update", "state": state, "buffer_paths": []}
    w._handle_msg({"content": {"data": data}, "buffers": []})


@pytest.mark.parametrize(
    "name, good, bad",
    [
        ("selected_rules", [0], [0, 99]),
        ("selected_rules", [0], ["0"]),
        ("selected_node", "r", "rnn1y"),
        ("filters", {"text": "a"}, {"colour": "a"}),
        ("tab", "Rows", "Columns"),
    ],
)
def test_what_the_browser_may_not_set_is_taken_back_there_too(
    w: imd.DiffWidget, messages: list[dict[str, Any]], name: str, good: Any, bad: Any
) -> None:
    heard: list[Any] = []
    setattr(w, name, good)
    w.observe(heard.append, [name])
    messages.clear()
    set_in_the_browser(w, **{name: bad})
    assert getattr(w, name) == good
    assert not heard
    assert len(w.selected_rows)
    updates = [message["state"] for message in messages if message["method"] == "update"]
    assert updates == [{name: good}]


def test_what_it_may_set_beside_that_is_taken_over(
    w: imd.DiffWidget, messages: list[dict[str, Any]]
) -> None:
    set_in_the_browser(w, selected_rules=[99], tab="Rows", selected_node="r")
    assert (w.selected_rules, w.tab, w.selected_node) == ([], "Rows", "r")
    updates = [message["state"] for message in messages if message["method"] == "update"]
    assert updates == [{"selected_rules": []}]


def test_a_refused_selection_is_rolled_back_in_a_block_too(w: imd.DiffWidget) -> None:
    with pytest.raises(imd.InputError, match="there is no rule 99"), w.hold_trait_notifications():
        w.selected_rules = [99]
    assert w.selected_rules == []


# --- half a letter --------------------------------------------------------------------------------


def test_half_a_letter_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.array(["ok", "half\ud800"], dtype=object)
    w = imd.DiffWidget(imd.diff(labels[Y1], labels[Y2], X, names=("old\udc80", "new")))
    sent: list[Any] = []
    monkeypatch.setattr(w, "send", sent.append)
    w._answer(w, {"id": "1", "kind": "save"}, [])
    w._answer(w, {"id": "2", "kind": "half\ud800"}, [])
    assert "page" in sent[0]
    assert "half\\ud800" in json.dumps(w.view, ensure_ascii=False).replace("\\\\", "\\")
    for message in (w.view, *sent, text_of(w.diff)):
        json.dumps(message, ensure_ascii=False).encode("utf-8")


# --- why the models differ ------------------------------------------------------------------------


class Linear:
    """A model of values that counts how often it is asked, and may fail."""

    def __init__(self, **weights: float) -> None:
        self.weights = weights
        self.calls = 0
        self.fails = False

    def __call__(self, table: Any) -> Any:
        self.calls += 1
        if self.fails:
            raise RuntimeError("the model is out of order")
        return sum(weight * table[name] for name, weight in self.weights.items())


WHY = {"kind": "explain", "rules": [], "node": "", "row": None, "more": False}


@pytest.fixture
def models() -> tuple[Linear, Linear]:
    return Linear(a=1.0, b=1.0), Linear(a=1.0, b=3.0)


@pytest.fixture
def asked(models: tuple[Linear, Linear], monkeypatch: pytest.MonkeyPatch) -> imd.DiffWidget:
    widget = imd.show(*models, X, names=("old", "new"), outputs="value", tolerance=1.0)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget.sent = sent
    return widget


def test_why_they_differ_on_all_rows(asked: imd.DiffWidget) -> None:
    why = ask(asked, id="1", **WHY)["why"]
    assert (why["rows"], why["text"], why["tolerance"]) == (400, "all rows", 1.0)
    assert (why["cannot"], why["waiting"], why["row"], why["ice"]) == (None, [], None, [])
    assert why["curves"][0]["column"] == "b", "the column they differ by"
    assert why["curves"][0]["moves"] > 0
    assert [round(curve["moves"], 9) for curve in why["curves"][1:]] == [0, 0]
    expected = asked.diff.explain().partial_dependence("b")
    assert [p["first"] for p in why["curves"][0]["points"]] == expected.first.tolist()
    assert [p["second"] for p in why["curves"][0]["points"]] == expected.second.tolist()


def test_why_they_differ_in_a_rule_in_rules_and_in_a_node(asked: imd.DiffWidget) -> None:
    d = asked.diff
    assert len(d.rules) > 1
    rule = d.rules[0]
    one = ask(asked, id="1", **{**WHY, "rules": [0], "node": "r"})["why"]
    assert one["rows"] == int(rule.mask(X).sum())
    asked_for = {curve["column"]: curve["interval"] for curve in one["curves"]}
    assert [name for name, interval in asked_for.items() if interval] == ["b"]
    both = ask(asked, id="2", **{**WHY, "rules": [0, 1]})["why"]
    assert both["rows"] == int((rule.mask(X) | d.rules[1].mask(X)).sum())
    node = ask(asked, id="3", **{**WHY, "node": rule.node})["why"]
    assert node["rows"] == int(d.reaches(rule.node).sum())


def test_why_a_row_gets_what_it_gets(asked: imd.DiffWidget) -> None:
    why = ask(asked, id="1", **{**WHY, "row": 7})["why"]
    assert why["row"]["row"] == 7
    assert [ice["position"] for ice in why["ice"]] == [0, 1, 2]
    assert {own["technique"] for own in why["fidelity"]} == {"random forest", "K-LIME"}
    codes = {reason["column"]: reason["klime"] for reason in why["row"]["reasons"]}
    assert codes["b"][1] == pytest.approx(3 * codes["b"][0], rel=0.05), "it counts three times"
    assert why["row"]["text"].startswith("old gives ")
    assert "R²" not in why["row"]["text"], "the fidelity stands by itself"
    without = ask(asked, id="2", **WHY)["why"]
    assert (without["row"], without["ice"], without["fidelity"]) == (None, [], [])
    assert without["importance"] is without["trees"] is None


def test_surrogates_come_if_they_are_asked_for(asked: imd.DiffWidget) -> None:
    why = ask(asked, id="1", **{**WHY, "surrogates": True})["why"]
    assert [own["technique"] for own in why["fidelity"]] == [
        "decision tree",
        "random forest",
        "K-LIME",
    ]
    assert why["importance"][0]["column"] == "b"
    assert why["importance"][0]["loco"][2] > 10 * why["importance"][1]["loco"][2]
    assert [tree["name"] for tree in why["trees"]] == ["old", "new", "the difference"]
    assert why["trees"][2]["nodes"][0]["question"].startswith("b ")
    assert why["row"] is None
    without = ask(asked, id="2", **WHY)["why"]
    assert without["fidelity"] == [], "they are not sent unasked"


def test_the_look_before_the_curves_can_be_cancelled(
    asked: imd.DiffWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imd_widget.explanations import ground

    go, begun, looked = threading.Event(), threading.Event(), []
    monkeypatch.setattr(ground, "CALL_ROWS", 100)
    walked = ground.walked

    def slow(*args: Any) -> Any:
        begun.set()
        assert go.wait(10)
        looked.append(args)
        return walked(*args)

    monkeypatch.setattr(ground, "walked", slow)

    async def kernel() -> None:
        asked._handle_custom_msg({"id": "1", **WHY}, [])
        await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
        asked._handle_custom_msg({"id": "2", "kind": "cancel", "of": "1"}, [])
        [answer] = await answers(asked, 1)
        assert answer == {"id": "1", "error": "Cancelled; nothing changed."}
        go.set()
        for _ in range(20):
            await asyncio.sleep(0.01)

    asyncio.run(kernel())
    assert len(looked) < 60, "a tenth of the walks, of which 500 calls would be made"


def test_more_columns_are_explained_if_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = pd.DataFrame(RNG.normal(size=(200, 11)), columns=list("abcdefghijk"))
    w = imd.show(Linear(a=1.0), Linear(a=2.0), wide, outputs="value", tolerance=0.5)
    w.sent = []
    monkeypatch.setattr(w, "send", w.sent.append)
    first = ask(w, id="1", **WHY)["why"]
    assert (len(first["curves"]), len(first["waiting"])) == (8, 3)
    every = ask(w, id="2", **{**WHY, "more": True})["why"]
    assert (len(every["curves"]), every["waiting"]) == (11, [])


def test_what_was_explained_is_remembered(
    asked: imd.DiffWidget, models: tuple[Linear, Linear]
) -> None:
    first = ask(asked, id="1", **{**WHY, "row": 7})
    calls = [model.calls for model in models]
    again = ask(asked, id="1", **{**WHY, "row": 7})
    assert again == first
    assert [model.calls for model in models] == calls


@pytest.mark.parametrize(
    "request_, message",
    [
        ({"rules": [99]}, "99"),
        ({"node": "rx"}, "rx"),
        ({"row": 4000}, "row=4000"),
    ],
)
def test_what_cannot_be_explained_says_so(
    asked: imd.DiffWidget, request_: dict[str, Any], message: str
) -> None:
    answer = ask(asked, id="1", **{**WHY, **request_})
    assert message in answer["error"]
    assert "why" in ask(asked, id="2", **WHY), "the widget goes on"


def test_few_rows_have_no_surrogates(asked: imd.DiffWidget) -> None:
    ids = asked.diff.tree.ids
    few = next((i for i in ids if asked.diff.reaches(i).sum() < 20), None)
    if few is None:
        asked.change(max_depth=6)
        few = next(i for i in asked.diff.tree.ids if asked.diff.reaches(i).sum() < 20)
    assert ask(asked, id="1", **{**WHY, "node": few})["why"]["contributions"]
    answer = ask(asked, id="2", **{**WHY, "node": few, "surrogates": True})
    assert "at least 20 are needed" in answer["error"]


def test_a_model_that_fails_is_told(asked: imd.DiffWidget, models: tuple[Linear, Linear]) -> None:
    models[1].fails = True
    assert "the model is out of order" in ask(asked, id="1", **WHY)["error"]
    models[1].fails = False
    assert ask(asked, id="2", **WHY)["why"]["curves"]


def test_of_arrays_there_are_no_curves_but_reason_codes(w: imd.DiffWidget) -> None:
    why = ask(w, id="1", **{**WHY, "row": 3})["why"]
    assert why["curves"] == why["waiting"] == []
    assert "array" in why["cannot"]
    assert why["row"]["row"] == 3


def test_explaining_ends_after_the_present_column_if_it_is_cancelled(
    asked: imd.DiffWidget, models: tuple[Linear, Linear], monkeypatch: pytest.MonkeyPatch
) -> None:
    from imd_widget.explanations import curve_room
    from imd_widget.models.pace import Pace

    go, begun, computed = threading.Event(), threading.Event(), []
    scores = curve_room.individual_scores

    def slow(*args: Any) -> Any:
        begun.set()
        assert go.wait(10)
        computed.append(args)
        return scores(*args)

    monkeypatch.setattr(curve_room, "individual_scores", slow)
    monkeypatch.setattr(Pace, "rows_within", lambda *_: 0)  # models that are very slow
    monkeypatch.setattr(curve_room, "in_threads", lambda _: False)

    async def kernel() -> None:
        asked._handle_custom_msg({"id": "1", **WHY}, [])
        await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
        asked._handle_custom_msg({"id": "2", "kind": "cancel", "of": "1"}, [])
        [answer] = [one for one in await answers(asked, 2) if "error" in one]
        assert answer == {"id": "1", "error": "Cancelled; nothing changed."}
        go.set()
        for _ in range(20):
            await asyncio.sleep(0.01)

    asyncio.run(kernel())
    assert len(computed) == 1


def test_progress_is_told_by_column(asked: imd.DiffWidget) -> None:
    async def kernel() -> None:
        asked._handle_custom_msg({"id": "1", **WHY}, [])
        await answers(asked, 16)

    asyncio.run(kernel())
    done = [m["progress"]["done"] for m in asked.sent if "progress" in m]
    assert done == list(range(1, 16))
    assert asked.sent[0]["progress"]["total"] == 15, "contributions, conditions, row, three curves"


# --- contributions, what if, interactions ---------------------------------------------------------


def test_contributions_come_before_curves(asked: imd.DiffWidget) -> None:
    first = ask(asked, id="1", **{**WHY, "rules": [0], "curves": False, "max_calls": 2000})["why"]
    assert first["curves"] == []
    assert first["waiting"], "the columns whose curves may follow"
    found = first["contributions"]
    assert found["asked"] <= 2000
    total = found["base_gap"] + sum(one["difference"] for one in found["columns"])
    assert total == pytest.approx(found["gap"], abs=1e-9)
    assert found["columns"][0]["column"] == "b"
    [condition] = first["conditions"]
    assert condition["column"] == "b"
    assert condition["sentence"].startswith("If b were ")
    assert len(condition["inside"]) == len(condition["curve"]["points"])
    more = ask(asked, id="2", **{**WHY, "rules": [0], "curves": False, "max_calls": 20_000})["why"]
    assert more["contributions"]["asked"] > found["asked"]
    assert more["contributions"]["columns"][0]["error"] <= found["columns"][0]["error"]


def test_a_row_has_contributions_before_reason_codes(asked: imd.DiffWidget) -> None:
    why = ask(asked, id="1", **{**WHY, "row": 7, "curves": False})["why"]
    assert why["row"] is None
    assert [one["value"] for one in why["row_contributions"]["columns"]]
    assert why["row_contributions"]["rows"] == 1


def test_a_row_is_edited_and_restored(asked: imd.DiffWidget) -> None:
    opened = ask(asked, id="1", kind="what_if", row=7)["what_if"]
    assert not any(own["changed"] for own in opened["fields"])
    assert opened["said"] == opened["said_before"] == list(asked.diff.trace(7).said)
    assert opened["nodes"] == list(asked.diff.trace(7).nodes)
    edited = ask(asked, id="2", kind="what_if", row=7, values={"1": "2.5"})["what_if"]
    [change] = [own for own in edited["fields"] if own["changed"]]
    assert (change["column"], change["value"]) == ("b", "2.5")
    assert edited["said_before"] == opened["said"]
    assert edited["scores"] != opened["scores"]
    assert edited["contributions"]["level"] == pytest.approx(edited["scores"])
    assert ask(asked, id="3", kind="what_if", row=7) == {"id": "3", "what_if": opened}


@pytest.mark.parametrize(
    "request_, message",
    [
        ({"values": {"1": "much"}}, "the column holds numbers"),
        ({"values": {"99": "1"}}, "columns are numbered 0 to 2"),
        ({"row": 4000}, "row=4000"),
    ],
)
def test_bad_edits_are_refused_and_nothing_is_lost(
    asked: imd.DiffWidget, request_: dict[str, Any], message: str
) -> None:
    assert message in ask(asked, id="1", **{"kind": "what_if", "row": 7, **request_})["error"]
    assert "what_if" in ask(asked, id="2", kind="what_if", row=7)


def test_the_smallest_change_fills_the_editor(asked: imd.DiffWidget) -> None:
    row = int(np.flatnonzero(asked.diff.differs)[0])
    change = ask(asked, id="1", kind="smallest_change", row=row)["change"]
    assert change["found"]
    values = {str(f["position"]): f["value"] for f in change["what_if"]["fields"] if f["changed"]}
    again = ask(asked, id="2", kind="what_if", row=row, values=values)["what_if"]
    assert not again["differs"], "the value as text does the same"


def test_pairs_and_maps_are_sent(asked: imd.DiffWidget) -> None:
    found = ask(asked, id="1", kind="interactions", rules=[0])["interactions"]
    assert found["note"]
    drawn = ask(asked, id="2", kind="map", rules=[0], columns=[1, 0])["map"]
    assert (drawn["x"]["column"], drawn["y"]["column"]) == ("b", "a")
    assert len(drawn["difference"]) == len(drawn["y"]["texts"])
    assert not all(drawn["x"]["inside"])
    assert "columns=[0, 9]" in ask(asked, id="3", kind="map", columns=[0, 9])["error"]
