"""The contract: what Python sends has the types of the schema, which TypeScript reads too."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, get_args

import anywidget
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.plain import json_names
from imd_widget.export.html import contents
from imd_widget.views import schema
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from imd_widget.widget.handlers import HANDLERS, job_of
from tests.examples import examples
from tests.unit.conformance import departures
from tests.unit.example_views import EXAMPLES
from tests.unit.strategies import Problem, problems
from tools.generate_schema import FILE, schema_text, ts_type

GOLDEN = Path(__file__).parents[1] / "golden"
#: What each file holds; the others hold no view: a diff as a file, texts of rules, boxes.
GOLDEN_TYPES: dict[str, Any] = {
    "quickstart.json": schema.DiffView,
    "packed.json": schema.PackedView,
    "page.json": schema.PageContents,
    **{f"views/{name}.json": schema.PackedView for name in EXAMPLES},
}
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "c"])
Y1 = (X["a"] + X["b"] > 0).to_numpy(int)
SCORE = 2 * X["a"] + X["c"]
Y2 = (X["a"] - 0.5 * X["c"] > 0.2).to_numpy(int)


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


# --- TypeScript -----------------------------------------------------------------------------------


def test_the_typescript_is_what_the_generator_writes() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), (
        f"{FILE.name} is not what the records say. Write it anew: python tools/generate_schema.py"
    )


@pytest.mark.parametrize(
    "hint, text",
    [
        (str | None, "string | null"),
        (list[str | None], "(string | null)[]"),
        (list[tuple[str, str]], "[string, string][]"),
        (tuple[float, float, float], "[number, number, number]"),
        (tuple[float, ...], "number[]"),
        (tuple[tuple[str, int], ...], "[string, number][]"),
        (schema.Side, "Side"),
        (schema.Side | None, "Side | null"),
        (dict[str, bool], "Record<string, boolean>"),
        (dict[schema.MessageKind, str], "Partial<Record<MessageKind, string>>"),
        (schema.Columns[schema.NodeView], "Columns<NodeView>"),
    ],
)
def test_types_in_typescript(hint: Any, text: str) -> None:
    assert ts_type(hint) == text


def test_a_type_without_counterpart_is_refused() -> None:
    with pytest.raises(TypeError, match="has no counterpart in TypeScript"):
        ts_type(bytes)


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOLDEN_TYPES)
def test_goldens_have_the_types_of_the_schema(name: str) -> None:
    assert departures(golden(name), GOLDEN_TYPES[name]) == []


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(), method=st.sampled_from(["calibrated", "imd", "separate", "direct"]))
def test_views_have_the_types_of_the_schema(problem: Problem, method: Any) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method=method, **problem.options)
    refined = d.refine()
    for view in (view_of(d), view_of(refined, d, undoable=True), view_of(d, redact=True)):
        assert departures(view, schema.DiffView) == []
        assert departures(packed(view), schema.PackedView) == []


@pytest.mark.parametrize(
    "options",
    [
        {"outputs": "value", "tolerance": 0.3},
        {"outputs": "value", "tolerance": 0.3, "y": 2 * X["a"] + 1},
        {"sample_weight": RNG.random(300)},
        {"y": Y2},
    ],
)
def test_views_of_other_outputs_have_the_types_of_the_schema(options: dict[str, Any]) -> None:
    both = (SCORE, SCORE + X["b"].clip(0)) if "outputs" in options else (Y1, Y2)
    d = imd.diff(*both, X, max_depth=3, **options)
    assert d.rules
    assert departures(view_of(d), schema.DiffView) == []
    assert departures(contents(d, (), 1, 20), schema.PageContents) == []
    assert departures(contents(d, (), 0, 0), schema.PageContents) == []


PLACES: list[tuple[Any, ...]] = [
    ("version",),
    ("names", 0),
    ("outputs", "kind"),
    ("headline", "tone"),
    ("metrics", "fidelity", 1),
    ("options", "max_depth"),
    ("nodes", 0, "side"),
    ("nodes", 0, "edge"),
    ("nodes", 0, "region"),
    ("nodes", 0, "counts", 0, 0, 2),
    ("nodes", 0, "bars", "same", 0),
    ("rules", 0, "leaves", 0, 1),
    ("rules", 0, "rate"),
    ("conditions", 0, "query"),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_a_wrong_type_is_noticed_and_named(place: tuple[Any, ...]) -> None:
    view = golden("quickstart.json")
    parent = view
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = ["wrong"]
    [found] = departures(view, schema.DiffView)
    assert found.startswith("DiffView" + "".join(_step(step) for step in place))


def _step(step: Any) -> str:
    return f"[{step}]" if isinstance(step, int) else f".{step}"


def test_more_that_is_noticed() -> None:
    view = golden("quickstart.json")
    for change, text in (
        (lambda v: v.pop("right"), "DiffView: no field right"),
        (lambda v: v.update(more=1), "DiffView: unknown field more"),
        (lambda v: v["names"].append("third"), "DiffView.names: 3 items, not 2"),
        (lambda v: v["nodes"][0].update(rows=3.5), "DiffView.nodes[0].rows: 3.5 is not"),
        (lambda v: v["nodes"][0].update(rows=True), "DiffView.nodes[0].rows: True is not"),
        (lambda v: v["nodes"][0].update(rate=float("nan")), "DiffView.nodes[0].rate: nan is not"),
        (lambda v: v["nodes"][0].update(kind="fork"), "DiffView.nodes[0].kind: 'fork' is not"),
        (lambda v: v["lacks"].update(dance="no"), "DiffView.lacks key: 'dance' is not"),
    ):
        changed = copy.deepcopy(view)
        change(changed)
        assert any(found.startswith(text) for found in departures(changed, schema.DiffView)), text


def test_wrong_columns_are_noticed() -> None:
    for change, text in (
        (lambda n: n["fields"].update(rows=None), "PackedView.nodes.rows: None is not"),
        (lambda n: n["fields"].pop("rows"), "PackedView.nodes: no field rows"),
        (lambda n: n["fields"].update(rules=None), "PackedView.nodes: unknown field rules"),
        (lambda n: n["fields"]["id"].pop(), "PackedView.nodes.id: "),
        (lambda n: n["fields"]["id"].__setitem__(2, 7), "PackedView.nodes.id[2]: 7 is not"),
    ):
        view = golden("packed.json")
        change(view["nodes"])
        assert any(found.startswith(text) for found in departures(view, schema.PackedView)), text


# --- traits and messages --------------------------------------------------------------------------


def test_the_traits_of_the_widget_are_those_of_the_schema() -> None:
    w = imd.show(Y1, Y2, X, max_depth=2)
    own = [name for name in w.traits(sync=True) if not name.startswith("_")]
    ours = {name for name in own if name not in anywidget.AnyWidget.class_traits()}
    assert ours == set(json_names(schema.WidgetState))
    w.trace(3)
    w.selected_rules, w.selected_node, w.folds = [0], "r", {"r": True}
    w.filters = {"text": "a", "column": "b", "outcome": "0,1", "order": "rate"}
    assert departures({name: getattr(w, name) for name in ours}, schema.WidgetState) == []


@pytest.mark.parametrize(
    "trait, hint",
    [("theme", schema.Theme), ("orientation", schema.Orientation), ("tab", schema.Tab)],
)
def test_a_trait_takes_the_values_of_the_schema(trait: str, hint: Any) -> None:
    assert tuple(imd.DiffWidget.class_traits()[trait].values) == get_args(hint)


def test_every_kind_of_message_is_listed_once() -> None:
    assert tuple(schema.MESSAGES) == get_args(schema.MessageKind)


def test_every_kind_of_message_has_a_handler() -> None:
    # "cancel" stops the widget's own threads, and is not work itself
    assert set(HANDLERS) == set(schema.MESSAGES) - {"cancel"}


REQUESTS: dict[str, dict[str, Any]] = {
    "hello": {},
    "refine": {},
    "undo": {},
    "save": {},
    "change": {"options": {"max_depth": 2, "sensitivity": None}},
    "trace": {"row": 7},
    "rows": {
        "rules": [0],
        "node": "",
        "start": 0,
        "count": 5,
        "sort": {"column": 1, "descending": True},
        "differing": False,
    },
    "csv": {"rules": [0], "node": "", "sort": None, "differing": True},
    "histograms": {"rules": [0]},
    "growth": {},
    "stability": {},
    "alternatives": {},
    "cohort": {"condition": "a < 5"},
    "explain": {"rules": [0], "node": "", "row": None, "more": False, "surrogates": False}
    | {"curves": True, "max_calls": 5000},
    "interactions": {"rules": [0], "node": ""},
    "map": {"rules": [0], "node": "", "columns": [0, 1]},
    "what_if": {"row": 7, "values": {"0": "3"}},
    "smallest_change": {"row": 7},
    "pair": {"pair": [1, 0]},
}


@pytest.mark.parametrize("kind", HANDLERS)
def test_an_answer_has_the_types_of_the_schema(kind: Any) -> None:
    w = imd.show(Y1, Y2, X, max_depth=2, rule_cost=0)
    w.refine()
    if kind in ("interactions", "map", "what_if", "smallest_change"):  # they call the models
        w = imd.show(lambda t: t["a"] > 0, lambda t: t["a"] > 0.7, X)
    if kind == "pair":  # only a widget of several models has one
        w = imd.show(imd.compare([Y1, Y2], X, max_depth=2), picture=False)
    message = schema.MESSAGES[kind]
    request = {"kind": kind, **REQUESTS[kind]}
    assert departures(request, message.request) == []
    before = w.get_state()
    work, finish = job_of(w._context, request)
    result = work()
    assert w.get_state() == before, "work runs in another thread, so it changes nothing"
    assert departures(finish(result), message.answer) == []
    assert (w.get_state() != before) == message.changes


@pytest.mark.parametrize("kind", HANDLERS)
def test_a_diff_without_rows_lacks_what_needs_them(kind: Any, tmp_path: Path) -> None:
    w = imd.show(imd.load(imd.diff(Y1, Y2, X, max_depth=2).save(tmp_path / "diff.json")))
    assert (kind in w.view["lacks"]) == schema.MESSAGES[kind].needs_rows
    if kind not in ("undo", "pair"):
        work, finish = job_of(w._context, {"kind": kind, **REQUESTS[kind]})
        if schema.MESSAGES[kind].needs_rows:
            with pytest.raises(imd.InputError, match="rows"):
                work()
        else:
            finish(work())
