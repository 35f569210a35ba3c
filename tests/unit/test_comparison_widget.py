"""The widget of more than two models: each pair keeps what was done to it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import pytest
from matplotlib import pyplot

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.views import schema
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from imd_widget.widget import pair_view_states
from imd_widget.widget.comparison_widget import ComparisonWidget
from imd_widget.widget.handlers import job_of
from imd_widget.widget.pair_view_states import PAIR_TRAITS
from tests.unit.conformance import departures
from tests.unit.example_comparisons import six, two
from tests.unit.test_comparison_views import data_of
from tests.unit.test_widget import answers, ask


@pytest.fixture
def w(monkeypatch: pytest.MonkeyPatch) -> Any:
    widget = imd.show(six(), picture=False)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget.sent = sent
    return widget


def test_show_takes_a_comparison(w: Any) -> None:
    assert isinstance(w, ComparisonWidget)
    assert isinstance(w, imd.DiffWidget)
    assert (w.diff, w.pair, w.matrix_order) == (None, [], "similarity")
    assert w.comparison["names"] == list(six().names)
    with pytest.raises(imd.InputError, match=r"imd\.show\(c\) takes no models, table or options"):
        imd.show(six(), max_depth=2)
    with pytest.raises(imd.InputError, match="expects a ModelComparison, got int"):
        ComparisonWidget(3)  # type: ignore[arg-type]


def test_the_traits_are_those_of_the_schema(w: Any) -> None:
    own = {n for n in w.traits(sync=True) if n in ComparisonWidget.__dict__}
    assert own == set(get_type_hints(schema.ComparisonTraits))
    w.open("LR", "GB")
    assert departures({name: getattr(w, name) for name in own}, schema.ComparisonTraits) == []
    assert {*PAIR_TRAITS, "orientation"} == set(get_type_hints(schema.PageState))


@pytest.mark.parametrize("action", ["refine", "undo", "trace", "stability", "selected_rows"])
def test_without_a_pair_it_says_how_to_open_one(w: Any, action: str) -> None:
    actions = {
        "refine": w.refine,
        "undo": w.undo,
        "trace": lambda: w.trace(0),
        "stability": w.measure_stability,
        "selected_rows": lambda: w.selected_rows,
    }
    with pytest.raises(imd.InputError, match=r"No pair is open; use w\.open\('LR', 'RF'\)"):
        actions[action]()
    assert "No pair is open" in ask(w, id="1", kind="refine")["error"]


def test_the_diff_follows_the_pair(w: Any) -> None:
    c = six()
    assert w.open("LR", "by hand") is w.diff is c["LR", "by hand"]
    assert w.pair == [0, 3]
    assert w.view == to_json(packed(view_of(w.diff)))
    assert w.open(3, 0) is w.diff is c["by hand", "LR"]
    assert w.pair == [3, 0]
    assert w.diff.names == ("by hand", "LR")
    for unknown, message in ((("LR", "XY"), "no model 'XY'"), (("LR", "LR"), "from itself")):
        with pytest.raises(imd.InputError, match=message):
            w.open(*unknown)
    with pytest.raises(imd.InputError):
        w.open("LR")
    assert w.pair == [3, 0]


def test_each_pair_keeps_its_own_state(w: Any) -> None:
    w.open("LR", "by hand")
    refined = w.refine()
    w.selected_rules, w.tab, w.folds = [0], "Rows", {"r": True}
    w.filters, w.differences_only = {"text": "age"}, False
    w.trace(7)
    traced = w.traced
    w.open("RF", "without cooks")
    assert {name: getattr(w, name) for name in PAIR_TRAITS} == dict(PAIR_TRAITS)
    assert w.diff.refinements == 0
    with pytest.raises(imd.InputError, match="Nothing to undo"):
        w.undo()
    w.selected_node = w.diff.tree.ids[1]

    w.open("LR", "by hand")
    assert w.diff is refined
    assert (w.selected_rules, w.tab, w.folds) == ([0], "Rows", {"r": True})
    assert (w.filters, w.differences_only, w.traced) == ({"text": "age"}, False, traced)
    assert w.undo().refinements == 0
    w.open("RF", "without cooks")
    assert w.selected_node == w.diff.tree.ids[1]


def test_what_is_kept_does_not_grow_with_the_messages(
    w: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view_states, "MOST_PAIRS", 4)
    monkeypatch.setattr(pair_view_states, "MOST_STEPS", 2)
    random = Random(0)
    for number in range(60):
        pair = random.sample(range(6), 2)
        ask(w, id=str(number), kind="pair", pair=pair)
        depth = {"max_depth": random.choice([1, 2, 3])}
        ask(w, id=f"{number} changed", kind="change", options=depth)
        ask(w, id=f"{number} rows", kind="rows", rules=[0], node="")
        ask(w, id=f"{number} cancelled", kind="cancel", of="0")
    kept = w._kept()
    assert len(w._states) <= 4
    assert list(kept)[-1] == tuple(w.pair)
    assert sum(len(state.snapshot.past) for state in w._states.values()) <= 2
    assert not w._tasks
    assert not w._stops
    forgetful = [pair for pair, state in kept.items() if state.snapshot.forgotten]
    assert forgetful
    w.open(*forgetful[0])
    for _ in w._snapshot.past:
        w.undo()
    assert not w.view["refinement"]["undoable"]
    assert "Nothing to undo: at most" in ask(w, id="undo", kind="undo")["error"]


def test_what_was_never_changed_is_not_shared(w: Any) -> None:
    w.open(0, 1)
    w.folds = {**w.folds, "r": True}
    w.selected_rules = [*w.selected_rules, 0]
    w.open(0, 2)
    assert (w.folds, w.selected_rules) == ({}, [])


def test_a_pair_is_opened_in_one_update(w: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    w.open("LR", "RF")
    w.selected_rules = [0]
    seen: list[Any] = []
    updates: list[Any] = []
    w.observe(lambda _: seen.append((w.pair, w.diff.names, w.selected_rules)), ["diff", "pair"])
    monkeypatch.setattr(w, "_send", lambda message, buffers=None: updates.append(message))
    w.open("LR", "by hand")
    assert {str(one) for one in seen} == {str(([0, 3], ("LR", "by hand"), []))}
    states = [one["state"] for one in updates if one.get("method") == "update"]
    assert len(states) == 1
    assert {"pair", "view", "selected_rules"} <= set(states[0])


def test_a_message_opens_a_pair(w: Any) -> None:
    assert ask(w, id="1", kind="pair", pair=[0, 3]) == {"id": "1"}
    assert (w.pair, w.diff) == ([0, 3], six()["LR", "by hand"])
    w.selected_rules = [0]
    assert ask(w, id="2", kind="pair", pair=[1, 2]) == {"id": "2"}
    assert ask(w, id="3", kind="pair", pair=[0, 3]) == {"id": "3"}
    assert w.selected_rules == [0]
    # what is open already stays as it is
    assert ask(w, id="4", kind="pair", pair=[0, 3]) == {"id": "4"}
    assert w.selected_rules == [0]


@pytest.mark.parametrize("pair", [[0, 0], [0, 99], [0], "ab", None, [0, 1, 2], [True, 0]])
def test_a_pair_that_is_none_is_an_error_and_nothing_is_lost(w: Any, pair: Any) -> None:
    w.open(0, 1)
    w.selected_rules = [0]
    assert ask(w, id="1", kind="pair", pair=pair)["error"]
    assert (w.pair, w.selected_rules) == ([0, 1], [0])


def test_an_error_of_a_pair_is_told_and_nothing_is_lost(
    w: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    w.open(0, 1)
    w.selected_rules = [0]

    def fails(*_: Any) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(imd.ModelComparison, "__getitem__", fails)
    assert ask(w, id="1", kind="pair", pair=[0, 3]) == {"id": "1", "error": "out of order"}
    assert (w.pair, w.selected_rules) == ([0, 1], [0])
    assert ask(w, id="2", kind="pair", pair=[1, 0])["error"] == "out of order"


def test_a_diff_has_no_other_pair() -> None:
    w = imd.show(two()["old", "new"], picture=False)
    with pytest.raises(imd.InputError, match="it has no other pairs"):
        job_of(w._context, {"kind": "pair", "pair": [0, 1]})


def test_the_browser_sets_no_pair(w: Any) -> None:
    w.open(0, 1)
    data = {"method": "update", "state": {"pair": [0, 2]}, "buffer_paths": []}
    w._handle_msg({"content": {"data": data}, "buffers": []})
    assert (w.pair, w.diff.names) == ([0, 1], ("LR", "RF"))


class SlowDiffs:
    """Diffs that are not made before ``go`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        made = imd.ModelComparison.__getitem__

        def slow(c: imd.ModelComparison, pair: Any) -> imd.ModelDiff:
            self.go.wait(30)
            return made(c, pair)

        monkeypatch.setattr(imd.ModelComparison, "__getitem__", slow)


def test_a_pair_can_be_cancelled(w: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    w.open(0, 1)
    slow = SlowDiffs(monkeypatch)

    async def kernel() -> None:
        w._handle_custom_msg({"id": "1", "kind": "pair", "pair": [0, 3]}, [])
        await asyncio.sleep(0.05)
        w._handle_custom_msg({"id": "s", "kind": "cancel", "of": "1"}, [])
        [answer] = await answers(w, 1)
        assert answer["id"] == "1"
        assert "Cancelled" in answer["error"]
        slow.go.set()
        await asyncio.sleep(0.1)

    asyncio.run(kernel())
    assert w.pair == [0, 1]


def test_what_ends_after_another_pair_was_opened_is_kept_for_its_own(w: Any) -> None:
    """A refinement and a stability that the user did not wait for."""
    w.open("LR", "by hand")
    w.selected_rules = [0]
    work, finish = job_of(w._context, {"id": "1", "kind": "refine"})
    refined = work()
    w.open("LR", "RF")
    finish(refined)
    assert (w.pair, w.diff.refinements) == ([0, 1], 0)
    w.open("LR", "by hand")
    assert (w.diff, w.selected_rules) == (refined.diff, [0])

    work, finish = job_of(w._context, {"id": "2", "kind": "stability"})
    found = work()
    w.open("LR", "RF")
    finish(found)
    assert w.stability is None
    w.open("LR", "by hand")
    assert w.stability["n"] == 20
    # a second refinement of the same step comes too late
    with pytest.raises(imd.InputError, match="The view has changed"):
        w._replace(imd.show(two()["old", "new"], picture=False)._snapshot, refined)


def test_a_page_opens_as_the_widget_was_left(w: Any, tmp_path: Path) -> None:
    w.open("RF", "LR")
    w.selected_rules, w.tab = [0], "Node"
    w.open("LR", "by hand")
    w.matrix_order, w.orientation = "given", "down"
    path = w.save(tmp_path / "compare.html", refinements=0)
    data = data_of(path.read_text(encoding="utf-8"))
    assert (data["pair"], data["matrix_order"]) == ([0, 3], "given")
    assert {"1,0", "0,3"} <= set(data["pairs"])
    held = data["pairs"]["1,0"]
    assert (held["selected_rules"], held["tab"], held["orientation"]) == ([0], "Node", "down")
    only = data_of(w.save(tmp_path / "one.html", pairs=[(1, 2)]).read_text(encoding="utf-8"))
    assert (list(only["pairs"]), only["pair"]) == (["1,2", "2,1"], [1, 2])


def test_the_button_saves_the_same_page_and_tells_how_far_it_is(w: Any) -> None:
    async def kernel() -> list[Any]:
        w._handle_custom_msg({"id": "1", "kind": "save"}, [])
        while not (w.sent and "page" in w.sent[-1]):
            await asyncio.sleep(0.02)
        return list(w.sent)

    *progress, answer = asyncio.run(kernel())
    assert [one["progress"] for one in progress] == [{"done": n, "total": 5} for n in range(1, 6)]
    assert len(data_of(answer["page"])["pairs"]) == 10


def test_the_static_preview_is_drawn_once() -> None:
    """A figure that pyplot knows would be shown by the inline backend below the widget."""
    pyplot.close("all")
    imd.show(six())._repr_mimebundle_()
    assert pyplot.get_fignums() == []


def test_the_static_preview_shows_the_matrix() -> None:
    w = imd.show(six())
    data, _ = w._repr_mimebundle_()
    assert data["text/plain"] == six().summary()
    assert 'id="imd-widget-picture"' in data["image/svg+xml"]
    for name in six().names[:3]:
        assert name in data["image/svg+xml"]
    assert {"image/png", "application/pdf"} <= set(data)
    bare, _ = imd.show(six(), picture=False)._repr_mimebundle_()
    assert bare["text/plain"] == six().summary()
    assert "image/png" not in bare


def test_a_comparison_from_a_file_opens_the_pairs_that_it_holds(tmp_path: Path) -> None:
    path = six().save(tmp_path / "compare.json", pairs=[("LR", "by hand"), ("LR", "RF")])
    w: Any = imd.show(imd.load(path), picture=False)
    assert w.comparison["openable"] == [[0, 3], [0, 1]]
    assert w.comparison["why_not"]
    assert w.open("LR", "by hand").rules == six()["LR", "by hand"].rules
    with pytest.raises(imd.InputError, match="no diff"):
        w.open("RF", "GB")
    with pytest.raises(imd.InputError, match="only in the other order"):
        w.open("by hand", "LR")
    assert w.pair == [0, 3]
    data = data_of(w.save(tmp_path / "compare.html").read_text(encoding="utf-8"))
    assert sorted(data["pairs"]) == ["0,1", "0,3"]
