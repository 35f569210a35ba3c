"""What is seen at first, and what stays in view: rules, differences, the selection, the height."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.gallery import State, Touch, nothing, open_on_page, paper, prices, refined
from tests.e2e.locators import or_nodes, rule_cards, tree
from tests.e2e.stub_widget import StubWidget
from tests.unit.example_views import EXAMPLES

pytestmark = pytest.mark.browser

# Rules of which every pixel is inside the list, and the list inside the window.
WHOLE_RULES = """(root) => {
  const list = root.querySelector(".imd-scroll").getBoundingClientRect();
  const bottom = Math.min(list.bottom, window.innerHeight);
  return [...root.querySelectorAll("[data-rule]")].filter((rule) => {
    const { top, bottom: end, height } = rule.getBoundingClientRect();
    return height > 0 && top >= list.top - 1 && end <= bottom + 1;
  }).length;
}"""
# Or-nodes of which every pixel is inside the canvas, and all of them.
DIFFERENCES = """(tree) => {
  const canvas = tree.getBoundingClientRect();
  const nodes = [...tree.querySelectorAll('[data-or="true"]')];
  const inside = nodes.filter((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return left >= canvas.left - 1 && top >= canvas.top - 1 && right <= canvas.right + 1
      && bottom <= canvas.bottom + 1;
  });
  return [inside.length, nodes.length];
}"""
Open = Callable[..., StubWidget]


@pytest.fixture
def opened(page: Page, bundle_url: str, no_foreign_requests: PageWatch) -> Open:
    """A diff in a widget of this width, whose height follows its content unless it is given."""

    def show(
        diff: Callable[[], imd.ModelDiff],
        width: int = 1440,
        window: int = 1000,
        height: int | None = None,
        traits: dict[str, Any] | None = None,
        touch: Touch = nothing,
    ) -> StubWidget:
        state = State(diff, traits or {}, touch, width=width, height=height, window=window)
        return open_on_page(page, bundle_url, state, "light")

    return show


def whole_rules(stub: StubWidget) -> int:
    return int(stub.root.evaluate(WHOLE_RULES))


def differences(stub: StubWidget) -> tuple[int, int]:
    inside, all_of_them = tree(stub.root).evaluate(DIFFERENCES)
    return inside, all_of_them


def height_of(stub: StubWidget) -> int:
    return int(stub.root.locator(".imd-frame").evaluate("(frame) => frame.clientHeight"))


@pytest.mark.parametrize("name", ["cancer", "regions", "mixed_outcomes", "mostly_different"])
def test_six_rules_are_seen_at_first(opened: Open, name: str) -> None:
    stub = opened(EXAMPLES[name])
    n_rules = rule_cards(stub.root).count()
    assert n_rules >= 6 or name != "cancer"
    assert whole_rules(stub) >= min(6, n_rules)
    inside, _ = differences(stub)
    assert inside >= 1


def test_three_rules_are_seen_in_a_narrow_panel(opened: Open) -> None:
    stub = opened(EXAMPLES["cancer"], width=400)
    stub.root.locator(".imd-panel").evaluate("(panel) => panel.scrollIntoView({ block: 'end' })")
    assert rule_cards(stub.root).count() > 3
    assert whole_rules(stub) >= 3


def test_a_narrow_widget_has_one_button_for_all_controls(opened: Open) -> None:
    stub = opened(EXAMPLES["cancer"], width=400)
    shown = stub.root.locator(".imd-toolbar button:visible")
    expect(shown).to_have_count(1)
    shown.click()
    for name in ("imd-refine", "imd-undo", "imd-all", "imd-save", "imd-depth"):
        expect(stub.root.get_by_test_id(name)).to_be_visible()


def test_controls_take_one_line(opened: Open) -> None:
    for width in (760, 1100, 1440):
        stub = opened(EXAMPLES["values"], width=width)
        assert stub.root.locator(".imd-toolbar").evaluate("(bar) => bar.clientHeight") < 52


def test_all_differences_stay_in_view_when_all_is_unfolded(opened: Open) -> None:
    stub = opened(EXAMPLES["regions"], height=640, width=900)
    stub.root.get_by_role("button", name="unfold all").click()
    stub.page.wait_for_timeout(300)
    inside, all_of_them = differences(stub)
    assert inside == all_of_them > 2


def test_an_unfolded_tree_is_not_smaller_than_can_be_made_out(opened: Open) -> None:
    """In a low widget some differences are outside the view, which the map shows."""
    stub = opened(EXAMPLES["regions"], height=400, width=900)
    stub.root.get_by_role("button", name="unfold all").click()
    stub.page.wait_for_timeout(300)
    style = stub.root.locator(".imd-layer").get_attribute("style") or ""
    assert float(style.split("scale(")[1].split(")")[0]) >= 0.5
    inside, all_of_them = differences(stub)
    assert 0 < inside < all_of_them
    expect(stub.root.get_by_test_id("imd-minimap")).to_be_visible()


def test_a_refinement_keeps_the_selected_rule_in_view(opened: Open) -> None:
    stub = opened(EXAMPLES["regions"], traits={"selected_rules": [0]}, touch=refined)
    # Python's part: the number that the rule has now
    stub.push("selected_rules", [0])
    expect(rule_cards(stub.root).and_(stub.root.locator(".is-selected"))).to_have_count(1)
    stub.page.wait_for_timeout(300)
    lit = or_nodes(stub.root).and_(stub.root.locator(".is-lit"))
    expect(lit.first).to_be_in_viewport(ratio=0.99)
    canvas, node = tree(stub.root).bounding_box(), lit.first.bounding_box()
    assert canvas is not None
    assert node is not None
    assert canvas["x"] <= node["x"] < canvas["x"] + canvas["width"]


def test_full_screen_fits_the_tree_again(opened: Open) -> None:
    stub = opened(EXAMPLES["regions"], width=900, window=900, height=400)
    before = tree(stub.root).locator("[data-node]").count()
    stub.page.set_viewport_size({"width": 1800, "height": 1100})
    stub.root.get_by_test_id("imd-full").click()
    stub.page.wait_for_timeout(400)
    inside, all_of_them = differences(stub)
    assert inside == all_of_them
    # there is room for more of it
    assert tree(stub.root).locator("[data-node]").count() > before


def test_the_height_follows_the_content(opened: Open) -> None:
    heights = [height_of(opened(diff)) for diff in (EXAMPLES["no_difference"], EXAMPLES["cancer"])]
    assert 400 <= heights[0] < heights[1] <= 720
    assert height_of(opened(EXAMPLES["cancer"], window=600)) == 560


def test_a_given_height_rules(opened: Open) -> None:
    for height in (400, 640):
        assert height_of(opened(prices, height=height)) == height


def test_the_height_is_dragged_and_typed(opened: Open) -> None:
    stub = opened(prices, height=500)
    handle = stub.root.get_by_test_id("imd-height")
    box = handle.bounding_box()
    assert box is not None
    stub.page.mouse.move(box["x"] + 300, box["y"] + 4)
    stub.page.mouse.down()
    stub.page.mouse.move(box["x"] + 300, box["y"] + 84, steps=4)
    stub.page.mouse.up()
    stub.wait_saved("height", 580)
    assert height_of(stub) == 580
    handle.focus()
    stub.page.keyboard.press("ArrowUp")
    stub.wait_saved("height", 560)
    expect(handle).to_have_attribute("aria-valuenow", "560")


def test_the_figures_are_there_on_demand(opened: Open) -> None:
    stub = opened(EXAMPLES["judged"])
    notes = EXAMPLES["judged"]().summary()
    more = stub.root.get_by_test_id("imd-details")
    expect(stub.root.get_by_test_id("imd-headline")).not_to_contain_text("is right on")
    more.focus()
    stub.page.keyboard.press("Enter")
    expect(stub.root.get_by_test_id("imd-headline")).to_contain_text("is right on")
    assert "is right on" in notes


def test_an_or_node_is_seen_at_first_in_a_narrow_widget(opened: Open) -> None:
    for name in ("cancer", "regions"):
        stub = opened(EXAMPLES[name], width=400)
        circle = or_nodes(stub.root).locator("circle").first
        box, canvas = circle.bounding_box(), tree(stub.root).bounding_box()
        assert box is not None
        assert canvas is not None
        assert canvas["x"] <= box["x"] < canvas["x"] + canvas["width"] - box["width"]
        assert canvas["y"] <= box["y"] < canvas["y"] + canvas["height"] - box["height"]


def wide_names() -> imd.ModelDiff:
    """Rules four splits below the root, over columns with long names."""
    rng = np.random.default_rng(0)
    names = [f"Months_Since_Most_Recent_Inquiry_{i}" for i in range(6)]
    X = pd.DataFrame(rng.integers(0, 100, (6_000, 6)), columns=names)
    old = (X.sum(axis=1) > 300).to_numpy()
    cell = (X.to_numpy()[:, :4] > 50) @ (1 << np.arange(4))
    return imd.diff(old, old ^ np.isin(cell, [3, 9, 14]), X, test_size=0)


@pytest.mark.parametrize("width", [1440, 400])
def test_the_first_rule_is_seen_in_a_deep_tree(opened: Open, width: int) -> None:
    inside, _ = differences(opened(wide_names, width=width))
    assert inside >= 1


def test_a_map_shows_and_moves_what_is_in_view(opened: Open) -> None:
    stub = opened(EXAMPLES["regions"])
    drawn = stub.root.get_by_test_id("imd-minimap")
    layer, frame = stub.root.locator(".imd-layer"), drawn.locator("rect")
    expect(drawn).to_have_count(0)
    for _ in range(5):
        stub.root.get_by_test_id("imd-zoom-in").click()
    expect(drawn).to_be_visible()
    expect(drawn).to_have_attribute("aria-label", re.compile("whole tree"))
    before = frame.get_attribute("x"), layer.get_attribute("style")
    drawn.focus()
    stub.page.keyboard.press("ArrowRight")
    expect(frame).not_to_have_attribute("x", str(before[0]))
    expect(layer).not_to_have_attribute("style", str(before[1]))
    box, canvas = drawn.bounding_box(), tree(stub.root).bounding_box()
    assert box is not None
    assert canvas is not None
    stub.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    stub.page.mouse.down()
    stub.page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2, steps=3)
    stub.page.mouse.up()
    # the left end of the tree is in the middle of the canvas
    root = stub.root.locator('[data-node="r"]').bounding_box()
    assert root is not None
    assert abs(root["x"] - canvas["x"] - canvas["width"] / 2) < 30
    stub.page.emulate_media(media="print")
    expect(drawn).to_be_hidden()
    stub.page.emulate_media(media="screen")
    stub.root.get_by_test_id("imd-fit").click()
    expect(drawn).to_have_count(0)


def test_growth_is_played_forwards_and_back_on_a_page(
    page: Page, no_foreign_requests: PageWatch, tmp_path: Path
) -> None:
    del no_foreign_requests
    diff = paper()
    steps = diff.growth()
    diff.save(tmp_path / "diff.html")
    page.goto((tmp_path / "diff.html").as_uri())
    page.get_by_test_id("imd-grow").click()
    player = page.get_by_test_id("imd-growth")
    boxes = page.get_by_test_id("imd-tree").locator("[data-node]")
    for number, step in enumerate(steps[:4], 1):
        expect(player).to_contain_text(f"Step {number} of {len(steps)}")
        expect(player).to_contain_text(step.reason)
        expect(page.locator(f'[data-node="{step.node}"]')).to_have_class(re.compile("is-selected"))
        if number < 4:
            page.get_by_role("button", name="Next step").click()
    grown = boxes.count()
    page.get_by_role("button", name="Previous step").click()
    expect(player).to_contain_text("Step 3 of")
    assert boxes.count() < grown
    page.get_by_role("button", name="Play", exact=True).click()
    expect(player).to_contain_text("Step 5 of", timeout=20_000)
    page.get_by_role("button", name="Pause").click()
    page.keyboard.press("Escape")
    expect(player).to_have_count(0)
