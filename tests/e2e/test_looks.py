"""Odd names, many classes, small rooms, fingers and high contrast, in Chromium."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.gallery import STATES, hostile, hostile_words, open_state
from tests.e2e.locators import rule_cards, tree
from tests.e2e.stub_widget import StubWidget

pytestmark = pytest.mark.browser

# Everything that sticks out of the widget, and text of a box that leaves it.
STICKS_OUT = """(root) => {
  const frame = root.getBoundingClientRect();
  const inside = (el) => el.closest(".imd-scroll, .imd-rows, svg");
  return [...root.querySelectorAll("*")].filter((el) => {
    const box = el.getBoundingClientRect();
    const out = box.right > frame.right + 1 || box.left < frame.left - 1;
    return box.width > 0 && !inside(el) && out;
  }).map((el) => el.outerHTML.slice(0, 120));
}"""
LEAVES_ITS_BOX = """(tree) => [...tree.querySelectorAll("[data-node]")].filter((node) => {
  const box = node.querySelector("rect, path, circle").getBoundingClientRect();
  const row = node.dataset.kind === "split";
  return row && [...node.querySelectorAll("text")].some((text) => {
    const { left, right } = text.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1;
  });
}).map((node) => node.textContent)"""


@pytest.mark.parametrize("width", [400, 719, 1100, 1800])
@pytest.mark.parametrize("name", ["first-view", "rule", "values", "forty-classes", "hostile"])
def test_nothing_sticks_out(
    name: str, width: int, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    widget = open_state(page, bundle_url, name, "light")
    page.set_viewport_size({"width": width, "height": 700})
    page.wait_for_timeout(100)
    assert widget.root.locator(".imd-root").evaluate(STICKS_OUT) == []
    assert tree(widget.root).evaluate(LEAVES_ITS_BOX) == []


def test_hostile_names_are_shown_as_text(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    widget = open_state(page, bundle_url, "hostile", "light")
    root = widget.root
    titles = str(root.evaluate("(root) => root.outerHTML"))
    for tab in ("Rules", "Node"):
        root.get_by_role("tab", name=tab).click()
        titles += str(root.inner_text()) + " ".join(
            root.locator("[title]").evaluate_all("(all) => all.map((el) => el.title)")
        )
    for word in hostile_words().values():
        assert word.strip() in re.sub(r"\s+", " ", titles) or word in titles
    root.get_by_role("tab", name="Rules").click()
    for card in rule_cards(root).all():
        card.click()
        expect(card).to_have_class(re.compile("is-selected"))
    # a column called __proto__ or constructor is a column like any other
    for column in ("__proto__", "constructor"):
        root.get_by_test_id("imd-column").select_option(column)
        about = [r for r in hostile().rules if any(c.column == column for c in r.conditions)]
        assert about
        expect(rule_cards(root)).to_have_count(len(about))
    assert page.evaluate("window.pwned") is None
    assert root.locator("img, script").count() == 0


@pytest.mark.parametrize("name, n_classes", [("eight-classes", 8), ("forty-classes", 40)])
def test_many_classes_are_told_apart_by_text(
    name: str, n_classes: int, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    widget = open_state(page, bundle_url, name, "dark")
    legend = widget.root.locator(".imd-legend")
    swatches = legend.locator(".imd-swatch")
    expect(swatches).to_have_count(8)
    colours = swatches.evaluate_all("(all) => all.map((el) => getComputedStyle(el).background)")
    assert len(set(colours)) == 8
    expect(legend.get_by_text("and 32 more")).to_have_count(int(n_classes > 8))
    said = STATES[name].diff().rules[0].said
    expect(tree(widget.root)).to_contain_text(said[0])


def test_values_have_a_scale_and_means(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    widget = open_state(page, bundle_url, "values", "light")
    legend = widget.root.locator(".imd-legend")
    expect(legend.locator(".imd-scale")).to_be_visible()
    expect(legend).to_contain_text("differ: more than 1 apart")
    rule = STATES["values"].diff().rules[0]
    expect(rule_cards(widget.root).first).to_contain_text(f"about {rule.outcomes[0]:.1f}")
    widget.root.get_by_role("tab", name="Node").click()
    expect(widget.root.locator("[data-mean]")).to_have_count(2)


def test_high_contrast_keeps_every_mark(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    page.emulate_media(forced_colors="active")
    widget = open_state(page, bundle_url, "paper", "light")
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    root = widget.root
    root.get_by_role("button", name="unfold all").click()
    ground, ink = root.locator(".imd-root").evaluate(
        "(el) => [getComputedStyle(el).backgroundColor, getComputedStyle(el).color]"
    )
    assert ground != ink
    boxes = tree(root).locator(".imd-box")
    strokes = boxes.evaluate_all("(all) => all.map((el) => getComputedStyle(el).stroke)")
    assert ground not in strokes
    # what a class looks like stays, beside its name
    bands = (
        tree(root)
        .locator(".imd-band")
        .evaluate_all("(all) => all.map((el) => getComputedStyle(el).fill)")
    )
    assert len(set(bands)) > 1
    # one line under all tabs, and a mark under one
    widths = root.get_by_role("tab").evaluate_all(
        "(all) => all.map((el) => getComputedStyle(el).borderBottomWidth)"
    )
    assert sorted(widths) == [*["0px"] * (len(widths) - 1), "2px"]


CAMERA = """(tree) => {
  const { a, e, f } = new DOMMatrix(getComputedStyle(tree.querySelector(".imd-layer")).transform);
  return [a, e, f];
}"""


STILL = """async (tree) => {
  const moving = tree.getAnimations({ subtree: true });
  await Promise.allSettled(moving.map((animation) => animation.finished));
}"""


def test_fingers_move_and_zoom_and_tap(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    widget = open_state(page, bundle_url, "first-view", "light")
    touch = page.context.new_cdp_session(page)
    surface = tree(widget.root)
    box = surface.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 12

    def camera() -> list[float]:
        return [float(part) for part in surface.evaluate(CAMERA)]

    scale, left, top = camera()
    drag(touch, [[(x, y), (x - 10, y - 5), (x - 60, y - 40)]])
    assert camera() == pytest.approx([scale, left - 60, top - 40], abs=2)

    pinch = [[(x - 50, y), (x - 70, y), (x - 100, y)], [(x + 50, y), (x + 70, y), (x + 100, y)]]
    drag(touch, pinch)
    assert camera()[0] == pytest.approx(2 * scale, rel=0.05)

    node = surface.locator("[data-node]").last
    widget.root.get_by_test_id("imd-fit").click()
    surface.evaluate(STILL)
    tap_until_selected(touch, widget, node)
    # the page was not zoomed or scrolled in its place
    assert page.evaluate("[visualViewport.scale, scrollY]") == [1, 0]


def tap_until_selected(touch: CDPSession, widget: StubWidget, node: Locator) -> None:
    """Tap a node, and again if no tap arrived.

    On a busy machine the browser can take a tap for a long press, or the node can still move. The
    browser itself times every second tap, so that it cannot become a long press.
    """
    wanted = node.get_attribute("data-node")
    node = tree(widget.root).locator(f"[data-node='{wanted}']")
    for attempt in range(6):
        node.click(trial=True)
        box = node.bounding_box()
        assert box is not None
        x, y = box["x"] + 20, box["y"] + box["height"] / 2
        if attempt % 2:
            touch.send("Input.synthesizeTapGesture", {"x": x, "y": y, "gestureSourceType": "touch"})
        else:
            drag(touch, [[(x, y)]])
        widget.page.wait_for_timeout(500 * (attempt + 1))
        if widget.saved.get("selected_node") == wanted:
            return
    at_point = "([x, y]) => document.elementFromPoint(x, y)?.outerHTML.slice(0, 300)"
    pytest.fail(
        f"tapped {wanted} at {x}, {y}; selected {widget.saved.get('selected_node')!r};"
        f" the element there: {widget.page.evaluate(at_point, [x, y])}"
    )


def drag(touch: CDPSession, ways: list[list[tuple[float, float]]]) -> None:
    """Fingers down, along their ways, and up."""

    def points(step: int) -> list[dict[str, Any]]:
        return [{"x": way[step][0], "y": way[step][1], "id": i} for i, way in enumerate(ways)]

    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(0)})
    for step in range(1, len(ways[0])):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(step)})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
