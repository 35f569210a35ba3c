"""Parts of the widget, as docs/reading.md shows them one after the other, look as they did.

After a wanted change: IMD_WRITE_PICTURES=1 pytest tests/e2e/test_reading_pictures.py, and look.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page
from sklearn.ensemble import HistGradientBoostingClassifier

import imd_widget as imd
from imd_widget.views.build import view_of
from imd_widget.views.schema import DiffView
from tests.e2e.conftest import ROOT, PageWatch
from tests.e2e.gallery import State, Touch, nothing, open_on_page, with_rows
from tests.e2e.stub_widget import StubWidget
from tests.e2e.test_pictures import SHARE, WRITE, in_themes, keep, share_off

pytestmark = pytest.mark.browser

PICTURES = ROOT / "docs" / "images" / "reading"


@cache
def cancer() -> imd.ModelDiff:
    """The example of most pictures; its page tells of rows kept aside."""
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, y=pair.y, measure="holdout")


@cache
def paper() -> imd.ModelDiff:
    """The same with the method of the paper, whose branches are long."""
    pair = imd.datasets.breast_cancer_pair()
    options: Any = {"method": "imd", "max_depth": 4, "measure": "holdout"}
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, **options)


@cache
def chance() -> imd.ModelDiff:
    """Two models that differ by the seed alone: nothing can be said about where."""
    pumps = imd.datasets.pumps(4_000, random_state=3)
    X, y = pumps.drop(columns="outcome"), pumps["outcome"]
    models = (
        HistGradientBoostingClassifier(random_state=0).fit(X[:2_000], y[:2_000]),
        HistGradientBoostingClassifier(random_state=1, max_features=0.3).fit(X[:2_000], y[:2_000]),
    )
    return imd.diff(*models, X[2_000:], names=("seed 0", "seed 1"), measure="holdout")


@cache
def couriers() -> imd.ModelDiff:
    """The example that docs/reading.md reads from end to end."""

    def late(table: pd.DataFrame) -> pd.Series[str]:
        return (table["minutes"] > 45).map({True: "late", False: "on time"})

    last_year = imd.datasets.deliveries(6_000, random_state=1)
    this_year = imd.datasets.deliveries(6_000, drifted=True, random_state=2)
    newest = imd.datasets.deliveries(3_000, drifted=True, random_state=3)
    features = list(newest.columns.drop(["minutes", "cause"]))
    old, new = (
        HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(year[features], late(year))
        for year in (last_year, this_year)
    )
    return imd.diff(old, new, newest[features], y=late(newest), names=("old", "new"), max_rules=5)


#: Selector of the boxes of nodes.
BOXES = "[data-node]"


@dataclass(frozen=True)
class Part:
    """What is shown of the widget in some state.

    ``around`` is a selector: the picture holds all that it matches, whatever its size. ``node``
    picks a node of the diff: the tree is folded but for the way to it, and the picture holds the
    question above it and all below. ``height`` is the most that is shown, in pixels.
    """

    diff: Callable[[], imd.ModelDiff]
    around: str
    traits: dict[str, Any] = field(default_factory=dict)
    touch: Touch = nothing
    node: Callable[[DiffView], str] | None = None
    width: int = 1100
    height: int = 600
    margin: int = 0
    #: Height of the widget, in pixels.
    of_height: int = 560

    def state(self) -> State:
        traits, touch = self.traits, self.touch
        if self.node is not None:
            view = view_of(self.diff())
            traits = {**traits, "folds": folds_around(view, self.node(view))}
            touch = fitted
        return State(self.diff, traits, touch, self.width, self.of_height)


def fitted(stub: StubWidget, _: imd.DiffWidget) -> None:
    """All of the tree is in view."""
    stub.root.get_by_test_id("imd-fit").click()


#: What does not belong to a node or lie below it is not drawn: it would be cut off.
ALONE = """(root, node) => {
  for (const part of root.querySelectorAll("[data-node], [data-link]")) {
    const id = part.dataset.node ?? part.dataset.link;
    const own = part.dataset.node ? id.startsWith(node) : id.startsWith(node) && id !== node;
    if (!own) part.style.visibility = "hidden";
  }
}"""


def parents(view: DiffView) -> dict[str, str | None]:
    return {node.id: node.parent for node in view.nodes}


def folds_around(view: DiffView, node: str) -> dict[str, bool]:
    """Open the way to a node and all below it, and fold the rest."""
    inner = {parent for parent in parents(view).values() if parent is not None}
    return {one: not (one.startswith(node) or node.startswith(one)) for one in sorted(inner)}


def halves(view: DiffView) -> str:
    """The question above two leaves of which the models differ."""
    above = parents(view)
    kinds = {node.id: node.kind for node in view.nodes}
    ends = [
        node
        for node in view.nodes
        if node.kind == "or"
        and node.rules
        and all(kinds[one] == "leaf" for one, parent in above.items() if parent == node.id)
    ]
    largest = max(ends, key=lambda node: (node.rate or 0, node.differing))
    return str(above[largest.id])


def branches(view: DiffView) -> str:
    """The or-node with rules that has fewest nodes below it, but more than two leaves."""

    def size(node: str) -> int:
        return sum(one.id.startswith(node) for one in view.nodes)

    ors = [n.id for n in view.nodes if n.kind == "or" and n.rules and size(n.id) > 3]
    return min(ors, key=size)


PARTS: dict[str, Part] = {
    "headline": Part(cancer, ".imd-headline"),
    "chance": Part(chance, ".imd-headline"),
    "questions": Part(cancer, BOXES, margin=8, of_height=760, height=760),
    "halves": Part(cancer, BOXES, node=halves, width=1900, margin=8),
    "branches": Part(paper, BOXES, node=branches, width=1900, margin=8),
    "card": Part(
        cancer,
        ".imd-card.is-selected",
        {"selected_rules": [0]},
        margin=8,
        of_height=900,
        height=900,
    ),
    "rows": Part(cancer, ".imd-panel", {"selected_rules": [0]}, with_rows, height=260),
    "example": Part(couriers, ".imd-root", margin=8),
}


def clip_of(part: Part, root: Locator) -> FloatRect:
    """The rectangle around all that belongs to a part."""
    found = root.locator(part.around)
    if part.node is not None:
        node = part.node(view_of(part.diff()))
        found = root.locator(f'[data-node^="{node}"]')
    boxes = found.evaluate_all(
        """(all) => all.map((el) => {
          const { left, top, right, bottom } = el.getBoundingClientRect();
          return [left, top, right, bottom];
        })"""
    )
    assert boxes
    left, top = (min(box[i] for box in boxes) - part.margin for i in (0, 1))
    right, bottom = (max(box[i] for box in boxes) + part.margin for i in (2, 3))
    left, top = max(0.0, left), max(0.0, top)
    # a headline ends where its last line does
    width, height = right - left, min(bottom - top + (0 if part.margin else 8), part.height)
    return {"x": left, "y": top, "width": width, "height": height}


def check_whole(part: Part, root: Locator) -> None:
    """Nothing is cut off: boxes lie in the canvas, a card in its list, all else in the window."""
    frame = {BOXES: ".imd-canvas", ".imd-card.is-selected": ".imd-scroll"}.get(part.around)
    outer = root.locator(frame or ".imd-root").first.bounding_box()
    clip = clip_of(part, root)
    assert outer is not None
    slack = part.margin + 1
    assert clip["x"] >= outer["x"] - slack
    assert clip["y"] >= outer["y"] - slack
    assert clip["x"] + clip["width"] <= outer["x"] + outer["width"] + slack
    assert clip["y"] + clip["height"] <= outer["y"] + outer["height"] + slack


@pytest.mark.parametrize("name, theme", in_themes(list(PARTS), dark=["example"]))
def test_a_part_looks_as_it_did(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    part = PARTS[name]
    stub = open_on_page(page, bundle_url, part.state(), theme)
    check_whole(part, stub.root)
    if part.node is not None:
        stub.root.evaluate(ALONE, part.node(view_of(part.diff())))
    taken = Image.open(io.BytesIO(page.screenshot(clip=clip_of(part, stub.root)))).convert("RGB")
    file = PICTURES / f"{name}-{theme}.png"
    if WRITE:
        file.parent.mkdir(parents=True, exist_ok=True)
        taken.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    off = share_off(taken, Image.open(file).convert("RGB"))
    if off > SHARE:
        kept = keep(taken, f"reading-{file.name}")
        pytest.fail(f"{off:.0%} of {file.name} looks otherwise: see {kept}", pytrace=False)
