"""The main states of the widget, each on its own page: for regression tests and the docs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, Page

import imd_widget as imd
from imd_widget._base.errors import InputError
from imd_widget._base.plain import to_json
from imd_widget.widget.comparison_widget import ComparisonWidget
from imd_widget.widget.handlers import job_of
from imd_widget.widget.pair_view_states import PAIR_TRAITS
from tests.e2e.stub_widget import PATIENCE, StubWidget, open_stub_page
from tests.unit.example_comparisons import six, thirty

Touch = Callable[[StubWidget, imd.DiffWidget], None]


def nothing(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """Look only."""
    del stub, widget


@dataclass(frozen=True)
class State:
    """A widget as a user has brought it about."""

    #: Makes a diff, or a comparison of more than two models.
    diff: Callable[[], Any]
    traits: dict[str, Any] = field(default_factory=dict)
    touch: Touch = nothing
    width: int = 1100
    height: int | None = 560
    #: Of the window; None for that of the widget and its margins.
    window: int | None = None


@cache
def cancer() -> imd.ModelDiff:
    """The example of the README."""
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, y=pair.y)


@cache
def paper() -> imd.ModelDiff:
    """The same by the paper's own method: or-nodes with branches."""
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, method="imd", max_depth=4)


@cache
def prices() -> imd.ModelDiff:
    """Values: two made-up tariffs that part where it is far and heavy."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "distance": rng.gamma(3, 120, 4000).round(),
            "weight": rng.gamma(2, 9, 4000).round(1),
            "express": rng.choice(["no", "yes"], 4000, p=[0.8, 0.2]),
        }
    )
    old = 4 + 0.02 * X["distance"] + 0.4 * X["weight"] + 6 * (X["express"] == "yes")
    far = (X["distance"] > 480) & (X["weight"] > 18)
    new = np.where(far, old * 0.8, np.where((X["express"] == "yes") & far, old * 1.1, old))
    return imd.diff(old.to_numpy(), new, X, names=("2023", "2024"), tolerance=1)


@cache
def risks() -> imd.ModelDiff:
    """Probabilities of the same two models."""
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(
        pair.m1,
        pair.m2,
        pair.X,
        names=pair.names,
        outputs="proba",
        pos_label="malignant",
        tolerance=0.35,
        y=pair.y,
    )


def digits(n_classes: int, names: list[str] | None = None) -> imd.ModelDiff:
    """Many classes on a ring; the second model turns a part of it by one."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(3000, 3)), columns=["east", "north", "height"])
    turn = np.arctan2(X["north"].to_numpy(), X["east"].to_numpy()) / (2 * np.pi) % 1
    y1 = (turn * n_classes).astype(int).clip(0, n_classes - 1)
    y2 = np.where(X["height"] > 0.6, (y1 + 1) % n_classes, y1)
    return imd.diff(y1, y2, X, names=("old", "new"), class_names=names)


@cache
def eight() -> imd.ModelDiff:
    return digits(
        8, ["north", "north-east", "east", "south-east", "south", "south-west", "w", "nw"]
    )


@cache
def forty() -> imd.ModelDiff:
    return digits(40, [f"district {i}" for i in range(40)])


@cache
def groups() -> imd.ModelDiff:
    """A model against the ground truth, wrong nearly everywhere, by town."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {"age": rng.integers(18, 90, 1600), "town": rng.choice(["Bonn", "Rome", "Oslo"], 1600)}
    )
    truth = rng.random(1600) < 0.5
    right = (X["age"] < 40) & (X["town"] != "Rome")
    said = truth ^ (rng.random(1600) < np.where(right, 0.08, 0.92))
    word = {True: "yes", False: "no"}
    return imd.diff(
        [word[bool(one)] for one in said],
        [word[bool(one)] for one in truth],
        X,
        names=("model", "truth"),
        by="town",
    )


def hostile_words() -> dict[str, str]:
    """Texts that have broken other people's pages, by what they are."""
    return {
        "markup": '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>',
        "quotes": "\"it's\" `quoted` & 'more'",
        "emoji": "👩‍👩‍👧‍👦 🇩🇪 ❤️",
        "right to left": "עברית \u202e reversed العربية",
        "prototype": "__proto__",
        "long": "a very long name " * 12,
    }


@cache
def hostile() -> imd.ModelDiff:
    """Columns, categories, classes and models with names of that kind."""
    words = list(hostile_words().values())
    rng = np.random.default_rng(2)
    X = pd.DataFrame({word: rng.uniform(size=2000) for word in words})
    X["constructor"] = rng.choice(words, 2000)
    first = np.array(words, dtype=object)[(X[words[0]] * len(words)).astype(int).to_numpy()]
    odd = X["constructor"].isin(words[:2]).to_numpy() | (X["__proto__"] > 0.8).to_numpy()
    second = np.where(odd, words[4], first)
    return imd.diff(first, second, X, names=(words[0], words[-1]))


def with_rows(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The rows of the first rule, and one of them traced."""
    stub.root.get_by_role("tab", name="Rows").click()
    serve(stub, widget, 1)
    stub.root.locator("tbody tr").nth(2).click()
    serve(stub, widget, 2)


def answer_of(widget: imd.DiffWidget, message: dict[str, Any]) -> dict[str, Any]:
    """The fields of the kernel's answer to a message."""
    work, finish = job_of(widget._context, message)
    return cast(dict[str, Any], to_json(finish(work())))


def serve(stub: StubWidget, widget: imd.DiffWidget, count: int) -> None:
    """Answer the last of so many messages as the kernel would."""
    message = stub.wait_sent(count)[count - 1]
    answer = answer_of(widget, message)
    stub.push("traced", widget.traced)
    stub.answer({"id": message["id"], **answer})


def serve_open(stub: StubWidget, widget: imd.DiffWidget, at_least: int = 1) -> None:
    """Answer open messages as the kernel would, and those that follow from the answers.

    There are at least so many of them.
    """
    served = 0
    deadline = time.monotonic() + PATIENCE
    while served < at_least or stub.unanswered:
        assert time.monotonic() < deadline, f"{served} messages instead of {at_least}"
        for message in stub.unanswered:
            try:
                answer = answer_of(widget, message)
            except InputError as error:
                answer = {"error": str(error)}
            stub.push("traced", widget.traced)
            stub.answer({"id": message["id"], **answer})
            served += 1
        stub.page.wait_for_timeout(100)


def refined(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """One step of refinement."""
    stub.root.get_by_test_id("imd-refine").click()
    message = stub.wait_sent(1)[0]
    widget.refine()
    stub.push("view", widget.view)
    stub.answer({"id": message["id"]})


def with_columns(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The columns of the selected rule, inside against outside."""
    stub.root.get_by_role("tab", name="Node").click()
    serve(stub, widget, 1)
    histograms = stub.root.get_by_test_id("imd-histograms")
    histograms.evaluate("(part) => part.scrollIntoView({ block: 'start' })")


def with_cohort(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """A condition of the user's own, measured."""
    field = stub.root.get_by_test_id("imd-cohort")
    field.fill("`worst area` < 700 and `worst texture` > 30")
    field.press("Enter")
    serve(stub, widget, 1)


def with_why(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """Why the models differ on the selected rows: a quick answer, then a precise one."""
    stub.root.get_by_role("tab", name="Why").click()
    serve_open(stub, widget, 2)


def opened(stub: StubWidget, widget: imd.DiffWidget, part: str) -> Locator:
    """A part of the tab Why that comes on demand."""
    found = stub.root.get_by_test_id(part)
    found.locator(".imd-disclosure").click()
    serve_open(stub, widget)
    return found


def with_surrogates(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """Columns by importance, and decision trees, of both models and of their difference."""
    with_why(stub, widget)
    part = opened(stub, widget, "imd-surrogates-part")
    part.evaluate("(part) => part.scrollIntoView({ block: 'start' })")


def with_map(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The pairs of columns that interact most, and a map of the difference for the first."""
    with_why(stub, widget)
    part = opened(stub, widget, "imd-pairs")
    part.evaluate("(part) => part.scrollIntoView({ block: 'start' })")


def with_row(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The contributions to both models' scores of one of the rows."""
    with_why(stub, widget)
    rows = widget.diff.differs & widget.diff.covered(widget.selected_rules or [0])
    widget.trace(int(np.flatnonzero(rows)[1]))
    stub.push("traced", widget.traced)
    stub.root.get_by_test_id("imd-why-row").wait_for()
    serve_open(stub, widget)


def with_smallest_change(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The row with the smallest change after which the models agree."""
    with_row(stub, widget)
    stub.root.get_by_test_id("imd-smallest").click()
    serve_open(stub, widget)
    stub.root.get_by_test_id("imd-smallest-text").wait_for()
    serve_open(stub, widget, 0)
    editor = stub.root.get_by_test_id("imd-editor")
    editor.evaluate("(part) => part.scrollIntoView({ block: 'end' })")


@cache
def stability_of(diff: Callable[[], imd.ModelDiff]) -> Any:
    """How often the rules of a diff are found again."""
    widget = imd.show(diff())
    widget.measure_stability()
    return widget.stability


def with_stability(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """How often each rule is found again."""
    del widget
    stub.root.get_by_test_id("imd-stability").click()
    message = stub.wait_sent(1)[0]
    stub.push("stability", stability_of(cancer))
    stub.answer({"id": message["id"]})


def open_pair(stub: StubWidget, widget: imd.DiffWidget, first: int, second: int) -> None:
    """Click on a cell, and answer as the kernel would."""
    before = len(stub.sent)
    stub.root.locator(f'[data-place="{first},{second}"]').click()
    answer_pair(stub, widget, before + 1)


def answer_pair(stub: StubWidget, widget: imd.DiffWidget, count: int) -> None:
    """Answer the last of so many messages, which asks for a pair, as the kernel would."""
    message = stub.wait_sent(count)[count - 1]
    answer = answer_of(widget, message)
    for trait in ("view", "pair", *PAIR_TRAITS):
        stub.push(trait, getattr(widget, trait))
    stub.answer({"id": message["id"], **answer})


def with_pair(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The diff of two of the models, below the matrix."""
    open_pair(stub, widget, 0, 3)
    stub.page.evaluate("window.scrollTo(0, 0)")


def pointed(stub: StubWidget, _: imd.DiffWidget) -> None:
    """What a cell says that is a shade alone."""
    stub.root.locator('[data-place="3,7"]').focus()


def helped(stub: StubWidget, _: imd.DiffWidget) -> None:
    """How to read this."""
    stub.root.get_by_test_id("imd-help").click()


def first_or_node(d: imd.ModelDiff) -> str:
    """The node of the rule that explains most."""
    return max(d.rules, key=lambda rule: rule.coverage).node


STATES: dict[str, State] = {
    "first-view": State(cancer, height=720),
    "rule": State(cancer, {"selected_rules": [0]}, height=720),
    "rows": State(cancer, {"selected_rules": [0]}, with_rows),
    "node": State(cancer, {"selected_node": "r", "tab": "Node"}, height=720),
    "inside": State(cancer, {"selected_rules": [0]}, with_columns, height=720),
    "why": State(cancer, {"selected_rules": [0]}, with_why, height=1150),
    "why-row": State(cancer, {"selected_rules": [0]}, with_row, height=700),
    "why-change": State(cancer, {"selected_rules": [0]}, with_smallest_change, height=700),
    "why-map": State(cancer, {"selected_rules": [0]}, with_map, height=700),
    "why-narrow": State(cancer, {"selected_rules": [0]}, with_why, width=400, window=1400),
    "why-trees": State(cancer, touch=with_surrogates, height=700),
    "agreement": State(groups),
    "stability": State(cancer, {"selected_rules": [1]}, with_stability),
    "cohort": State(cancer, touch=with_cohort),
    "help": State(cancer, touch=helped),
    "paper": State(paper, touch=refined, height=720),
    "values": State(prices, {"selected_rules": [0]}),
    "probabilities": State(risks),
    "eight-classes": State(eight),
    "forty-classes": State(forty, {"tab": "Node"}),
    "hostile": State(hostile),
    "narrow": State(cancer, {"selected_rules": [0]}, width=400, height=800),
    "down": State(paper, {"orientation": "down"}, width=1400),
    "models": State(six, window=420),
    "pair": State(six, touch=with_pair, window=1000),
    "thirty-models": State(thirty, touch=pointed, window=1060),
    "models-narrow": State(six, touch=with_pair, width=400, window=1000),
}


def open_state(page: Page, url: str, name: str, theme: str) -> StubWidget:
    """One of the states, by its name, on an empty page."""
    return open_on_page(page, url, STATES[name], theme)


def open_on_page(page: Page, url: str, state: State, theme: str) -> StubWidget:
    """The state on an empty page."""
    high = state.window or (state.height or 560) + 40
    page.set_viewport_size({"width": state.width, "height": high})
    page.emulate_media(reduced_motion="reduce")
    ground = "#111" if theme == "dark" else "#fff"
    widget = imd.show(state.diff(), height=state.height, theme=theme)
    for trait, value in state.traits.items():
        setattr(widget, trait, value)
    keys = ("view", "traced", "height", "theme", *state.traits)
    if isinstance(widget, ComparisonWidget):
        keys += ("comparison", "pair", "matrix_order")
    mount = open_stub_page(page, url)
    page.add_style_tag(content=f"body {{ margin: 12px; background: {ground}; }}")
    stub = mount({key: getattr(widget, key) for key in keys})
    state.touch(stub, widget)
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)  # the cards that follow the first paint, the flash of a new node
    return stub
